"""A line of text in a picture."""

from amqplite.lab.export.drawing import Drawing


def write(
    drawing: Drawing,
    text: str,
    x: float,
    y: float,
    ink: str,
    *,
    size: float,
    anchor: str | None = None,
    bold: bool = False,
) -> None:
    """Write text at a point: of its baseline, and as `anchor` says its start, middle or end."""
    drawing.text(
        text,
        x=x,
        y=y,
        text_anchor=anchor,
        font_size=size,
        font_weight="600" if bold else None,
        fill=ink,
    )

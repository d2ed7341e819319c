"""What the shapes of a picture mean: those that are in it."""

from collections.abc import Callable

from amqplite.lab.diagram.boxes import WAITS
from amqplite.lab.export import glyphs
from amqplite.lab.export import palette as colour
from amqplite.lab.export.chart import MARGIN, Chart
from amqplite.lab.export.drawing import Drawing
from amqplite.lab.export.marks import goes_without_saying
from amqplite.lab.export.width import pixels
from amqplite.lab.export.words import Words

SWATCH = 30
SIZE = 12
ROW = 24


def draw_legend(drawing: Drawing, chart: Chart, words: Words, y: float, width: float) -> float:
    """Draw the legend in as many rows as it needs; return its lower edge."""
    x = float(MARGIN)
    for key, draw in _items(chart):
        text = words(f"out.legend.{key}")
        needed = SWATCH + 8 + pixels(text, SIZE) + 22
        if x + needed - 22 > width - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + ROW
        draw(drawing, x, y)
        drawing.text(text, x=x + SWATCH + 8, y=y + 4.3, font_size=SIZE, fill=colour.MUTED)
        x += needed
    return y + ROW / 2


Draw = Callable[[Drawing, float, float], None]


def _items(chart: Chart) -> list[tuple[str, Draw]]:
    bars = chart.layout.bars
    kinds = {bar.kind for bar in bars}
    unsaid = chart.words.tick_us
    marks = {m.kind for m in chart.layout.marks if not goes_without_saying(m, unsaid)}
    thin = any(
        bar.kind not in WAITS and not bar.auto and (bar.work is None or bar.work > bar.start)
        for bar in bars
    )
    wanted: list[tuple[bool, str, Draw]] = [
        ("waiting" in kinds, "waiting", _box(colour.PAPER, colour.SKY)),
        ("buffered" in kinds, "buffered", _box(colour.PAPER, colour.SKY)),
        ("requeued" in kinds, "requeued", _box(colour.PAPER, colour.VERMILION, "5 3")),
        (
            any(bar.kind == "held" and not bar.auto for bar in bars),
            "held",
            _box(colour.BLUE, colour.OUTLINE),
        ),
        (thin, "thin", _thin),
        (
            "failed" in kinds or any(bar.end == "crashed" for bar in bars),
            "failed",
            _box("url(#amq-hatch)", colour.GREY, "4 3"),
        ),
        ("redelivered" in kinds, "redelivered", _box("url(#amq-dots)", colour.OUTLINE)),
        ("work" in kinds, "work", _box(colour.BLUE_WASH, colour.OUTLINE)),
        (any(bar.auto and bar.kind != "work" for bar in bars), "auto", _auto),
        (any(bar.end == "acked" and not bar.auto for bar in bars), "acked", _acked),
        (any(bar.ring for bar in bars), "ring", _ring),
        ("crash" in marks, "crash", _crash),
        ("applied" in marks, "applied", _applied),
        ("released" in marks, "released", _applied),
        ("skipped_duplicate" in marks, "skipped", _skipped),
        (bool(marks & {"refused", "unroutable", "publish_nacked"}), "refused", _refused),
    ]
    return [(key, draw) for there, key, draw in wanted if there]


def _box(fill: str, stroke: str, dashes: str | None = None) -> Draw:
    def draw(drawing: Drawing, x: float, y: float) -> None:
        drawing.put(
            "rect",
            x=x,
            y=y - 7,
            width=SWATCH,
            height=14,
            rx=3.5,
            fill=fill,
            stroke=stroke,
            stroke_width=1.6,
            stroke_dasharray=dashes,
        )

    return draw


def _thin(drawing: Drawing, x: float, y: float) -> None:
    drawing.put(
        "rect",
        x=x,
        y=y - 3.5,
        width=SWATCH,
        height=7,
        rx=3,
        fill=colour.BLUE_WASH,
        stroke=colour.OUTLINE,
        stroke_width=1.2,
    )


def _auto(drawing: Drawing, x: float, y: float) -> None:
    drawing.put("circle", cx=x + SWATCH - 8, cy=y, r=6, fill=colour.BLUE)


def _acked(drawing: Drawing, x: float, y: float) -> None:
    glyphs.tick(drawing, x + SWATCH - 9, y, 8)


def _ring(drawing: Drawing, x: float, y: float) -> None:
    drawing.put(
        "rect",
        x=x,
        y=y - 8,
        width=SWATCH,
        height=16,
        rx=6,
        fill="none",
        stroke=colour.VERMILION,
        stroke_width=2.2,
    )


def _crash(drawing: Drawing, x: float, y: float) -> None:
    glyphs.cross(drawing, x + SWATCH - 9, y, 7)


def _applied(drawing: Drawing, x: float, y: float) -> None:
    glyphs.diamond(drawing, x + SWATCH - 8, y, 6, filled=True)


def _skipped(drawing: Drawing, x: float, y: float) -> None:
    glyphs.diamond(drawing, x + SWATCH - 8, y, 6, filled=False)


def _refused(drawing: Drawing, x: float, y: float) -> None:
    drawing.put(
        "path",
        d=f"M{x + 14:.1f} {y - 6:.1f}q1 12 7 12t6 -10",
        fill="none",
        stroke=colour.VERMILION,
        stroke_width=2,
    )

"""Bars of a picture: what waits, and what is held."""

from amqplite.lab.diagram.boxes import WAITS, Bar
from amqplite.lab.export import glyphs
from amqplite.lab.export import palette as colour
from amqplite.lab.export.arrows import AUTO
from amqplite.lab.export.chart import Chart
from amqplite.lab.export.drawing import Drawing
from amqplite.lab.export.width import cut, pixels
from amqplite.lab.export.words import GIVEN_BACK, Words

FONT, SMALL = 13.5, 12
THIN = 8
"""Height of a bar while its message waits for its consumer to begin."""

EDGE = 1.0
DISC = 9
BACKED = 24
"""Room that the disc at the end of a bar takes."""

_FILLS = {
    "held": (colour.BLUE, colour.OUTLINE),
    "failed": ("url(#amq-hatch)", colour.GREY),
    "redelivered": ("url(#amq-dots)", colour.OUTLINE),
    "work": (colour.BLUE_WASH, colour.OUTLINE),
}


def draw_bars(drawing: Drawing, chart: Chart, words: Words) -> None:
    """Draw all bars that have a row."""
    for bar in chart.layout.bars:
        passed = bar.kind == "buffered" and bar.stop == bar.start
        if bar.row >= 0 and not passed:
            with drawing.named(words.bar(bar)):
                _draw(drawing, chart, bar, words)


def _draw(drawing: Drawing, chart: Chart, bar: Bar, words: Words) -> None:
    if bar.kind in WAITS:
        _waiting(drawing, chart, bar, words)
    elif bar.auto:
        _dot(drawing, chart, bar)
    else:
        _held(drawing, chart, bar)


def _waiting(drawing: Drawing, chart: Chart, bar: Bar, words: Words) -> None:
    x, y, width, height = chart.bar(bar)
    back = bar.kind == "requeued"
    drawing.put(
        "rect",
        x=x,
        y=y,
        width=width,
        height=height,
        rx=min(4.0, width / 2),
        fill=colour.PAPER,
        stroke=colour.VERMILION if back else colour.SKY,
        stroke_width=1.8,
        stroke_dasharray="5 3" if back else None,
    )
    span = words.span((chart.layout.end if bar.stop is None else bar.stop) - bar.start)
    slots = {"m": bar.m, "d": span}
    gone = 20 if bar.end in _ENDS_WITH_A_SIGN else 0
    texts = [bar.m] if bar.stop is None else [words("dia.waits", **slots)]
    texts += [words("dia.waits.short", **slots), bar.m]
    label = _fitting(texts, width - 10 - gone, SMALL, bold=False)
    if label:
        _label(drawing, label, x + (width - gone) / 2, y + height / 2, SMALL, colour.INK)


_ENDS_WITH_A_SIGN = {"expired", "dropped", "dead_lettered", "discarded", "purged"}


def _dot(drawing: Drawing, chart: Chart, bar: Bar) -> None:
    """An auto-ack: held for no time at all."""
    x, y, _, _ = chart.bar(bar)
    drawing.put(
        "circle", cx=x, cy=y, r=AUTO, fill=colour.BLUE, stroke=colour.PAPER, stroke_width=1.5
    )


def _held(drawing: Drawing, chart: Chart, bar: Bar) -> None:
    x, y, width, height = chart.bar(bar)
    work = _work(chart, bar, x, width)
    if width > 8:  # bars that touch are told apart
        x, width = x + EDGE, width - 2 * EDGE
        work = min(max(work, x), x + width)
    fill, outline = _FILLS["failed" if bar.end == "crashed" else bar.kind]
    style: dict[str, str | float | None] = {
        "stroke": outline,
        "stroke_width": 1.2,
        "stroke_dasharray": "4 3" if bar.kind == "failed" or bar.end == "crashed" else None,
    }
    thick = x + width - work
    if work > x + 1:
        middle = y + height / 2 - THIN / 2
        tone = colour.BLUE_WASH if bar.kind == "held" else fill
        reach = work - x + (4 if thick > 1 else 0)
        drawing.put("rect", x=x, y=middle, width=reach, height=THIN, rx=3, fill=tone, **style)
    if thick > 1:
        rounded = min(6.0, thick / 2)
        if bar.ring:
            _ring(drawing, work, y, thick, height)
        drawing.put("rect", x=work, y=y, width=thick, height=height, rx=rounded, fill=fill, **style)
    _inside(drawing, bar, (work, thick) if thick > 1 else (x, width), y + height / 2, thick > 1)


def _work(chart: Chart, bar: Bar, x: float, width: float) -> float:
    """Return where work on a message begins; the end of its bar if it never did."""
    if bar.work is None or (bar.stop is not None and bar.work >= bar.stop > bar.start):
        return x + width
    return min(max(x, chart.x(bar.work)), x + width)


def _ring(drawing: Drawing, x: float, y: float, width: float, height: float) -> None:
    drawing.put(
        "rect",
        x=x - 1.7,
        y=y - 2.4,
        width=width + 3.4,
        height=height + 4.8,
        rx=7.5,
        fill="none",
        stroke=colour.VERMILION,
        stroke_width=2.4,
    )


def _inside(
    drawing: Drawing, bar: Bar, extent: tuple[float, float], middle: float, thick: bool
) -> None:
    """Write who it is, and draw how it ended."""
    x, width = extent
    back = bar.end in ("dead_lettered", "discarded") or bar.cause in GIVEN_BACK
    disc = thick and (bar.end == "acked" or back) and width >= 2 * DISC + 8
    if disc:
        sign = glyphs.tick if bar.end == "acked" else glyphs.turn
        sign(drawing, x + width - DISC - 5, middle, DISC)
    elif thick and bar.end == "acked" and width > 8:
        drawing.put("circle", cx=x + width - 4.5, cy=middle, r=2.4, fill=colour.PAPER)
    plate = bar.kind not in ("held", "work") or bar.end == "crashed" or not thick
    room = width - (BACKED if disc else 0) - (14 if plate else 8)
    again = 20.0 + pixels(str(bar.attempt), FONT, bold=True) if bar.kind == "redelivered" else 0
    whole = pixels(bar.m, FONT, bold=True) + again
    if whole > room and again:
        again, whole = 0, pixels(bar.m, FONT, bold=True)
    label = bar.m
    if whole > room:
        label = cut(bar.m, room, lambda text: pixels(text, FONT, bold=True)) if room > 34 else ""
        whole = pixels(label, FONT, bold=True)
    if not label:
        return
    centre = x + (width - (BACKED if disc else 0)) / 2
    if plate:
        _plate(drawing, centre - whole / 2 - 5, middle, whole + 10)
    ink = colour.INK if plate or bar.kind == "work" else colour.PAPER
    name = whole - again
    _label(drawing, label, centre - whole / 2 + name / 2, middle, FONT, ink, bold=True)
    if again:
        start = centre - whole / 2 + name
        glyphs.again(drawing, start + 10, middle, 5, colour.INK)
        number = start + 18 + (again - 20) / 2
        _label(drawing, str(bar.attempt), number, middle, FONT, ink, bold=True)


def _plate(drawing: Drawing, x: float, middle: float, width: float) -> None:
    drawing.put("rect", x=x, y=middle - 10, width=width, height=20, rx=4, fill=colour.PAPER)


def _label(
    drawing: Drawing, text: str, x: float, y: float, size: float, ink: str, *, bold: bool = False
) -> None:
    drawing.text(
        text,
        x=x,
        y=y + size * 0.36,
        text_anchor="middle",
        font_size=size,
        font_weight="600" if bold else None,
        fill=ink,
    )


def _fitting(texts: list[str], room: float, size: float, *, bold: bool) -> str:
    return next((text for text in texts if pixels(text, size, bold=bold) <= room), "")

"""What a picture's arrows and bars are on: the axis, the grid and the lanes."""

from amqplite.lab.diagram.boxes import Span
from amqplite.lab.export import palette as colour
from amqplite.lab.export.chart import MARGIN, Chart, Strip, lane_name
from amqplite.lab.export.drawing import Drawing, number
from amqplite.lab.export.lettering import write
from amqplite.lab.export.width import cut, pixels
from amqplite.lab.export.words import Words


def draw_ground(drawing: Drawing, chart: Chart, words: Words) -> None:
    """Draw the axis, the grid and the lanes, with what is on their lines."""
    top = chart.y + 24
    for strip in chart.strips.values():
        if strip.lane.kind in ("queue", "exchange", "after"):
            drawing.put(
                "rect",
                x=chart.left - 12,
                y=strip.y + 3,
                width=chart.right - chart.left + 12,
                height=strip.height - 6,
                rx=8,
                fill=colour.WASH,
            )
    taken = _breaks(drawing, chart, words, top)
    for x, label in chart.ticks():
        grid = f"M{number(x)} {number(top)}V{number(chart.bottom)}"
        drawing.put("path", d=grid, stroke=colour.GRID, stroke_width=1)
        half = pixels(label, 12) / 2 + 4
        if not any(start < x + half and x - half < end for start, end in taken):
            write(drawing, label, x, chart.y + 16, colour.MUTED, anchor="middle", size=12)
    write(drawing, words.unit, chart.left - 28, chart.y + 16, colour.MUTED, anchor="end", size=12)
    for strip in chart.strips.values():
        _name(drawing, chart, strip, words)
        _line(drawing, chart, strip)
    for span in chart.layout.spans:
        if span.kind == "quiet":
            _quiet(drawing, chart, span)


def _breaks(drawing: Drawing, chart: Chart, words: Words, top: float) -> list[tuple[float, float]]:
    """Draw a zigzag where idle time was cut out, with how long that was; return where words are."""
    taken: list[tuple[float, float]] = []
    for cut_out in chart.scale.breaks:
        middle = (chart.x(cut_out.start) + chart.x(cut_out.end)) / 2
        _zigzag(drawing, middle, top, chart.bottom)
        label = f"+{words.span(cut_out.end - cut_out.start)}"
        half = pixels(label, 11) / 2
        if not taken or middle - half > taken[-1][1] + 4:
            taken.append((middle - half, middle + half))
            write(drawing, label, middle, chart.y + 16, colour.GREY, anchor="middle", size=11)
    return taken


def _zigzag(drawing: Drawing, x: float, top: float, bottom: float) -> None:
    path = f"M{number(x)} {number(top)}"
    y, side = top, 4
    while y < bottom:
        y, side = min(y + 8, bottom), -side
        path += f"L{number(x + side)} {number(y)}"
    drawing.put(
        "path",
        d=path,
        stroke=colour.EDGE,
        stroke_width=1.4,
        fill="none",
        stroke_linejoin="round",
    )


def _name(drawing: Drawing, chart: Chart, strip: Strip, words: Words) -> None:
    lane, x, y = strip.lane, chart.left - 28, strip.middle
    room = chart.left - 28 - MARGIN
    name = cut(lane_name(lane, words), room, lambda text: pixels(text, 14, bold=True))
    kind = words(f"lane.{lane.kind}")
    if lane.count > 1 or not lane.name:
        write(drawing, name, x, y + 5, colour.INK, anchor="end", size=14, bold=True)
        return
    write(drawing, name, x, y, colour.INK, anchor="end", size=14, bold=True)
    write(drawing, kind, x, y + 14, colour.MUTED, anchor="end", size=11)


def _line(drawing: Drawing, chart: Chart, strip: Strip) -> None:
    """Draw a consumer's or producer's line, dotted where it is away."""
    if strip.lane.kind not in ("producer", "consumer"):
        return
    y = strip.row(0) if strip.lane.kind == "consumer" else strip.middle
    away = [s for s in chart.layout.spans if s.lane == strip.lane.id and s.kind != "quiet"]
    start = chart.left if strip.lane.kind == "producer" else chart.x(strip.lane.born)
    here = start
    for span in sorted(away, key=lambda one: one.start):
        x1 = chart.x(span.start)
        x2 = chart.right if span.stop is None else chart.x(span.stop)
        _stroke(drawing, here, x1, y, None)
        _stroke(drawing, x1, x2, y, "1.5 5")
        here = x2
    _stroke(drawing, here, chart.right, y, None)


def _stroke(drawing: Drawing, x1: float, x2: float, y: float, dashes: str | None) -> None:
    if x2 > x1:
        drawing.put(
            "path",
            d=f"M{number(x1)} {number(y)}H{number(x2)}",
            stroke=colour.GREY,
            stroke_width=1.2 if dashes is None else 1.6,
            stroke_dasharray=dashes,
            stroke_linecap="round",
        )


def _quiet(drawing: Drawing, chart: Chart, span: Span) -> None:
    """Draw a band where a consumer was dead and nobody knew."""
    strip = chart.strips[span.lane]
    x1 = chart.x(span.start)
    x2 = chart.right if span.stop is None else chart.x(span.stop)
    drawing.put(
        "rect",
        x=x1,
        y=strip.top - 5,
        width=x2 - x1,
        height=strip.bottom - strip.top + 10,
        fill="url(#amq-quiet)",
    )

"""Arrows of a picture, which pass behind its bars."""

from collections.abc import Iterable
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from amqplite.lab.diagram.boxes import WAITS, Arrow, Bar
from amqplite.lab.export import palette as colour
from amqplite.lab.export.chart import SLANT, Chart, Strip
from amqplite.lab.export.drawing import Drawing, number

AUTO = 6
"""Radius of the dot of a delivery that is acked at once."""

APART = 9
"""Arrows that are closer to each other are drawn thin."""

_LOOKS = {
    "publish": (colour.INK, 1.3, 9.0, None),
    "deliver": (colour.INK, 1.3, 9.0, None),
    "redeliver": (colour.VERMILION, 2.4, 13.0, None),
    "requeue": (colour.VERMILION, 2.2, 13.0, "6 4"),
    "dead_letter": (colour.VERMILION, 1.8, 10.0, "2 3"),
    "return": (colour.VERMILION, 1.8, 10.0, "2 3"),
    "release": (colour.INK, 1.3, 9.0, None),
}
"""Colour, width, length of the head, dashes."""


Where = tuple[str, str, str, int]
"""Kind, source, target, and pixels from the left."""


def draw_arrows(drawing: Drawing, chart: Chart) -> None:
    """Draw each arrow once where several would lie on each other: the longest."""
    waits = _waits(chart)
    longest: dict[Where, tuple[float, Path]] = {}
    for arrow in chart.layout.arrows:
        path = _path(arrow, chart, waits)
        place = arrow.kind, arrow.source, arrow.target, round(path.x1)
        length = abs(path.y2 - path.y1)
        if place not in longest or length > longest[place][0]:
            longest[place] = length, path
    crowded = _crowded(longest)
    for kind in _LOOKS:
        for place, (_, path) in longest.items():
            if place[0] == kind:
                _arrow(drawing, kind, path, thin=place in crowded)


def _crowded(places: Iterable[Where]) -> set[Where]:
    """Return those that have another of their kind right beside them."""
    found: set[Where] = set()
    for before, after in pairwise(sorted(places)):
        if before[:3] == after[:3] and after[3] - before[3] < APART:
            found |= {before, after}
    return found


def _waits(chart: Chart) -> dict[tuple[str, int, int], Bar]:
    """Return what waits, by lane, place in the queue, and the event that begins or ends it."""
    found = {}
    for bar in chart.layout.bars:
        if bar.kind in WAITS and bar.row >= 0 and bar.stop != bar.start:
            found[bar.lane, bar.s, bar.n0] = bar
            if bar.n1:
                found[bar.lane, bar.s, bar.n1] = bar
    return found


class Path(NamedTuple):
    """From where to where an arrow goes."""

    x1: float
    y1: float
    x2: float
    y2: float


def _path(arrow: Arrow, chart: Chart, waits: dict[tuple[str, int, int], Bar]) -> Path:
    """Return where an arrow begins and ends.

    It leans by a fixed slant, as what it tells of takes no time that we could know. A message that
    is handed out as soon as it is published goes straight through its queue.
    """
    x = chart.x(arrow.t) + chart.aside(arrow)
    source, target = chart.strips[arrow.source], chart.strips[arrow.target]
    bar = arrow.bar
    row = bar.row if bar else 0
    queue = source if arrow.kind in ("deliver", "redeliver", "dead_letter") else target
    wait = waits.get((queue.lane.id, arrow.s, arrow.n))
    match arrow.kind:
        case "publish":
            if wait is None:
                return Path(x, source.bottom, x + SLANT / 2, through(chart, target, arrow.t) - 4)
            return Path(x, source.bottom, x + SLANT, _edge(target, wait, lower=False))
        case "deliver" | "redeliver":
            end = target.row(row) - target.size / 2
            if bar is not None and bar.auto:
                end -= AUTO
            if wait is None and arrow.fresh:
                return Path(x + SLANT / 2, through(chart, source, arrow.t) + 4, x + SLANT, end)
            if wait is None and not arrow.waited:  # came back this instant: beside that arrow
                return Path(x + 2 * SLANT, source.bottom + 8, x + 2 * SLANT + 2, end)
            start = source.bottom if wait is None else _edge(source, wait, lower=True)
            return Path(x, start, x + SLANT, end)
        case "requeue":
            end = target.bottom + 8 if wait is None else _edge(target, wait, lower=True)
            return Path(x, source.row(row) - source.size / 2, x + SLANT, end)
        case "release":
            end = target.middle - 6 if wait is None else _edge(target, wait, lower=False)
            return Path(x, source.row(row) + source.size / 2, x + SLANT, end)
        case "return":
            end = target.bottom if wait is None else _edge(target, wait, lower=True)
            return Path(x, source.top, x + SLANT, end)
        case _ if bar is not None:
            return Path(x, source.row(row) - source.size / 2, x + SLANT, target.bottom)
        case _:
            start = source.bottom if wait is None else _edge(source, wait, lower=True)
            return Path(x, start, x + SLANT, target.top)


def through(chart: Chart, queue: Strip, t: int) -> float:
    """Return where a message that does not wait goes through its queue: above those that do."""
    taken = chart.is_taken(queue.lane.id, t)
    return queue.top - 6 if taken else queue.first


def _edge(strip: Strip, bar: Bar, *, lower: bool) -> float:
    return strip.row(bar.row) + (strip.size / 2 if lower else -strip.size / 2)


def _arrow(drawing: Drawing, kind: str, path: Path, *, thin: bool) -> None:
    stroke, width, head, dashes = _LOOKS[kind]
    if thin and kind in ("publish", "deliver"):
        stroke, width, head = colour.GREY, 0.8, 6.0
    x1, y1, x2, y2 = path
    length = hypot(x2 - x1, y2 - y1) or 1
    along, across = (x2 - x1) / length, (y2 - y1) / length
    neck_x, neck_y = x2 - along * head, y2 - across * head
    shaft = f"M{number(x1)} {number(y1)}L{number(neck_x)} {number(neck_y)}"
    drawing.put("path", d=shaft, stroke=colour.PAPER, stroke_width=width + 2.4, fill="none")
    drawing.put(
        "path", d=shaft, stroke=stroke, stroke_width=width, stroke_dasharray=dashes, fill="none"
    )
    half = head * 0.4
    tip = f"M{number(x2)} {number(y2)}"
    tip += f"L{number(neck_x - across * half)} {number(neck_y + along * half)}"
    tip += f"L{number(neck_x + across * half)} {number(neck_y - along * half)}z"
    drawing.put("path", d=tip, fill=stroke)

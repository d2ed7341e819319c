"""Where the lanes and instants of a picture are, in pixels."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from amqplite.lab.diagram.boxes import Arrow, Bar
from amqplite.lab.diagram.lanes import Lane
from amqplite.lab.diagram.layout import Layout
from amqplite.lab.diagram.scales import INSTANT, Kind, Scale, even_instants, instants_of, make_scale
from amqplite.lab.export.notes import FOOT, HEAD, Note, notes_of
from amqplite.lab.export.width import pixels
from amqplite.lab.export.words import Words, plain

MARGIN = 32
LABELS = 76, 168
"""Least and most width of the lanes' names."""

CHART = 800, 1320, 3600
"""Least width of the chart, most where it is not crowded, and most at all."""

PER_INSTANT = 82
TICK_APART = 64
AXIS = 30
"""Height of the axis."""

GAP = 26
"""Height between lanes, where one sees arrows."""

BAR, BETWEEN = 30, 5
WAIT, WAIT_BETWEEN = 22, 5
DISC = 13
SLANT = 5
ASIDE = 8
CUT = 26
"""Width of an idle time that is cut out."""


@dataclass(slots=True, kw_only=True)
class Strip:
    """A lane in the picture.

    Attributes:
        y: its upper edge.
        height: from there to its lower edge.
        first: the middle of its first row.
        step: from the middle of a row to the next.
        size: height of a bar.
        notes: what is written on it, each in a row above (-1, -2, …) or below (1, 2, …) its bars.
    """

    lane: Lane
    y: float
    height: float
    first: float
    step: float
    size: float
    above: int = 0
    notes: list[Note] = field(default_factory=list)

    def row(self, row: int) -> float:
        """Return the middle of a row of bars."""
        return self.first + max(0, row) * self.step

    @property
    def middle(self) -> float:
        """The middle of all rows."""
        return (self.first + self.row(self.lane.rows - 1)) / 2

    @property
    def top(self) -> float:
        """The upper edge of its first row of bars."""
        return self.first - self.size / 2

    @property
    def bottom(self) -> float:
        """The lower edge of its last row of bars."""
        return self.row(self.lane.rows - 1) + self.size / 2


class Chart:
    """The space-time part of a picture.

    Args:
        layout: what is in it.
        kind: how time becomes place.
        words: for what is written.
        y: its upper edge.

    Attributes:
        left: where time begins.
        right: where it ends.
        bottom: its lower edge.
        strips: by the lane's id, from top to bottom.
    """

    def __init__(self, layout: Layout, kind: Kind, words: Words, y: float) -> None:
        self.layout, self.words, self.kind = layout, words, kind
        names = [lane_name(lane, words) for lane in layout.lanes]
        widest = max((pixels(name, 14, bold=True) for name in names), default=0)
        self.left = MARGIN + min(max(widest, LABELS[0]), LABELS[1]) + 28
        instants = instants_of(times_of(layout), words.tick_us // INSTANT)
        self.scale, self.unit = _fitted(kind, layout, instants, words.tick_us)
        self.right = self.x(layout.end) + 26
        self.instants = instants
        self.strips: dict[str, Strip] = {}
        self._asides = _asides(layout.arrows)
        self._first_rows = _first_rows(layout.bars)
        self.y = y
        self.bottom = self._stack(y + AXIS)

    def x(self, t: float) -> float:
        """Return where an instant is."""
        return self.left + self.scale(t) * self.unit

    def _stack(self, y: float) -> float:
        """Put the lanes below each other, each as high as it must be; return the lower edge."""
        notes = notes_of(self.layout, self.x, self.left - 12, self.right, self.words)
        for lane in self.layout.lanes:
            strip = _strip(lane, y, notes.get(lane.id, []))
            self.strips[lane.id] = strip
            y += strip.height + GAP
        return y - GAP if self.layout.lanes else y

    def aside(self, arrow: Arrow) -> float:
        """Return how far beside others an arrow goes: one message may go to several queues."""
        queue = arrow.target if arrow.kind == "publish" else arrow.source
        return ASIDE * self._asides.get((arrow.id, arrow.t, queue), 0)

    def is_taken(self, lane: str, t: int) -> bool:
        """Return whether something is in the first row of a lane at an instant."""
        rows = self._first_rows.get(lane, [])
        before = bisect_right(rows, t, key=lambda bar: bar.shown)
        return before > 0 and (rows[before - 1].stop is None or (rows[before - 1].stop or 0) >= t)

    def bar(self, bar: Bar) -> tuple[float, float, float, float]:
        """Return a bar's x, upper edge, width and height."""
        strip = self.strips[bar.lane]
        start = self.x(max(bar.start, bar.shown))
        stop = self.x(self.layout.end if bar.stop is None else bar.stop)
        if bar.stop is None:
            stop = self.right
        return start, strip.row(bar.row) - strip.size / 2, max(3.0, stop - start), strip.size

    def ticks(self) -> list[tuple[float, str]]:
        """Return the labelled instants of the axis: where, and their words."""
        if self.kind == "order":
            return self._instant_ticks()
        apart = TICK_APART / self.unit
        instants = even_instants(self.scale, self.layout.start, self.layout.end, apart)
        return [(self.x(t), plain(t / self.words.tick_us)) for t in instants]

    def _instant_ticks(self) -> list[tuple[float, str]]:
        ticks, last = [], -1e9
        for t in self.instants:
            label = plain(t / self.words.tick_us)
            if self.x(t) - last > pixels(label, 12) + 14:
                last = self.x(t)
                ticks.append((last, label))
        return ticks


def _first_rows(bars: Iterable[Bar]) -> dict[str, list[Bar]]:
    """Return what is in the first row of each lane, in order: no two overlap."""
    found: dict[str, list[Bar]] = {}
    for bar in sorted(bars, key=lambda one: one.shown):
        if bar.row == 0:
            found.setdefault(bar.lane, []).append(bar)
    return found


def _asides(arrows: Iterable[Arrow]) -> dict[tuple[int, int, str], int]:
    """Number the queues that a message goes to at one instant, but the first."""
    queues: dict[tuple[int, int], list[str]] = {}
    for arrow in arrows:
        if arrow.kind == "publish":
            queues.setdefault((arrow.id, arrow.t), []).append(arrow.target)
    return {(*key, name): k for key, names in queues.items() for k, name in enumerate(names) if k}


def lane_name(lane: Lane, words: Words) -> str:
    """Return what a lane is called; one that nobody named, by what it is."""
    if lane.count > 1:
        return words("lane.producers", n=lane.count)
    return lane.name or words(f"lane.{lane.kind}")


def times_of(layout: Layout) -> list[int]:
    """Return when anything that is drawn happens, in µs, in order."""
    times = {layout.start, layout.end}
    times |= {bar.start for bar in layout.bars} | {bar.stop for bar in layout.bars if bar.stop}
    times |= {mark.t for mark in layout.marks} | {arrow.t for arrow in layout.arrows}
    return sorted(times)


def _fitted(kind: Kind, layout: Layout, instants: list[int], tick_us: int) -> tuple[Scale, float]:
    """Return the scale, and the pixels of its unit, at which the instants have room."""
    least, most, at_all = CHART
    plenty = most / PER_INSTANT
    wanted: float = PER_INSTANT * len(instants)
    if len(instants) > plenty:
        wanted = most + (len(instants) - plenty) * 9
    width = min(max(wanted, least), at_all)
    scale = make_scale(kind, instants, tick_us)
    unit = width / (scale.end or 1)
    if kind == "collapse":
        scale = make_scale(kind, instants, tick_us, cut=CUT / unit)
        unit = width / (scale.end or 1)
    return scale, unit


def _strip(lane: Lane, y: float, notes: list[Note]) -> Strip:
    rows = [0, *(note.row for note in notes)]
    above, below = -min(rows), max(rows)
    size, step, pad = BAR, BAR + BETWEEN, 11.0
    if lane.kind == "producer":
        size, step, pad = 2 * DISC, 2 * DISC, 5.0
    elif lane.kind in ("queue", "exchange", "after"):
        size, step, pad = WAIT, WAIT + WAIT_BETWEEN, 12.0
    more = 16 if lane.more else 0
    first = y + pad + above * HEAD + size / 2
    height = 2 * pad + above * HEAD + (lane.rows - 1) * step + size + more + below * FOOT
    strip = Strip(lane=lane, y=y, height=height, first=first, step=step, size=size, above=above)
    strip.notes = notes
    return strip

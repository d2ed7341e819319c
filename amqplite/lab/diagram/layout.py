"""Where everything stands in a space-time diagram, in lanes and microseconds.

What draws it turns lanes into rows and, by a scale, time into columns; the page's own layout says
the same of the same events.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.diagram.boxes import Arrow, Bar, Late, Mark, Span
from amqplite.lab.diagram.crossings import OrderLines, order_lines
from amqplite.lab.diagram.derive import Derived
from amqplite.lab.diagram.lanes import ALL_PRODUCERS, Lane, lanes_of, pack

MESSAGES_MAX = 500
"""Messages that are drawn; of more the first ones are."""


@dataclass(slots=True, kw_only=True)
class Layout:
    """A diagram without units of length.

    Attributes:
        lanes: from top to bottom.
        bars: in order of their beginning; those that took no time only if not in a queue.
        lates: of messages that others overtook, in the order in which they completed.
        orders: order lines, one of each queue in which anything completed.
        start: of the diagram, in µs.
        end: likewise.
        messages: how many there are.
        left_out: how many of them are not drawn.
    """

    lanes: list[Lane]
    bars: list[Bar]
    arrows: list[Arrow]
    marks: list[Mark]
    spans: list[Span]
    lates: list[Late]
    orders: list[OrderLines]
    start: int
    end: int
    messages: int
    left_out: int


def lay_out(
    events: Sequence[Event],
    late: Mapping[int, int],
    queues: Iterable[tuple[str, str]] = (),
    messages_max: int = MESSAGES_MAX,
    instant_us: int = 0,
) -> Layout:
    """Lay out a trace.

    Args:
        events: in order of `n`.
        late: by the number of the event that completed a message which others overtook: µs since
            the first of them completed.
        queues: `(vhost, name)` of those to have a lane in any case, in this order.
        messages_max: most messages that are drawn; the order lines are always of all.
        instant_us: what takes no longer takes no time: nothing waits, or goes unnoticed.
    """
    messages, drawn = _first_messages(events, messages_max)
    shapes = Derived()
    shapes.add(drawn)
    lanes = lanes_of(drawn, queues)
    _merge_producers(shapes, lanes)
    _forget_instants(shapes, instant_us)
    bars = shapes.bars
    orders = [found for found in order_lines(events) if found.completed]
    lates = _rings(bars, orders, late)
    for lane in lanes:
        pack([bar for bar in bars if bar.lane == lane.id], lane, shapes.end)
    start = min(0, drawn[0].t) if drawn else 0
    return Layout(
        lanes=lanes,
        bars=bars,
        arrows=shapes.arrows,
        marks=shapes.marks,
        spans=shapes.spans,
        lates=lates,
        orders=orders,
        start=start,
        end=shapes.end,
        messages=messages,
        left_out=max(0, messages - messages_max),
    )


def _forget_instants(shapes: Derived, instant_us: int) -> None:
    """Leave out what took no time, or next to none."""

    def took(thing: Bar | Span) -> bool:
        return thing.stop is None or thing.stop - thing.start > instant_us

    waited = {(bar.lane, bar.s, bar.n1) for bar in shapes.bars if took(bar)}
    for arrow in shapes.arrows:
        if arrow.waited and (arrow.source, arrow.s, arrow.n) not in waited:
            arrow.waited, arrow.fresh = False, arrow.kind == "deliver"
    for bar in shapes.bars:
        if bar.work is not None and bar.work - bar.start <= instant_us:
            bar.work = bar.start
    shapes.bars = [bar for bar in shapes.bars if bar.lane != bar.queue or took(bar)]
    shapes.spans = [span for span in shapes.spans if span.kind != "quiet" or took(span)]


def _first_messages(events: Sequence[Event], most: int) -> tuple[int, Sequence[Event]]:
    """Return how many messages there are, and the events of the first ones and of no message."""
    seen: dict[int | str, int] = {}
    for event in events:
        if event.id or event.m:
            seen.setdefault(event.id or event.m, len(seen))
    if len(seen) <= most:
        return len(seen), events
    last = max(event.n for event in events if seen.get(event.id or event.m, most) < most)
    return len(seen), [
        event
        for event in events
        if event.n <= last and (not (event.id or event.m) or seen[event.id or event.m] < most)
    ]


def _merge_producers(shapes: Derived, lanes: list[Lane]) -> None:
    if not any(lane.id == ALL_PRODUCERS for lane in lanes):
        return
    for arrow in shapes.arrows:
        if arrow.source.startswith("p:"):
            arrow.source = ALL_PRODUCERS
    things: list[Mark | Span] = [*shapes.marks, *shapes.spans]
    for thing in things:
        if thing.lane.startswith("p:"):
            thing.lane = ALL_PRODUCERS


def _rings(bars: list[Bar], orders: list[OrderLines], late: Mapping[int, int]) -> list[Late]:
    """Ring the attempts that completed out of order, and those that overtook one."""
    acked = {bar.n1: bar for bar in bars if bar.end == "acked"}
    lates = []
    for line in sorted((line for found in orders for line in found.lines), key=lambda one: one.n):
        bar = acked.get(line.n)
        if bar is None:
            continue
        if line.n in late or line.over:
            bar.ring = "late"
        elif line.overtook:
            bar.ring = "early"
        if since := late.get(line.n):
            lates.append(Late(start=line.t - since, stop=line.t, bar=bar))
    return lates


def layout_json(layout: Layout) -> dict[str, Any]:
    """Return a layout as the page's own says it, but for `null` where something has no end."""
    return {
        "lanes": [
            {"id": lane.id, "kind": lane.kind, "name": lane.name, "rows": lane.rows}
            for lane in layout.lanes
        ],
        "boxes": [_bar_json(bar) for bar in layout.bars],
        "points": [
            {"kind": mark.kind, "lane": mark.lane, "t": mark.t, "n": mark.n, "m": mark.m}
            for mark in layout.marks
        ],
        "spans": [
            {"kind": s.kind, "lane": s.lane, "from": s.start, "to": s.stop} for s in layout.spans
        ],
        "orders": [
            {
                "queue": found.queue,
                "published": [line.m for line in found.lines],
                "completed": [line.m for line in found.completed],
                "inversions": found.inversions,
            }
            for found in layout.orders
        ],
        "end": layout.end,
    }


def _bar_json(bar: Bar) -> dict[str, Any]:
    return {
        **{"kind": bar.kind, "lane": bar.lane, "queue": bar.queue, "m": bar.m, "s": bar.s},
        **{"attempt": bar.attempt, "row": bar.row, "shown": bar.shown, "work": bar.work},
        **{"from": bar.start, "to": bar.stop, "n0": bar.n0, "n1": bar.n1 or None},
        **{"end": bar.end, "cause": bar.cause, "sub": bar.sub, "ring": bar.ring},
    }

"""Lanes of a diagram, top down, and the sub-rows in which what overlaps on a lane lies."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from amqplite.broker.trace import Event
from amqplite.lab.diagram.boxes import Bar

ROWS_MAX = 6
"""Rows of a lane that are drawn; what does not fit is counted."""

PRODUCERS_MAX = 4
"""Producers that have a lane each; more of them share one."""

ALL_PRODUCERS = "p:*"

NO_CONSUMER = "basic.get"
"""Stands where a consumer's name would, of messages that were fetched."""

_LIFE_OF_CONSUMERS = {"consumer_registered", "consumer_cancelled", "consumer_active"}

Kind = Literal["producer", "queue", "exchange", "consumer", "after"]


@dataclass(slots=True, kw_only=True)
class More:
    """How many boxes of a lane have no row, from `start` to `end` (µs)."""

    start: int
    end: int
    count: int


@dataclass(slots=True, kw_only=True)
class Lane:
    """A horizontal strip: who sends, a queue, an exchange, who receives, or who comes after that.

    Attributes:
        id: `p:p1`, `q:orders`, `x:retry`, `c:c2`, `r:resequencer`; a vhost other than `/` stands
            before the name.
        name: what people read; empty is unknown, or several of them.
        count: how many share the lane: 1, but of merged producers.
        rows: sub-rows it needs, at least 1.
        more: where boxes are left out for want of a row.
        born: when it was first heard of, in µs.
    """

    id: str
    kind: Kind
    name: str
    count: int = 1
    rows: int = 1
    more: list[More] = field(default_factory=list)
    born: int = 0


def after_lane(event: Event) -> str:
    """Return the lane of who let a message go, downstream of its consumer."""
    return f"r:{event.by or event.c}"


def place_name(vhost: str, name: str) -> str:
    """Return the name of a queue or an exchange, after its vhost where that is not `/`."""
    return name if vhost == "/" else f"{vhost}/{name}"


def queue_lane(event: Event) -> str:
    """Return the lane of an event's queue."""
    return f"q:{place_name(event.v, event.q)}"


def exchange_lane(event: Event) -> str:
    """Return the lane of the exchange that an event dead-letters to."""
    return f"x:{place_name(event.v, event.exchange)}"


def consumer_lane(event: Event) -> str:
    """Return the lane of an event's consumer; all that use basic.get share one."""
    return f"c:{event.c or NO_CONSUMER}"


def natural(name: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts names as people do: c2 before c10."""
    parts = re.findall(r"\d+|\D+", name, re.ASCII)
    return [(False, int(p), "") if p.isdigit() and p.isascii() else (True, 0, p) for p in parts]


def lanes_of(events: Iterable[Event], queues: Iterable[tuple[str, str]] = ()) -> list[Lane]:
    """Return the lanes that `events` need, from top to bottom.

    Consumers that were there before the first message are in the order of their names, those that
    came later after them as they came: nobody's lane ever moves.

    Args:
        events: in order of `n`.
        queues: `(vhost, name)` of those to have a lane in any case, in this order.
    """
    lanes = {f"q:{name}": Lane(id=f"q:{name}", kind="queue", name=name) for name in _names(queues)}
    early: set[str] = set()
    began = False
    for event in events:
        began = began or event.type in ("published", "delivered")
        for lane in _mentioned(event):
            if lanes.setdefault(lane.id, lane) is lane and not began:
                early.add(lane.id)
    kinds: tuple[Kind, ...] = ("producer", "queue", "exchange", "consumer", "after")
    by: dict[Kind, list[Lane]] = {kind: [] for kind in kinds}
    for lane in lanes.values():
        by[lane.kind].append(lane)
    first = sorted((c for c in by["consumer"] if c.id in early), key=lambda c: natural(c.name))
    late = [c for c in by["consumer"] if c.id not in early]
    senders = _merged(by["producer"])
    return [*senders, *by["queue"], *by["exchange"], *first, *late, *by["after"]]


def _names(queues: Iterable[tuple[str, str]]) -> list[str]:
    return [place_name(vhost, name) for vhost, name in queues]


def _mentioned(event: Event) -> Iterable[Lane]:
    if event.type == "published" or (event.p and not event.q):
        yield Lane(id=f"p:{event.p}", kind="producer", name=event.p, born=event.t)
    if event.q and event.type not in _LIFE_OF_CONSUMERS:
        name = place_name(event.v, event.q)
        yield Lane(id=f"q:{name}", kind="queue", name=name, born=event.t)
    if event.type == "dead_lettered":
        name = place_name(event.v, event.exchange or "DLX")
        yield Lane(id=exchange_lane(event), kind="exchange", name=name, born=event.t)
    if event.type == "released":
        lane = after_lane(event)
        yield Lane(id=lane, kind="after", name=lane[2:], born=event.t)
    elif event.c or event.type == "delivered":
        lane = consumer_lane(event)
        yield Lane(id=lane, kind="consumer", name=lane[2:], born=event.t)


def _merged(producers: list[Lane]) -> list[Lane]:
    if len(producers) <= PRODUCERS_MAX:
        return producers
    born = producers[0].born
    return [
        Lane(id=ALL_PRODUCERS, kind="producer", name="", count=len(producers), born=born),
    ]


def pack(boxes: Sequence[Bar], lane: Lane, end: int) -> None:
    """Give each box the lowest row that is free when it begins.

    Beyond `ROWS_MAX` a box has no row (-1) until one becomes free; the one that waits longest gets
    it, and is drawn from then on (`shown`). A box that takes no time needs no row.

    Args:
        boxes: of one lane; their `row` and `shown` are set.
        lane: its `rows` and `more` are set.
        end: of the trace, in µs.
    """
    steps: list[tuple[int, bool, int, Bar]] = []
    for box in boxes:
        box.row, box.shown = 0, box.start
        if box.stop is None or box.stop > box.start:
            steps.append((box.start, True, box.n0, box))
            if box.stop is not None:
                steps.append((box.stop, False, box.n1, box))
    steps.sort(key=lambda step: step[:3])
    taken: list[Bar | None] = []
    hidden: list[Bar] = []
    over: list[tuple[int, int]] = []
    for t, begins, _, box in steps:
        before = len(hidden)
        if begins:
            _enter(box, taken, hidden)
        else:
            _leave(box, taken, hidden, t)
        if len(hidden) != before:
            over.append((t, len(hidden)))
    lane.rows = max(1, len(taken))
    lane.more = _counted(over, end)


def _enter(box: Bar, taken: list[Bar | None], hidden: list[Bar]) -> None:
    if None in taken:
        box.row = taken.index(None)
        taken[box.row] = box
    elif len(taken) < ROWS_MAX:
        box.row = len(taken)
        taken.append(box)
    else:
        box.row = -1
        hidden.append(box)


def _leave(box: Bar, taken: list[Bar | None], hidden: list[Bar], t: int) -> None:
    if box.row < 0:
        hidden.remove(box)
        return
    taken[box.row] = None
    if hidden:
        heir = hidden.pop(0)
        heir.row, heir.shown = box.row, t
        taken[box.row] = heir


def _counted(over: list[tuple[int, int]], end: int) -> list[More]:
    """Return the stretches of time in which some boxes were hidden, with the most at once."""
    stretches: list[More] = []
    most = since = 0
    for t, count in over:
        if count and not most:
            since = t
        most = max(most, count)
        if not count:
            if t > since:
                stretches.append(More(start=since, end=t, count=most))
            most = 0
    if most:
        stretches.append(More(start=since, end=end, count=most))
    return stretches

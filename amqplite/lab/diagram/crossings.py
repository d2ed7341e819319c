"""Order lines: from each message's place among the published to its place among the completed.

Every crossing of two lines is one inversion: the one that is ahead below overtook the other.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from amqplite.broker.trace import Event
from amqplite.lab.diagram.lanes import queue_lane

RETURNS = {"dlx_return", "delay"}
"""Causes of an `enqueued` that is no new message: it keeps the place it was published at."""

GONE = {"expired", "dropped", "dead_lettered", "discarded", "purged"}


@dataclass(slots=True, kw_only=True)
class Line:
    """One message of a queue.

    Attributes:
        published: its place among those that were published to the queue, from 0.
        completed: its place among those that completed, from 0; `None` if it has not.
        gone: the event that took it out of the queue otherwise; empty is none.
        n: number of the event that completed it, or 0.
        t: when that was, in µs.
        displaced: places that it is later (+) or earlier (-) than among what completed in order.
        over: how many overtook it: published after it, and completed before.
        overtook: whether it overtook one itself.
    """

    m: str
    published: int
    completed: int | None = None
    gone: str = ""
    n: int = 0
    t: int = 0
    displaced: int = 0
    over: int = 0
    overtook: bool = False


@dataclass(slots=True, kw_only=True)
class Crossing:
    """`early` overtook `late`."""

    early: Line
    late: Line


@dataclass(slots=True)
class OrderLines:
    """The order lines of one queue.

    Attributes:
        queue: the queue's lane.
        lines: in the order of publishing.
        inversions: how many pairs cross.
    """

    queue: str
    lines: list[Line] = field(default_factory=list)
    inversions: int = 0

    @property
    def completed(self) -> list[Line]:
        """Lines of messages that completed, in that order."""
        done = [line for line in self.lines if line.completed is not None]
        return sorted(done, key=lambda line: line.n)

    def crossings(self) -> Iterator[Crossing]:
        """Yield each pair that crosses, by when the late one completed; up to n² of them."""
        done = self.completed
        for k, late in enumerate(done):
            for early in done[:k]:
                if early.published > late.published:
                    yield Crossing(early=early, late=late)


def order_lines(events: Iterable[Event]) -> list[OrderLines]:
    """Return the order lines of each queue, in the order in which the queues got messages."""
    queues: dict[str, OrderLines] = {}
    known: dict[tuple[str, int], Line] = {}
    first: dict[tuple[str, int], Line] = {}
    for event in events:
        if event.type == "enqueued":
            lane = queue_lane(event)
            lines = queues.setdefault(lane, OrderLines(lane)).lines
            line = first.get((lane, event.id)) if event.cause in RETURNS else None
            if line is None:
                line = Line(m=event.m, published=len(lines))
                lines.append(line)
                first[lane, event.id] = line
            line.gone = ""
            known[lane, event.s] = line
        elif event.type == "acked" or event.type in GONE:
            line = known.get((queue_lane(event), event.s))
            if line is not None and not line.n:
                _end(line, event)
    for found in queues.values():
        _number(found)
    return list(queues.values())


def _end(line: Line, event: Event) -> None:
    if event.type == "acked":
        line.completed, line.n, line.t, line.gone = 0, event.n, event.t, ""
    else:
        line.gone = event.type


def _number(found: OrderLines) -> None:
    """Set where each line ends, and who overtook whom."""
    done = found.completed
    rank = {line.n: k for k, line in enumerate(x for x in found.lines if x.n)}
    seen: list[int] = []
    for k, line in enumerate(done):
        line.completed, line.displaced = k, k - rank[line.n]
        line.over = len(seen) - bisect_left(seen, line.published)
        found.inversions += line.over
        insort(seen, line.published)
    least = len(found.lines)
    for line in reversed(done):
        line.overtook = line.published > least
        least = min(least, line.published)

"""Shapes of a diagram: what waits or is held for a while, instants, and what goes between lanes."""

from dataclasses import dataclass

WAITS = {"waiting", "requeued", "buffered"}
"""Kinds of a bar whose message waits, and nobody works on it."""


@dataclass(slots=True, kw_only=True, eq=False)
class Bar:
    """A message that waits in a queue, or is held by a consumer. Times are µs since the origin.

    Attributes:
        kind: what it came to: on a queue's lane `waiting` or, after it came back, `requeued`; on a
            consumer's lane `held`, `failed` (came to nothing), `redelivered`, or `work` on what was
            acked by being delivered; `buffered` downstream until its turn.
        lane: where it is.
        queue: the lane of the queue that it is about.
        m: the message's label.
        id: the message's number; 0 is unknown.
        s: its place in the queue.
        attempt: which hand-out it is, or waits behind; 0 waits for the first.
        start: when it came.
        stop: when it left; `None` is not yet.
        n0: number of the event that it began with.
        n1: number of the event that it ended with; 0 is none yet.
        end: `delivered`, `acked`, `requeued`, `expired`, `dropped`, `dead_lettered`, `discarded`,
            `purged`; of `work`, `applied` or `crashed`; empty is not yet.
        cause: of its end; of a `requeued` one, why it came back.
        auto: acked by being delivered.
        work: when work on it began: told by its consumer, or else inferred from when that was
            through with what it held before; `None` is never.
        told: whether its consumer told it.
        ring: `late` if others overtook it, `early` if it overtook; of the attempt that was acked.
        row: sub-row on the lane; -1 is none.
        shown: when it got its row.
    """

    kind: str
    lane: str
    queue: str
    m: str
    id: int = 0
    s: int = 0
    attempt: int = 0
    start: int
    stop: int | None = None
    n0: int
    n1: int = 0
    end: str = ""
    cause: str = ""
    sub: str = ""
    auto: bool = False
    work: int | None = None
    told: bool = False
    ring: str = ""
    row: int = 0
    shown: int = 0


@dataclass(slots=True, kw_only=True, eq=False)
class Arrow:
    """A message that goes from one lane to another; that takes no time we could tell.

    Attributes:
        kind: `publish`, `deliver`, `redeliver`, `requeue`, `dead_letter`, `return`, from a
            dead-letter exchange back into a queue, or `release` to whoever comes after consumers.
        source: the lane that it leaves.
        target: the lane that it reaches.
        waited: it had to wait before, of a delivery.
        fresh: it came straight from its publisher, of a delivery.
        bar: the attempt at a consumer's end.
    """

    kind: str
    source: str
    target: str
    t: int
    n: int
    m: str
    id: int = 0
    s: int = 0
    cause: str = ""
    sub: str = ""
    waited: bool = False
    fresh: bool = False
    bar: Bar | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Mark:
    """Something that happened on a lane, at one instant.

    Attributes:
        kind: the event's type, but `nacked` of a reject too, and `crash` of whatever takes a
            consumer away against its will.
        lane: empty is all of them.
        bar: the attempt that it happened to.
        count: how many events are missing, of a `gap`.
    """

    kind: str
    lane: str
    t: int
    n: int
    m: str = ""
    id: int = 0
    c: str = ""
    cause: str = ""
    sub: str = ""
    text: str = ""
    by: str = ""
    requeue: bool = False
    bar: Bar | None = None
    count: int = 0


@dataclass(slots=True, kw_only=True, eq=False)
class Span:
    """A state that lasts.

    Attributes:
        kind: `down`; `left`, of its own will; `quiet`: dead, and nobody knows yet; `blocked`, of a
            producer.
        why: `crashed` or `lost`, `closed` or `cancelled`.
        stop: `None` is not yet.
    """

    kind: str
    lane: str
    start: int
    stop: int | None = None
    n0: int
    n1: int = 0
    why: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class Late:
    """A message that others overtook: from the first one's completion to its own.

    Attributes:
        bar: its attempt that was acked.
    """

    start: int
    stop: int
    bar: Bar

"""What happened to each message, when and why: events in one total order.

Events are written where it is decided what happens, and never changed. Everything else (bars,
arrows, metrics, causes of a reordering) is derived when they are read.
"""

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

TOLD_LATE = "from memory"
"""The text of an event that was left out, until something befell its message: it stands late."""


@dataclass(slots=True, kw_only=True)
class Event:
    """One thing that happened; nothing is ever changed of it.

    An attribute at its default says nothing of the kind applies, or that it is not known.

    Attributes:
        n: its place in the total order of all events, from 1.
        t: microseconds since the trace's origin.
        type: what happened, in one word: `published`, `enqueued`, `delivered`, `acked`, …
        v: the vhost.
        q: the queue.
        m: the message's label: its message-id, or `m` and a number.
        id: the message's number, the same in all queues it went to.
        s: its place in the queue, kept across requeues.
        c: the consumer's name, unique within a trace.
        p: the publisher's name.
        conn: the connection's name.
        ch: the channel number.
        tag: the delivery tag, or a confirm's number.
        attempt: 1 for the first hand-out.
        prio: the message's priority.
        key: what its order matters by: the routing key, unless the trace says otherwise.
        cause: why; of a requeue, or of a message that is gone.
        sub: the cause more closely, as `eof` for a connection that was lost.
        depth: ready messages of the queue after it; -1 if not known.
        size: octets of the body.
        held: unacked deliveries of who acts, before it.
        idle: microseconds since the last octet came from that connection.
        by: who did it, of a mark or a fault.
        text: more of it, for people.
        lost_from: first event that is missing, of a gap.
        lost_to: last one.
    """

    n: int
    t: int
    type: str
    v: str = "/"
    q: str = ""
    m: str = ""
    id: int = 0
    s: int = 0
    c: str = ""
    p: str = ""
    conn: str = ""
    ch: int = 0
    tag: int = 0
    attempt: int = 0
    prio: int = 0
    key: str = ""
    cause: str = ""
    sub: str = ""
    redelivered: bool = False
    auto: bool = False
    multiple: bool = False
    requeue: bool = False
    get: bool = False
    depth: int = -1
    size: int = 0
    exchange: str = ""
    prefetch: int = 0
    held: int = 0
    idle: int = 0
    by: str = ""
    text: str = ""
    lost_from: int = 0
    lost_to: int = 0


_NAMES = tuple(field.name for field in fields(Event))
_DEFAULTS = tuple(field.default for field in fields(Event))

values_of = attrgetter(*_NAMES)
"""Return all attributes of an event, in the order above."""


def as_dict(event: Event) -> dict[str, Any]:
    """Return the attributes that say something, by name, in the order above."""
    told = zip(_NAMES, values_of(event), _DEFAULTS, strict=True)
    return {name: value for name, value, default in told if value != default}

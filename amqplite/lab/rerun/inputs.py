"""What a re-run goes by: who published what, who consumed, how long it took, what befell them.

All of it is read from a trace. Times are in microseconds, as the trace counts them.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from amqplite.broker.redelivery import Cause
from amqplite.broker.trace import Event

QueueName = tuple[str, str]
"""`(vhost, queue)`."""

Place = tuple[str, str, int]
"""A message in a queue: `(vhost, queue, number of the message)`."""

Outcome = Literal["ack", "nack", "reject", "discard", "recover", "cut", "open"]
"""How work ended: with an ack; with a nack or a reject that gives the message back; with one that
gives it up; with a basic.recover; by what befell its consumer; or the recording ended before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """A channel that published.

    Attributes:
        p: the publisher's name.
        conn: the connection's.
        ch: the channel's number.
        confirms: it was in confirm mode.
    """

    p: str
    conn: str
    ch: int
    confirms: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message that was published.

    Attributes:
        n: number of the event that tells of it.
        at: when.
        id: its number.
        m: its label.
        sender: who published it, as a place in `Inputs.senders`.
        exchange: where to.
        key: what its order matters by.
        size: octets of its body.
        queues: those it came to, or was to come to.
        returned: nobody wanted it, and it came back.
        there_before: it was in its queue when the recording began, and nobody knows since when.
        again: number of a message that was refused, and of which this is the next try; 0: none.
    """

    n: int
    at: int
    id: int
    m: str
    sender: int
    exchange: str = ""
    key: str = ""
    size: int = 0
    prio: int = 0
    queues: tuple[QueueName, ...] = ()
    returned: bool = False
    there_before: bool = False
    again: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A hand-out that was worked on.

    Attributes:
        us: how long it took, as far as is known.
        outcome: how it ended.
        effects: how long after its begin it was told that it took effect, each time.
        line: the connection it was worked on at, as a place in `Inputs.lines`.
        c: the consumer that worked.
    """

    us: int
    outcome: Outcome
    c: str = ""
    effects: tuple[int, ...] = ()
    line: int = 0


@dataclass(slots=True, kw_only=True)
class Taker:
    """A consumer.

    Attributes:
        c: its name.
        tag: its consumer tag.
        queue: whose.
        at: when it was there first.
        n: number of the event that tells so.
        prefetch: most unacked deliveries; 0 is no limit.
        auto: its deliveries need no ack.
        cancelled: when it was cancelled, and the number of the event that tells so; `None`: never.
        recovered: it told that it works again.
    """

    c: str
    tag: str
    queue: QueueName
    at: int
    n: int
    prefetch: int = 0
    auto: bool = False
    cancelled: tuple[int, int] | None = None
    recovered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """A basic.get that found a message."""

    at: int
    n: int
    queue: QueueName
    auto: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What was worked on when something happened.

    Attributes:
        place: the message.
        after: how long after the work on it began.
    """

    place: Place
    after: int


@dataclass(slots=True, kw_only=True)
class End:
    """How a connection ended, or a channel.

    Attributes:
        at: when the broker knew.
        n: number of the event that tells so.
        cause: why.
        fault: it was no goodbye.
        died: when it happened: before the broker knew, where nothing but silence told.
        anchor: what a fault is anchored to; `None`: nothing, so it strikes when it did.
        marks: what actors and people told of it.
        held: unacked deliveries it left.
    """

    at: int
    n: int
    cause: Cause
    fault: bool
    died: int
    anchor: Anchor | None = None
    marks: tuple[Event, ...] = ()
    held: int = 0

    @property
    def detection(self) -> int:
        """How long the broker did not know."""
        return self.at - self.died


@dataclass(slots=True, kw_only=True)
class Desk:
    """A channel that consumed.

    Attributes:
        ch: its number.
        takers: its consumers, in the order they came.
        gets: messages that it asked for.
        serial: it works on one message at a time, in the order they came.
        end: how it ended before its connection did; `None`: it didn't.
    """

    ch: int
    takers: list[Taker] = field(default_factory=list)
    gets: list[Get] = field(default_factory=list)
    serial: bool = True
    end: End | None = None

    @property
    def at(self) -> int:
        """When it was first heard of."""
        return min([taker.at for taker in self.takers] + [get.at for get in self.gets], default=0)


@dataclass(slots=True, kw_only=True)
class Line:
    """A connection that consumed.

    Attributes:
        conn: its name.
        vhost: the one it was in.
        desks: its channels.
        end: how it ended; `None`: it didn't.
        follows: the connection that was lost before, and that this one stands in for, as a place
            in `Inputs.lines`; `None`: there is no such.
    """

    conn: str
    vhost: str
    desks: list[Desk] = field(default_factory=list)
    end: End | None = None
    follows: int | None = None

    @property
    def at(self) -> int:
        """When it was first heard of."""
        return min((desk.at for desk in self.desks), default=0)

    @property
    def takers(self) -> list[Taker]:
        """The consumers on it."""
        return [taker for desk in self.desks for taker in desk.takers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """Somebody purged a queue."""

    at: int
    n: int
    queue: QueueName


@dataclass(slots=True, kw_only=True)
class Inputs:
    """All that a re-run goes by.

    Attributes:
        queues: arguments of each queue's declaration.
        letters: where dead letters came to, by the name of the exchange, and its vhost.
        senders: who published.
        sent: what was published, in order.
        lines: connections that consumed, in the order they were heard of.
        works: how each message was worked on, time after time.
        purges: of queues.
        done: messages that were done with in each queue, in order.
        open: messages that were in a queue still when the recording ended.
        end: when that was.
        starting: consumers that told when they began.
        reporting: consumers that told what took effect.
        skipping: of these, the ones that recognised what was done already.
        resequenced: the queue behind which a resequencer stood; `None`: there was none.
        guessed: consumers whose prefetch isn't known, and taken for the most that they held.
        batched: how many acks settled several deliveries.
    """

    queues: dict[QueueName, dict[str, Any]] = field(default_factory=dict)
    letters: dict[tuple[str, str], list[QueueName]] = field(default_factory=dict)
    senders: list[Sender] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    works: dict[Place, list[Work]] = field(default_factory=dict)
    purges: list[Purge] = field(default_factory=list)
    done: dict[QueueName, list[int]] = field(default_factory=dict)
    open: set[Place] = field(default_factory=set)
    end: int = 0
    starting: set[str] = field(default_factory=set)
    reporting: set[str] = field(default_factory=set)
    skipping: set[str] = field(default_factory=set)
    resequenced: QueueName | None = None
    guessed: set[str] = field(default_factory=set)
    batched: int = 0

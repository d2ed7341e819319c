"""What is remembered of a message while it is under way, and what became of it in each queue."""

from dataclasses import dataclass, field

RETURNS_MAX = 8
"""Returns of a message to its queue that are remembered, the last ones."""

QueueName = tuple[str, str]
"""`(vhost, queue)`."""


@dataclass(slots=True)
class Moment:
    """An event: its number, and when it was."""

    n: int
    t: int


@dataclass(slots=True)
class Handout:
    """A message was given to a consumer.

    Attributes:
        n: the event.
        t: when.
        c: the consumer; empty for basic.get.
        conn: its connection.
        ch: its channel.
    """

    n: int
    t: int
    c: str
    conn: str
    ch: int

    @property
    def channel(self) -> tuple[str, int, str]:
        """What tells its channel from all others; the consumer itself, if that isn't known."""
        return (self.conn, self.ch, "" if self.conn else self.c)


@dataclass(slots=True)
class Return:
    """A message that had been given to a consumer came back.

    Attributes:
        n: the event.
        t: when.
        c: the consumer that had it.
        cause: why.
        sub: the cause more closely.
        gap: microseconds for which the consumer had been dead before that was known.
    """

    n: int
    t: int
    c: str
    cause: str
    sub: str
    gap: int = 0


@dataclass(slots=True)
class Absence:
    """A message left its queue and came back as a new one.

    Attributes:
        left: when it left; `None` if it was delayed before it ever came in.
        reason: why it left.
        returned: when it came back; `None` while it is away.
    """

    left: Moment | None
    reason: str
    returned: Moment | None = None


@dataclass(slots=True, eq=False)
class Place:
    """A message in one queue.

    Attributes:
        message: the message.
        queue: where.
        number: its place in the queue's order of publishing.
        s: its place as the broker counts, higher than `number` if it went in more than once.
        since: when it came in.
        state: `ready`, `held` by a consumer, `done` with, `away` where it may return from, or
            `gone` for good.
        first: its first hand-out; `None` if that isn't known.
        last: the latest.
        attempts: hand-outs.
        returns: the last `RETURNS_MAX` times that it came back from a consumer.
        returned: how often that was.
        absence: it left, or was late; `None` if not.
        passed_by: at its first hand-out others that came later had been handed out before, due to
            their `priority`, or `unexplained`; empty if not.
        cancelled: when its consumer was cancelled while it had it.
        unsure: some of its events may be missing.
        end: when it was done with, or gone.
        reason: why it is gone.
        doubtful: it came back with nobody knowing whether it took effect.
        seen_by: consumers that have had it.
    """

    message: "Message"
    queue: QueueName
    number: int
    s: int
    since: Moment
    state: str = "ready"
    first: Handout | None = None
    last: Handout | None = None
    attempts: int = 0
    returns: list[Return] = field(default_factory=list)
    returned: int = 0
    absence: Absence | None = None
    passed_by: str = ""
    cancelled: Moment | None = None
    unsure: bool = False
    end: Moment | None = None
    reason: str = ""
    doubtful: bool = False
    seen_by: set[str] = field(default_factory=set)

    @property
    def is_open(self) -> bool:
        """It is in the queue, or with a consumer."""
        return self.state in ("ready", "held")

    def came_back(self, back: Return) -> None:
        """Remember a return."""
        self.returned += 1
        self.returns.append(back)
        del self.returns[:-RETURNS_MAX]


@dataclass(slots=True, eq=False)
class Message:
    """A message, in whatever queues it is.

    Attributes:
        id: its number, in the order of publishing.
        m: what it is called.
        key: what its order matters by; empty if there is nothing.
        prio: its priority.
        p: its publisher.
        channel: the connection's name and channel that published it.
        exchange: where to.
        confirms: its channel is told of what is accepted.
        published: when; `None` if nobody told of it.
        confirmed: that it was accepted.
        places: where it is or was, by queue.
        completed: it was done with in each of its queues.
    """

    id: int
    m: str
    key: str = ""
    prio: int = 0
    p: str = ""
    channel: tuple[str, int] = ("", 0)
    exchange: str = ""
    confirms: bool = False
    published: Moment | None = None
    confirmed: bool = False
    places: dict[QueueName, Place] = field(default_factory=dict)
    completed: bool = False

    @property
    def is_open(self) -> bool:
        """It is somewhere still."""
        return any(place.is_open for place in self.places.values())

    @property
    def is_done(self) -> bool:
        """It was done with somewhere."""
        return any(place.state == "done" for place in self.places.values())

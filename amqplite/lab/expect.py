"""What has to come of a scenario, and whether it has."""

from msgspec import Struct

TIMES = frozenset(
    {"late", "buffered", "wait", "depth", "end"}
    | {"detection_gap", "wasted", "requeue_wait", "rework"}
)
"""What depends on the very instant of things, so that only a virtual clock gives it."""


class Expect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Numbers that have to come out; `None` is not looked at. Orders are labels with spaces.

    Where a field is a table, it is by queue unless it says otherwise. Times are in ticks.

    Attributes:
        completion: in what order the messages were acked.
        first: in what order they were handed out for the first time.
        views: in what order each consumer saw them, by consumer.
        inversions: in how many pairs of completions the later published one is first.
        moved: how few messages have to be lifted out, that the rest is in order.
        buffer: how many it takes to hold, to release them in order.
        buffered: how long the one held longest would be.
        late: how late the latest is, behind the first that overtook it.
        publishers: inversions among the messages of each publisher, by publisher.
        published: how many times something was published.
        ready: messages that nobody has taken when all is over.
        redeliveries: hand-outs beyond the first of each message.
        requeued: how often messages came back, by cause.
        causes: how many messages were overtaken, by cause.
        possible_duplicates: messages that came back without anybody's knowing their effect.
        effects: how many times a message's work took effect.
        duplicates: effects beyond the first of each message.
        skipped: hand-outs whose work was skipped, as it had been done.
        lost: messages that are gone from the broker without having had their effect.
        late_acks: acks that came when the delivery had been taken back.
        released: in what order a resequencer let them go.
        depth: most messages that were ready.
        wait: longest time from enqueued to handed out.
        detection_gap: time that the broker did not know of a consumer's death.
        wasted: time that went into hand-outs which came back.
        requeue_wait: time from coming back to the next hand-out, together.
        rework: time from there to the ack, together.
        end: when the last thing happened.
    """

    completion: dict[str, str] | None = None
    first: dict[str, str] | None = None
    views: dict[str, str] | None = None
    inversions: dict[str, int] | None = None
    moved: dict[str, int] | None = None
    buffer: dict[str, int] | None = None
    buffered: dict[str, float] | None = None
    late: dict[str, float] | None = None
    publishers: dict[str, int] | None = None
    published: int | None = None
    ready: int | None = None
    redeliveries: int | None = None
    requeued: dict[str, int] | None = None
    causes: dict[str, int] | None = None
    possible_duplicates: int | None = None
    effects: int | None = None
    duplicates: int | None = None
    skipped: int | None = None
    lost: str | None = None
    late_acks: int | None = None
    released: str | None = None
    depth: dict[str, int] | None = None
    wait: dict[str, float] | None = None
    detection_gap: float | None = None
    wasted: float | None = None
    requeue_wait: float | None = None
    rework: float | None = None
    end: float | None = None

    def overridden(self, other: "Expect") -> "Expect":
        """Return this with what `other` says instead."""
        said = {name: getattr(self, name) for name in self.__struct_fields__}
        for name in self.__struct_fields__:
            value = getattr(other, name)
            if value is not None:
                said[name] = value
        return Expect(**said)

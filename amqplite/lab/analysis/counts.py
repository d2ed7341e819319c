"""What a run comes to in numbers that are not about order: messages, attempts, time, effects."""

from copy import deepcopy

from msgspec import Struct

from amqplite.lab.analysis.effects import Effects
from amqplite.lab.analysis.message import Place
from amqplite.lab.analysis.messages import Messages
from amqplite.lab.analysis.metrics import LISTED_MAX
from amqplite.lab.analysis.queue_scope import QueueScope

WANTED = frozenset({"nack_requeue", "reject_requeue"})
"""Causes of a return by which the consumer says that the message had no effect."""

UNTRIED = "delivery_failed"
"""The cause of a return where the consumer never had the message."""


class ByCause(Struct, kw_only=True):
    """What one cause did to the order.

    Attributes:
        reordered: messages that were overtaken.
        inversions: by how many, all together.
        late: the longest time, in microseconds.
    """

    reordered: int = 0
    inversions: int = 0
    late: int = 0


class QueueCounts(Struct, frozen=True, kw_only=True):
    """Numbers of one queue.

    Attributes:
        v: its vhost.
        q: its name.
        ready: messages in it.
        depth_max: most messages that were ready for any length of time.
        wait_max: longest time from coming in to the first hand-out, in microseconds.
    """

    v: str
    q: str
    ready: int
    depth_max: int
    wait_max: int


class Counts(Struct, frozen=True, kw_only=True):
    """Numbers of a run. Times are in microseconds.

    Each message in each queue it went to: `enqueued` = `acked` + `gone` + `ready` + `unacked`.

    Attributes:
        published: messages.
        confirmed: of these, how many were confirmed to their publisher.
        enqueued: messages in queues; one in two queues counts twice, as one that left and returned.
        acked: done with.
        completed: messages done with in all of their queues.
        ready: in a queue.
        unacked: with a consumer.
        gone: left their queue without being done with, for whatever reason.
        gone_by_cause: these, by reason.
        dropped: gone by policy (expired, queue full), or without a queue to go to.
        dropped_names: what these are called, `LISTED_MAX` at most.
        deliveries: hand-outs.
        redeliveries: of these, how many weren't the message's first.
        requeued: how often messages came back, by cause.
        possible_duplicates: messages that came back with nobody knowing whether they took effect.
        reported_duplicates: effects beyond the first of each message.
        lost: what messages are called that count as done with and never took effect.
        unexpected: effects of messages that nobody published.
        recovered: messages that took effect though never confirmed.
        skipped: hand-outs that a consumer recognised as done already.
        effects: how many times a message took effect.
        wasted: time of hand-outs that came back.
        requeue_wait: time from coming back to the next hand-out.
        rework: time from there to being done with.
        detection_gap: longest time that a consumer was dead and the broker didn't know.
        depth_max: most messages that were ready in one queue.
        wait_max: longest time from coming in to the first hand-out.
        end: when the last thing happened to a message.
        unexplained: messages reordered without a cause that is known: a fault of the broker.
        violations: hand-outs against AMQP's promise of order (§4.7): a fault of the broker.
        bad_acks: acks of what wasn't held.
        late_acks: acks of what had been taken back, which nobody minded.
        refused: publishes that a queue did not take.
        lost_events: events that are missing in the trace.
        released: what a resequencer let go, in order, `LISTED_MAX` at most.
        by_cause: what each cause did to the order.
        queues: numbers of each queue.
    """

    published: int
    confirmed: int
    enqueued: int
    acked: int
    completed: int
    ready: int
    unacked: int
    gone: int
    gone_by_cause: dict[str, int]
    dropped: int
    dropped_names: list[str]
    deliveries: int
    redeliveries: int
    requeued: dict[str, int]
    possible_duplicates: int
    reported_duplicates: int
    lost: list[str]
    unexpected: int
    recovered: int
    skipped: int
    effects: int
    wasted: int
    requeue_wait: int
    rework: int
    detection_gap: int
    depth_max: int
    wait_max: int
    end: int
    unexplained: int
    violations: int
    bad_acks: int
    late_acks: int
    refused: int
    lost_events: int
    released: list[str]
    by_cause: dict[str, ByCause]
    queues: list[QueueCounts]


class Counting:
    """Counts while events come; the attributes are those of `Counts`."""

    def __init__(self) -> None:
        self.published = self.confirmed = self.enqueued = self.acked = self.completed = 0
        self.ready = self.unacked = self.gone = self.dropped = 0
        self.deliveries = self.redeliveries = self.possible_duplicates = 0
        self.wasted = self.requeue_wait = self.rework = self.detection_gap = self.end = 0
        self.unexplained = self.violations = self.bad_acks = self.late_acks = 0
        self.refused = self.lost_events = 0
        self.gone_by_cause: dict[str, int] = {}
        self.requeued: dict[str, int] = {}
        self.dropped_names: list[str] = []
        self.released: list[str] = []
        self.by_cause: dict[str, ByCause] = {}

    def handed_out(self, place: Place, t: int) -> None:
        """A message is being handed out; its place still tells of what was before."""
        self.deliveries += 1
        if place.attempts > 1:
            self.redeliveries += 1
            if place.returns:
                self.requeue_wait += max(0, t - place.returns[-1].t)

    def done(self, place: Place, t: int) -> None:
        """A message is done with."""
        self.acked += 1
        if place.attempts > 1 and place.last is not None:
            self.rework += max(0, t - place.last.t)

    def came_back(self, place: Place) -> None:
        """A message has come back from a consumer."""
        back = place.returns[-1]
        self.requeued[back.cause] = self.requeued.get(back.cause, 0) + 1
        self.detection_gap = max(self.detection_gap, back.gap)
        if back.cause == UNTRIED:
            return
        if place.last is not None:
            self.wasted += max(0, back.t - place.last.t)
        if back.cause not in WANTED and not place.doubtful:
            place.doubtful = True
            self.possible_duplicates += 1

    def left(self, label: str, cause: str, *, dropped: bool) -> None:
        """A message has left its queue without being done with."""
        self.gone += 1
        self.gone_by_cause[cause] = self.gone_by_cause.get(cause, 0) + 1
        if dropped:
            self.drop(label)

    def drop(self, label: str) -> None:
        """A message was dropped by policy."""
        self.dropped += 1
        if len(self.dropped_names) < LISTED_MAX:
            self.dropped_names.append(label)

    def release(self, label: str) -> None:
        """A resequencer let a message go."""
        if len(self.released) < LISTED_MAX:
            self.released.append(label)

    def reordered(self, cause: str, inversions: int, late: int) -> None:
        """A message was overtaken."""
        by = self.by_cause.setdefault(cause, ByCause())
        by.reordered += 1
        by.inversions += inversions
        by.late = max(by.late, late)
        self.unexplained += cause == "unexplained"

    def result(self, effects: Effects, messages: Messages, queues: list[QueueScope]) -> Counts:
        """Return what it has come to so far."""
        told = [
            QueueCounts(
                v=scope.name[0],
                q=scope.name[1],
                ready=scope.depth.ready,
                depth_max=scope.depth.most,
                wait_max=scope.wait_max,
            )
            for scope in queues
        ]
        return Counts(
            **deepcopy(vars(self)),
            **effects.counts(messages),
            depth_max=max((one.depth_max for one in told), default=0),
            wait_max=max((one.wait_max for one in told), default=0),
            queues=told,
        )

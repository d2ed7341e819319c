"""Delivery tags → what was handed out under them: the unacked deliveries of one channel.

A tag is the channel's own, and what stands under it is one hand-out of one message: an ack settles
that and can settle nothing else. A delivery taken back because its ack was late leaves its tag
behind as *overdue*, so that the late ack finds something, and does nothing but free its consumer.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

from amqplite.broker.broker import Appointment, Broker
from amqplite.broker.message import Entry
from amqplite.broker.queue import Queue
from amqplite.connection.deliver import Consumer
from amqplite.errors import PreconditionFailed

Checkout = tuple[Entry, Queue, Consumer | None, int]
"""`(entry, queue, consumer, since)`: no consumer if it was basic.get; `since` in milliseconds."""

_RESOLUTION_MS = 50
"""Timeouts that fall this close together are looked at in one go."""


class Unacked(dict[int, Checkout]):
    """Checkouts by delivery tag, in order of the tags.

    Args:
        on_timeout: called with the tags whose acks are late, oldest first.

    Attributes:
        overdue: the consumer of each delivery that was taken back, by its tag.
        got: how many are held by basic.get, and so count for no prefetch.
        set_aside: how many a transaction settles once it is committed: they are held until then.
    """

    __slots__ = ("_appointment", "_broker", "_on_timeout", "got", "overdue", "set_aside")

    def __init__(self, broker: Broker, on_timeout: Callable[[list[int]], object]) -> None:
        super().__init__()
        self.overdue: dict[int, Consumer | None] = {}
        self.got = self.set_aside = 0
        self._broker = broker
        self._on_timeout = on_timeout
        self._appointment: Appointment | None = None

    @property
    def held(self) -> int:
        """How many count for the prefetch of the channel."""
        return len(self) + self.set_aside - self.got

    # -- settling --------------------------------------------------------------------------------

    def take(self, tag: int, multiple: bool) -> list[tuple[int, Checkout]]:
        """Take out what an ack, nack or reject settles; forget what was overdue.

        The credit for it comes back by `release`.

        With `multiple` that is all up to `tag`, and for 0 all there are.

        Raises:
            PreconditionFailed: there is no such delivery on this channel. Nothing was taken.
        """
        if not (multiple and tag == 0) and tag not in self and tag not in self.overdue:
            raise PreconditionFailed(f"unknown delivery tag {tag}")
        tags = [tag] if not multiple else list(self._up_to(tag))
        for late in self._overdue_up_to(tag, multiple):
            consumer = self.overdue.pop(late)
            if self._broker.trace.on:
                self._broker.trace.late_ack(consumer, late)
            if consumer is not None:
                consumer.overdue -= 1
                consumer.channel.credit(consumer)
        return [(settled, self.pop(settled)) for settled in tags if settled in self]

    def release(self, checkouts: Iterable[Checkout]) -> None:
        """Give the credit back for what was taken out."""
        for _, _, consumer, _ in checkouts:
            if consumer is None:
                self.got -= 1
            else:
                consumer.unacked -= 1

    def put_back(self, taken: list[tuple[int, Checkout]]) -> None:
        """Undo `take`, for a transaction that is rolled back."""
        for tag, checkout in taken:
            self[tag] = checkout
            _, queue, consumer, since = checkout
            timeout = self._timeout(queue, consumer)
            if timeout:
                self._look_at(since + timeout)
        ordered = sorted(self.items())
        self.clear()
        self.update(ordered)

    def _up_to(self, tag: int) -> Iterator[int]:
        return iter(self) if tag == 0 else takewhile(lambda t: t <= tag, self)

    def _overdue_up_to(self, tag: int, multiple: bool) -> list[int]:
        if not self.overdue:
            return []
        return [t for t in self.overdue if t == tag or (multiple and (tag == 0 or t <= tag))]

    # -- ack timeout -----------------------------------------------------------------------------

    def watch(self, timeout_ms: int) -> None:
        """Look at the deadlines by when a delivery made now may be late."""
        self._look_at(self._broker.now + timeout_ms)

    def _look_at(self, when: int) -> None:
        if self._appointment is not None:
            if self._appointment[0] <= when:
                return
            self._broker.cancel(self._appointment)
        self._appointment = self._broker.call_at(when, self._check)

    def stop_watching(self) -> None:
        """The channel has ended: there are no deadlines any more."""
        if self._appointment is not None:
            self._broker.cancel(self._appointment)
            self._appointment = None

    def _check(self, now: int) -> None:
        self._appointment = None
        due, following = self._late(now)
        if due:
            self._on_timeout(due)
        if following is not None and self:  # the channel may have been closed
            self._look_at(max(following, now + _RESOLUTION_MS))

    def _late(self, now: int) -> tuple[list[int], int | None]:
        """Return the tags that are late by now, and the deadline that comes next.

        Of one consumer the oldest delivery is the first to be late, so the first of each that is
        in time ends the search for it.
        """
        due: list[int] = []
        following: int | None = None
        in_time: set[object] = set()
        for tag, (_, queue, consumer, since) in self.items():
            holder = consumer or queue
            if holder in in_time:
                continue
            timeout = self._timeout(queue, consumer)
            if timeout and since + timeout <= now:
                due.append(tag)
                continue
            in_time.add(holder)
            if timeout and (following is None or since + timeout < following):
                following = since + timeout
        return due, following

    def _timeout(self, queue: Queue, consumer: Consumer | None) -> int:
        return consumer.timeout_ms if consumer is not None else self.timeout_of(queue)

    def timeout_of(self, queue: Queue) -> int:
        """How long a delivery from `queue` may stay unacked, in ms, if its consumer doesn't say."""
        asked = queue.settings.consumer_timeout_ms
        return self._broker.limits.consumer_timeout_ms if asked is None else asked

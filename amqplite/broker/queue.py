"""Queues: where messages wait until they are acked (§3.1.4).

A message is ready, or handed out and unacked, or gone. It leaves by its ack; whatever else ends a
hand-out brings it back to its old place, marked redelivered. So only a redelivery can overtake
(§4.7): first deliveries are in the order of arrival.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from amqplite.broker.arguments import Arguments, QueueSettings
from amqplite.broker.backlog import Backlog
from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry, Message
from amqplite.broker.queue_order import QueueOrder
from amqplite.broker.records import message_key
from amqplite.broker.redelivery import Cause, Reason
from amqplite.broker.ring import Ring

if TYPE_CHECKING:
    from amqplite.broker.tape import Taker

_PRESSED, _EASED = 1024, 256
"""Ready messages at which a queue with consumers is under pressure, and no more."""

_PRESSED_OCTETS = 4 * 1024 * 1024

_FIRST_STEP, _LAST_STEP = 64, 4096
"""How far ahead the sent-up-to mark is moved: it doubles while a backlog is being read."""


class Consumer(Protocol):
    """Whoever takes messages from a queue: a channel's consumer, or a test's list.

    Attributes:
        priority: those of a higher one are served first.
        no_ack: what it takes is settled by that.
        exclusive: no other consumer may share the queue.
        parked: it waits for no turn; the queue clears it, a delivery that uses up the credit or
            is refused sets it.
    """

    parked: bool
    priority: int
    no_ack: bool
    exclusive: bool

    def deliver(self, entry: Entry, /) -> bool | None:
        """Take `entry` and return whether another would be welcome; `None`: not taken, no credit.

        Counts the delivery in the entry. Must not call the queue back.
        """
        ...

    def welcome(self) -> bool:
        """Return whether it has credit."""
        ...

    def cancelled(self) -> None:
        """The queue is gone, and the consumer with it."""
        ...


class Pressure:
    """Where publishers are ahead of consumers, so that they can be read from more slowly.

    It is memory that this saves: a message that waits for its consumer in the publisher's socket
    need not be moved to the store and back.

    Attributes:
        queues: those that got a message while they were under pressure, since last looked at.
    """

    __slots__ = ("queues",)

    def __init__(self) -> None:
        self.queues: dict[Queue, None] = {}

    def take(self) -> list["Queue"]:
        """Return the queues, and start anew."""
        queues, self.queues = self.queues, {}
        return list(queues)


class Queue:
    """Messages in order of arrival, and the consumers that take them in turn.

    Nothing here blocks, sleeps or reads a clock.

    Attributes:
        queue_id: what the store calls it; 0 unless it is durable or ever spilled.
        owner: the connection it is exclusive to; `None` if it is not.
        unacked: messages handed out and not settled.
        returned: how many hand-outs ended without an ack so far, by their cause.
        consumers: in the order they came.
        dead_letter: called with the queue, a message it gives up, and the reason.
        order: in which order messages are handed out and done with, and what records it.
        on_use: called when somebody has used it, see `lease`.
        on_eased: called once when consumers have worked off what put it under pressure.
    """

    __slots__ = (
        "_asked_up_to",
        "_base",
        "_journal",
        "_last_seq",
        "_limited",
        "_pressure",
        "_ring",
        "_sent_limit",
        "_sent_step",
        "arguments",
        "arguments_octets",
        "auto_delete",
        "backlog",
        "consumers",
        "dead_letter",
        "deleted",
        "durable",
        "had_consumers",
        "name",
        "on_eased",
        "on_use",
        "order",
        "owner",
        "queue_id",
        "returned",
        "settings",
        "unacked",
        "vhost",
    )

    def __init__(
        self,
        vhost: str,
        name: str,
        journal: Journal,
        backlog: Backlog,
        *,
        queue_id: int = 0,
        durable: bool = False,
        owner: object | None = None,
        auto_delete: bool = False,
        arguments: Arguments | None = None,
        arguments_octets: bytes = b"",
        settings: QueueSettings | None = None,
        pressure: Pressure | None = None,
        clock: Callable[[], int] = lambda: 0,
    ) -> None:
        self.vhost = vhost
        self.name = name
        self.queue_id = queue_id
        self.durable = durable
        self.owner = owner
        self.auto_delete = auto_delete
        self.arguments: Arguments = arguments or {}
        self.arguments_octets = arguments_octets
        self.settings = settings or QueueSettings()
        self.backlog = backlog
        self.consumers: dict[Consumer, None] = {}
        self.had_consumers = False
        self.on_use: Callable[[], object] = _nothing
        self.deleted = False
        self.unacked = 0
        self.returned: dict[Cause, int] = {}
        self.order = QueueOrder(clock)
        self._journal = journal
        self._pressure = pressure or Pressure()
        self._limited = (
            self.settings.max_length is not None or self.settings.max_length_bytes is not None
        )
        self.dead_letter: Callable[[Queue, Message, Reason], object] = _drop
        self.on_eased: dict[Callable[[], object], None] = {}
        self._ring: Ring[Consumer] = Ring()
        self._last_seq = 0
        self._base = message_key(queue_id, 0)
        self._sent_limit = 0  # places up to which the store knows they may have been handed out
        self._asked_up_to = 0
        self._sent_step = _FIRST_STEP

    def found(self, messages: int, last_seq: int, sent_up_to: int) -> None:
        """Go on with what the store holds, above every place that may have been used."""
        self._last_seq = max(last_seq, sent_up_to)
        self._sent_limit = self._asked_up_to = self.backlog.sent_up_to = sent_up_to
        self.backlog.found(messages, last_seq)

    @property
    def ready(self) -> int:
        """Messages that wait to be handed out."""
        return self.backlog.count

    # -- messages in -----------------------------------------------------------------------------

    def push(self, message: Message) -> bool:
        """Append `message`, and deliver it at once if a consumer waits.

        Returns:
            False if the queue is full and refuses it (RabbitMQ: overflow reject-publish).
        """
        if self._limited and self._refuses(message):
            return False
        self._last_seq = seq = self._last_seq + 1
        entry = Entry(seq, message)
        ring, backlog, order = self._ring, self.backlog, self.order
        if order.tape is not None:
            order.tape.enqueued(entry)
        delivered = False
        while ring.top and not backlog.count:
            top = ring.top
            consumer = top[0]
            more = consumer.deliver(entry)
            if more is None:
                ring.drop_first()
                continue
            if not more:
                ring.drop_first()
            elif len(top) > 1:
                top.rotate(-1)
            if seq == order.next_out:
                order.next_out = seq + 1
            else:
                order.handed_out(entry, consumer)
            if consumer.no_ack:
                if seq == order.next_done:
                    order.next_done = seq + 1
                else:
                    order.done(entry)
                return True  # settled before the store heard of it
            self.unacked += 1
            delivered = True
            break
        if message.persistent and self.durable:
            entry.key = self._base | seq
            self._journal.insert(entry)
        if not delivered:
            backlog.append(entry)
            if self.consumers and (backlog.count > _PRESSED or backlog.octets > _PRESSED_OCTETS):
                self._pressure.queues[self] = None
            if self._limited:
                self._drop_head()
        return True

    def requeue(self, entries: Iterable[Entry], cause: Cause) -> None:
        """Put handed-out messages back at their old places; `dispatch` when all are back.

        The one road of every hand-out that ends without an ack.
        """
        if self.deleted:
            return
        limit = self.settings.delivery_limit
        if limit is None or limit < 0 or cause is Cause.SHUTDOWN:
            limit = _NO_LIMIT
        backlog, returned, tape = self.backlog, self.returned, self.order.tape
        for entry in entries:
            self.unacked -= 1
            entry.cause = cause
            returned[cause] = returned.get(cause, 0) + 1
            if entry.deliveries > limit:
                self._give_up(entry, Reason.DELIVERY_LIMIT)
            else:
                backlog.put_back(entry)
                if tape is not None:
                    tape.requeued(entry, cause)
        if self._limited:
            self._drop_head()

    # -- messages given up -----------------------------------------------------------------------

    def _refuses(self, message: Message) -> bool:
        """Whether the queue is full and says so to publishers (RabbitMQ: overflow behaviour)."""
        overflow = self.settings.overflow
        if overflow == "drop-head" or not self._over(1, message.body_size):
            return False
        if self.order.tape is not None:
            self.order.tape.refused(message, Reason.MAXLEN.value)
        if overflow == "reject-publish-dlx":
            self.dead_letter(self, message, Reason.MAXLEN)
        return True

    def _drop_head(self) -> None:
        """Give up the oldest messages until the queue is within its limits."""
        if self.settings.overflow != "drop-head":
            return
        while self.backlog.count and self._over(0, 0):
            entry = self.backlog.pop()
            if entry is not None:
                self._give_up(entry, Reason.MAXLEN)

    def _over(self, messages: int, octets: int) -> bool:
        """Whether with so many more ready messages, and octets of their bodies, it is too full."""
        settings, backlog = self.settings, self.backlog
        if settings.max_length is not None and backlog.count + messages > settings.max_length:
            return True
        most = settings.max_length_bytes
        return most is not None and backlog.body_octets + octets > most

    def _give_up(self, entry: Entry, reason: Reason, *, moved: bool = False) -> None:
        """Delete a message for good, and publish it as a dead letter; both or neither last."""
        journal, tape = self._journal, self.order.tape
        before = journal.position
        self.order.gone((entry,))
        if tape is not None:
            tape.gone(entry, reason, self.settings.dead_letter_exchange is not None)
        self.dead_letter(self, entry.message, reason)
        if tape is not None:
            tape.given_up()
        if entry.key:
            journal.delete(entry, moved=moved or journal.position != before)

    # -- messages out ----------------------------------------------------------------------------

    @property
    def passes_through(self) -> bool:
        """Whether nothing waits here: what comes is taken at once, and need not be acked."""
        if self.unacked or self.backlog.count or not self._ring.top:
            return False
        return all(consumer.no_ack for consumer in self.consumers)

    def dispatch(self) -> None:
        """Deliver, oldest message first and consumers in turn, until either runs out."""
        ring, backlog, order = self._ring, self.backlog, self.order
        while ring.top and backlog.count:
            entry = backlog.pop()
            if entry is None:
                return
            if entry.key and entry.seq > self._sent_limit and not self._may_hand_out(entry):
                backlog.put_back(entry)
                return
            top = ring.top
            consumer = top[0]
            more = consumer.deliver(entry)
            if more is None:
                backlog.put_back(entry)
                ring.drop_first()
                continue
            if not more:
                ring.drop_first()
            elif len(top) > 1:
                top.rotate(-1)
            if entry.seq == order.next_out:
                order.next_out = entry.seq + 1
            else:
                order.handed_out(entry, consumer)
            if not consumer.no_ack:
                self.unacked += 1
                continue
            if entry.seq == order.next_done:
                order.next_done = entry.seq + 1
            else:
                order.done(entry)
            if entry.key:
                self._journal.delete(entry)
        if self.on_eased and backlog.count <= _EASED:
            self._ease()

    @property
    def eased(self) -> bool:
        """Whether consumers have worked off what put it under pressure."""
        return self.backlog.count <= _EASED

    def _ease(self) -> None:
        calls, self.on_eased = self.on_eased, {}
        for call in calls:
            call()

    def get(self, taker: "Taker | None" = None) -> tuple[Entry, int] | None:
        """Hand the oldest message out to `taker`, who asks (basic.get); `None` if none is ready.

        Returns:
            The entry, its delivery counted, and the journal's position to wait for before it may
            be sent (0: none).
        """
        self.on_use()
        entry = self.backlog.pop()
        if entry is None:
            return None
        position = 0
        if entry.key and entry.seq > self._sent_limit and not self._is_known_handed_out(entry):
            position = self._ask(entry.seq)
        self.unacked += 1
        entry.deliveries += 1
        self.order.handed_out(entry, taker)
        return entry, position

    def settle(self, entry: Entry, *, moved: bool = False) -> None:
        """Delete a message that was handed out: it is acked; `moved` see `Journal.delete`."""
        self.unacked -= 1
        order = self.order
        if entry.seq == order.next_done:
            order.next_done = entry.seq + 1
        else:
            order.done(entry)
        if entry.key and not self.deleted:
            self._journal.delete(entry, moved=moved)

    def reject(self, entry: Entry, *, moved: bool = False) -> None:
        """Delete a message that was handed out: it is rejected for good; `moved` as above."""
        if self.deleted:
            return
        self.unacked -= 1
        self._give_up(entry, Reason.REJECTED, moved=moved)

    def suspend(self, consumer: Consumer) -> None:
        """Let `consumer` wait for no turn, until `enlist` gives it one."""
        self._ring.remove(consumer)
        consumer.parked = True

    def _may_hand_out(self, entry: Entry) -> bool:
        """Return whether the store will know, after a crash, that `entry` had been handed out.

        Else the sent-up-to mark has to be on disk first, and delivery goes on when it is.
        """
        if self._is_known_handed_out(entry):
            return True
        if entry.seq > self._asked_up_to:
            self._ask(entry.seq)
        return False

    def _is_known_handed_out(self, entry: Entry) -> bool:
        """Whether it is yet to be written, and then with its count, or was before.

        Not if that was while a mark was asked for that is to tell of it: that has to come first.
        """
        if entry.position > self._journal.taken:
            return True
        return entry.deliveries > 0 and entry.seq > self._asked_up_to

    def _ask(self, seq: int) -> int:
        """Move the mark up to `seq` and some ahead; return the position at which it is durable."""
        self._asked_up_to = up_to = min(self._last_seq, seq + self._sent_step)
        self._sent_step = min(2 * self._sent_step, _LAST_STEP)
        position = self._journal.sent_up_to(self.queue_id, up_to)
        self._journal.hurry()
        self._journal.call_when_durable(position, self._on_mark(up_to))
        return position

    def _on_mark(self, up_to: int) -> Callable[[int], None]:
        def on_durable(_: int) -> None:
            self._sent_limit = max(self._sent_limit, up_to)
            if not self.deleted:
                self.dispatch()

        return on_durable

    def record_handed_out(self) -> None:
        """Store exactly which messages were handed out, in place of the sent-up-to mark.

        What is in the store alone was not handed out since the start: of the mark, only what was
        found then may still mean some of it.
        """
        backlog = self.backlog
        for entry in backlog.handed_out():
            if entry.key:
                self._journal.handed_out(entry)
        found = backlog.sent_up_to
        mark = found if backlog.may_have_stored_below(found) else 0
        if self._asked_up_to != mark:
            self._journal.sent_up_to(self.queue_id, mark)

    def purge(self) -> int:
        """Delete the ready messages, not the unacked; return how many they were."""
        self._ease()
        self.order.gone(self.backlog.returned())
        count = self.backlog.purge()
        tape = self.order.wake()
        if tape is not None:
            tape.purged(count, "queue_deleted" if self.deleted else "purged")
        return count

    # -- consumers -------------------------------------------------------------------------------

    def add_consumer(self, consumer: Consumer) -> None:
        """Add `consumer`; `dispatch` once it has been told so."""
        self.consumers[consumer] = None
        self.had_consumers = True
        self._record(consumer, "consumer_registered")
        if self.settings.single_active_consumer and len(self.consumers) == 1:
            self._record(consumer, "consumer_active")
        self.enlist(consumer)

    def remove_consumer(self, consumer: Consumer) -> None:
        """Take `consumer` out; what it holds stays with its channel."""
        if self.consumers.pop(consumer, _ABSENT) is _ABSENT:
            return
        self.on_use()
        self._ring.remove(consumer)
        self._record(consumer, "consumer_cancelled")
        if self.settings.single_active_consumer and self.consumers:
            active = next(iter(self.consumers))
            self._record(active, "consumer_active")
            self.enlist(active)

    def _record(self, consumer: Any, what: str) -> None:
        tape = self.order.wake()
        if tape is not None:
            tape.consumer(what, consumer)

    def enlist(self, consumer: Consumer) -> None:
        """Give `consumer` its turn, if it has credit: when it is new, and when credit returns."""
        if consumer not in self.consumers:
            return
        if self.settings.single_active_consumer and consumer is not next(iter(self.consumers)):
            return
        if consumer.parked and consumer.welcome():
            consumer.parked = False
            self._ring.add(consumer)


def enqueue(journal: Journal, message: Message, queues: Sequence[Queue]) -> bool:
    """Push a message to its queues; return False if one of them is full and refused it."""
    if message.persistent and len(queues) > 1 and sum(queue.durable for queue in queues) > 1:
        journal.share(message)
    accepted = True
    for queue in queues:
        if not queue.deleted:  # since it was routed, within a transaction
            accepted = queue.push(message) and accepted
    return accepted


def _nothing() -> None:
    """Tell nobody."""


def _drop(_queue: Queue, _message: Message, _reason: Reason) -> None:
    """Let a message go that nobody wants."""


_ABSENT = object()
_NO_LIMIT = 1 << 62

"""A channel: one conversation within a connection (§2.2.5).

It owns consumers, unacked deliveries, and the state of confirms or a transaction. What each method
does stands in `…_methods.py`, a module a class of the specification; what comes back when a channel
ends, and in which order, stands here.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry, Message
from amqplite.broker.queue import Queue, enqueue
from amqplite.broker.redelivery import Cause
from amqplite.broker.tape import Identity
from amqplite.broker.users import User
from amqplite.connection.confirms import Confirms
from amqplite.connection.deliver import Consumer, basic_return
from amqplite.connection.publishing import Publishing
from amqplite.connection.transaction import Outcome, Transaction
from amqplite.connection.unacked import Checkout, Unacked
from amqplite.errors import AmqpError, NotFound, PreconditionFailed
from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.methods import BasicCancel, ChannelClose

if TYPE_CHECKING:
    from amqplite.connection.connection import Connection


class Channel:
    """An open channel.

    Attributes:
        number: from 1 to the negotiated channel_max.
        closing: the broker has closed it after an error, and waits for the client's close-ok:
            whatever comes meanwhile is ignored.
        last_tag: the last delivery tag used.
        prefetch: most unacked deliveries of a new consumer; 0 is no limit (basic.qos).
        prefetch_all: the same for all consumers of the channel together.
        last_queue: name of the queue declared last, which an empty name stands for.
        confirms: the ledger, in confirm mode.
        transaction: what waits for tx.commit, in transaction mode.
    """

    def __init__(self, connection: "Connection", number: int) -> None:
        self.connection = connection
        self.number = number
        self.broker = connection.broker
        self.journal: Journal = connection.broker.journal
        self.trace = connection.broker.trace
        self.vhost = connection.vhost
        self.outbox = connection.outbox
        self.frame_max = connection.frame_max
        self.message_size_max = connection.limits.message_size_max
        self.closing = False
        self.last_tag = 0
        self.prefetch = 0
        self.prefetch_all = 0
        self.last_queue = ""
        self.consumers: dict[str, Consumer] = {}
        self.unacked = Unacked(connection.broker, self._acks_are_late)
        self.publishing = Publishing(self)
        self.confirms: Confirms | None = None
        self.transaction: Transaction | None = None

    @property
    def user(self) -> User:
        """Who the client is; update-secret may change what that user may."""
        return self.connection.user

    # -- replies ---------------------------------------------------------------------------------

    def send(self, method: Method) -> None:
        """Send a method at once."""
        self.outbox.send(method_frame(self.number, method))

    def reply(self, method: Method) -> None:
        """Answer a synchronous method, once all that this connection changed is on disk."""
        self.connection.send_when_durable(method_frame(self.number, method))

    # -- publishing ------------------------------------------------------------------------------

    def publish_began(self) -> None:
        """Count a publish in confirm mode; see that alarms hear of publishers."""
        confirms = self.confirms
        if confirms is not None:
            if confirms.published == confirms.noted:
                self.connection.confirming.append(self)
            confirms.published += 1

    def publish(self, message: Message, queues: Sequence[Queue], mandatory: bool) -> None:
        """Give a message to its queues, now or at commit."""
        if self.transaction is not None:
            self.transaction.publishes.append((message, queues, mandatory))
            return
        if self.connection.credited:  # what was acked before has been
            self.connection.dispatch()
        self.enqueue(message, queues, mandatory)

    def enqueue(self, message: Message, queues: Sequence[Queue], mandatory: bool) -> bool:
        """Push a message to its queues; give it back if there are none and it is mandatory.

        Returns:
            False if one of the queues is full and refused it.
        """
        trace, confirms = self.trace, self.confirms
        if trace.on:
            number = 0 if confirms is None else confirms.published
            trace.begin_publish(self, message, queues, number, mandatory)
        if not queues:
            if mandatory:
                self.outbox.send(basic_return(self, message))
            return True
        before = self.journal.position
        accepted = enqueue(self.journal, message, queues)
        if trace.on:
            trace.end_publish()
        if confirms is not None:
            if self.journal.position != before:
                confirms.position = self.journal.position
            if not accepted:
                confirms.reject()
        return accepted

    def require_size(self, body_size: int) -> None:
        """Refuse a body over the configured size.

        Raises:
            PreconditionFailed: it is.
        """
        if body_size > self.message_size_max:
            raise PreconditionFailed(
                f"message size {body_size} is larger than configured max size "
                f"{self.message_size_max}"
            )

    def identity(self) -> Identity:
        """Return who it is, see `broker.tape`."""
        return self.connection.identity()._replace(channel=self.number)

    # -- consuming -------------------------------------------------------------------------------

    def queue_named(self, name: str) -> str:
        """Return `name`, or for an empty one that of the queue declared last (§1.7.2).

        Raises:
            NotFound: none was declared on this channel.
        """
        if name:
            return name
        if not self.last_queue:
            raise NotFound("no previously declared queue")
        return self.last_queue

    def has_room(self) -> bool:
        """Whether the limit over all its consumers allows another delivery."""
        return not self.prefetch_all or self.unacked.held < self.prefetch_all

    def credit(self, consumer: Consumer) -> None:
        """A delivery was settled: whoever may go on because of that will, when the read ends."""
        if consumer.parked:
            self.connection.credited[consumer] = None
        if self.prefetch_all:
            for other in self.consumers.values():
                if other.parked:
                    self.connection.credited[other] = None

    def cancel(self, tag: str) -> None:
        """End a consumer; what it holds stays unacked (basic.cancel)."""
        consumer = self.consumers.pop(tag, None)
        if consumer is not None:
            self._leave(consumer)
            self.vhost.remove_if_unused(consumer.queue)

    def _leave(self, consumer: Consumer) -> None:
        """Take a consumer from its queue, where another may become the active one."""
        consumer.queue.remove_consumer(consumer)
        self.connection.undispatched[consumer.queue] = None

    def consumer_cancelled(self, consumer: Consumer) -> None:
        """Its queue is gone, or its acks are late: forget it, and tell the client if it listens."""
        if self.consumers.pop(consumer.tag, None) is None:
            return
        if self.connection.client_can("consumer_cancel_notify") and not self.closing:
            self.send(BasicCancel(consumer.tag, True))

    # -- settling --------------------------------------------------------------------------------

    def settle(self, checkouts: list[Checkout], outcome: Outcome | Cause) -> None:
        """Delete what was handed out, or requeue it for a cause, and give the credit back."""
        self.unacked.release(checkouts)
        if isinstance(outcome, Cause):
            self._requeue(checkouts, outcome)
        moved = self.transaction is not None  # then it is nothing without the rest
        for entry, queue, consumer, _ in checkouts:
            if outcome is Outcome.ACKED:
                queue.settle(entry, moved=moved)
            elif outcome is Outcome.REJECTED:
                queue.reject(entry, moved=moved)
            if consumer is not None:
                self.credit(consumer)

    def _requeue(self, checkouts: Iterable[Checkout], cause: Cause) -> None:
        """Return checkouts to their queues, all of a queue's before it is dispatched."""
        back: dict[Queue, list[Entry]] = {}
        for entry, queue, _, _ in checkouts:
            back.setdefault(queue, []).append(entry)
        for queue, entries in back.items():
            queue.requeue(entries, cause)
            self.connection.undispatched[queue] = None

    # -- ack timeout -----------------------------------------------------------------------------

    def _acks_are_late(self, tags: list[int]) -> None:
        self.connection.acks_are_late(self, tags)

    # -- the end ---------------------------------------------------------------------------------

    def stop_consuming(self) -> None:
        """Take its consumers from their queues: the first step of an end."""
        for consumer in self.consumers.values():
            self._leave(consumer)

    def requeue_all(self, cause: Cause) -> None:
        """Return all it holds to the queues, to be dispatched later: the second step."""
        if self.transaction is not None:
            for taken, _ in self.transaction.take()[1]:
                self.unacked.put_back(taken)
        self.unacked.stop_watching()
        checkouts = list(self.unacked.values())
        self.unacked.clear()
        self.unacked.overdue.clear()
        self._requeue(checkouts, cause)

    def release_queues(self) -> None:
        """Remove the auto-delete queues that lived for its consumers: the last step."""
        consumers, self.consumers = self.consumers, {}
        for consumer in consumers.values():
            self.vhost.remove_if_unused(consumer.queue)

    def forget(self) -> None:
        """Drop what has gathered: its memory must not wait for the garbage collector."""
        self.publishing = Publishing(self)
        self.confirms = self.transaction = None
        self.trace.forget(self)

    def end(self, cause: Cause, text: str = "") -> None:
        """End the channel alone; `text` says why, if the broker does it."""
        if self.trace.on:
            self.trace.channel_closed(self, cause, len(self.unacked), text)
        self.stop_consuming()
        self.requeue_all(cause)
        self.connection.dispatch()
        self.release_queues()
        self.forget()

    def close(self, error: AmqpError, class_id: int, method_id: int) -> None:
        """Close it for a soft error, and wait for the client's close-ok (§1.5.2.5)."""
        self.closing = True
        close = ChannelClose(error.reply_code, error.reply_text, class_id, method_id)
        self.connection.send_last(method_frame(self.number, close))
        self.end(Cause.CHANNEL_ERROR, error.reply_text)


Handler = Callable[[Channel, bytes], None]
"""Acts on a method, given the frame's payload."""

HandlerTable = dict[type[Method], Handler]

"""The recorder: what happens to messages, and around them, as events in one total order.

It is off until somebody asks for a queue, and then records that queue whole, or sampled where there
is too much of it; see `tape`. What happens around it — connections, confirms, what a lab's actors
say — is never left out.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from amqplite.broker.event_log import MULTIPLE, NOBODY, EventLog, Who
from amqplite.broker.message import Message
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.broker.tape import Identity, Taker, Tape, Untold
from amqplite.broker.trace import Event

SAMPLED_FROM = 400
"""Messages in a step of time that are told whole; the rest only if something befalls them."""

AT_LEAST = 40
"""The same on the slowest of machines."""

IN_A_FLOOD, FEWEST = 10, 2
"""The same in a step that follows one that had more, for telling must not make a flood slower; and
that on the slowest of machines."""

STEP_US = 100_000

EVENTS_EACH = 4
"""Events of a message that is told whole, if it is in one queue: from its publish to its ack."""

LABEL_MAX = 24
"""Characters of a message-id, and of a consumer tag, that are shown."""


class Labels(Protocol):
    """Reads what names a message in its content header, which is octets to this package."""

    def message_id(self, header: bytes, /) -> str:
        """Return the message-id; empty if it has none."""
        ...


class Party(Protocol):
    """A channel, or a connection as a whole."""

    def identity(self) -> Identity:
        """Return who it is."""
        ...


class Recorder:
    """Records the queues it is asked to.

    Args:
        clock: tells the microseconds since the trace's origin.
        labels: reads message-ids; without it messages are called by their number.

    Attributes:
        on: a queue is recorded.
        messages: how many have a number, which are those up to this one.
        log: what is kept of it.
        now: when the octets came that are acted on, if there are any.
        untold: the message being published, if it is left out: its number, time and publisher.
        multiple: `MULTIPLE` while one ack settles several deliveries.
        idle: microseconds since the last octet came from whoever loses deliveries now.
        reentering: number of the message that is given up, and so may come to another queue.
        whole: nothing is left out, however much there is.
        on_event: called once at the next event, and then forgotten; `None`: nobody waits.
    """

    def __init__(self, clock: Callable[[], int], labels: Labels | None = None) -> None:
        self.clock = clock
        self.on = False
        self.log = EventLog()
        self.now = 0
        self.untold: Untold | None = None
        self.multiple = 0
        self.idle = 0
        self.reentering = 0
        self.whole = False
        self.on_event: Callable[[], object] | None = None
        self._labels = labels
        self._queues: dict[tuple[str, str], Queue | None] = {}
        self.messages = 0
        self._publishing: Untold | None = None
        self._holders: dict[Taker, Who] = {}
        self._senders: dict[object, Who] = {}
        self._publishers: dict[str, str] = {}  # those that publish, by connection
        self._named = self._named_publishers = 0
        self._step = self._in_step = 0
        self._most = self._left = SAMPLED_FROM
        self._in_a_flood = IN_A_FLOOD
        self._may_rest = True
        self._resting: list[Queue] = []

    # -- which queues ----------------------------------------------------------------------------

    def record_queue(self, vhost: str, name: str, queue: Queue | None) -> None:
        """Record a queue from now on; one that isn't there yet (`None`), from its declaration."""
        self._queues.setdefault((vhost, name), None)
        self.on = True
        if queue is not None:
            self.declared(queue)

    def stop_queue(self, vhost: str, name: str) -> None:
        """Record a queue no longer; what was recorded stays."""
        queue = self._queues.pop((vhost, name), None)
        if queue is not None:
            queue.order.record(None)
        self.on = bool(self._queues)
        if not self.on:
            self._holders.clear()
            self._senders.clear()
            self._publishers.clear()
            self._publishing = None

    @property
    def queues(self) -> tuple[tuple[str, str], ...]:
        """The `(vhost, queue)` of each that is recorded, or is to be once it is declared."""
        return tuple(self._queues)

    def declared(self, queue: Queue) -> None:
        """A queue is there: record it, if that was asked for."""
        name = (queue.vhost, queue.name)
        if name in self._queues and self._queues[name] is not queue:
            self._queues[name] = queue
            tape = Tape(self, queue)
            queue.order.record(tape)
            for consumer in queue.consumers:
                tape.consumer("consumer_registered", cast("Taker", consumer))

    def deleted(self, queue: Queue) -> None:
        """A queue is gone; one of its name is recorded again once it is declared."""
        name = (queue.vhost, queue.name)
        if self._queues.get(name) is queue:
            self._queues[name] = None

    # -- reading ---------------------------------------------------------------------------------

    def read(self, after: int, limit: int = 1000, origin: int = 0) -> list[Event]:
        """Return up to `limit` events behind number `after`; see `EventLog.read`."""
        return self.log.read(after, limit, origin)

    def afford(self, events: float) -> None:
        """Tell fewer messages whole, if so many events in a step are what whoever reads can bear.

        In a flood they are a small part of that, for there nobody has time to spare.
        """
        most = int(events / EVENTS_EACH)
        self._most = max(AT_LEAST, min(SAMPLED_FROM, most))
        self._in_a_flood = max(FEWEST, min(IN_A_FLOOD, most // 16))

    # -- writing ---------------------------------------------------------------------------------

    def write(self, t: int, type_: str, *where: Any, **what: Any) -> int:
        """Append an event, see `EventLog.write`, and wake whoever waits for one."""
        n = self.log.write(t, type_, *where, **what)
        if self.on_event is not None:
            wake, self.on_event = self.on_event, None
            wake()
        return n

    def mark(self, type_: str, **fields: Any) -> int:
        """Write what the broker cannot see, or what somebody does to it: by `Event`'s names."""
        n = self.write(self.clock(), type_)
        self.log.add(n, **fields)
        return n

    # -- publishing ------------------------------------------------------------------------------

    def number(self) -> int:
        """Return a number for a message that has none yet."""
        self.messages += 1
        return self.messages

    def begin_publish(
        self, channel: Party, message: Message, queues: Sequence[Queue], number: int, returned: bool
    ) -> None:
        """A message is about to go to its queues; `number` is its confirm's, 0 for none."""
        for queue in queues:
            if queue.order.tape is not None:
                break
        else:
            if queues:
                return
        self.messages = msg = self.messages + 1
        publisher = self._senders.get(channel) or self.publisher(channel)
        if queues:
            self._in_step += 1
            if self._in_step > self._left and not self.whole:
                self.untold = (msg, self.now, publisher)
                if self._may_rest:
                    self._rest(queues)
                return
        now = self.clock()
        self.published(message, msg, now, publisher, tag=number)
        if queues:
            self._publishing = (msg, now, publisher)
        else:
            type_ = "returned" if returned else "unroutable"
            self.write(now, type_, ("/", ""), publisher, msg, cause=("no_route", ""))

    def _rest(self, queues: Sequence[Queue]) -> None:
        """Leave queues alone till the next step, where nothing can befall a message."""
        self._may_rest = False  # asked once in a read is enough
        for queue in queues:
            if queue.order.tape is not None and queue.passes_through:
                queue.order.rest()
                self._resting.append(queue)

    def tick(self) -> None:
        """Octets have come, to be acted on: see what the time is."""
        self.now = now = self.clock()
        self._may_rest = True
        if now - self._step >= STEP_US:
            while self._resting:
                order = self._resting.pop().order
                self._in_step += order.passed
                order.wake()
            self._left = self._in_a_flood if self._in_step > self._most else self._most
            self._step, self._in_step = now, 0

    def end_publish(self) -> None:
        """It has been given to its queues."""
        self._publishing = self.untold = None

    def tell_published(self, message: Message) -> None:
        """Tell of what is being published, if it wasn't told yet."""
        if self.untold is not None:
            self._publishing, self.untold = self.untold, None
            self.published(message, *self._publishing)

    def current(self, message: Message) -> tuple[int, int, Who, str]:
        """Return the message being published: its number, time, publisher, and why.

        One that nobody publishes was given up by another queue, and keeps its number.
        """
        if self._publishing is not None:
            return (*self._publishing, "")
        msg = self.reentering or self.number()
        self.label(msg, message)
        return msg, self.clock(), NOBODY, "dlx_return"

    def published(
        self, message: Message, msg: int, t: int, publisher: Who, *, tag: int = 0, flags: int = 0
    ) -> None:
        """Write that a message was published, and what it is called."""
        self.label(msg, message)
        self.write(
            t,
            "published",
            ("/", ""),
            publisher,
            msg,
            0,
            tag,
            flags=flags,
            key=self.key_of(message),
            exchange=message.exchange,
            size=message.body_size,
        )

    def label(self, msg: int, message: Message) -> None:
        """Call a message by its message-id, if it has one."""
        if self._labels is not None:
            label = self._labels.message_id(message.header)
            if label:
                self.log.label(msg, _short(label))

    def key_of(self, message: Message) -> str:
        """Return what a message's order matters by: its routing key, unless that names a queue."""
        return message.routing_key if message.address[0] else ""

    def answered(self, channel: Party, answers: Sequence[tuple[int, bool]]) -> None:
        """What a channel published is confirmed, all up to a number, or nacked, that one alone."""
        if channel not in self._senders:
            return
        who, t = self.publisher(channel), self.clock()
        for number, taken in answers:
            type_, flags = ("confirmed", MULTIPLE) if taken else ("publish_nacked", 0)
            self.write(t, type_, ("/", ""), who, 0, 0, number, flags=flags)

    # -- connections and channels ----------------------------------------------------------------

    def connection_opened(self, connection: Party) -> None:
        """A client has a connection."""
        self.write(self.clock(), "connection_opened", ("/", ""), _who(connection))

    def connection_ended(self, connection: Party, cause: Cause, held: int, idle: int) -> None:
        """It is about to lose the `held` deliveries it has; last heard of `idle` µs ago."""
        name, sub = cause.trace
        closed = cause in (Cause.CONNECTION_CLOSED, Cause.SHUTDOWN)
        type_ = "connection_closed" if closed else "connection_lost"
        who = _who(connection)
        n = self.write(self.clock(), type_, ("/", ""), who, cause=(name, sub), held=held)
        self.log.add(n, idle=idle)
        self.idle = idle

    def channel_closed(self, channel: Party, cause: Cause, held: int, text: str = "") -> None:
        """A channel is about to lose the `held` deliveries it has."""
        who = _who(channel)
        n = self.write(self.clock(), "channel_closed", ("/", ""), who, cause=cause.trace, held=held)
        self.log.add(n, text=text)

    def bad_ack(self, channel: Party, tag: int, text: str) -> None:
        """A client settled what it doesn't hold."""
        n = self.write(self.clock(), "bad_ack", ("/", ""), _who(channel), 0, 0, tag)
        self.log.add(n, text=text)

    def late_ack(self, consumer: Taker | None, tag: int) -> None:
        """A client settled what had been taken back from it."""
        who = NOBODY if consumer is None else self.holder(consumer)
        self.write(self.clock(), "late_ack_ignored", ("/", ""), who, 0, 0, tag)

    def forget(self, channel: object) -> None:
        """A channel is gone, and all it held has been told."""
        self._senders.pop(channel, None)
        for taker in [taker for taker in self._holders if taker.channel is channel]:
            del self._holders[taker]

    # -- names -----------------------------------------------------------------------------------

    def holder(self, taker: Taker) -> Who:
        """Return who takes messages."""
        who = self._holders.get(taker)
        if who is None:
            identity = taker.identity()
            if not identity.tag:
                return ("", "", identity.connection, identity.channel)
            name = self._consumer_name(identity.tag, taker.channel)
            who = self._holders[taker] = (name, "", identity.connection, identity.channel)
        return who

    def publisher(self, channel: Party) -> Who:
        """Return who publishes."""
        who = self._senders.get(channel)
        if who is None:
            identity = channel.identity()
            name = self._publisher_name(identity)
            who = self._senders[channel] = ("", name, identity.connection, identity.channel)
        return who

    def _consumer_name(self, tag: str, channel: object) -> str:
        """Return a name that no other consumer has now.

        One of the same channel and tag has been cancelled, so what follows it has its name.
        """
        if len(tag) > LABEL_MAX or tag.startswith("amq.ctag-"):
            self._named += 1
            tag = f"c{self._named}"
        others = (who for taker, who in self._holders.items() if taker.channel is not channel)
        taken = {who[0] for who in others}
        name, number = tag, 1
        while name in taken:
            number += 1
            name = f"{tag}#{number}"
        return name

    def _publisher_name(self, identity: Identity) -> str:
        """Return the connection's name, with the channel's number if it is not its first."""
        connection = identity.connection
        if connection not in self._publishers:
            self._named_publishers += 0 if identity.client else 1
            name = _short(identity.client) or f"p{self._named_publishers}"
            self._publishers[connection] = name
            return name
        return f"{self._publishers[connection]}/{identity.channel}"


def _who(party: Party) -> Who:
    identity = party.identity()
    return ("", "", identity.connection, identity.channel)


def _short(text: str) -> str:
    return text if len(text) <= LABEL_MAX else text[: LABEL_MAX - 1] + "…"

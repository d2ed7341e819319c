"""A connection: frames in, octets out, and nothing of sockets (§2.2.4).

`receive_data` acts on all that a read brought, then ends the read: consumers whose credit came
back are served, confirms are noted. It is the only place that turns errors into closes. What the
client is told to be done is on disk: an answer to a synchronous method waits for the changes before
it, and while it waits, the frames behind it do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from amqplite.broker.broker import Broker
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.broker.tape import Identity
from amqplite.broker.users import User
from amqplite.broker.vhost import Vhost
from amqplite.connection.ack_timeout import take_back
from amqplite.connection.basic_methods import on_basic_acks
from amqplite.connection.blocked import Blocked
from amqplite.connection.channel import Channel
from amqplite.connection.channel_methods import await_channel_close_ok, open_channel
from amqplite.connection.connection_methods import await_close_ok, on_channel_zero
from amqplite.connection.deliver import Consumer
from amqplite.connection.handlers import HANDLERS
from amqplite.connection.handshake import Handshake
from amqplite.connection.outbox import Outbox
from amqplite.connection.state import State
from amqplite.errors import (
    AmqpError,
    CommandInvalid,
    ConnectionForced,
    HardError,
    InternalError,
    SoftError,
    UnexpectedFrame,
)
from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.frames import (
    ACKS,
    BODY,
    HEADER,
    HEARTBEAT,
    METHOD,
    PUBLISH,
    Frame,
    FrameReader,
    Octets,
    acks_apart,
)
from amqplite.protocol.methods import (
    ChannelCloseOk,
    ConnectionClose,
)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What a connection is offered and allowed, from the settings.

    Attributes:
        heartbeat_s: interval offered, in seconds; 0 is none.
        outbox_high_bytes: with more waiting to be written there is no credit for deliveries.
        consumer_timeout_action: `requeue`, `cancel` or `close`.
        connection_max: most open connections; 0 is no limit.
    """

    frame_max: int = 131_072
    channel_max: int = 2047
    heartbeat_s: int = 60
    message_size_max: int = 128 * 1024 * 1024
    outbox_high_bytes: int = 1024 * 1024
    consumer_timeout_action: str = "requeue"
    connection_max: int = 0


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end.

    Attributes:
        name: `client address:port -> our address:port`, as logs and listings say it.
        loopback: it is this very machine.
    """

    name: str
    loopback: bool


class Connection:
    """One client's connection.

    Args:
        on_output: called when there are octets to write.
        on_fault: called with an exception that is a fault of ours.

    Attributes:
        state: see `State`; once CLOSED, write what there is and hang up.
        heartbeat_s: negotiated interval in seconds; 0 is none.
        parked: consumers that wait for the outbox to be written.
        credited: consumers whose credit came back in this read.
        undispatched: queues that got messages back in this read.
        confirming: channels that published in confirm mode in this read.
        on_resumed: called when reading may go on after `paused`.
        on_state: called when `state` has changed.
        handshake: what is left of it; `None` once the connection is open.
    """

    def __init__(
        self,
        broker: Broker,
        peer: Peer,
        on_output: Callable[[], object],
        limits: ConnectionLimits | None = None,
        on_fault: Callable[[Exception], object] = lambda _: None,
    ) -> None:
        self.broker = broker
        self.peer = peer
        self.limits = limits or ConnectionLimits()
        self.state = State.HANDSHAKE
        self.outbox = Outbox(self.limits.outbox_high_bytes, on_output, self._on_full)
        self.heartbeat_s = 0
        self.frame_max = self.limits.frame_max
        self.channel_max = self.limits.channel_max
        self.client_properties: dict[str, Any] = {}
        self.user: User = None  # type: ignore[assignment]  # from start-ok on
        self.vhost: Vhost = None  # type: ignore[assignment]  # from open on
        self.channels: dict[int, Channel] = {}
        self.parked: dict[Consumer, None] = {}
        self.credited: dict[Consumer, None] = {}
        self.undispatched: dict[Queue, None] = {}
        self.confirming: list[Channel] = []
        self.on_resumed: Callable[[], object] = lambda: None
        self.on_state: Callable[[], object] = lambda: None
        self.blocked = Blocked(self)
        self.reader = FrameReader(self.limits.frame_max, runs=True)
        self._on_fault = on_fault
        self.handshake: Handshake | None = Handshake(self)
        self._frames: Iterator[Frame] = iter(())
        self._held: list[bytes] = []  # replies that wait for the disk
        self._changed_at = 0  # the journal's position that this connection's changes reach
        self._read_from = 0
        self._heard = 0  # as the trace's clock tells; kept while something is recorded
        self._ended = False
        self._full = False  # the client doesn't read what it asks for
        self._stopped = False  # act on no more frames, for now or for good

    # -- what the rim calls ----------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether nothing more is to be read: write what there is, and hang up."""
        return self.state is State.CLOSED and not self._held

    @property
    def paused(self) -> bool:
        """Whether nothing is to be read before `on_resumed` is called."""
        return bool(self._held) or self._full or self.blocked.full

    def receive_data(self, data: bytes) -> None:
        """Act on every frame that `data` completes. Never raises an `AmqpError`."""
        self._read_from = self.broker.journal.position
        if self.broker.trace.on:
            self.broker.trace.tick()
            self._heard = self.broker.trace.now
        if self.handshake is not None:
            data = self.handshake.receive_data(data)
        self._frames = self.reader.receive(data)
        self._act_or_close()

    def data_to_send(self) -> list[Octets]:
        """Return what is to be written, in order; it counts as written."""
        return self.outbox.take()

    def flushed(self) -> None:
        """What was to be written has been: whoever waited for that goes on."""
        if self._full:
            self._full = False
            self._go_on()
        if self.parked and self.outbox.size <= self.outbox.high_bytes:
            parked, self.parked = self.parked, {}
            self.credited.update(parked)
            self.dispatch()

    def shut_down(self) -> None:
        """Tell the client that the broker stops."""
        self.close(ConnectionForced("broker forced connection closure with reason 'shutdown'"))

    def lost(self, cause: Cause) -> None:
        """The socket is gone, or is to go: return all that the client held. May come twice."""
        self.become(State.CLOSED)
        self.end(cause)

    # -- frames ----------------------------------------------------------------------------------

    def _act_or_close(self) -> None:
        """Act on the frames of this read; close for an error, and then act on what is behind it.

        That is the client's close-ok, and else nothing; but unless it is read to its end, what the
        next read brings would be cut in the wrong places.
        """
        for _ in range(2):
            try:
                self._act()
                return
            except AmqpError as error:
                self.close(error)
            except Exception as error:
                self._on_fault(error)
                self.close(InternalError("the broker failed; see its log"))
            if self._stopped:
                return

    def _act(self) -> None:
        """Act on the frames of this read, until they end or a reply has to wait for the disk."""
        channels, blocked = self.channels, self.blocked
        try:
            for kind, number, payload, content in self._frames:
                channel = channels.get(number)
                if channel is None or channel.closing or blocked.active:
                    self._on_unusual(kind, number, payload, content)
                else:
                    self.act_on(channel, kind, payload, content)
                if self._stopped:
                    break
        finally:
            self._end_read()

    def act_on(self, channel: Channel, kind: int, payload: bytes, content: Octets) -> None:
        """Act on one frame of an open channel."""
        publishing = channel.publishing
        try:
            if kind == PUBLISH:
                if publishing.in_content:
                    publishing.on_other_method()
                publishing.on_publish(payload, content)
            elif kind == METHOD:
                if publishing.in_content:
                    publishing.on_other_method()
                handle = HANDLERS.get(payload[:4])
                if handle is None:
                    raise CommandInvalid("unimplemented method")
                handle(channel, payload)
            elif kind == ACKS:
                if publishing.in_content:
                    publishing.on_other_method()
                on_basic_acks(channel, content)
            elif kind == HEADER:
                publishing.on_header(payload)
            elif kind == BODY:
                publishing.on_body(payload)
            elif kind == HEARTBEAT:
                raise UnexpectedFrame(f"heartbeat on channel {channel.number}")
            else:
                raise UnexpectedFrame(f"frame of unknown type {kind}")
        except SoftError as error:
            ids = _ids_of(kind, payload)
            channel.close(error, *ids)
        except HardError as error:
            error.ids = _ids_of(kind, payload)
            raise

    def _on_unusual(self, kind: int, number: int, payload: bytes, content: Octets) -> None:
        """Act on a frame of channel zero, or of one that isn't open, or while an alarm is on."""
        if kind == ACKS:
            for ack in acks_apart(content):
                self._on_unusual(METHOD, number, ack, b"")
            return
        try:
            if self.state is State.CLOSING:
                await_close_ok(self, number, kind, payload)
            elif number == 0:
                on_channel_zero(self, kind, payload)
            elif self.state is not State.OPEN:
                raise CommandInvalid("the connection is not open yet")
            elif number not in self.channels:
                open_channel(self, number, kind, payload)
            elif self.channels[number].closing:
                await_channel_close_ok(self.channels[number], kind, payload)
            else:
                self.blocked.receive(self.channels[number], kind, payload, content)
        except HardError as error:
            if error.ids == (0, 0):
                error.ids = _ids_of(kind, payload)
            raise

    def go_on_with(self, held: Sequence[tuple[Channel, int, bytes, Octets]]) -> None:
        """Act on frames that were held back; those of channels closed since are void."""
        frames = [
            (kind, channel.number, payload, content)
            for channel, kind, payload, content in held
            if self.channels.get(channel.number) is channel
        ]
        self._frames = chain(frames, self._frames)
        self._go_on()

    def close_channel(self, channel: Channel) -> None:
        """channel.close by the client."""
        channel.end(Cause.CHANNEL_CLOSED)
        del self.channels[channel.number]
        channel.reply(ChannelCloseOk())

    # -- output ----------------------------------------------------------------------------------

    def send(self, method: Method) -> None:
        """Send a method on channel zero."""
        self.outbox.send(method_frame(0, method))

    def send_when_durable(self, octets: bytes) -> None:
        """Send `octets` once all that this connection changed is on disk, and every definition.

        What it was told is there, or gone, may be so by another connection's doing.
        """
        journal = self.broker.journal
        if journal.position != self._read_from:
            self._changed_at = self._read_from = journal.position
        self.send_at(max(self._changed_at, journal.defined), octets)

    def send_at(self, position: int, octets: bytes) -> None:
        """Send `octets` once the journal is on disk up to `position`; read nothing before."""
        journal = self.broker.journal
        if position <= journal.durable and not self._held:
            self.outbox.send(octets)
            return
        self._held.append(octets)
        self._stopped = True
        journal.hurry()
        journal.call_when_durable(position, self._on_durable)

    def send_last(self, octets: bytes) -> None:
        """Send what ends a channel or the connection, behind replies that wait for the disk."""
        if self._held:
            self._held.append(octets)
        else:
            self.outbox.send(octets)

    def _on_durable(self, _: int) -> None:
        held, self._held = self._held, []
        for octets in held:
            self.outbox.send(octets)
        self._go_on()

    def _on_full(self) -> None:
        """Too much waits to be written: read and act on nothing more before it is."""
        self._full = self._stopped = True

    def _go_on(self) -> None:
        """Act on what is left of a read that had to stop, and read on."""
        if self.state is State.CLOSED or self._held or self._full:
            return
        self._stopped = False
        self._read_from = self.broker.journal.position
        self._act_or_close()
        if not self.paused:
            self.on_resumed()

    # -- the end of a read -----------------------------------------------------------------------

    def _end_read(self) -> None:
        self.dispatch()
        journal = self.broker.journal
        if journal.position != self._read_from:
            self._changed_at = self._read_from = journal.position
        journal.look_settled()
        if self.confirming:
            confirming, self.confirming = self.confirming, []
            for channel in confirming:
                self._note_confirms(channel)

    def dispatch(self) -> None:
        """Serve the consumers whose credit came back, from their queues and those that got back."""
        if not (self.credited or self.undispatched):
            return
        credited, self.credited = self.credited, {}
        queues, self.undispatched = self.undispatched, {}
        for consumer in credited:
            consumer.queue.enlist(consumer)
            queues[consumer.queue] = None
        for queue in queues:
            if not queue.deleted:
                queue.dispatch()

    def _note_confirms(self, channel: Channel) -> None:
        confirms, journal = channel.confirms, self.broker.journal
        if confirms is None:
            return  # closed since
        was_waiting = confirms.waiting_for is not None
        frames = confirms.note(journal.settled)
        if frames:
            self._confirm(channel, frames)
        if confirms.waiting_for is None:
            return
        journal.hurry()
        if not was_waiting:
            self._await_confirms(channel)

    def _confirm(self, channel: Channel, frames: bytes) -> None:
        self.outbox.send(frames)
        trace, confirms = self.broker.trace, channel.confirms
        if trace.on and confirms is not None:
            trace.answered(channel, confirms.answers)

    def _await_confirms(self, channel: Channel) -> None:
        confirms = channel.confirms
        if confirms is None or confirms.waiting_for is None:
            return

        def settle(position: int) -> None:
            if channel.confirms is confirms:
                frames = confirms.settle(position)
                if frames:
                    self._confirm(channel, frames)
                self._await_confirms(channel)

        self.broker.journal.call_when_settled(confirms.waiting_for, settle)

    def identity(self) -> Identity:
        """Return who it is, see `broker.tape`."""
        name = self.client_properties.get("connection_name")
        client = name if isinstance(name, str) else ""
        return Identity(client or self.peer.name, 0, client)

    # -- the end ---------------------------------------------------------------------------------

    def client_can(self, capability: str) -> bool:
        """Whether the client said so in start-ok (RabbitMQ: capabilities)."""
        capabilities = self.client_properties.get("capabilities")
        return isinstance(capabilities, dict) and capabilities.get(capability) is True

    def acks_are_late(self, channel: Channel, tags: list[int]) -> None:
        """Deliveries of a channel were not acked in time."""
        take_back(self, channel, tags)
        self.dispatch()

    def close(self, error: AmqpError) -> None:
        """Close for an error, and wait for the client's close-ok; all it held goes back."""
        if self.state in (State.CLOSING, State.CLOSED):
            return
        announced = self.handshake is None or self.handshake.may_announce(error)
        class_id, method_id = error.ids
        if announced:
            close = ConnectionClose(error.reply_code, error.reply_text, class_id, method_id)
            self.send_last(method_frame(0, close))
        self.become(State.CLOSING if announced else State.CLOSED)
        shutdown = isinstance(error, ConnectionForced)
        self.end(Cause.SHUTDOWN if shutdown else Cause.CONNECTION_ERROR)

    def become(self, state: State) -> None:
        """Enter a state."""
        if state is not self.state:
            self.state = state
            self._stopped = self._stopped or state is State.CLOSED
            self.on_state()

    def end(self, cause: Cause) -> None:
        """Return all the client held, once: consumers first, so that nothing goes back to it."""
        if self._ended:
            return
        self._ended = True
        self.blocked.end()
        self.broker.connections.pop(self, None)
        channels = list(self.channels.values())
        trace = self.broker.trace
        if trace.on and self.handshake is None:
            held = sum(len(channel.unacked) for channel in channels)
            trace.connection_ended(self, cause, held, trace.clock() - self._heard)
        self.channels.clear()
        for channel in channels:
            channel.stop_consuming()
        if self.vhost is not None:
            self.vhost.remove_queues_of(self)
        for channel in channels:
            channel.requeue_all(cause)
        trace.idle = 0
        self.credited = {}
        if cause is not Cause.SHUTDOWN:
            self.dispatch()
        for channel in channels:
            channel.release_queues()
            channel.forget()


def _ids_of(kind: int, payload: bytes) -> tuple[int, int]:
    """Return class-id and method-id of the method that failed; those of publish for a content."""
    if kind in (METHOD, PUBLISH, ACKS):
        return int.from_bytes(payload[:2], "big"), int.from_bytes(payload[2:4], "big")
    return 60, 40

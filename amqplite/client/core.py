"""A connection from the client's side: octets in, events and octets out (§2.2.4).

No socket, no time, no waiting: `amqplite.client.connection` has those. Nothing is sent but by
`data_to_send`, and nothing happens but what `receive_data` tells.
"""

from enum import Enum, auto

from amqplite import __version__
from amqplite.client.channel_core import ChannelCore
from amqplite.client.errors import Closed, ConnectionLost, again, of_close
from amqplite.client.events import Answered, Blocked, ChannelEnded, Ended, Event, Opened
from amqplite.client.target import Target
from amqplite.errors import CommandInvalid, FrameError, HardError, NotAllowed, UnexpectedFrame
from amqplite.protocol.codec import METHODS, Method, decode, method_frame
from amqplite.protocol.fields import decode_table, encode_table, from_python, to_python
from amqplite.protocol.frames import HEARTBEAT, HEARTBEAT_FRAME, METHOD, Frame, FrameReader
from amqplite.protocol.methods import (
    ChannelCloseOk,
    ChannelOpen,
    ConnectionBlocked,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    ConnectionUnblocked,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
)

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"

CAPABILITIES = {
    "authentication_failure_close": True,
    "basic.nack": True,
    "connection.blocked": True,
    "consumer_cancel_notify": True,
    "exchange_exchange_bindings": True,
    "publisher_confirms": True,
}


class State(Enum):
    """How far a connection is."""

    HANDSHAKE = auto()
    OPEN = auto()
    CLOSING = auto()
    """We said connection.close, and wait for the answer alone."""
    CLOSED = auto()
    """Send what there is to send, and hang up."""


class Core:
    """One connection.

    Attributes:
        state: see `State`.
        error: why it can't be used any more; `None` while it can.
        target: what was asked for; the limits below are what was agreed on.
        heartbeat_s: in seconds; 0 is none.
        blocked: the broker's reason for reading from no publisher; `None` while it does.
        server_properties: what the broker told of itself, as plain values.
        pending_bytes: octets that wait to be sent.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.state = State.HANDSHAKE
        self.error: Exception | None = None
        self.channel_max = target.channel_max
        self.frame_max = target.frame_max
        self.heartbeat_s = 0
        self.blocked: str | None = None
        self.server_properties: dict[str, object] = {}
        self.pending_bytes = 0
        self._channels: dict[int, ChannelCore] = {}
        self._frames = FrameReader(target.frame_max)
        self._greeted = False
        self._out: list[bytes] = []
        self._events: list[Event] = []
        self._send(PROTOCOL_HEADER)

    # -- octets ----------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> list[Event]:
        """Act on what came, and return what happened. Nothing is raised: a mess ends with `Ended`.

        No octets at all mean that the broker hung up.
        """
        try:
            if not data:
                self._on_eof()
            elif not self._greeted and data[:4] == PROTOCOL_HEADER[:4]:
                self._end(ConnectionLost("the broker speaks another protocol than AMQP 0-9-1"))
            for frame in self._frames.receive(data):
                self._greeted = True
                if self.state is State.CLOSED:
                    break
                self._receive(frame)
        except HardError as error:
            self._give_up(error)
        return self._take_events()

    def data_to_send(self) -> bytes:
        """Return what is to be sent; it counts as sent."""
        octets, self._out, self.pending_bytes = b"".join(self._out), [], 0
        return octets

    def lost(self, why: str) -> list[Event]:
        """End a connection that broke, or that nobody wants any more. May come twice."""
        self._out, self.pending_bytes = [], 0
        self._end(ConnectionLost(why))
        return self._take_events()

    def _send(self, octets: bytes) -> None:
        self._out.append(octets)
        self.pending_bytes += len(octets)

    def _say(self, method: Method) -> None:
        self._send(method_frame(0, method))

    def _take_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    # -- what we say -----------------------------------------------------------------------------

    def open_channel(self) -> ChannelCore:
        """Open the lowest channel that is free; an `Answered` comes.

        Raises:
            NotAllowed: all are in use.
            Exception: what the connection ended with, if it has.
        """
        self._require_open()
        number = 1
        while number in self._channels:
            number += 1
        if number > self.channel_max:
            raise NotAllowed(f"all of the {self.channel_max} channels are in use")
        channel = self._channels[number] = ChannelCore(
            number, self._send, self._tell, self.frame_max
        )
        channel.request(ChannelOpen())
        return channel

    def heartbeat(self) -> None:
        """Say that we are there."""
        if self.state is State.OPEN:
            self._send(HEARTBEAT_FRAME)

    def update_secret(self, secret: str, reason: str) -> None:
        """Renew the password (RabbitMQ: connection.update-secret); an `Answered` on 0 comes.

        Raises:
            Exception: what the connection ended with, if it has.
        """
        self._require_open()
        self._say(ConnectionUpdateSecret(secret.encode(), reason))

    def close(self, reply_code: int, reply_text: str) -> None:
        """Say goodbye; nothing can be done any more, and an `Ended` comes."""
        if self.state is State.OPEN:
            self._say(ConnectionClose(reply_code, reply_text))
            self.state, self.error = State.CLOSING, Closed("we closed the connection")
            for channel in self._channels.values():
                channel.end(self.error)

    def _require_open(self) -> None:
        if self.error is not None:
            raise again(self.error)

    # -- what we hear ----------------------------------------------------------------------------

    def _receive(self, frame: Frame) -> None:
        kind, number, payload, _ = frame
        if kind == HEARTBEAT:
            return
        if number == 0:
            if kind != METHOD:
                raise UnexpectedFrame(f"frame of type {kind} on channel 0")
            self._on_method(payload)
        elif self.state is not State.CLOSING:
            self._on_channel(number, kind, payload)

    def _on_channel(self, number: int, kind: int, payload: bytes) -> None:
        channel = self._channels.get(number)
        if channel is None:
            raise UnexpectedFrame(f"frame on channel {number}, which is not open")
        channel.receive(kind, payload)

    def _tell(self, event: Event) -> None:
        """Take what a channel has to tell; one that is over frees its number."""
        match event:
            case ChannelEnded() | Answered(method=ChannelCloseOk()):
                del self._channels[event.channel]
        self._events.append(event)

    def _on_method(self, payload: bytes) -> None:
        kind = METHODS.get(payload[:4])
        if kind is None:
            raise CommandInvalid(f"unknown method {payload[:4].hex()}")
        method = decode(kind, payload)
        match method:
            case ConnectionClose():
                self._say(ConnectionCloseOk())
                self._end(of_close(method.reply_code, method.reply_text, hard=True))
            case ConnectionCloseOk() if self.state is State.CLOSING:
                self._end(Closed("we closed the connection"))
            case _ if self.state is State.CLOSING:
                pass
            case _ if self.state is State.HANDSHAKE:
                self._on_handshake(method)
            case ConnectionBlocked():
                self.blocked = method.reason
                self._events.append(Blocked(method.reason))
            case ConnectionUnblocked():
                self.blocked = None
                self._events.append(Blocked(None))
            case ConnectionUpdateSecretOk():
                self._events.append(Answered(0, method))
            case _:
                raise CommandInvalid(f"{method.NAME} out of place")

    def _on_eof(self) -> None:
        if self.state is State.CLOSING:
            self._end(Closed("we closed the connection"))
        elif self.state is State.HANDSHAKE:
            self._end(ConnectionLost("the broker hung up in the handshake"))
        else:
            self._end(ConnectionLost("the broker hung up"))

    # -- the beginning and the end ---------------------------------------------------------------

    def _on_handshake(self, method: Method) -> None:
        target = self.target
        match method:
            case ConnectionStart():
                self.server_properties = to_python(decode_table(method.server_properties))
                response = f"\0{target.user}\0{target.password}".encode()
                self._say(ConnectionStartOk(_client_properties(target), "PLAIN", response))
            case ConnectionTune():
                self._on_tune(method)
                self._say(ConnectionTuneOk(self.channel_max, self.frame_max, self.heartbeat_s))
                self._say(ConnectionOpen(target.vhost))
            case ConnectionOpenOk():
                self.state = State.OPEN
                self._events.append(Opened())
            case _:
                raise CommandInvalid(f"{method.NAME} out of place in the handshake")

    def _on_tune(self, tune: ConnectionTune) -> None:
        """Take the smaller limits; where the broker has none (0), ours."""
        target = self.target
        self.channel_max = _smaller(tune.channel_max, target.channel_max)
        self.frame_max = self._frames.frame_max = _smaller(tune.frame_max, target.frame_max)
        asked = target.heartbeat_s
        self.heartbeat_s = tune.heartbeat if asked is None else asked

    def _give_up(self, error: HardError) -> None:
        """Tell the broker what it did wrong, and wait for no answer."""
        if not isinstance(error, FrameError) or self._greeted:
            self._say(ConnectionClose(error.reply_code, error.reply_text))
        self._end(error)

    def _end(self, error: Exception) -> None:
        if self.state is State.CLOSED:
            return
        self.state = State.CLOSED
        self.error = self.error or error
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            channel.end(self.error)
        self._events.append(Ended(self.error))


def _smaller(theirs: int, ours: int) -> int:
    return min(theirs, ours) if theirs else ours


def _client_properties(target: Target) -> bytes:
    properties = {
        "product": "amqplite client",
        "version": __version__,
        "platform": "Python",
        "capabilities": CAPABILITIES,
        **({"connection_name": target.name} if target.name else {}),
        **target.properties,
    }
    return encode_table(from_python(properties))

"""A peer on a plain socket that sends what it is told and shows what comes, frame by frame.

Client libraries answer for themselves, hide what they don't like and can't misbehave; this one
does as the test says. It never waits for nothing to come: `Peer.sync` makes a round trip that ends
behind all that the broker had to say, and what has come by then is all there is.
"""

import socket
import struct
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Any, Self

from amqplite.protocol.codec import METHODS, Method, decode, method_frame
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
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
    ExchangeDeclare,
    ExchangeDelete,
)
from tests.wire.channel import PATIENCE_S, Channel, check_close
from tests.wire.events import HEARTBEAT_FRAME, METHOD_FRAME, WITH_CONTENT, Content, Event, Frame

HEADER = b"AMQP\x00\x00\x09\x01"

CAPABILITIES = {
    "authentication_failure_close": True,
    "basic.nack": True,
    "connection.blocked": True,
    "consumer_cancel_notify": True,
    "publisher_confirms": True,
}
"""What client libraries of today say they understand."""


class HungUp(AssertionError):
    """The broker ended the connection where something was to come."""


class Peer:
    """A TCP connection to a broker; nothing is sent before it is asked for.

    Attributes:
        log: everything that came, in order, but for heartbeats.
        heartbeats: how many heartbeats have come.
        frame_max: how large the frames may be that it sends, in octets with their overhead.
    """

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._socket = socket.create_connection((host, port), PATIENCE_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray()
        self._at = 0
        self._contents: dict[int, Content] = {}
        self._inboxes: dict[int, deque[Event]] = {}
        self._free = 0
        self._spare: Channel | None = None
        self._syncs = 0
        self.log: list[Event] = []
        self.heartbeats = 0
        self.frame_max = 131_072
        self.channel_max = 2047
        self.zero = Channel(self, 0)

    @classmethod
    def open(cls, port: int, **changes: Any) -> Self:
        """Return a peer that has been let in; `changes` are those of `shake_hands`."""
        peer = cls(port)
        peer.shake_hands(**changes)
        return peer

    # -- octets ----------------------------------------------------------------------------------

    def send_octets(self, octets: bytes) -> None:
        """Send `octets` as they are."""
        self._socket.settimeout(PATIENCE_S)
        self._socket.sendall(octets)

    def read(self, within_s: float = PATIENCE_S) -> bytes:
        """Return what comes next, at least an octet; nothing if the broker has hung up.

        Raises:
            TimeoutError: nothing came.
        """
        self._socket.settimeout(max(0.001, within_s))
        try:
            return self._socket.recv(1 << 20)
        except ConnectionResetError:
            return b""

    def expect_end(self, within_s: float = PATIENCE_S) -> None:
        """Wait until the broker hangs up, and see that it said nothing more before."""
        deadline = monotonic() + within_s
        try:
            event = self._next(deadline)
        except HungUp:
            return
        raise AssertionError(f"expected the end of the connection, but there came {event}")

    def reset(self) -> None:
        """Leave with a reset, as a killed client with unread octets does."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def hang_up(self) -> None:
        """Leave without a word."""
        self._socket.close()

    def close(self) -> None:
        """Say goodbye and wait for the answer; whatever else comes is passed over."""
        self.send(0, ConnectionClose(200, "goodbye"))
        self.zero.await_answer(ConnectionCloseOk)
        self._socket.close()

    # -- frames ----------------------------------------------------------------------------------

    def send(self, channel: int, *methods: Method) -> None:
        """Send methods in one write."""
        self.send_octets(b"".join(method_frame(channel, method) for method in methods))

    def frame(self, within_s: float = PATIENCE_S) -> Frame:
        """Return the next frame, whatever it is.

        Raises:
            HungUp: the broker ended the connection.
            TimeoutError: it did not come in time.
        """
        return self._frame(monotonic() + within_s)

    def _frame(self, deadline: float) -> Frame:
        self._await(7, deadline)
        kind, channel, size = struct.unpack_from(">BHL", self._buffer, self._at)
        self._await(7 + size + 1, deadline)
        payload = bytes(self._buffer[self._at + 7 : self._at + 7 + size])
        end = self._buffer[self._at + 7 + size]
        assert end == 0xCE, f"frame ends in {end:#04x}"
        self._at += 7 + size + 1
        return Frame(kind, channel, payload)

    def _await(self, count: int, deadline: float) -> None:
        """Have so many octets in the buffer, and take none of them."""
        while len(self._buffer) - self._at < count:
            if self._at:
                del self._buffer[: self._at]
                self._at = 0
            octets = self.read(deadline - monotonic())
            if not octets:
                raise HungUp(f"the broker hung up; last it said {self.log[-1:]}")
            self._buffer += octets

    # -- events ----------------------------------------------------------------------------------

    def await_event(self, channel: int, within_s: float) -> Event:
        """Return what comes next on `channel`; what comes on others meanwhile waits for them.

        Raises:
            AssertionError: the broker closed the connection, which a test must expect.
        """
        inbox = self._inboxes.setdefault(channel, deque())
        deadline = monotonic() + within_s
        while not inbox:
            self._receive(deadline, unless_on=channel)
        return inbox.popleft()

    def _receive(self, deadline: float, unless_on: int = 0) -> None:
        event = self._next(deadline)
        self._inboxes.setdefault(event.channel, deque()).append(event)
        if isinstance(event.method, ConnectionClose) and unless_on:
            raise AssertionError(f"the broker closed the connection: {event.method}")

    def _next(self, deadline: float) -> Event:
        """Return the next method, once its content is whole."""
        while True:
            kind, channel, payload = self._frame(deadline)
            event: Event | None = None
            if kind == HEARTBEAT_FRAME:
                assert (channel, payload) == (0, b"")
                self.heartbeats += 1
            elif kind == METHOD_FRAME:
                assert channel not in self._contents, "a method in the middle of a content"
                method = decode(METHODS[payload[:4]], payload)
                if isinstance(method, WITH_CONTENT):
                    self._contents[channel] = Content(method)
                else:
                    event = Event(channel, method)
            elif self._contents[channel].add(kind, payload):
                event = self._contents.pop(channel).event(channel)
            if event is not None:
                self.log.append(event)
                return event

    def look(self) -> None:
        """Take what has come by now, without waiting and without a round trip."""
        with suppress(TimeoutError):
            while True:
                self._receive(monotonic())

    def received(self, channel: int) -> list[Event]:
        """Take all that has come on `channel` and was not asked for yet."""
        inbox = self._inboxes.setdefault(channel, deque())
        events = list(inbox)
        inbox.clear()
        return events

    # -- conversation ----------------------------------------------------------------------------

    def shake_hands(
        self,
        *,
        user: str = "guest",
        password: str = "guest",
        vhost: str = "/",
        capabilities: dict[str, bool] | None = None,
        heartbeat: int = 0,
        frame_max: int | None = None,
    ) -> None:
        """Go through the handshake until the broker has let it in.

        Args:
            capabilities: what it says it understands; `None` for `CAPABILITIES`.
            frame_max: in octets with the overhead; `None` for what the broker offers.
        """
        self.log_in(user=user, password=password, capabilities=capabilities)
        tune = self.zero.expect(ConnectionTune)
        self.frame_max = frame_max or tune.frame_max
        self.channel_max = tune.channel_max
        self.send(
            0,
            ConnectionTuneOk(self.channel_max, self.frame_max, heartbeat),
            ConnectionOpen(vhost),
        )
        self.zero.expect(ConnectionOpenOk)

    def log_in(
        self,
        *,
        user: str = "guest",
        password: str = "guest",
        mechanism: str = "PLAIN",
        capabilities: dict[str, bool] | None = None,
    ) -> ConnectionStart:
        """Send the protocol header and start-ok; what the broker says to that is still to come."""
        self.send_octets(HEADER)
        start = self.zero.expect(ConnectionStart)
        understood = CAPABILITIES if capabilities is None else capabilities
        properties = encode_table(from_python({"capabilities": understood}))
        response = f"\0{user}\0{password}".encode()
        self.send(0, ConnectionStartOk(properties, mechanism, response))
        return start

    def channel(self, number: int = 0) -> Channel:
        """Open a channel: the next that is free, or the one with this number."""
        if not number:
            self._free = number = self._free + 1
        channel = Channel(self, number)
        channel.call(ChannelOpen())
        return channel

    def sync(self) -> None:
        """Return when all that was sent before has had its effect, and that has come.

        An exchange is declared or deleted, durably: the answer comes after the disk, and so after
        all that waited for the disk before.
        """
        if self._spare is None:
            self._spare = self.channel(self.channel_max)
        self._syncs += 1
        name = f"sync.{id(self)}"
        if self._syncs % 2:
            self._spare.call(ExchangeDeclare(exchange=name, durable=True))
        else:
            self._spare.call(ExchangeDelete(exchange=name))

    def quiet(self) -> None:
        """See that nothing has come, nor will, that was not asked for."""
        self.sync()
        unasked = [event for inbox in self._inboxes.values() for event in inbox]
        assert unasked == []
        assert not self._contents

    def blocked(self) -> str:
        """Wait for connection.blocked and return its reason."""
        return self.zero.expect(ConnectionBlocked).reason

    def expect_close(self, code: int, text: str = "", by: type[Method] | None = None) -> None:
        """Wait for connection.close with this code, agree, and see the broker hang up.

        Args:
            text: a pattern to be found in the reply text.
            by: the method that is blamed; `None` for whichever.
        """
        close = self.zero.await_answer(ConnectionClose)
        check_close(close, code, text, by)
        with suppress(ConnectionError):
            self.send(0, ConnectionCloseOk())
        self.expect_end()

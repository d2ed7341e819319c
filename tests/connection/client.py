"""The other end of a connection, octets in and octets out, and no socket between."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amqplite.connection.connection import Connection, ConnectionLimits, Peer
from amqplite.protocol.codec import METHODS, Method, decode, method_frame
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.frames import BODY, HEADER, HEARTBEAT, METHOD, FrameReader
from amqplite.protocol.methods import (
    BasicDeliver,
    BasicPublish,
    BasicQos,
    ChannelOpen,
    ConnectionOpen,
    ConnectionStartOk,
    ConnectionTuneOk,
)
from amqplite.protocol.properties import Properties, encode_header, encode_properties
from tests.rig import Rig

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"
PLAIN = b"\x00guest\x00guest"
CAPABILITIES = ("authentication_failure_close", "consumer_cancel_notify", "connection.blocked")
CUT = 7
"""Octets a piece, where it is to be shown that the cuts don't matter."""


@dataclass(frozen=True, slots=True)
class Content:
    """A method that carries a message, with the message."""

    method: Method
    header: bytes
    body: bytes


Heard = Method | Content | str
"""A method, one with its content, or the word `heartbeat`."""


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    """Return a frame, however odd."""
    head = kind.to_bytes(1, "big") + channel.to_bytes(2, "big") + len(payload).to_bytes(4, "big")
    return head + payload + b"\xce"


def properties_of(mode: int = 2, headers: dict[str, Any] | None = None, **others: Any) -> bytes:
    """Return the flags and the list of some properties."""
    table = None if headers is None else from_python(headers)
    return encode_properties(Properties(delivery_mode=mode, headers=table, **others))


def content(
    body: bytes, properties: bytes | None = None, *, channel: int = 1, piece: int = 100_000
) -> bytes:
    """Return a content header and its body in frames of so many octets."""
    header = encode_header(len(body), properties_of() if properties is None else properties)
    bodies = [body[at : at + piece] for at in range(0, len(body), piece)]
    return frame(HEADER, channel, header) + b"".join(frame(BODY, channel, b) for b in bodies)


def publish(
    body: bytes = b"",
    routing_key: str = "q",
    properties: bytes | None = None,
    *,
    exchange: str = "",
    mandatory: bool = False,
    channel: int = 1,
    piece: int = 100_000,
) -> bytes:
    """Return the frames of basic.publish."""
    method = BasicPublish(0, exchange, routing_key, mandatory, False)
    return method_frame(channel, method) + content(body, properties, channel=channel, piece=piece)


class Client:
    """A client that says what the test tells it to.

    Args:
        limits: what the broker offers.
        loopback: it sits on the broker's machine.

    Attributes:
        faults: exceptions that the broker took for faults of its own.
        resumed: how often it was said that reading may go on.
    """

    def __init__(
        self, rig: Rig, limits: ConnectionLimits | None = None, *, loopback: bool = True
    ) -> None:
        self.rig = rig
        self.woken = self.resumed = 0
        self.faults: list[Exception] = []
        peer = Peer("client -> broker", loopback)
        self.connection = Connection(rig.broker, peer, self._wake, limits, self.faults.append)
        self.connection.on_resumed = self._resume
        self._frames = FrameReader(1 << 31)

    def _wake(self) -> None:
        self.woken += 1

    def _resume(self) -> None:
        self.resumed += 1

    # -- saying ----------------------------------------------------------------------------------

    def feed(self, octets: bytes) -> None:
        """Have octets arrive, in one read."""
        assert not self.connection.paused, "nobody reads now"
        self.connection.receive_data(octets)

    def say(self, *said: Method | bytes, channel: int = 1) -> None:
        """Have methods and ready-made frames arrive, in one read."""
        self.feed(
            b"".join(one if isinstance(one, bytes) else method_frame(channel, one) for one in said)
        )

    def do(self, *said: Method | bytes, channel: int = 1) -> list[Heard]:
        """Say something, let the disk catch up, and hear all that comes of it."""
        self.say(*said, channel=channel)
        self.rig.commit()
        return self.hear()

    # -- hearing ---------------------------------------------------------------------------------

    def hear(self) -> list[Heard]:
        """Read all that was written since, from any channel."""
        return [heard for _, heard in self.hear_channels()]

    def hear_channels(self) -> list[tuple[int, Heard]]:
        """Read all that was written since, with the channels' numbers."""
        heard: list[tuple[int, Heard]] = []
        for kind, channel, payload, _ in self._read():
            if kind == METHOD:
                heard.append((channel, decode(METHODS[payload[:4]], payload)))
            elif kind == HEADER:
                number, method = heard.pop()
                assert (number, isinstance(method, Method)) == (channel, True)
                heard.append((channel, Content(method, payload, b"")))  # type: ignore[arg-type]
            elif kind == BODY:
                number, last = heard.pop()
                assert number == channel
                assert isinstance(last, Content)
                heard.append((channel, Content(last.method, last.header, last.body + payload)))
            else:
                assert (kind, channel, payload) == (HEARTBEAT, 0, b"")
                heard.append((0, "heartbeat"))
        return heard

    def _read(self) -> Sequence[tuple[int, int, bytes, bytes]]:
        octets = b"".join(self.connection.data_to_send())
        self.connection.flushed()
        while more := b"".join(self.connection.data_to_send()):
            octets += more
            self.connection.flushed()
        return list(self._frames.receive(octets))

    def deliveries(self) -> list[tuple[int, bytes, bool]]:
        """Read all that was written; return `(delivery tag, body, redelivered)` of deliveries."""
        return deliveries(self.hear())

    # -- the usual -------------------------------------------------------------------------------

    def start_ok(self, response: bytes = PLAIN, mechanism: str = "PLAIN", **can: bool) -> Method:
        """Return connection.start-ok with all the capabilities, but for those that `can` denies."""
        capabilities = dict.fromkeys(CAPABILITIES, True) | {
            name.replace("__", "."): value for name, value in can.items()
        }
        table = encode_table(from_python({"capabilities": capabilities}))
        return ConnectionStartOk(table, mechanism, response, "en_US")

    def open(self, *, frame_max: int = 131_072, heartbeat: int = 60, **can: bool) -> "Client":
        """Go through the handshake, and open channel 1."""
        limits = self.connection.limits
        self.feed(PROTOCOL_HEADER)
        for method in (
            self.start_ok(**can),
            ConnectionTuneOk(limits.channel_max, frame_max, heartbeat),
            ConnectionOpen("/"),
        ):
            self.hear()
            self.say(method, channel=0)
        self.hear()
        self.say(ChannelOpen())
        self.hear()
        self.resumed = 0
        return self

    def prefetch(self, count: int, *, channel: int = 1) -> None:
        """Limit what each consumer may hold."""
        self.do(BasicQos(0, count, False), channel=channel)


def deliveries(heard: Sequence[Heard]) -> list[tuple[int, bytes, bool]]:
    """Return `(delivery tag, body, redelivered)` of what was delivered."""
    return [
        (one.method.delivery_tag, one.body, one.method.redelivered)
        for one in heard
        if isinstance(one, Content) and isinstance(one.method, BasicDeliver)
    ]

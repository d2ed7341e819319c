"""Messages, and their place in a queue.

A message is kept in the octets it came in: the content header's frame and, unless the body is
empty, one frame with the whole body, whatever its size (so it may be over anybody's frame_max). To
a consumer on a channel of the same number they go out as they are; `framed` makes them fit others.
Nothing in them is decoded that the broker need not know.
"""

from collections.abc import Sequence
from struct import Struct
from typing import Any

from amqplite.broker.redelivery import Cause

_FRAME_END = b"\xce"
_pack_head = Struct(">BHL").pack
_ENVELOPE = 8
_VIEWED = 64 * 1024
"""Octets from which a message's body is given to the store uncopied."""

Octets = bytes | bytearray | memoryview

FLAGS_AT = 19
"""Where the property flags stand in the header frame: after the envelope, class, weight, size."""


class Message:
    """What was published, however many queues hold it.

    Attributes:
        address: the exchange's name and the routing key as two short strings, as a delivery
            carries them.
        octets: the frames, see above.
        channel: the channel number written in `octets`.
        header_size: octets of the content header, without its envelope.
        persistent: delivery mode 2.
        content_id: what the store calls the content if several durable queues share it.
    """

    __slots__ = ("address", "channel", "content_id", "header_size", "octets", "persistent")

    def __init__(
        self,
        address: bytes,
        octets: bytes | memoryview,
        channel: int,
        header_size: int,
        persistent: bool,
    ) -> None:
        self.address = address
        self.octets = octets
        self.channel = channel
        self.header_size = header_size
        self.persistent = persistent
        self.content_id: int | None = None

    @property
    def exchange(self) -> str:
        """The name of the exchange it was published to."""
        return self.address[1 : 1 + self.address[0]].decode(errors="surrogateescape")

    @property
    def routing_key(self) -> str:
        """The routing key it was published with."""
        return self.address[2 + self.address[0] :].decode(errors="surrogateescape")

    @property
    def header(self) -> bytes:
        """The content header's payload (§4.2.6.1)."""
        return bytes(self.octets[7 : 7 + self.header_size])

    @property
    def properties(self) -> bytes:
        """The content header from its property flags on."""
        return bytes(self.octets[FLAGS_AT : 7 + self.header_size])

    @property
    def body(self) -> bytes:
        """The content body, empty or whole."""
        return bytes(self.octets[7 + self.header_size + 1 + 7 : -1])

    @property
    def stored_body(self) -> bytes | memoryview:
        """The content body for the store: a view if it is so large that a copy would hurt."""
        if len(self.octets) < _VIEWED:
            return self.body
        return memoryview(self.octets)[7 + self.header_size + 1 + 7 : -1]

    @property
    def body_size(self) -> int:
        """Octets in the body."""
        return max(0, len(self.octets) - self.header_size - 2 * _ENVELOPE)

    def framed(self, channel: int, frame_max: int) -> bytes:
        """Return the frames for a channel of another number or a smaller frame_max (§4.2.6.2)."""
        return frames_of(self.header, self.body, channel, frame_max)


def frames_of(header: bytes, body: bytes, channel: int, frame_max: int) -> bytes:
    """Return the header frame and as many body frames as it takes."""
    room = frame_max - _ENVELOPE
    parts = [_pack_head(2, channel, len(header)), header, _FRAME_END]
    for start in range(0, len(body), room):
        piece = body[start : start + room]
        parts += (_pack_head(3, channel, len(piece)), piece, _FRAME_END)
    return b"".join(parts)


def whole_frames(header: bytes, body: Sequence[Octets], channel: int) -> bytes:
    """Return a message's octets, from its header and its body in pieces, copied once."""
    size = sum(map(len, body))
    parts: list[Octets] = [_pack_head(2, channel, len(header)), header, _FRAME_END]
    if size:
        parts += (_pack_head(3, channel, size), *body, _FRAME_END)
    return b"".join(parts)


def address_of(exchange: str, routing_key: str) -> bytes:
    """Return a message's address: two short strings (§4.2.5.3)."""
    first = exchange.encode(errors="surrogateescape")
    second = routing_key.encode(errors="surrogateescape")
    return bytes((len(first),)) + first + bytes((len(second),)) + second


def restored(
    exchange: str, routing_key: str, properties: bytes, body: bytes, persistent: bool
) -> Message:
    """Return a message from what the store kept of it."""
    header = b"\x00\x3c\x00\x00" + len(body).to_bytes(8, "big") + properties
    octets = whole_frames(header, (body,), 1)
    return Message(address_of(exchange, routing_key), octets, 1, len(header), persistent)


class Entry:
    """A message's place in one queue.

    Attributes:
        seq: its enqueue number, kept across requeues: the order of the queue.
        deliveries: how often it was handed out; it is redelivered once this is not 0.
        cause: why it last came back; `None` until it does.
        key: what the store calls it; 0 if it isn't there and needn't be.
        position: the journal's position at which the store holds it.
        untold: what is to be told of it if something befalls it, see `broker.tape`; `None`: nothing
            is kept, or it is told already.
    """

    __slots__ = ("cause", "deliveries", "key", "message", "position", "seq", "untold")

    def __init__(self, seq: int, message: Message) -> None:
        self.seq = seq
        self.message = message
        self.deliveries = 0
        self.cause: Cause | None = None
        self.key = 0
        self.position = 0
        self.untold: tuple[Any, ...] | None = None

    def __lt__(self, other: "Entry") -> bool:
        """Order by place in the queue, for the heap of returned ones."""
        return self.seq < other.seq

"""Deliveries as octets: basic.deliver, basic.get-ok and basic.return with their content (§1.8.3).

*Hot.* What a delivery has in front of and behind its tag depends on the consumer and the message's
address alone, so it is put together once and looked up by the address.
"""

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING

from amqplite.broker.message import Entry, Message, whole_frames
from amqplite.broker.queue import Queue
from amqplite.broker.tape import Identity
from amqplite.errors import InvalidSyntax
from amqplite.protocol import properties
from amqplite.protocol.fields import decode_table, encode_table

if TYPE_CHECKING:
    from amqplite.connection.channel import Channel

UNLIMITED = 1 << 62
_ADDRESSES_MAX = 256
"""Addresses a consumer remembers; with more it forgets all and starts again."""

_FRAME_END = b"\xce"
_DELIVERY = 40
"""Octets to count for a delivery beside its content: near enough for a high-water mark."""

_pack_head = Struct(">BHL").pack

Envelope = tuple[bytes, bytes, bytes]
"""`(before the tag, after it, after it if redelivered)`."""


class Consumer:
    """A channel's consumer on a queue: turns entries into octets, within its credit.

    Attributes:
        tag: the consumer tag.
        prefetch: most unacked deliveries, `UNLIMITED` for no limit.
        unacked: deliveries it holds.
        overdue: deliveries taken back because their ack was late; it gets nothing more until it
            settles them.
        timeout_ms: how long a delivery may stay unacked; 0 is for ever.
    """

    __slots__ = (
        "_envelopes",
        "channel",
        "exclusive",
        "no_ack",
        "overdue",
        "parked",
        "prefetch",
        "priority",
        "queue",
        "tag",
        "timeout_ms",
        "unacked",
    )

    def __init__(
        self,
        channel: "Channel",
        queue: Queue,
        tag: str,
        *,
        no_ack: bool,
        exclusive: bool,
        priority: int,
        prefetch: int,
        timeout_ms: int,
    ) -> None:
        self.channel = channel
        self.queue = queue
        self.tag = tag
        self.no_ack = no_ack
        self.exclusive = exclusive
        self.priority = priority
        self.prefetch = prefetch
        self.timeout_ms = timeout_ms
        self.parked = True
        self.unacked = 0
        self.overdue = 0
        self._envelopes: dict[bytes, Envelope] = {}

    def deliver(self, entry: Entry) -> bool | None:
        """Append a basic.deliver to the outbox; see `broker.queue.Consumer`."""
        channel = self.channel
        outbox = channel.outbox
        if outbox.size > outbox.high_bytes or not (self.no_ack or channel.has_room()):
            self.parked = True
            self.welcome()  # so that it is called when the outbox has been written
            return None
        message = entry.message
        envelope = self._envelopes.get(message.address)
        if envelope is None:
            envelope = self._envelope(message.address)
        channel.last_tag = tag = channel.last_tag + 1
        chunks = outbox.chunks
        if not chunks:
            outbox.on_output()
        if entry.deliveries and self.queue.settings.delivery_limit is not None:
            message = counted(entry, entry.deliveries)
        octets = message.octets
        if message.channel != channel.number or len(octets) > channel.frame_max:
            octets = message.framed(channel.number, channel.frame_max)
        # four appends and one join at the end are cheaper than a join here
        chunks += (
            envelope[0],
            tag.to_bytes(8, "big"),
            envelope[2] if entry.deliveries else envelope[1],
            octets,
        )
        outbox.size += len(octets) + _DELIVERY
        entry.deliveries += 1
        if self.no_ack:
            return True
        unacked = channel.unacked
        if not self.unacked and self.timeout_ms:  # later ones are late later
            unacked.watch(self.timeout_ms)
        unacked[tag] = (entry, self.queue, self, channel.broker.now)
        self.unacked += 1
        if self.unacked < self.prefetch:
            return True
        self.parked = True
        return False

    def welcome(self) -> bool:
        """Return whether it has credit; if the outbox is full, it is asked again when it isn't."""
        if self.overdue:
            return False
        outbox = self.channel.outbox
        if outbox.size > outbox.high_bytes:
            self.channel.connection.parked[self] = None
            return False
        return self.no_ack or (self.unacked < self.prefetch and self.channel.has_room())

    @property
    def last_tag(self) -> int:
        """The delivery tag used last."""
        return self.channel.last_tag

    def identity(self) -> Identity:
        """Return who it is, see `broker.tape`."""
        prefetch = 0 if self.prefetch == UNLIMITED else self.prefetch
        return self.channel.identity()._replace(tag=self.tag, prefetch=prefetch)

    def cancelled(self) -> None:
        """The queue is gone: tell the client, if it wants to know."""
        self.channel.consumer_cancelled(self)

    def _envelope(self, address: bytes) -> Envelope:
        if len(self._envelopes) >= _ADDRESSES_MAX:
            self._envelopes.clear()
        tag = self.tag.encode(errors="surrogateescape")
        size = 4 + 1 + len(tag) + 8 + 1 + len(address)
        before = _pack_head(1, self.channel.number, size) + b"\x00\x3c\x00\x3c"
        before += bytes((len(tag),)) + tag
        after, again = (flag + address + _FRAME_END for flag in (b"\x00", b"\x01"))
        self._envelopes[address] = before, after, again
        return before, after, again


@dataclass(slots=True, eq=False)
class Getter:
    """A channel that gets a message, to be told to the trace."""

    channel: "Channel"
    no_ack: bool

    @property
    def last_tag(self) -> int:
        """The delivery tag it will use."""
        return self.channel.last_tag + 1

    def identity(self) -> Identity:
        """Return who it is, see `broker.tape`."""
        return self.channel.identity()


def get_ok(channel: "Channel", queue: Queue, entry: Entry, tag: int) -> bytes:
    """Return basic.get-ok with its content; `entry` has been counted as handed out."""
    payload = b"".join(
        (
            b"\x00\x3c\x00\x47",
            tag.to_bytes(8, "big"),
            b"\x01" if entry.deliveries > 1 else b"\x00",
            entry.message.address,
            queue.ready.to_bytes(4, "big"),
        )
    )
    message = entry.message
    if entry.deliveries > 1 and queue.settings.delivery_limit is not None:
        message = counted(entry, entry.deliveries - 1)
    return _with_content(channel, payload, message)


def counted(entry: Entry, count: int) -> Message:
    """Return a message that says how often it was handed out before (RabbitMQ: delivery limit).

    Where its headers are no table, they can't tell.
    """
    message = entry.message
    try:
        headers = decode_table(properties.headers(message.header) or b"")
    except InvalidSyntax:
        return message
    headers["x-delivery-count"] = ("l", count)
    header = properties.with_headers(message.header, encode_table(headers))
    octets = whole_frames(header, (message.body,), message.channel)
    return Message(message.address, octets, message.channel, len(header), message.persistent)


def basic_return(channel: "Channel", message: Message) -> bytes:
    """Return basic.return with its content: no queue was found for a mandatory message."""
    payload = b"\x00\x3c\x00\x32\x01\x38\x08NO_ROUTE" + message.address
    return _with_content(channel, payload, message)


def _with_content(channel: "Channel", payload: bytes, message: Message) -> bytes:
    head = _pack_head(1, channel.number, len(payload))
    return head + payload + _FRAME_END + message.framed(channel.number, channel.frame_max)

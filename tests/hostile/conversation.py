"""A valid conversation that touches everything, and ways to spoil it."""

import struct
from collections.abc import Callable
from random import Random

from amqplite.protocol.codec import METHODS, Method, method_frame
from amqplite.protocol.fields import from_python
from amqplite.protocol.methods import (
    AccessRequest,
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicRecover,
    BasicReject,
    ChannelClose,
    ChannelFlow,
    ChannelOpen,
    ConfirmSelect,
    ConnectionClose,
    ConnectionOpen,
    ConnectionStartOk,
    ConnectionTuneOk,
    ExchangeBind,
    ExchangeDeclare,
    ExchangeDelete,
    ExchangeUnbind,
    QueueBind,
    QueueDeclare,
    QueueDelete,
    QueuePurge,
    QueueUnbind,
    TxCommit,
    TxRollback,
    TxSelect,
)
from amqplite.protocol.properties import Properties, encode_header, encode_properties
from tests.wire.events import arguments, frame

HANDSHAKE = [
    method_frame(0, ConnectionStartOk(arguments(product="any"), "PLAIN", b"\0guest\0guest")),
    method_frame(0, ConnectionTuneOk(2047, 131_072, 0)),
    method_frame(0, ConnectionOpen()),
    method_frame(1, ChannelOpen()),
    method_frame(2, ChannelOpen()),
]

TABLE = arguments(x_consumer_timeout=60_000, note=["list", {"of": None}], number=-1, real=0.5)

TOPOLOGY: list[Method] = [
    AccessRequest(),
    ExchangeDeclare(0, "odd.topic", "topic", durable=True),
    ExchangeDeclare(0, "odd.headers", "headers"),
    ExchangeDeclare(0, "odd.fanout", "fanout", auto_delete=True, arguments=TABLE),
    QueueDeclare(0, "odd.durable", durable=True, arguments=TABLE),
    QueueDeclare(0, "odd.mine", auto_delete=True),
    QueueDeclare(0, "", exclusive=True),
    QueueDeclare(0, "odd.durable", passive=True),
    QueueBind(0, "odd.durable", "odd.topic", "a.*.#"),
    QueueBind(0, "odd.mine", "odd.headers", "", arguments=arguments(x_match="any", n=1)),
    ExchangeBind(0, "odd.headers", "odd.topic", "#"),
    ExchangeUnbind(0, "odd.headers", "odd.topic", "#"),
    QueueUnbind(0, "odd.mine", "odd.headers", "", arguments(x_match="any", n=1)),
]

USE: list[Method] = [
    BasicQos(0, 3, False),
    BasicQos(0, 5, True),
    BasicConsume(0, "odd.durable", "one", arguments=arguments(x_priority=3)),
    BasicConsume(0, "odd.mine", "two", no_ack=True),
    BasicGet(0, "odd.durable"),
    BasicAck(1),
    BasicNack(2, False, True),
    BasicReject(3, True),
    BasicRecover(True),
    BasicCancel("one"),
    ChannelFlow(True),
    BasicAck(0, True),
]

END: list[Method] = [
    QueuePurge(0, "odd.durable"),
    QueueDelete(0, "odd.mine"),
    QueueDelete(0, "odd.durable"),
    ExchangeDelete(0, "odd.topic"),
    ExchangeDelete(0, "odd.fanout", if_unused=True),
    ChannelClose(200, "enough"),
]

TOPOLOGY_FRAMES, USE_FRAMES, END_FRAMES = (
    [method_frame(1, method) for method in methods] for methods in (TOPOLOGY, USE, END)
)
END_FRAMES.append(method_frame(0, ConnectionClose(200, "bye")))

HEADERS = from_python({"n": 1, "CC": ["odd.mine"], "x": b"\xff"})
PROPERTIES = [
    b"\x00\x00",
    encode_properties(Properties(delivery_mode=2)),
    encode_properties(Properties(headers=HEADERS, delivery_mode=1, expiration="60000")),
    encode_properties(
        Properties("text", "utf-8", HEADERS, 2, 9, "c", "r", "1", "m", 1, "t", "guest")
    ),
]


def conversation(random: Random) -> list[bytes]:
    """Return the frames of a client that does all kinds of things, from start-ok on."""
    mode = random.choice(([ConfirmSelect()], [TxSelect()], []))
    frames = [*TOPOLOGY_FRAMES, *(method_frame(1, method) for method in mode)]
    for _ in range(random.randint(1, 4)):
        exchange, key = random.choice((("", "odd.durable"), ("odd.topic", "a.b"), ("odd.none", "")))
        frames += publish(exchange, key, random)
    frames += random.sample(USE_FRAMES, random.randint(3, len(USE)))
    if mode == [TxSelect()]:
        frames.append(method_frame(1, random.choice((TxCommit(), TxRollback()))))
    return [*HANDSHAKE, *frames, *END_FRAMES]


def publish(exchange: str, key: str, random: Random) -> list[bytes]:
    body = bytes(random.choice((0, 1, 100, 5000)))
    at = random.randint(0, len(body))
    bodies = [frame(3, 1, piece) for piece in (body[:at], body[at:]) if piece]
    method = BasicPublish(0, exchange, key, random.random() < 0.5, False)
    header = encode_header(len(body), random.choice(PROPERTIES))
    return [method_frame(1, method), frame(2, 1, header), *bodies]


# -- mutations of a frame --------------------------------------------------------------------------


def flip(octets: bytes, random: Random) -> bytes:
    """Flip a bit."""
    at = random.randrange(len(octets))
    return octets[:at] + bytes((octets[at] ^ 1 << random.randrange(8),)) + octets[at + 1 :]


def cut(octets: bytes, random: Random) -> bytes:
    """Leave some out."""
    at = random.randrange(len(octets))
    return octets[:at] + octets[at + random.randint(1, 8) :]


def insert(octets: bytes, random: Random) -> bytes:
    """Put some more in."""
    at = random.randint(0, len(octets))
    return octets[:at] + random.randbytes(random.randint(1, 8)) + octets[at:]


def overwrite(octets: bytes, random: Random) -> bytes:
    """Write extremes over some: lengths, more often than not."""
    extreme = random.choice(
        (b"\0", b"\xff", b"\0\0", b"\xff\xff", b"\x7f\xff\xff\xff", b"\xff" * 8)
    )
    at = random.randrange(len(octets))
    return octets[:at] + extreme + octets[at + len(extreme) :]


def repeat(octets: bytes, random: Random) -> bytes:
    """Say a part of it twice."""
    at = random.randrange(len(octets))
    size = random.randint(1, 16)
    return octets[: at + size] + octets[at : at + size] + octets[at + size :]


IN_A_FRAME: list[Callable[[bytes, Random], bytes]] = [flip, cut, insert, overwrite, repeat]


def spoil_payload(octets: bytes, random: Random) -> bytes:
    """Spoil a frame's payload, and seal the frame as if nothing had happened."""
    kind, channel, size = struct.unpack_from(">BHL", octets)
    payload = octets[7 : 7 + size]
    if len(payload) > 4 and random.random() < 0.8:  # leave the method what it is
        payload = payload[:4] + random.choice(IN_A_FRAME)(payload[4:], random)
    elif payload:
        payload = random.choice(IN_A_FRAME)(payload, random)
    return frame(kind, channel, payload)


def spoil_octets(octets: bytes, random: Random) -> bytes:
    """Spoil a frame wherever it hurts."""
    return random.choice(IN_A_FRAME)(octets, random)


def readdress(octets: bytes, random: Random) -> bytes:
    """Send a frame on another channel."""
    channel = random.choice((0, 1, 2, 3, 2047, 2048, 65535))
    return octets[:1] + channel.to_bytes(2) + octets[3:]


def retype(octets: bytes, random: Random) -> bytes:
    """Make another type of frame of it."""
    return bytes((random.choice((0, 1, 2, 3, 4, 8, 255)),)) + octets[1:]


def rename(octets: bytes, random: Random) -> bytes:
    """Make another method of it."""
    return octets[:7] + random.choice(list(METHODS)) + octets[11:]


# -- mutations of a conversation -------------------------------------------------------------------


def double(frames: list[bytes], at: int, _: Random) -> None:
    """Say a frame twice."""
    frames.insert(at, frames[at])


def drop(frames: list[bytes], at: int, _: Random) -> None:
    """Leave a frame out."""
    del frames[at]


def swap(frames: list[bytes], at: int, random: Random) -> None:
    """Say one frame in place of another."""
    other = random.randrange(len(frames))
    frames[at], frames[other] = frames[other], frames[at]


def add(frames: list[bytes], at: int, random: Random) -> None:
    """Say something that has nothing to do with it."""
    key = random.choice(list(METHODS))
    frames.insert(at, frame(1, random.randrange(3), key + random.randbytes(random.randrange(40))))


def spoil(frames: list[bytes], random: Random) -> None:
    """Apply one mutation."""
    first = 0 if random.random() < 0.1 else len(HANDSHAKE)
    at = random.randrange(first, len(frames)) if len(frames) > first else 0
    among = random.choice((double, drop, swap, add, None, None, None, None, None, None))
    if among is not None:
        among(frames, at, random)
    elif len(frames[at]) >= 12:  # not much is left of some that were spoilt before
        within = random.choices(
            (spoil_payload, spoil_octets, readdress, retype, rename), (12, 2, 2, 1, 2)
        )[0]
        frames[at] = within(frames[at], random)

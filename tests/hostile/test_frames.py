"""Frames that are malformed, out of place or out of proportion, on a connection that is open."""

import pytest

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import (
    BasicAck,
    BasicPublish,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionTune,
    ConnectionTuneOk,
    QueueDeclare,
)
from amqplite.protocol.properties import encode_header
from tests.broker_process import BrokerProcess
from tests.hostile.conftest import Connect, probe
from tests.wire.events import frame
from tests.wire.peer import Peer

MIB = 1024 * 1024
PUBLISH = method_frame(1, BasicPublish(0, "", "nowhere"))
ACK = method_frame(1, BasicAck(1))
PROPERTIES = b"\x10\x00\x01"


def header(size: int, properties: bytes = PROPERTIES, channel: int = 1) -> bytes:
    return frame(2, channel, encode_header(size, properties))


def body(octets: bytes, channel: int = 1) -> bytes:
    return frame(3, channel, octets)


HARD = {
    # what is sent: its octets, and the reply code that closes the connection
    "a frame over frame_max": (frame(3, 1, bytes(131_072 + 100)), 501),
    "a frame of 4 GiB": (b"\x03\x00\x01\xff\xff\xff\xff\x00", 501),
    "a frame with a wrong end": (ACK[:-1] + b"\x00", 501),
    "a frame with an end too early": (b"\x01\x00\x01\x00\x00\x00\x04\x00\x3c\xce\x00\x50", 501),
    "a frame of type 0": (frame(0, 1, b""), 505),
    "a frame of type 4": (frame(4, 1, b"abc"), 505),
    "a frame of type 255": (frame(255, 1, b"abc"), 505),
    "a frame of type 4 on channel 0": (frame(4, 0, b""), 505),
    "a heartbeat on a channel": (frame(8, 1, b""), 505),
    "a body without a header": (PUBLISH + body(b"abc"), 505),
    "a body out of the blue": (body(b"abc"), 505),
    "a header out of the blue": (header(3), 505),
    "a second header": (PUBLISH + header(3) + header(3), 505),
    "a method in the middle of a content": (
        PUBLISH + header(9) + method_frame(1, BasicAck(1)),
        505,
    ),
    "a publish in place of a header": (PUBLISH + PUBLISH + header(0), 505),
    "a header for another class": (PUBLISH + frame(2, 1, b"\0\x32" + bytes(12)), 505),
    "a header cut short": (PUBLISH + frame(2, 1, b"\0\x3c\0\0"), 505),
    "properties cut short": (PUBLISH + header(0, b"\xff\xfc\x05ab"), 502),
    "properties nobody knows": (PUBLISH + header(0, b"\x00\x03"), 502),
    "a body size of 2^63": (PUBLISH + header(1 << 63), 501),
    "a body size of 2^64 - 1": (PUBLISH + header((1 << 64) - 1), 501),
    "more body than was said": (PUBLISH + header(3) + body(b"abcd"), 501),
    "an empty method": (frame(1, 1, b""), 503),
    "half a method id": (frame(1, 1, b"\0\x3c\0"), 503),
    "a method nobody knows": (frame(1, 1, b"\0\x3c\0\xff"), 503),
    "a class nobody knows": (frame(1, 1, b"\xff\xff\0\x0a"), 503),
    "a method of the broker": (method_frame(1, ChannelOpenOk()), 503),
    "arguments cut short": (frame(1, 1, QueueDeclare.KEY + b"\0\0\x05ab"), 502),
    "no arguments at all": (frame(1, 1, QueueDeclare.KEY), 502),
    "a table longer than its frame": (
        frame(1, 1, QueueDeclare.KEY + b"\0\0\x01q\x02\xff\xff\xff\xff"),
        502,
    ),
    "a table of unknown types": (
        method_frame(1, QueueDeclare(queue="q", arguments=b"\x01aZ")),
        502,
    ),
    "a channel that is not open": (method_frame(7, BasicAck(1)), 504),
    "a header on a channel that is not open": (header(3, channel=7), 504),
    "a channel opened twice": (method_frame(1, ChannelOpen()), 504),
    "a channel beyond channel_max": (method_frame(2048, ChannelOpen()), 530),
    "the last channel of all": (method_frame(65535, ChannelOpen()), 530),
    "a second tune": (method_frame(0, ConnectionTune(1, 4096, 0)), 503),
    "a second start": (method_frame(0, ConnectionStart()), 503),
    "a body on channel 0": (frame(3, 0, b"abc"), 505),
    "a publish on channel 0": (method_frame(0, BasicPublish()) + header(0, channel=0), 503),
}


@pytest.mark.parametrize(("octets", "code"), HARD.values(), ids=HARD.keys())
def test_what_cannot_be_closes_the_connection_and_says_why(
    broker: BrokerProcess, connect: Connect, octets: bytes, code: int
) -> None:
    bystander = connect(broker).channel()
    peer = connect(broker)
    peer.channel(1)
    peer.send_octets(octets)
    peer.expect_close(code)
    bystander.declare("")


HARMLESS = {
    "heartbeats": frame(8, 0, b"") * 1000,
    "a heartbeat with a payload": frame(8, 0, b"abc"),
    "close-ok for nothing": method_frame(7, ChannelCloseOk()),
    "close-ok for the connection": method_frame(0, ConnectionCloseOk()),
    "a frame 8 octets over frame_max": PUBLISH + header(131_072) + body(bytes(131_072)),
    "a publish in frames of one octet": PUBLISH + header(50) + body(b"x") * 50,
    "an empty body frame": PUBLISH + header(3) + body(b"ab") + body(b"") + body(b"c"),
}


@pytest.mark.parametrize("octets", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_is_merely_odd_is_taken(
    broker: BrokerProcess, connect: Connect, octets: bytes
) -> None:
    peer = connect(broker)
    channel = peer.channel(1)
    peer.send_octets(octets)
    channel.declare("")
    peer.close()


@pytest.mark.parametrize("channels", [1, 5, 2047])
def test_all_channels_may_be_opened_and_not_one_more(
    broker: BrokerProcess, connect: Connect, channels: int
) -> None:
    peer = Peer(broker.amqp_port)
    try:
        peer.log_in()
        peer.zero.expect(ConnectionTune)
        peer.send(0, ConnectionTuneOk(channels, 131_072, 0), ConnectionOpen())
        peer.zero.expect(ConnectionOpenOk)
        peer.send_octets(b"".join(method_frame(n, ChannelOpen()) for n in range(1, channels + 1)))
        for number in range(1, channels + 1):
            peer.await_event(number, 10)
        probe(broker)
        peer.send(channels + 1, ChannelOpen())
        peer.expect_close(530, "channel_max")
    finally:
        peer.hang_up()

"""Frames that are malformed, out of place or out of proportion, on a connection that is open."""

from contextlib import suppress
from random import Random
from threading import Event as Signal
from time import monotonic

import pytest

from amqplite.protocol.codec import METHODS, method_frame
from amqplite.protocol.methods import (
    BasicAck,
    BasicPublish,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionClose,
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
from tests.hostile.conftest import Connect, Start, open_files, probe, resident
from tests.seeds import seeded
from tests.wire.conftest import until
from tests.wire.events import frame
from tests.wire.peer import HungUp, Peer

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
    if code == 501:  # where frames begin and end is lost, and with it perhaps our close-ok
        close: ConnectionClose = peer.zero.await_answer(ConnectionClose).method
        assert close.reply_code == code, close
    else:
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


def test_half_a_frame_and_silence_is_a_missed_heartbeat(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    peer = connect(broker, heartbeat=1)
    peer.channel(1).call(QueueDeclare(queue=queue, exclusive=True))
    peer.send_octets(PUBLISH + header(100) + body(bytes(100))[:50])
    watcher = connect(broker).channel()
    watcher.send(QueueDeclare(queue=queue))
    watcher.expect_close(405, "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue")

    def is_free() -> bool:
        channel = connect(broker).channel()
        channel.send(QueueDeclare(queue=queue, passive=True))
        code: int = channel.await_answer(ChannelClose).method.reply_code
        return code == 404

    until(is_free, within_s=5)
    with suppress(HungUp):
        while True:
            peer.frame()  # the broker's heartbeats, up to the end


def test_who_goes_on_after_a_fault_is_not_heard_but_gets_its_close_ok_through(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    peer = connect(broker)
    channel = peer.channel(1)
    channel.declare(queue)
    rest = channel.publication(bytes(100_000), queue) * 5
    peer.send_octets(method_frame(0, ConnectionTune(1, 4096, 0)) + rest[:-7])
    close = peer.zero.await_answer(ConnectionClose)
    assert close.method.reply_code == 503
    began = monotonic()
    peer.send_octets(rest[-7:] + method_frame(0, ConnectionCloseOk()))
    peer.expect_end()
    assert monotonic() - began < 3
    assert connect(broker).channel().depth(queue) == 0


def test_who_never_answers_our_close_is_left_in_time(
    broker: BrokerProcess, connect: Connect
) -> None:
    before = open_files(broker)
    peer = connect(broker)
    peer.channel(1)
    peer.send_octets(frame(255, 1, b""))
    assert isinstance(peer.zero.await_answer(ConnectionClose).method, ConnectionClose)
    deadline = monotonic() + 15
    with suppress(ConnectionError):  # the end
        while monotonic() < deadline:
            peer.send_octets(frame(8, 0, b""))
            Signal().wait(0.05)
    assert monotonic() < deadline, "a peer that was told to leave stays as long as it talks"
    until(lambda: open_files(broker) <= before)


TRICKLES = {
    "frames without an octet": (PUBLISH + header(MIB), body(b"")),
    "frames of one octet": (PUBLISH + header(8 * MIB), body(b"x")),
    "frames of two octets": (PUBLISH + header(16 * MIB), body(b"xy")),
}


@pytest.mark.parametrize(("begin", "piece"), TRICKLES.values(), ids=TRICKLES.keys())
def test_a_content_in_tiny_frames_takes_no_more_memory_than_it_has_octets(
    start: Start, connect: Connect, begin: bytes, piece: bytes
) -> None:
    broker = start()
    peer = connect(broker)
    channel = peer.channel(1)
    peer.channel(2).declare("")
    before = resident(broker)
    peer.send_octets(begin)
    for _ in range(20):
        peer.send_octets(piece * 50_000)
    peer.channel(3)  # its answer tells that all this has been read
    probe(broker)
    grown = resident(broker) - before
    assert grown < 10 * MIB, f"{grown / MIB:.1f} MiB"
    assert channel.number == 1


def test_a_content_cut_off_gives_its_memory_back(start: Start, connect: Connect) -> None:
    broker = start()
    before = resident(broker)
    for _ in range(20):
        peer = connect(broker)
        peer.channel(1)
        peer.send_octets(PUBLISH + header(20 * MIB) + body(bytes(128_000)) * 100)
        peer.channel(2)
        peer.reset()
    until(lambda: open_files(broker) < 20)
    grown = resident(broker) - before
    assert grown < 60 * MIB, f"{grown / MIB:.1f} MiB"


def test_methods_with_any_arguments_do_no_harm(broker: BrokerProcess, connect: Connect) -> None:
    """Each method with random octets for arguments, on any channel."""
    with seeded("arguments") as random:
        for _ in range(30):
            peer = connect(broker)
            peer.channel(1)
            peer.send_octets(b"".join(some_method(random) for _ in range(50)))
            peer.hang_up()


def some_method(random: Random) -> bytes:
    key = random.choice(list(METHODS))
    size = random.choice((0, 1, 5, 20, 300))
    octets = random.randbytes(size) if random.random() < 0.5 else bytes(size)
    return frame(1, random.choice((0, 1, 1, 1)), key + octets)

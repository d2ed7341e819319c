"""Contents in frames that are odd but right, and in frames that are wrong (§4.2.6)."""

from struct import pack

import pytest

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import BasicPublish, QueueDeclare
from amqplite.protocol.properties import encode_header, encode_properties
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect
from tests.wire.events import BODY_FRAME, HEADER_FRAME, PERSISTENT, frame
from tests.wire.memory import peak_bytes, reset_peak, resident_bytes

SMALL = 4096
MIB = 1024 * 1024


def method(channel: Channel, queue: str) -> bytes:
    return method_frame(channel.number, BasicPublish(routing_key=queue))


def header(channel: Channel, size: int) -> bytes:
    octets = encode_header(size, encode_properties(PERSISTENT))
    return frame(HEADER_FRAME, channel.number, octets)


def head(channel: Channel, queue: str, size: int) -> bytes:
    """Return the method and the header of a publish whose body has `size` octets."""
    return method(channel, queue) + header(channel, size)


def body_frame(channel: Channel, octets: bytes) -> bytes:
    return frame(BODY_FRAME, channel.number, octets)


def test_a_body_may_come_an_octet_a_frame(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    body = bytes(range(200)) * 10
    channel.peer.send_octets(
        head(channel, queue, len(body))
        + b"".join(body_frame(channel, bytes((octet,))) for octet in body)
    )
    assert channel.drain(queue) == [(body, False)]


def test_a_stream_may_come_an_octet_a_write(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    octets = channel.publication(b"slowly", queue)
    for at in range(len(octets)):
        channel.peer.send_octets(octets[at : at + 1])
    assert channel.drain(queue) == [(b"slowly", False)]


def test_contents_of_two_channels_may_be_interleaved(connect: Connect, queue: str) -> None:
    peer = connect()
    first, second = peer.channel(), peer.channel()
    first.declare(queue)
    peer.send_octets(
        method(first, queue)
        + head(second, queue, 4)
        + header(first, 6)
        + body_frame(first, b"abc")
        + body_frame(second, b"12")
        + body_frame(first, b"def")
        + body_frame(second, b"34")
    )
    peer.sync()
    assert first.drain(queue) == [(b"abcdef", False), (b"1234", False)]


def test_an_empty_frame_within_a_body_adds_nothing(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    channel.peer.send_octets(
        head(channel, queue, 4)
        + b"".join(body_frame(channel, part) for part in (b"", b"ab", b"", b"cd"))
    )
    assert channel.drain(queue) == [(b"abcd", False)]


@pytest.mark.parametrize("body", [b"", b"ab"], ids=["empty", "whole"])
def test_a_body_frame_behind_the_body_closes_the_connection(
    connect: Connect, queue: str, body: bytes
) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    peer.send_octets(channel.publication(body, queue) + body_frame(channel, b""))
    peer.expect_close(505, "expected method frame, got non method frame instead")


def test_a_frame_a_little_over_the_limit_is_taken_as_rabbitmq_does(
    connect: Connect, queue: str
) -> None:
    peer = connect(frame_max=SMALL)
    channel = peer.channel()
    channel.declare(queue)
    body = bytes(range(256)) * (
        SMALL // 256
    )  # with its overhead 8 octets over, as some clients count
    peer.send_octets(head(channel, queue, len(body)) + body_frame(channel, body))
    event = channel.got(queue)
    assert event.body == body
    assert event.parts == (SMALL - 8, 8)


@pytest.mark.parametrize("over", [1, 100, 100_000_000])
def test_a_frame_over_the_limit_closes_the_connection(
    connect: Connect, queue: str, over: int
) -> None:
    peer = connect(frame_max=SMALL)
    channel = peer.channel()
    channel.declare(queue)
    peer.send_octets(
        head(channel, queue, SMALL + over) + pack(">BHL", BODY_FRAME, 1, SMALL + over) + b"x"
    )
    peer.expect_close(501, "FRAME_ERROR")


def test_a_frame_that_does_not_end_as_it_should_closes_the_connection(
    connect: Connect, queue: str
) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    peer.send_octets(channel.publication(b"m", queue) + channel.publication(b"n", queue)[:-1])
    peer.send_octets(b"\x00")
    peer.expect_close(501, "FRAME_ERROR")
    assert connect().channel().drain(queue) == [(b"m", False)]


def test_a_body_longer_than_declared_closes_the_connection(connect: Connect, queue: str) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    peer.send_octets(head(channel, queue, 3) + body_frame(channel, b"abcd"))
    peer.expect_close(501, "content body frame exceeds remaining content size")
    assert connect().channel().depth(queue) == 0


@pytest.mark.parametrize("size", [2**63, 2**64 - 1, 2**63 + 5, 512 * MIB + 1])
def test_an_absurd_body_size_closes_the_connection_and_takes_no_memory(
    connect: Connect, shared: BrokerProcess | None, queue: str, size: int
) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    if shared is None:
        pytest.skip("needs a broker of ours, to look into it")
    before = resident_bytes(shared.pid)
    reset_peak(shared.pid)
    peer.send_octets(head(channel, queue, size))
    peer.expect_close(501, f"content body size {size} exceeds maximum allowed size")
    assert peak_bytes(shared.pid) - before < 8 * MIB


def test_a_method_within_a_content_closes_the_connection(connect: Connect, queue: str) -> None:
    for cut in ("header", "body"):
        peer = connect()
        channel = peer.channel()
        channel.declare(queue)
        begun = method(channel, queue)
        if cut == "body":
            begun += header(channel, 10) + body_frame(channel, b"abc")
        peer.send_octets(begun + method_frame(channel.number, QueueDeclare(queue=queue)))
        peer.expect_close(505, f"expected content {cut}.*, got non content {cut} frame instead")


@pytest.mark.parametrize("class_id", [50, 0, 61])
def test_a_header_of_another_class_closes_the_connection(
    connect: Connect, queue: str, class_id: int
) -> None:
    peer = connect()
    channel = peer.channel()
    odd = pack(">HHQH", class_id, 0, 1, 0)
    peer.send_octets(method(channel, queue) + frame(HEADER_FRAME, channel.number, odd))
    peer.expect_close(505, "expected content header for class 60")


def test_a_content_without_a_method_closes_the_connection(connect: Connect) -> None:
    for part in (HEADER_FRAME, BODY_FRAME):
        peer = connect()
        channel = peer.channel()
        octets = encode_header(0, encode_properties(PERSISTENT))
        peer.send_octets(frame(part, channel.number, octets))
        peer.expect_close(505, "expected method frame, got non method frame instead")

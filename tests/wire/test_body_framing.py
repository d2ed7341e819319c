"""Contents in frames: as many as it takes, none too large, none empty (§4.2.6)."""

from hashlib import sha256

import pytest

from amqplite.protocol.methods import BasicPublish
from amqplite.protocol.properties import Properties
from tests.wire.conftest import Connect, Name, Start
from tests.wire.events import (
    PERSISTENT,
    TRANSIENT,
    Event,
    arguments,
)
from tests.wire.memory import peak_bytes, reset_peak, resident_bytes

SMALL, LARGE = 4096, 131_072
MIB = 1024 * 1024


def sizes_around(frame_max: int) -> list[int]:
    room = frame_max - 8
    return [0, 1, room - 1, room, room + 1, 2 * room - 1, 2 * room, 2 * room + 1]


def body_of(size: int) -> bytes:
    return bytes(number & 0xFF for number in range(251)) * (size // 251) + b"y" * (size % 251)


def assert_well_framed(event: Event, frame_max: int) -> None:
    """See that all body frames but the last are full, and none is empty."""
    room = frame_max - 8
    size = len(event.body)
    assert event.parts == (*[room] * (size // room), *([size % room] if size % room else []))


@pytest.mark.parametrize("consumer_max", [SMALL, LARGE])
@pytest.mark.parametrize("publisher_max", [SMALL, LARGE])
@pytest.mark.beyond_rabbitmq("it fills no frame before the last")
def test_bodies_around_the_frame_size_arrive_whole_and_well_framed(
    connect: Connect, queue: str, publisher_max: int, consumer_max: int
) -> None:
    publisher = connect(frame_max=publisher_max).channel()
    consumer = connect(frame_max=consumer_max).channel()
    publisher.declare(queue)
    consumer.consume(queue)
    for size in sorted({*sizes_around(SMALL), *sizes_around(LARGE)}):
        body = body_of(size)
        publisher.publish(body, queue)
        event = consumer.delivery()
        assert event.body == body
        assert_well_framed(event, consumer_max)
        consumer.nack(event.tag)
        assert consumer.delivery().body == body
        consumer.ack(0, multiple=True)
        publisher.publish(body, f"no {queue}", mandatory=True)
        returned = publisher.received()[-1]
        assert returned.body == body
        assert_well_framed(returned, publisher_max)


@pytest.mark.parametrize("properties", [PERSISTENT, TRANSIENT], ids=["persistent", "transient"])
def test_a_large_body_reaches_all_queues_of_a_fanout(
    connect: Connect, name: Name, properties: Properties
) -> None:
    channel = connect().channel()
    exchange = channel.declare_exchange(name("x"), "fanout")
    dead = channel.declare(name("dead"))
    queues = [
        channel.declare(name("a")),
        channel.declare(name("b"), durable=False),
        channel.declare(
            name("c"),
            arguments=arguments(x_dead_letter_exchange="", x_dead_letter_routing_key=dead),
        ),
    ]
    for queue in queues:
        channel.bind(queue, exchange)
    body = body_of(10 * MIB)
    digest = sha256(body).digest()
    channel.confirm()
    channel.publish(body, "", exchange, properties)
    channel.await_confirms(1)
    for queue in queues:
        event = channel.got(queue)
        assert sha256(event.body).digest() == digest
        assert_well_framed(event, LARGE)
        channel.reject(event.tag, requeue=False)
    channel.peer.sync()
    assert sha256(channel.got(dead, no_ack=True).body).digest() == digest


def test_memory_holds_a_large_body_no_more_than_three_times(
    start: Start, connect: Connect, name: Name
) -> None:
    broker = start()
    channel = connect(to=broker).channel()
    exchange = channel.declare_exchange(name("x"), "fanout")
    queues = [channel.declare(name(purpose)) for purpose in ("a", "b", "c")]
    for queue in queues:
        channel.bind(queue, exchange)
    channel.confirm()
    body = body_of(48 * MIB)
    before = resident_bytes(broker.pid)
    reset_peak(broker.pid)
    channel.publish(body, "", exchange)
    channel.await_confirms(1)
    assert peak_bytes(broker.pid) - before < 3.3 * len(body)


# -- the largest message -------------------------------------------------------------------------


@pytest.mark.parametrize("frame_max", [SMALL, LARGE])
def test_a_message_over_the_configured_size_closes_its_channel_alone(
    start: Start, connect: Connect, queue: str, frame_max: int
) -> None:
    broker = start(max_message_size_bytes=10_000)
    peer = connect(to=broker, frame_max=frame_max)
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue)
    channel.publish(body_of(10_000), queue)
    channel.publish(body_of(10_001), queue)
    channel.expect_close(
        406,
        "^PRECONDITION_FAILED - message size 10001 is larger than configured max size 10000$",
        by=BasicPublish,
    )
    assert [len(body) for body, _ in other.drain(queue)] == [10_000]
    channel.reopen().publish(body_of(5), queue)
    assert other.got(queue).body == body_of(5)

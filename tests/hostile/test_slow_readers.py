"""Peers that never read: what is meant for them must not gather in the broker's memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import BasicConsume, BasicGet, BasicReturn, QueueDeclare
from tests.broker_process import BrokerProcess
from tests.hostile.conftest import Connect, Start, probe, resident
from tests.wire.channel import Channel
from tests.wire.conftest import until
from tests.wire.events import PERSISTENT, TRANSIENT

MIB = 1024 * 1024
GROWTH_MAX = 30 * MIB


@contextmanager
def bounded(broker: BrokerProcess) -> Iterator[None]:
    """See that the broker's memory doesn't grow by more than `GROWTH_MAX`, and that it serves."""
    before = resident(broker)
    yield
    probe(broker)
    grown = resident(broker) - before
    assert grown < GROWTH_MAX, f"{grown / MIB:.1f} MiB more"


def fill(channel: Channel, queue: str, count: int, body: bytes, *, persistent: bool = True) -> None:
    """Put messages in a queue, and wait until that is done."""
    channel.declare(queue)
    channel.confirm()
    properties = PERSISTENT if persistent else TRANSIENT
    burst = channel.publication(body, queue, properties=properties) * 100
    for _ in range(count // 100):
        channel.peer.send_octets(burst)
    channel.await_confirms(count, within_s=60)


@pytest.mark.parametrize("persistent", [True, False])
def test_a_consumer_that_never_reads_is_sent_no_more_than_fits(
    start: Start, connect: Connect, queue: str, persistent: bool
) -> None:
    broker = start()
    fill(connect(broker).channel(), queue, 3000, bytes(20_000), persistent=persistent)
    deaf, other = connect(broker), connect(broker).channel()
    deaf.channel(1)
    with bounded(broker):
        deaf.send(1, BasicConsume(queue=queue))
        until(lambda: other.depth(queue) < 3000)
    assert other.depth(queue) > 1000
    other.qos(10)
    other.consume(queue)
    other.deliveries(10)  # which the deaf one doesn't keep from it
    deaf.reset()
    other.peer.close()
    watcher = connect(broker).channel()
    until(lambda: watcher.depth(queue) == 3000)


def test_a_consumer_that_never_reads_does_not_stop_its_publisher(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start()
    channel = connect(broker).channel()
    channel.declare(queue)
    deaf = connect(broker)
    deaf.channel(1)
    deaf.send(1, BasicConsume(queue=queue, no_ack=True))
    with bounded(broker):
        fill(channel, queue, 2000, bytes(20_000), persistent=False)


def test_returns_that_are_never_read_stop_their_publisher(start: Start, connect: Connect) -> None:
    broker = start()
    deaf = connect(broker)
    channel = deaf.channel()
    octets = channel.publication(bytes(10_000), "nowhere", mandatory=True)
    with bounded(broker):
        deaf.shout(octets * 10, 2000)


def test_messages_got_but_never_read_stop_whoever_gets_them(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start(window_bytes=MIB)
    fill(connect(broker).channel(), queue, 2000, bytes(100_000), persistent=False)
    deaf = connect(broker)
    deaf.channel(1)
    with bounded(broker):
        deaf.shout(method_frame(1, BasicGet(queue=queue)) * 100, 20)


def test_replies_that_are_never_read_stop_whoever_asks(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start()
    name = queue + "x" * (255 - len(queue))
    connect(broker).channel().declare(name)
    deaf = connect(broker)
    deaf.channel(1)
    with bounded(broker):
        deaf.shout(method_frame(1, QueueDeclare(queue=name, passive=True)) * 1000, 300)


def test_confirms_that_are_never_read_gather_nowhere(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start()
    deaf = connect(broker)
    channel = deaf.channel().confirm()
    with bounded(broker):
        deaf.shout(channel.publication(b"", "nowhere") * 1000, 300)


def test_who_reads_again_gets_all_that_was_held_back(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start()
    slow = connect(broker)
    channel = slow.channel()
    count = 5000
    octets = channel.publication(bytes(10_000), "nowhere", mandatory=True)
    sent = Thread(target=slow.send_octets, args=(octets * count,))
    sent.start()
    sent.join(1)
    assert [channel.expect_event(BasicReturn).body for _ in range(count)] == [bytes(10_000)] * count
    sent.join(10)
    assert not sent.is_alive()

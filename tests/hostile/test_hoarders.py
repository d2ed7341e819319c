"""Peers that take more than their share: messages, connections, channels, queues and bindings."""

from itertools import islice

import pytest

from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.methods import (
    BasicConsume,
    BasicConsumeOk,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ExchangeDeclare,
    QueueBind,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueUnbind,
)
from tests.broker_process import BrokerProcess
from tests.hostile.conftest import Connect, Start, open_files, probe, resident
from tests.hostile.rude import Rude
from tests.wire.channel import Channel
from tests.wire.conftest import until
from tests.wire.events import TRANSIENT

MIB = 1024 * 1024


def test_who_takes_all_and_acks_nothing_costs_what_it_holds(
    start: Start, connect: Connect, queue: str
) -> None:
    broker, count, size = start(window_messages=1000), 30_000, 1000
    publisher = connect(broker).channel().confirm()
    publisher.declare(queue)
    for at in range(0, count, 1000):
        bodies = (b"%d" % number for number in range(at, at + 1000))
        publications = (publisher.publication(b.ljust(size), queue) for b in bodies)
        publisher.peer.send_octets(b"".join(publications))
    publisher.await_confirms(count, within_s=60)
    before = resident(broker)
    hoarder = connect(broker).channel()
    hoarder.consume(queue)
    for _ in range(count):
        hoarder.delivery()
    grown = resident(broker) - before
    assert grown < 2.5 * count * size, f"{grown / MIB:.1f} MiB"
    probe(broker)
    hoarder.peer.reset()
    other = connect(broker).channel()
    until(lambda: other.depth(queue) == count)
    other.qos(500)
    other.consume(queue)
    for number in range(count):
        delivery = other.delivery()
        assert delivery.redelivered
        assert delivery.body == (b"%d" % number).ljust(size)
        if delivery.tag % 250 == 0:
            other.ack(delivery.tag, multiple=True)


def test_connections_by_the_thousand_leave_no_file_open(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    channel = connect(broker).channel()
    channel.declare(queue)
    channel.publish(b"kept", queue)
    before = open_files(broker)
    for number in range(3000):
        peer = connect(broker, shake_hands=number % 3 == 0)
        if number % 3 == 0:
            peer.channel().get(queue)
        if number % 2:
            peer.reset()
        else:
            peer.hang_up()
        if number % 500 == 0:
            probe(broker)
    until(lambda: open_files(broker) <= before)
    until(lambda: channel.depth(queue) == 1)
    channel.delete(queue)


def test_hundreds_of_connections_at_once_are_served(
    broker: BrokerProcess, connect: Connect
) -> None:
    before = open_files(broker)
    silent = [connect(broker) for _ in range(300)]
    probe(broker)
    for peer in silent:
        peer.channel().declare("")
    for peer in silent:
        peer.reset()
    until(lambda: open_files(broker) <= before)


def test_a_channel_opened_and_closed_over_and_over_leaves_nothing(
    start: Start, connect: Connect
) -> None:
    broker = start()
    peer = connect(broker)
    cycle = method_frame(1, ChannelOpen()) + method_frame(1, ChannelClose(200, "again"))
    churn(peer, cycle, 1000)
    before = resident(broker)
    churn(peer, cycle, 20_000)
    assert resident(broker) - before < 5 * MIB


def churn(peer: Rude, cycle: bytes, times: int) -> None:
    """Send `cycle`, which has two answers, so many times; read the answers as they come."""
    for _ in range(times // 500):
        peer.send_octets(cycle * 500)
        for _ in range(1000):
            peer.frame()


def test_queues_declared_and_deleted_over_and_over_leave_nothing(
    start: Start, connect: Connect
) -> None:
    broker = start()
    peer = connect(broker)
    peer.channel(1)
    cycle = b"".join(
        method_frame(1, method)
        for method in (QueueDeclare(0, "churn", auto_delete=True), QueueDelete(0, "churn"))
    )
    churn(peer, cycle, 1000)
    before = resident(broker)
    churn(peer, cycle, 10_000)
    assert resident(broker) - before < 5 * MIB


def answered(channel: Channel, methods: list[Method], answer: type[Method]) -> None:
    """Send methods all at once and take their answers."""
    channel.send(*methods)
    for _ in methods:
        channel.await_answer(answer)


@pytest.mark.parametrize("kind", ["direct", "topic", "headers", "fanout"])
def test_a_queue_may_have_very_many_bindings(
    start: Start, connect: Connect, queue: str, kind: str
) -> None:
    broker, count = start(), 20_000
    channel = connect(broker).channel()
    channel.declare(queue, durable=False)
    exchange = f"{queue}.{kind}"
    channel.call(ExchangeDeclare(0, exchange, kind))
    keys = (f"{number}.*.#.{number % 7}" for number in range(count))
    while some := list(islice(keys, 2000)):
        answered(channel, [QueueBind(0, queue, exchange, key) for key in some], QueueBindOk)
        probe(broker)
    for _ in range(100):
        channel.publish(b"once", f"{count // 2}.a.b.{count // 2 % 7}", exchange, TRANSIENT)
    assert channel.depth(queue) == {"direct": 0}.get(kind, 100)
    channel.call(QueueUnbind(0, queue, exchange, "0.*.#.0"))
    probe(broker)
    channel.delete(queue)
    probe(broker)


def test_very_many_queues_and_consumers_are_given_back(start: Start, connect: Connect) -> None:
    broker, count = start(), 5000
    keeper = connect(broker)
    before = resident(broker)
    for _ in range(2):
        hoarder = connect(broker)
        channel = hoarder.channel()
        names = [f"q{number}" for number in range(count)]
        answered(channel, [QueueDeclare(0, name, exclusive=True) for name in names], QueueDeclareOk)
        answered(channel, [BasicConsume(0, name) for name in names], BasicConsumeOk)
        probe(broker)
        hoarder.reset()
        until(lambda: not exists(keeper, "q1"))
        probe(broker)
    assert resident(broker) - before < 60 * MIB


def exists(peer: Rude, queue: str) -> bool:
    """Whether there is a queue, be it locked by others."""
    channel = peer.channel()
    channel.send(QueueDeclare(0, queue, passive=True))
    close = channel.await_answer(ChannelClose).method
    channel.send(ChannelCloseOk())
    assert close.reply_code in (404, 405), close
    return bool(close.reply_code == 405)

"""What a message remembers of its deliveries when the broker stops, or is killed, and starts."""

from collections.abc import Callable

import pytest

from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name, Start, until
from tests.wire.events import TRANSIENT, Event, arguments


def stop(broker: BrokerProcess) -> None:
    assert broker.stop() == 0


def kill(broker: BrokerProcess) -> None:
    broker.kill()


ENDS = pytest.mark.parametrize("end", [stop, kill], ids=["stopped", "killed"])
End = Callable[[BrokerProcess], None]


def count(event: Event) -> tuple[str, object] | None:
    """Return the delivery count that a message carries, with its tag in the table."""
    return event.headers.get("x-delivery-count")


@ENDS
def test_what_was_unacked_is_redelivered_and_says_so(
    start: Start, connect: Connect, queue: str, end: End
) -> None:
    broker = start()
    channel = connect(to=broker).channel().confirm()
    channel.declare(queue)
    for body in (b"held", b"requeued", b"acked"):
        channel.publish(body, queue)
    assert all(channel.await_confirms(3).values())
    tags = [channel.got(queue).tag for _ in range(3)]
    channel.nack(tags[1])
    channel.ack(tags[2])
    channel.peer.sync()
    end(broker)
    broker.start()
    channel = connect(to=broker).channel()
    assert channel.depth(queue) == 2
    channel.consume(queue)
    assert [event.seen for event in channel.deliveries(2)] == [(b"held", True), (b"requeued", True)]
    assert channel.received() == []


def test_after_a_stop_what_was_never_delivered_does_not_claim_so(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start()
    channel = connect(to=broker).channel().confirm()
    channel.declare(queue)
    for number in range(10):
        channel.publish(b"%d" % number, queue)
    channel.await_confirms(10)
    channel.qos(3)
    channel.consume(queue)
    channel.deliveries(3)
    broker.restart()
    channel = connect(to=broker).channel()
    assert channel.drain(queue) == [(b"%d" % number, number < 3) for number in range(10)]


@ENDS
def test_transient_messages_and_queues_go_and_durable_ones_stay(
    start: Start, connect: Connect, name: Name, end: End
) -> None:
    broker = start()
    channel = connect(to=broker).channel().confirm()
    durable, transient, exchange = name("durable"), name("transient"), name("x")
    channel.declare(durable)
    channel.declare(transient, durable=False)
    channel.declare_exchange(exchange, "topic")
    channel.bind(durable, exchange, "a.#")
    channel.publish(b"transient", durable, properties=TRANSIENT)
    channel.publish(b"persistent", durable)
    channel.publish(b"bound", "a.b", exchange)
    channel.publish(b"persistent", transient)
    channel.await_confirms(4)
    end(broker)
    broker.start()
    channel = connect(to=broker).channel()
    channel.publish(b"after", "a.c", exchange)
    assert [body for body, _ in channel.drain(durable)] == [b"persistent", b"bound", b"after"]
    channel.publish(b"nowhere", transient, mandatory=True)
    assert [event.body for event in channel.received()] == [b"nowhere"]


@ENDS
def test_the_delivery_count_goes_on_after_a_restart(
    start: Start, connect: Connect, queue: str, end: End
) -> None:
    broker = start()
    channel = connect(to=broker).channel().confirm()
    channel.declare(queue, arguments=arguments(x_delivery_limit=3))
    channel.publish(b"m", queue)
    channel.await_confirms(1)
    channel.qos(1)
    channel.consume(queue)
    first = channel.delivery()
    assert (first.seen, count(first)) == ((b"m", False), None)
    channel.reject(first.tag)
    second = channel.delivery()
    assert (second.seen, count(second)) == ((b"m", True), ("l", 1))
    channel.peer.sync()
    end(broker)
    broker.start()
    third = connect(to=broker).channel().got(queue)
    assert third.redelivered
    # No delivery is written down by itself: a crash may forget how many there were, not that
    # there were any.
    assert count(third) in ([("l", 2)] if end is stop else [("l", 1), ("l", 2)])


def test_a_message_is_dead_lettered_by_the_return_that_exceeds_the_limit(
    channel: Channel, name: Name
) -> None:
    queue, dead = name("q"), name("dead")
    channel.declare(dead)
    channel.declare(
        queue,
        arguments=arguments(
            x_delivery_limit=3, x_dead_letter_exchange="", x_dead_letter_routing_key=dead
        ),
    )
    channel.publish(b"poison", queue)
    for expected in (None, ("l", 1), ("l", 2), ("l", 3)):
        assert channel.depth(dead) == 0
        event = channel.got(queue)
        assert count(event) == expected
        channel.reject(event.tag)
    assert (channel.depth(queue), channel.depth(dead)) == (0, 1)
    letter = channel.got(dead)
    assert letter.body == b"poison"
    assert letter.headers["x-first-death-reason"] == ("S", b"delivery_limit")


def test_a_consumer_that_dies_again_and_again_meets_the_limit_too(
    connect: Connect, name: Name
) -> None:
    queue, dead = name("q"), name("dead")
    watcher = connect().channel()
    watcher.declare(dead)
    watcher.declare(
        queue,
        arguments=arguments(
            x_delivery_limit=1, x_dead_letter_exchange="", x_dead_letter_routing_key=dead
        ),
    )
    watcher.publish(b"poison", queue)
    for _ in range(2):
        victim = connect().channel()
        victim.consume(queue)
        victim.delivery()
        victim.peer.reset()
    until(lambda: watcher.depth(dead) == 1, within_s=1)
    assert watcher.depth(queue) == 0


def test_without_a_limit_no_count_is_shown(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    channel.publish(b"m", queue)
    for redelivered in (False, True, True):
        event = channel.got(queue)
        assert (event.redelivered, event.headers) == (redelivered, {})
        channel.reject(event.tag)

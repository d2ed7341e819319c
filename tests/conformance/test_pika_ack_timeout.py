"""pika: a delivery that nobody settles in time is taken back, and nothing else happens."""

from time import monotonic

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Connect, Name, Publish
from tests.conformance.pika_tools import Inbox

pytestmark = pytest.mark.beyond_rabbitmq("ack timeouts close the channel, a minute late")

TIMEOUT_MS = 400


@pytest.fixture
def queue(channel: BlockingChannel, name: Name) -> str:
    """A queue whose deliveries are taken back after `TIMEOUT_MS`."""
    declared: str = channel.queue_declare(
        name("q"), auto_delete=True, arguments={"x-consumer-timeout": TIMEOUT_MS}
    ).method.queue
    return declared


def test_another_consumer_gets_what_was_not_settled(
    connect: Connect, queue: str, publish: Publish
) -> None:
    slow, quick = connect().channel(), connect().channel()
    slow.basic_qos(prefetch_count=1)
    held = Inbox(slow, queue)
    began = monotonic()
    publish(queue, b"1")
    held.take(1)
    (again,) = Inbox(quick, queue).take(1)
    assert (again.body, again.method.redelivered) == (b"1", True)
    assert TIMEOUT_MS / 1000 * 0.9 < monotonic() - began < TIMEOUT_MS / 1000 + 5
    quick.basic_ack(again.tag)


def test_the_slow_consumer_lives_on_and_its_late_ack_is_ignored(
    connect: Connect, queue: str, publish: Publish
) -> None:
    slow, quick = connect().channel(), connect().channel()
    slow.basic_qos(prefetch_count=1)
    held = Inbox(slow, queue)
    publish(queue, b"1")
    held.take(1)
    taking_over = Inbox(quick, queue)
    taking_over.take(1)
    slow.basic_ack(held.deliveries[0].tag)  # settles its own debt, not the other's checkout
    assert held.settled() == [b"1"]
    quick.basic_cancel(taking_over.tag)
    publish(queue, b"2")
    assert held.take(2)[1].body == b"2"
    slow.basic_ack(held.deliveries[1].tag)
    quick.basic_nack(taking_over.deliveries[0].tag, requeue=True)
    assert held.take(3)[2].body == b"1"


def test_nothing_more_comes_until_the_late_one_is_settled(
    connect: Connect, queue: str, publish: Publish
) -> None:
    slow, quick = connect().channel(), connect().channel()
    slow.basic_qos(prefetch_count=2)
    held = Inbox(slow, queue)
    publish(queue, b"1")
    held.take(1)
    taking_over = Inbox(quick, queue, auto_ack=True)
    taking_over.take(1)
    quick.basic_cancel(taking_over.tag)
    publish(queue, b"2")
    assert held.settled() == [b"1"]
    slow.basic_ack(held.deliveries[0].tag)
    assert held.take(2)[1].body == b"2"

"""pika: how many deliveries a consumer, and a channel, may hold."""

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Publish
from tests.conformance.pika_tools import Inbox, disconnected, numbers, wait_until


def test_prefetch_limits_each_consumer(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=2)
    first = Inbox(channel, queue)
    second = Inbox(channel, queue)
    publish(queue, *numbers(1, 10))
    first.take(2)
    second.take(2)
    assert (len(first.settled()), len(second.settled())) == (2, 2)
    channel.basic_ack(first.deliveries[0].tag)
    assert first.take(3)[2].body == b"5"
    assert (len(first.settled()), len(second.settled())) == (3, 2)


def test_prefetch_can_limit_the_channel(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=3, global_qos=True)
    inboxes = [Inbox(channel, queue), Inbox(channel, queue)]
    publish(queue, *numbers(1, 10))
    wait_until(channel, lambda: sum(len(one.deliveries) for one in inboxes) == 3, "three")
    assert sum(len(one.settled()) for one in inboxes) == 3
    channel.basic_ack(0, multiple=True)
    wait_until(channel, lambda: sum(len(one.deliveries) for one in inboxes) == 6, "three more")
    assert sum(len(one.settled()) for one in inboxes) == 6


def test_both_limits_hold_together(channel: BlockingChannel, queue: str, publish: Publish) -> None:
    channel.basic_qos(prefetch_count=3, global_qos=True)
    channel.basic_qos(prefetch_count=2, global_qos=False)
    channel.basic_qos(prefetch_count=3, global_qos=True)  # the one before may have cleared it
    inboxes = [Inbox(channel, queue), Inbox(channel, queue)]
    publish(queue, *numbers(1, 10))
    wait_until(channel, lambda: sum(len(one.deliveries) for one in inboxes) == 3, "three")
    assert sorted(len(one.settled()) for one in inboxes) == [1, 2]


def test_a_raised_channel_limit_takes_effect_at_once(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=1, global_qos=True)
    inbox = Inbox(channel, queue)
    publish(queue, *numbers(1, 10))
    inbox.take(1)
    assert inbox.settled() == [b"1"]
    channel.basic_qos(prefetch_count=4, global_qos=True)
    inbox.take(4)
    assert inbox.settled() == numbers(1, 4)


@pytest.mark.beyond_rabbitmq("per-consumer prefetch reaches later consumers alone")
def test_a_raised_consumer_limit_reaches_a_consumer_that_runs(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=1)
    inbox = Inbox(channel, queue)
    publish(queue, *numbers(1, 10))
    inbox.take(1)
    assert inbox.settled() == [b"1"]
    channel.basic_qos(prefetch_count=4)
    inbox.take(4)
    assert inbox.settled() == numbers(1, 4)
    channel.basic_qos(prefetch_count=2)  # lowered: two over, so two acks free nothing
    channel.basic_ack(2, multiple=True)
    assert inbox.settled() == numbers(1, 4)
    channel.basic_ack(3)
    inbox.take(5)
    assert inbox.settled() == numbers(1, 5)


def test_no_limit_is_no_limit(channel: BlockingChannel, queue: str, publish: Publish) -> None:
    channel.basic_qos(prefetch_count=1)
    channel.basic_qos(prefetch_count=0)
    inbox = Inbox(channel, queue)
    publish(queue, *numbers(1, 200))
    assert [one.body for one in inbox.take(200)] == numbers(1, 200)


def test_auto_ack_and_get_ignore_prefetch(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=1)
    inbox = Inbox(channel, queue, auto_ack=True)
    publish(queue, *numbers(1, 20))
    assert [one.body for one in inbox.take(20)] == numbers(1, 20)
    channel.basic_cancel(inbox.tag)
    publish(queue, *numbers(1, 3))
    assert [channel.basic_get(queue)[2] for _ in range(3)] == numbers(1, 3)


def test_a_prefetch_size_is_not_to_be_had(channel: BlockingChannel) -> None:
    with disconnected(540, "NOT_IMPLEMENTED - prefetch_size!=0 (1024)"):
        channel.basic_qos(prefetch_size=1024)

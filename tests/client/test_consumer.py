"""Consumers: what has come, and what comes no more."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.client.consumer import Consumer
from amqplite.client.errors import ConnectionLost, ConsumerCancelled
from amqplite.client.events import Delivery
from tests.client.test_channel_core import delivery

FIRST, SECOND = delivery(delivery_tag=1), delivery(delivery_tag=2)


async def end(consumer: Consumer) -> None:
    """What a channel does when we cancel."""
    consumer.end()


async def test_messages_are_taken_in_order_and_waited_for() -> None:
    consumer, taken = Consumer("c1", end), list[Delivery]()

    async def take() -> None:
        while True:
            taken.append(await consumer.receive())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take)
        await wait_all_tasks_blocked()
        consumer.deliver(FIRST)
        consumer.deliver(SECOND)
        assert consumer.waiting == 2
        await wait_all_tasks_blocked()
        assert (taken, consumer.waiting) == ([FIRST, SECOND], 0)
        nursery.cancel_scope.cancel()


async def test_what_had_come_before_the_end_is_still_taken() -> None:
    consumer = Consumer("c1", end)
    consumer.deliver(FIRST)
    consumer.end(ConsumerCancelled("its queue is gone"))
    assert await consumer.receive() == FIRST
    for _ in range(2):
        with pytest.raises(ConsumerCancelled, match="its queue is gone"):
            await consumer.receive()


async def test_what_can_not_be_settled_any_more_is_void() -> None:
    consumer = Consumer("c1", end)
    consumer.deliver(FIRST)
    consumer.void(ConnectionLost("it broke"))
    assert consumer.waiting == 0
    with pytest.raises(ConnectionLost, match="it broke"):
        await consumer.receive()


async def test_after_our_cancel_there_is_an_end() -> None:
    consumer = Consumer("c1", end)
    consumer.deliver(FIRST)
    await consumer.cancel()
    assert [one async for one in consumer] == [FIRST]
    with pytest.raises(trio.EndOfChannel):
        await consumer.receive()


async def test_several_tasks_may_share_a_consumer() -> None:
    consumer, taken = Consumer("c1", end), list[Delivery]()

    async def take() -> None:
        taken.append(await consumer.receive())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take)
        nursery.start_soon(take)
        await wait_all_tasks_blocked()
        consumer.deliver(FIRST)
        await wait_all_tasks_blocked()
        consumer.deliver(SECOND)
    assert taken == [FIRST, SECOND]

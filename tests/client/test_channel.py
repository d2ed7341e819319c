"""Channels, as one uses them, on the broker itself."""

from collections.abc import AsyncIterator

import pytest
import trio

from amqplite.client.channel import Channel
from amqplite.client.errors import Closed, ConsumerCancelled, Nacked, Unroutable
from amqplite.client.events import Returned
from amqplite.errors import AccessRefused, NotFound, PreconditionFailed
from amqplite.protocol.fields import from_python, to_python
from amqplite.protocol.methods import QueueDeclareOk
from amqplite.protocol.properties import Properties
from tests.client.served import Served, served


@pytest.fixture
async def broker() -> AsyncIterator[Served]:
    async with served() as broker:
        yield broker


@pytest.fixture
async def channel(broker: Served) -> AsyncIterator[Channel]:
    """A channel, and a queue `q`."""
    async with broker.channel() as channel:
        await channel.declare_queue("q")
        yield channel


async def bodies(channel: Channel, queue: str = "q") -> list[bytes]:
    """Get all that is ready."""
    found = []
    while (delivery := await channel.get(queue, no_ack=True)) is not None:
        found.append(delivery.body)
    return found


# -- exchanges and queues ------------------------------------------------------------------------


async def test_a_queue_is_declared_filled_purged_and_deleted(channel: Channel) -> None:
    for body in (b"1", b"2", b"3"):
        await channel.publish(body, routing_key="q")
    assert await channel.declare_queue("q", passive=True) == QueueDeclareOk("q", 3, 0)
    assert await channel.purge_queue("q") == 3
    await channel.publish(b"4", routing_key="q")
    assert await channel.delete_queue("q") == 1
    with pytest.raises(NotFound, match="no queue 'q' in vhost '/'"):
        await channel.declare_queue("q", passive=True)


async def test_the_broker_makes_up_a_name_for_a_queue_without_one(channel: Channel) -> None:
    declared = await channel.declare_queue(exclusive=True)
    assert declared.queue.startswith("amq.gen-")


async def test_arguments_of_a_queue_reach_the_broker(channel: Channel) -> None:
    await channel.declare_queue("short", arguments={"x-max-length": 2})
    for body in (b"1", b"2", b"3"):
        await channel.publish(body, routing_key="short")
    assert await bodies(channel, "short") == [b"2", b"3"]


async def test_messages_go_where_the_bindings_say(channel: Channel) -> None:
    await channel.declare_exchange("orders", "topic")
    await channel.declare_exchange("archive", "fanout", durable=True)
    await channel.bind_exchange("archive", "orders", "*.paid")
    await channel.bind_queue("q", "archive")
    await channel.publish(b"1", exchange="orders", routing_key="eu.paid")
    await channel.publish(b"2", exchange="orders", routing_key="eu.open")
    assert await bodies(channel) == [b"1"]
    await channel.unbind_exchange("archive", "orders", "*.paid")
    await channel.bind_queue("q", "orders", "us.#")
    await channel.publish(b"3", exchange="orders", routing_key="eu.paid")
    await channel.publish(b"4", exchange="orders", routing_key="us.paid")
    await channel.unbind_queue("q", "orders", "us.#")
    await channel.publish(b"5", exchange="orders", routing_key="us.paid")
    assert await bodies(channel) == [b"4"]
    await channel.delete_exchange("orders")
    with pytest.raises(NotFound, match="no exchange 'orders'"):
        await channel.declare_exchange("orders", "topic", passive=True)


# -- publishing ----------------------------------------------------------------------------------


async def test_properties_and_body_arrive_as_they_were_sent(channel: Channel) -> None:
    properties = Properties(
        content_type="text/plain",
        message_id="m1",
        priority=3,
        headers=from_python({"key": "A", "tries": 2}),
    )
    body = bytes(range(256)) * 2000  # takes several frames
    await channel.publish(body, routing_key="q", properties=properties)
    delivery = await channel.get("q")
    assert delivery is not None
    assert (delivery.body, delivery.properties) == (body, properties)
    assert to_python(delivery.properties.headers or {}) == {"key": "A", "tries": 2}
    assert (delivery.exchange, delivery.routing_key, delivery.redelivered) == ("", "q", False)
    assert (delivery.delivery_tag, delivery.message_count) == (1, 0)


async def test_publishes_are_numbered_and_confirmed(channel: Channel) -> None:
    await channel.select_confirms()
    confirms = [await channel.publish(b"x", routing_key="q") for _ in range(50)]
    assert [confirm.number for confirm in confirms] == list(range(1, 51))
    assert channel.unconfirmed == 50
    await channel.wait_confirms()
    assert channel.unconfirmed == 0
    assert all(confirm.done for confirm in confirms)


async def test_a_publish_waits_for_its_own_confirm(channel: Channel) -> None:
    await channel.declare_queue("d", durable=True)
    await channel.select_confirms()
    confirm = await channel.publish(b"x", routing_key="d", properties=Properties(delivery_mode=2))
    assert not confirm.done
    await confirm.wait()
    await confirm.wait()
    assert await bodies(channel, "d") == [b"x"]


async def test_there_is_no_confirm_to_wait_for_without_confirm_mode(channel: Channel) -> None:
    confirm = await channel.publish(b"x", routing_key="q")
    assert confirm.number == 0
    with pytest.raises(ValueError, match=r"confirm\.select"):
        await confirm.wait()


async def test_a_full_queue_that_takes_no_more_nacks(channel: Channel) -> None:
    arguments = {"x-max-length": 1, "x-overflow": "reject-publish"}
    await channel.declare_queue("full", arguments=arguments)
    await channel.select_confirms()
    first = await channel.publish(b"1", routing_key="full")
    second = await channel.publish(b"2", routing_key="full")
    await first.wait()
    with pytest.raises(Nacked, match="would not take publish 2"):
        await second.wait()
    assert await bodies(channel, "full") == [b"1"]


async def test_a_mandatory_message_that_reaches_no_queue_comes_back(channel: Channel) -> None:
    returned = list[Returned]()
    channel.on_return(returned.append)
    await channel.select_confirms()
    lost = await channel.publish(b"1", routing_key="nowhere", mandatory=True)
    found = await channel.publish(b"2", routing_key="q", mandatory=True)
    unnoticed = await channel.publish(b"3", routing_key="nowhere")
    await found.wait()
    await unnoticed.wait()
    with pytest.raises(Unroutable, match="NO_ROUTE: no queue for routing key 'nowhere'"):
        await lost.wait()
    assert [(one.body, one.reply_code, one.reply_text) for one in returned] == [
        (b"1", 312, "NO_ROUTE")
    ]
    assert returned[0].properties == Properties()


async def test_a_return_without_confirm_mode_is_told_alone(channel: Channel) -> None:
    returned = list[Returned]()
    channel.on_return(returned.append)
    await channel.publish(b"1", routing_key="nowhere", mandatory=True)
    await channel.qos(0)
    assert [one.routing_key for one in returned] == ["nowhere"]


# -- consuming -----------------------------------------------------------------------------------


async def test_a_consumer_gets_messages_within_its_prefetch(channel: Channel) -> None:
    await channel.qos(2)
    consumer = await channel.consume("q", tag="c1")
    for body in (b"1", b"2", b"3"):
        await channel.publish(body, routing_key="q")
    first, second = await consumer.receive(), await consumer.receive()
    assert (first.body, second.body, first.consumer_tag) == (b"1", b"2", "c1")
    await channel.recover(requeue=True)  # a round trip: nothing more has come before it
    again = [await consumer.receive() for _ in range(2)]
    assert [(one.body, one.redelivered) for one in again] == [(b"1", True), (b"2", True)]
    channel.ack(again[1], multiple=True)
    third = await consumer.receive()
    assert (third.body, third.redelivered) == (b"3", False)


async def test_iterating_ends_when_we_cancel_and_all_was_taken(channel: Channel) -> None:
    consumer = await channel.consume("q")
    assert consumer.tag.startswith("amq.ctag-")
    for body in (b"1", b"2"):
        await channel.publish(body, routing_key="q")
    taken = []
    async for delivery in consumer:
        taken.append(delivery.body)
        if len(taken) == 1:
            await consumer.cancel()
        channel.ack(delivery)
    assert taken == [b"1", b"2"]
    with pytest.raises(trio.EndOfChannel):
        await consumer.receive()


async def test_a_consumer_may_be_waited_on_before_there_is_anything(
    broker: Served, channel: Channel
) -> None:
    consumer = await channel.consume("q", no_ack=True)
    async with trio.open_nursery() as nursery:

        async def publish() -> None:
            async with broker.channel() as other:
                await other.publish(b"1", routing_key="q")

        nursery.start_soon(publish)
        assert (await consumer.receive()).body == b"1"
    assert broker.rig.queue("q").unacked == 0


async def test_a_consumer_whose_queue_goes_is_told(channel: Channel) -> None:
    consumer = await channel.consume("q", tag="c1")
    await channel.publish(b"1", routing_key="q")
    await channel.delete_queue("q")
    assert (await consumer.receive()).body == b"1"
    with pytest.raises(ConsumerCancelled, match="'c1'"):
        await consumer.receive()


async def test_an_exclusive_consumer_is_alone(broker: Served, channel: Channel) -> None:
    await channel.consume("q", exclusive=True)
    async with broker.channel() as other:
        with pytest.raises(AccessRefused, match="exclusive use"):
            await other.consume("q")


@pytest.mark.parametrize("way", ["nack", "reject"])
async def test_what_is_given_back_comes_again(channel: Channel, way: str) -> None:
    await channel.publish(b"1", routing_key="q")
    for redelivered in (False, True, True):
        delivery = await channel.get("q")
        assert delivery is not None
        assert delivery.redelivered is redelivered
        getattr(channel, way)(delivery)
    delivery = await channel.get("q")
    assert delivery is not None
    getattr(channel, way)(delivery.delivery_tag, requeue=False)
    assert await channel.get("q") is None


async def test_all_at_once_may_be_acked(channel: Channel) -> None:
    for body in (b"1", b"2", b"3"):
        await channel.publish(body, routing_key="q")
        assert await channel.get("q") is not None
    channel.ack(0, multiple=True)
    await channel.recover(requeue=True)
    assert await channel.get("q") is None


# -- transactions --------------------------------------------------------------------------------


async def test_a_transaction_happens_or_does_not(channel: Channel) -> None:
    await channel.select_tx()
    await channel.publish(b"1", routing_key="q")
    await channel.rollback()
    await channel.publish(b"2", routing_key="q")
    await channel.commit()
    assert await bodies(channel) == [b"2"]


# -- the end -------------------------------------------------------------------------------------


async def test_the_brokers_close_is_raised_wherever_somebody_waits(
    broker: Served, channel: Channel
) -> None:
    consumer = await channel.consume("q", no_ack=True)
    await channel.select_confirms()
    confirm = await channel.publish(b"x", exchange="nowhere")
    for wait in (consumer.receive, confirm.wait, channel.commit):
        with pytest.raises(NotFound) as caught:
            await wait()
        assert caught.value.reply_code == 404
        assert caught.value.reply_text == "NOT_FOUND - no exchange 'nowhere' in vhost '/'"
    with pytest.raises(NotFound):
        channel.ack(1)
    assert isinstance(channel.error, NotFound)
    await channel.close()


async def test_an_ack_of_nothing_closes_the_channel(channel: Channel) -> None:
    channel.ack(7)
    with pytest.raises(PreconditionFailed, match="unknown delivery tag 7"):
        await channel.qos(1)


async def test_closing_gives_back_what_is_held(broker: Served, channel: Channel) -> None:
    await channel.publish(b"1", routing_key="q")
    assert await channel.get("q") is not None
    consumer = await channel.consume("q")
    await channel.close()
    assert broker.rig.queue("q").ready == 1
    for wait in (channel.commit, consumer.receive):
        with pytest.raises(Closed, match="we closed the channel"):
            await wait()
    await channel.close()


async def test_a_question_that_nobody_waits_for_any_more_is_answered_all_the_same(
    channel: Channel,
) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await channel.declare_queue("other")
    assert await channel.declare_queue("third") == QueueDeclareOk("third", 0, 0)
    assert await channel.declare_queue("other", passive=True) == QueueDeclareOk("other", 0, 0)

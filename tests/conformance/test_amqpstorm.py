"""AMQPStorm: threads, plain dictionaries, and an exception per kind of failure."""

from collections.abc import Callable, Iterator
from threading import Thread
from time import monotonic

import amqpstorm
import pytest
from amqpstorm import AMQPChannelError, AMQPConnectionError, AMQPMessageError, Message

from tests.conformance.conftest import Broker, Name

WITHIN_S = 10


@pytest.fixture
def connection(broker: Broker) -> Iterator[amqpstorm.Connection]:
    with amqpstorm.Connection(broker.host, "guest", "guest", port=broker.port) as connection:
        yield connection


@pytest.fixture
def channel(connection: amqpstorm.Connection) -> Iterator[amqpstorm.Channel]:
    with connection.channel(rpc_timeout=WITHIN_S) as channel:
        yield channel


@pytest.fixture
def queue(channel: amqpstorm.Channel, name: Name) -> str:
    channel.queue.declare(name("q"), exclusive=True)
    return name("q")


def consume(channel: amqpstorm.Channel, holds: Callable[[], object]) -> None:
    """Handle what comes until `holds()`; fail after `WITHIN_S`."""
    deadline = monotonic() + WITHIN_S
    while not holds():
        assert monotonic() < deadline, "in vain"
        channel.process_data_events(auto_decode=False)


def test_the_broker_introduces_itself(connection: amqpstorm.Connection, broker: Broker) -> None:
    assert connection.server_properties["product"] == broker.product
    assert connection.server_properties["capabilities"]["publisher_confirms"] is True
    assert (connection.max_allowed_channels, connection.max_frame_size) == (2047, 131072)


def test_declaring_answers_with_what_is_there(channel: amqpstorm.Channel, name: Name) -> None:
    assert channel.queue.declare(name("q"), exclusive=True) == {
        "queue": name("q"),
        "message_count": 0,
        "consumer_count": 0,
    }
    channel.confirm_deliveries()
    assert channel.basic.publish("m", name("q")) is True
    assert channel.queue.declare(name("q"), passive=True)["message_count"] == 1
    assert channel.queue.purge(name("q")) == {"message_count": 1}
    assert channel.queue.delete(name("q"), if_empty=True) == {"message_count": 0}


def test_a_message_comes_through_whole(channel: amqpstorm.Channel, queue: str) -> None:
    properties = {
        "content_type": "text/plain",
        "headers": {"key": "värde", "number": -1, "flag": False, "nested": {"list": [1, "a"]}},
        "delivery_mode": 2,
        "priority": 9,
        "correlation_id": "c",
        "reply_to": "r",
        "expiration": "60000",
        "message_id": "m",
        "message_type": "t",
        "user_id": "guest",
        "app_id": "a",
    }
    channel.basic.publish("hëllo", queue, properties=properties)
    got = channel.basic.get(queue, no_ack=True)
    assert got.body == "hëllo"
    assert {key: got.properties[key] for key in properties} == properties
    assert got.method["routing_key"] == queue
    assert channel.basic.get(queue) is None


@pytest.mark.parametrize("size", [0, 131064, 131065, 400_000])
def test_bodies_of_several_frames(channel: amqpstorm.Channel, queue: str, size: int) -> None:
    channel.basic.publish(b"\xfe" * size, queue)
    assert channel.basic.get(queue, no_ack=True, auto_decode=False).body == b"\xfe" * size


def test_an_unroutable_message_is_told_of(channel: amqpstorm.Channel, name: Name) -> None:
    channel.confirm_deliveries()
    with pytest.raises(AMQPMessageError, match="NO_ROUTE") as returned:
        channel.basic.publish("m", name("nobody's"), mandatory=True)
    assert returned.value.error_code == 312


def test_settling_in_every_way(channel: amqpstorm.Channel, queue: str) -> None:
    got: list[tuple[str, bool]] = []

    def on_message(message: Message) -> None:
        got.append((message.body, message.redelivered))
        match message.body, message.redelivered:
            case b"requeue", False:
                message.nack(requeue=True)
            case b"reject", False:
                message.reject(requeue=False)
            case b"again", False:
                message.reject(requeue=True)
            case _:
                message.ack()

    channel.basic.qos(prefetch_count=1)
    tag = channel.basic.consume(on_message, queue)
    for body in ("requeue", "reject", "again", "ack"):
        channel.basic.publish(body, queue)
    consume(channel, lambda: len(got) == 6)
    assert got == [
        (b"requeue", False),
        (b"requeue", True),
        (b"reject", False),
        (b"again", False),
        (b"again", True),
        (b"ack", False),
    ]
    assert channel.basic.cancel(tag)["consumer_tag"] == tag
    assert channel.basic.get(queue) is None


def test_start_consuming_in_a_thread(connection: amqpstorm.Connection, name: Name) -> None:
    consuming, publishing = connection.channel(), connection.channel()
    consuming.queue.declare(name("q"), exclusive=True)
    got: list[str] = []

    def on_message(message: Message) -> None:
        got.append(message.body)
        message.ack()
        if len(got) == 100:
            consuming.stop_consuming()

    consuming.basic.consume(on_message, name("q"))
    thread = Thread(target=consuming.start_consuming)
    thread.start()
    for number in range(100):
        publishing.basic.publish(str(number), name("q"))
    thread.join(WITHIN_S)
    assert got == [str(number) for number in range(100)]


def test_transactions(channel: amqpstorm.Channel, queue: str) -> None:
    with channel.tx:
        channel.basic.publish("kept", queue)
    channel.tx.select()
    channel.basic.publish("lost", queue)
    channel.tx.rollback()
    assert channel.basic.get(queue).body == "kept"
    assert channel.basic.get(queue) is None


@pytest.mark.parametrize("kind", ["direct", "fanout", "topic", "headers"])
def test_exchanges_of_each_type(
    channel: amqpstorm.Channel, queue: str, name: Name, kind: str
) -> None:
    channel.exchange.declare(name("a"), kind)
    channel.exchange.declare(name("b"), "fanout")
    channel.exchange.bind(name("b"), name("a"), "key", arguments={"x": 1})
    channel.queue.bind(queue, name("b"))
    channel.basic.publish("m", "key", exchange=name("a"), properties={"headers": {"x": 1}})
    assert channel.basic.get(queue, no_ack=True).body == "m"
    channel.exchange.unbind(name("b"), name("a"), "key", arguments={"x": 1})
    channel.queue.unbind(queue, name("b"))
    for one in "ab":
        channel.exchange.delete(name(one), if_unused=True)


def test_a_channel_error_has_its_code_and_can_be_recovered_from(
    connection: amqpstorm.Connection, channel: amqpstorm.Channel, name: Name
) -> None:
    with pytest.raises(AMQPChannelError) as refusal:
        channel.queue.declare(name("absent"), passive=True)
    assert (refusal.value.error_code, refusal.value.error_type) == (404, "NOT-FOUND")
    assert connection.is_open
    channel.open()
    assert channel.queue.declare(name("q"), exclusive=True)["queue"] == name("q")


def test_a_connection_error_has_its_code(broker: Broker) -> None:
    with pytest.raises(AMQPConnectionError, match="ACCESS_REFUSED") as refusal:
        amqpstorm.Connection(broker.host, "guest", "wrong", port=broker.port)
    assert refusal.value.error_code == 403
    with pytest.raises(AMQPConnectionError, match="vhost nowhere not found") as refusal:
        amqpstorm.Connection(
            broker.host, "guest", "guest", port=broker.port, virtual_host="nowhere"
        )
    assert refusal.value.error_code == 530


def test_a_consumer_hears_that_its_queue_is_gone(
    connection: amqpstorm.Connection, channel: amqpstorm.Channel, name: Name
) -> None:
    channel.queue.declare(name("q"))
    channel.basic.consume(print, name("q"))
    connection.channel().queue.delete(name("q"))
    consume(channel, lambda: not channel.consumer_tags)
    assert channel.is_open


def test_many_channels(connection: amqpstorm.Connection, name: Name) -> None:
    channels = [connection.channel() for _ in range(30)]
    channels[0].queue.declare(name("q"), exclusive=True)
    for number, channel in enumerate(channels):
        channel.confirm_deliveries()
        channel.basic.publish(str(number), name("q"))
    got = [channel.basic.get(name("q"), no_ack=True).body for channel in channels]
    assert got == [str(number) for number in range(30)]

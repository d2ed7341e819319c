"""pika: confirms, returns and transactions."""

import pytest
from pika import BasicProperties, DeliveryMode
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import UnroutableError

from tests.conformance.conftest import Connect, Name, Publish
from tests.conformance.pika_tools import Inbox, refused, wait_until


def bodies(channel: BlockingChannel, queue: str) -> list[bytes]:
    """Get and ack all messages."""
    return list(iter(lambda: channel.basic_get(queue, auto_ack=True)[2], None))


@pytest.mark.parametrize("mode", list(DeliveryMode))
@pytest.mark.parametrize("durable", [False, True])
def test_a_publish_is_confirmed(
    connect: Connect, channel: BlockingChannel, name: Name, mode: DeliveryMode, durable: bool
) -> None:
    queue = channel.queue_declare(name("q"), durable=durable).method.queue
    publisher = connect().channel()
    publisher.confirm_delivery()
    for number in range(20):
        properties = BasicProperties(delivery_mode=mode.value)
        publisher.basic_publish("", queue, b"%d" % number, properties)
    assert channel.queue_declare(queue, passive=True).method.message_count == 20
    assert bodies(channel, queue) == [b"%d" % number for number in range(20)]
    channel.queue_delete(queue)


def test_a_publish_to_many_queues_is_confirmed_once(channel: BlockingChannel, name: Name) -> None:
    queues = [channel.queue_declare("", exclusive=True).method.queue for _ in range(5)]
    channel.exchange_declare(name("x"), "fanout", auto_delete=True)
    for one in queues:
        channel.queue_bind(one, name("x"))
    channel.confirm_delivery()
    for body in (b"1", b"2"):
        channel.basic_publish(name("x"), "", body)
    assert [bodies(channel, one) for one in queues] == [[b"1", b"2"]] * 5


def test_what_nobody_wants_is_confirmed_too(channel: BlockingChannel, name: Name) -> None:
    channel.confirm_delivery()
    for _ in range(3):
        channel.basic_publish("amq.direct", name("nobody's"), b"lost")  # returns: it was confirmed


def test_a_mandatory_message_without_a_queue_comes_back_before_its_confirm(
    channel: BlockingChannel, queue: str, name: Name
) -> None:
    channel.confirm_delivery()
    properties = BasicProperties(headers={"a": 1}, message_id="m-1")
    with pytest.raises(UnroutableError) as refusal:
        channel.basic_publish("amq.direct", name("k"), b"back", properties, mandatory=True)
    (returned,) = refusal.value.messages
    assert (returned.method.reply_code, returned.method.reply_text) == (312, "NO_ROUTE")
    assert (returned.method.exchange, returned.method.routing_key) == ("amq.direct", name("k"))
    assert (returned.properties, returned.body) == (properties, b"back")
    channel.basic_publish("", queue, b"kept", mandatory=True)
    assert bodies(channel, queue) == [b"kept"]


def test_messages_come_back_without_confirms(
    channel: BlockingChannel, queue: str, name: Name
) -> None:
    returned: list[tuple[str, bytes]] = []
    channel.add_on_return_callback(lambda _c, m, _p, body: returned.append((m.routing_key, body)))
    large = b"x" * 300_000
    channel.basic_publish("", name("k"), b"", mandatory=True)
    channel.basic_publish("", queue, b"kept", mandatory=True)
    channel.basic_publish("", name("k"), b"not mandatory")
    channel.basic_publish("", name("k"), large, mandatory=True)
    wait_until(channel, lambda: len(returned) == 2, "two returns")
    assert returned == [(name("k"), b""), (name("k"), large)]
    assert bodies(channel, queue) == [b"kept"]


def test_commit_publishes_what_was_held_back(
    connect: Connect, channel: BlockingChannel, queue: str
) -> None:
    looking = channel.connection.channel()
    channel.tx_select()
    channel.tx_select()  # again: no error
    for body in (b"1", b"2"):
        channel.basic_publish("", queue, body)
    assert looking.basic_get(queue) == (None, None, None)
    channel.tx_commit()
    assert bodies(looking, queue) == [b"1", b"2"]
    channel.basic_publish("", queue, b"3")  # the next transaction has begun
    assert looking.basic_get(queue) == (None, None, None)


def test_rollback_forgets_what_was_published(channel: BlockingChannel, queue: str) -> None:
    channel.tx_select()
    channel.basic_publish("", queue, b"forgotten")
    channel.tx_rollback()
    channel.basic_publish("", queue, b"kept")
    channel.tx_commit()
    assert bodies(channel, queue) == [b"kept"]


def test_closing_the_channel_rolls_back(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    other = channel.connection.channel()
    publish(queue, b"there")
    other.tx_select()
    other.basic_publish("", queue, b"forgotten")
    other.basic_ack(other.basic_get(queue)[0].delivery_tag)
    other.close()
    method, _, body = channel.basic_get(queue)
    assert (body, method.redelivered, method.message_count) == (b"there", True, 0)


def test_acks_take_effect_at_commit(channel: BlockingChannel, queue: str, publish: Publish) -> None:
    other = channel.connection.channel()
    publish(queue, b"1", b"2", b"3")
    other.tx_select()
    tags = [other.basic_get(queue)[0].delivery_tag for _ in range(3)]
    other.basic_ack(tags[0])
    other.tx_commit()
    other.basic_ack(tags[1])
    other.tx_rollback()
    other.basic_nack(tags[2], requeue=True)
    assert channel.queue_declare(queue, passive=True).method.message_count == 0
    other.tx_commit()
    assert bodies(channel, queue) == [b"3"]
    other.basic_ack(tags[1])  # its first ack was rolled back: it is still unacked, not requeued
    other.tx_commit()
    other.close()
    assert bodies(channel, queue) == []


def test_a_transaction_may_span_queues(channel: BlockingChannel, queue: str, name: Name) -> None:
    done = channel.queue_declare(name("done"), exclusive=True).method.queue
    channel.basic_publish("", queue, b"work")
    channel.tx_select()
    tag = channel.basic_get(queue)[0].delivery_tag
    channel.basic_publish("", done, b"result")
    channel.basic_ack(tag)
    channel.tx_commit()
    assert (bodies(channel, queue), bodies(channel, done)) == ([], [b"result"])


def test_consumers_get_what_a_commit_releases(channel: BlockingChannel, queue: str) -> None:
    inbox = Inbox(channel.connection.channel(), queue, auto_ack=True)
    channel.tx_select()
    for number in range(50):
        channel.basic_publish("", queue, b"%d" % number)
    assert inbox.settled() == []
    channel.tx_commit()
    assert [one.body for one in inbox.take(50)] == [b"%d" % number for number in range(50)]


def test_mandatory_messages_come_back_at_commit(channel: BlockingChannel, name: Name) -> None:
    returned: list[bytes] = []
    channel.add_on_return_callback(lambda _c, _m, _p, body: returned.append(body))
    channel.tx_select()
    channel.basic_publish("", name("k"), b"nobody's", mandatory=True)
    channel.tx_rollback()
    channel.basic_publish("", name("k"), b"nobody's either", mandatory=True)
    channel.tx_commit()
    wait_until(channel, lambda: len(returned) == 1, "the return")
    assert returned == [b"nobody's either"]


@pytest.mark.parametrize("method", ["tx_commit", "tx_rollback"])
def test_without_select_there_is_no_transaction(channel: BlockingChannel, method: str) -> None:
    with refused(406, "PRECONDITION_FAILED - channel is not transactional"):
        getattr(channel, method)()


def test_a_channel_is_transactional_or_confirming(channel: BlockingChannel) -> None:
    connection = channel.connection
    channel.confirm_delivery()
    with refused(406, "PRECONDITION_FAILED - cannot switch from confirm to tx mode"):
        channel.tx_select()
    other = connection.channel()
    other.tx_select()
    with refused(406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode"):
        other.confirm_delivery()

"""Confirms settle each publish once, truly, and after its return (RabbitMQ: publisher confirms)."""

import pytest

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import (
    BasicAck,
    BasicNack,
    BasicPublish,
    BasicReturn,
)
from amqplite.protocol.properties import Properties
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name
from tests.wire.events import PERSISTENT, TRANSIENT, Ledger, arguments


def test_an_unroutable_message_is_returned_once_and_before_its_ack(
    channel: Channel, name: Name
) -> None:
    queue, nowhere = name("q"), name("nowhere")
    channel.declare(queue)
    channel.confirm()
    count = 300
    channel.peer.send_octets(
        b"".join(
            channel.publication(b"%d" % number, nowhere if number % 2 else queue, mandatory=True)
            for number in range(1, count + 1)
        )
    )
    ledger = Ledger(count)
    returned: list[int] = []
    while ledger.open:
        event = channel.peer.await_event(channel.number, 10)
        if isinstance(event.method, BasicReturn):
            number = int(event.body)
            assert number in ledger.open, f"publish {number} was confirmed before its return"
            assert number not in returned
            returned.append(number)
        else:
            ledger.settle(event.method)
    assert set(ledger.outcomes.values()) == {True}
    assert returned == list(range(1, count + 1, 2))
    assert channel.received() == []
    assert channel.depth(queue) == count // 2


def test_a_return_carries_all_that_was_published(channel: Channel, name: Name) -> None:
    exchange = channel.declare_exchange(name("x"), "direct")
    properties = Properties(
        content_type="text/plain",
        headers={"n": ("l", -1), "t": ("T", 2**64 - 1)},
        delivery_mode=2,
        priority=3,
        correlation_id="c",
        message_id="m",
        app_id="a",
    )
    channel.publish(b"body", "key", exchange, properties, mandatory=True)
    event = channel.expect_event(BasicReturn)
    assert event.method == BasicReturn(312, "NO_ROUTE", exchange, "key")
    assert (event.properties, event.body) == (properties, b"body")
    channel.peer.quiet()


def test_an_unroutable_message_that_is_not_mandatory_is_acked_and_gone(
    channel: Channel, name: Name
) -> None:
    channel.confirm()
    channel.publish(b"m", name("nowhere"))
    assert channel.expect(BasicAck) == BasicAck(1, False)
    channel.peer.quiet()


def test_without_confirms_a_mandatory_message_is_returned_and_nothing_else(
    channel: Channel, name: Name
) -> None:
    channel.publish(b"m", name("nowhere"), mandatory=True)
    assert channel.expect_event(BasicReturn).body == b"m"
    channel.peer.quiet()


def test_messages_of_one_id_are_returned_each(channel: Channel, name: Name) -> None:
    channel.confirm()
    for _ in range(2):
        channel.publish(
            b"m", name("nowhere"), properties=Properties(message_id="twin"), mandatory=True
        )
    kinds = [type(event.method) for event in channel.received()]
    assert kinds.count(BasicReturn) == 2


def test_what_an_alternate_exchange_takes_is_not_returned(channel: Channel, name: Name) -> None:
    rest, alternate, queue = name("rest"), name("alternate"), name("q")
    channel.declare_exchange(alternate, "fanout")
    channel.declare_exchange(rest, "direct", arguments(alternate_exchange=alternate))
    channel.declare(queue)
    channel.bind(queue, alternate)
    channel.confirm()
    channel.publish(b"m", "nowhere", rest, mandatory=True)
    assert channel.expect(BasicAck) == BasicAck(1, False)
    channel.peer.quiet()
    assert channel.got(queue).method.exchange == rest


def test_what_an_alternate_exchange_does_not_take_either_is_returned(
    channel: Channel, name: Name
) -> None:
    rest, alternate = name("rest"), name("alternate")
    channel.declare_exchange(alternate, "fanout")
    channel.declare_exchange(rest, "direct", arguments(alternate_exchange=alternate))
    channel.publish(b"m", "nowhere", rest, mandatory=True)
    assert channel.expect(BasicReturn) == BasicReturn(312, "NO_ROUTE", rest, "nowhere")


def test_the_immediate_bit_is_not_implemented(connect: Connect, queue: str) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    publication = channel.publication(b"m", queue)
    plain = method_frame(channel.number, BasicPublish(routing_key=queue))
    immediate = method_frame(channel.number, BasicPublish(routing_key=queue, immediate=True))
    assert publication.startswith(plain)
    peer.send_octets(publication.replace(plain, immediate))
    peer.expect_close(540, "immediate=true", by=BasicPublish)
    assert connect().channel().depth(queue) == 0


def test_confirms_count_from_the_select(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    channel.publish(b"before", queue)
    channel.confirm()
    channel.publish(b"after", queue)
    assert channel.expect(BasicAck) == BasicAck(1, False)
    channel.confirm()  # again: nothing changes
    channel.publish(b"again", queue)
    assert channel.expect(BasicAck) == BasicAck(2, False)
    channel.peer.quiet()


def test_a_message_to_several_queues_is_confirmed_once(channel: Channel, name: Name) -> None:
    exchange = channel.declare_exchange(name("x"), "fanout")
    for purpose in ("a", "b", "c"):
        channel.bind(channel.declare(name(purpose), durable=purpose != "c"), exchange)
    channel.confirm()
    channel.publish(b"m", "", exchange)
    assert channel.expect(BasicAck) == BasicAck(1, False)
    channel.peer.quiet()


def test_a_publish_to_a_queue_that_is_deleted_behind_it_is_confirmed(
    channel: Channel, queue: str
) -> None:
    channel.declare(queue)
    channel.confirm()
    for _ in range(20):
        channel.publish(b"m", queue)
    channel.delete(queue)
    assert set(channel.await_confirms(20).values()) == {True}


def test_each_of_many_publishes_is_settled_once_whatever_it_waits_for(
    connect: Connect, name: Name
) -> None:
    """Transient and persistent, to a durable queue, another, both and none."""
    channel = connect().channel()
    exchange = channel.declare_exchange(name("x"), "topic")
    durable, other = name("durable"), name("other")
    channel.declare(durable)
    channel.declare(other, durable=False)
    channel.bind(durable, exchange, "durable.#")
    channel.bind(other, exchange, "#.other")
    channel.confirm()
    keys = ("durable", "other", "durable.other", "none")
    count = 8000
    for first in range(0, count, 100):
        channel.peer.send_octets(
            b"".join(
                channel.publication(
                    b"%d" % number,
                    keys[number % 4],
                    exchange,
                    PERSISTENT if number % 3 else TRANSIENT,
                )
                for number in range(first, first + 100)
            )
        )
    assert set(channel.await_confirms(count).values()) == {True}
    channel.peer.quiet()
    assert channel.depth(durable) == channel.depth(other) == count // 2


def test_no_confirm_contradicts_another_where_a_full_queue_rejects(
    connect: Connect, name: Name
) -> None:
    publisher, consumer = connect().channel(), connect().channel()
    full, slow = name("full"), name("slow")
    exchange = publisher.declare_exchange(name("x"), "direct")
    publisher.declare(full, arguments=arguments(x_max_length=10, x_overflow="reject-publish"))
    publisher.declare(slow)
    publisher.bind(full, exchange, "full")
    publisher.bind(full, exchange, "both")
    publisher.bind(slow, exchange, "both")
    publisher.confirm()
    consumer.qos(7)
    consumer.consume(full)
    count, ledger = 5000, Ledger(5000)
    taken: list[int] = []
    for first in range(0, count, 50):
        publisher.peer.send_octets(
            b"".join(
                publisher.publication(
                    b"%d" % (number + 1),
                    "both" if number % 5 == 0 else "full",
                    exchange,
                    PERSISTENT if number % 2 else TRANSIENT,
                )
                for number in range(first, first + 50)
            )
        )
        if first % 250 == 0:  # it falls behind, then takes what there is
            held = consumer.received()
            taken += [int(event.body) for event in held]
            if held:
                consumer.ack(held[-1].tag, multiple=True)
    while ledger.open:
        ledger.settle(publisher.peer.await_event(publisher.number, 10).method)
    while held := consumer.received():
        taken += [int(event.body) for event in held]
        consumer.ack(held[-1].tag, multiple=True)
    acked = sorted(number for number, was_acked in ledger.outcomes.items() if was_acked)
    assert taken == acked
    assert 10 <= len(acked) < count
    assert publisher.depth(slow) == count // 5  # it took all, whatever the other did
    publisher.peer.quiet()


def test_a_full_queue_nacks_what_it_refuses_and_counts_what_is_ready(
    channel: Channel, queue: str
) -> None:
    channel.declare(queue, arguments=arguments(x_max_length=2, x_overflow="reject-publish"))
    channel.confirm()
    for body in (b"1", b"2", b"3"):
        channel.publish(body, queue, mandatory=True)
    assert channel.await_confirms(3) == {1: True, 2: True, 3: False}
    channel.got(queue)
    channel.publish(b"4", queue)
    assert channel.expect(BasicAck) == BasicAck(4, False)
    channel.publish(b"5", queue)
    assert channel.expect(BasicNack).delivery_tag == 5
    channel.peer.quiet()
    assert channel.drain(queue) == [(b"2", False), (b"4", False)]


@pytest.mark.parametrize("mode", [PERSISTENT, TRANSIENT], ids=["persistent", "transient"])
def test_a_confirmed_message_can_be_got_at_once(
    connect: Connect, queue: str, mode: Properties
) -> None:
    publisher, consumer = connect().channel().confirm(), connect().channel()
    publisher.declare(queue)
    for number in range(20):
        publisher.publish(b"%d" % number, queue, properties=mode)
        publisher.expect(BasicAck)
        assert consumer.got(queue, no_ack=True).body == b"%d" % number

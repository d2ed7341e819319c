"""kombu: connections, producers, consumers, mailboxes and simple queues."""

import socket
from collections.abc import Iterator
from time import monotonic
from typing import Any

import kombu
import kombu.pidbox
import kombu.pools
import pytest
from amqp.exceptions import AccessRefused

from tests.conformance.conftest import Broker, Name

WITHIN_S = 10


@pytest.fixture
def connection(broker: Broker) -> Iterator[kombu.Connection]:
    with kombu.Connection(broker.url, connect_timeout=5) as connection:
        connection.ensure_connection(max_retries=1)
        yield connection


def drain(connection: kombu.Connection, until: Any) -> None:
    """Handle what comes until `until()`; fail after `WITHIN_S`."""
    deadline = monotonic() + WITHIN_S
    while not until():
        assert monotonic() < deadline, "in vain"
        try:
            connection.drain_events(timeout=0.2)
        except TimeoutError:
            connection.heartbeat_check()


@pytest.mark.parametrize("serializer", ["json", "pickle"])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_what_a_producer_publishes_a_consumer_gets(
    connection: kombu.Connection, name: Name, serializer: str, compression: str | None
) -> None:
    payload = {"text": "ж" * 100_000, "list": [1, None]}
    exchange = kombu.Exchange(name("x"), "direct", durable=False, auto_delete=True)
    queue = kombu.Queue(name("q"), exchange, "key", exclusive=True)
    got: list[Any] = []

    def on_message(body: Any, message: kombu.Message) -> None:
        got.append(body)
        message.ack()

    with connection.Consumer(queue, callbacks=[on_message], accept=[serializer]):
        connection.Producer(serializer=serializer, compression=compression).publish(
            payload, exchange=exchange, routing_key="key", declare=[queue], headers={"n": 1}
        )
        drain(connection, lambda: got)
    assert got == [payload]


def test_a_pool_publishes_with_confirms_and_retries(broker: Broker, name: Name) -> None:
    options = {"confirm_publish": True}
    with kombu.Connection(broker.url, transport_options=options) as connection:
        queue = kombu.Queue(name("q"), exclusive=True)(connection)
        queue.declare()
        with kombu.pools.producers[connection].acquire(block=True) as producer:
            for number in range(20):
                producer.publish({"n": number}, routing_key=name("q"), retry=True)
                assert queue.queue_declare(passive=True).message_count == number + 1
        assert queue.purge() == 20
        queue.delete()
    kombu.pools.reset()


def test_a_simple_queue_keeps_order(connection: kombu.Connection, name: Name) -> None:
    options = {"durable": False, "auto_delete": True}
    simple = connection.SimpleQueue(name("q"), queue_opts=options, exchange_opts=options)
    for number in range(20):
        simple.put(number)
    got = []
    for _ in range(20):
        message = simple.get(timeout=5)
        got.append(message.payload)
        message.ack()
    assert got == list(range(20))
    with pytest.raises(simple.Empty):
        simple.get(block=False)
    simple.close()


@pytest.mark.parametrize("semantics", ["requeue", "reject"])
def test_a_message_can_be_refused(connection: kombu.Connection, name: Name, semantics: str) -> None:
    queue = kombu.Queue(name("q"), exclusive=True)
    seen: list[bool] = []

    def on_message(_body: Any, message: kombu.Message) -> None:
        seen.append(message.delivery_info["redelivered"])
        if len(seen) < 3:
            getattr(message, semantics)()
        else:
            message.ack()

    with connection.Consumer(queue, callbacks=[on_message]):
        connection.Producer().publish("m", routing_key=name("q"), declare=[queue])
        drain(connection, lambda: seen)
        if semantics == "requeue":
            drain(connection, lambda: len(seen) == 3)
        assert queue(connection).get() is None
    assert seen == ([False, True, True] if semantics == "requeue" else [False])


def test_prefetch_reaches_a_consumer_that_runs(connection: kombu.Connection, name: Name) -> None:
    queue, got = kombu.Queue(name("q"), exclusive=True), []
    by_channel = not connection.qos_semantics_matches_spec  # as Celery asks: RabbitMQ 3 is known
    consumer = connection.Consumer(queue, on_message=got.append)
    consumer.qos(prefetch_count=2, apply_global=by_channel)
    with consumer:
        producer = connection.Producer()
        for number in range(10):
            producer.publish(number, routing_key=name("q"), declare=[queue])
        drain(connection, lambda: len(got) == 2)
        consumer.qos(prefetch_count=5, apply_global=by_channel)
        drain(connection, lambda: len(got) == 5)
        assert queue(connection).queue_declare(passive=True).message_count == 5
        assert [one.payload for one in got] == [0, 1, 2, 3, 4]


def test_the_broker_is_taken_to_follow_the_specification_on_qos(
    connection: kombu.Connection, broker: Broker
) -> None:
    assert connection.qos_semantics_matches_spec is (broker.product == "amqplite")


def test_a_mailbox_reaches_every_node_and_gathers_their_answers(broker: Broker, name: Name) -> None:
    mailbox = kombu.pidbox.Mailbox(name("box"), type="fanout")
    connections = [kombu.Connection(broker.url) for _ in range(3)]
    nodes = []
    for number, connection in enumerate(connections):
        node = mailbox(connection).Node(f"node{number}", state=number, channel=connection.channel())
        node.handlers["add"] = lambda state, amount: state + amount
        consumer = node.Consumer(channel=node.channel)
        consumer.register_callback(lambda body, message, node=node: node.handle_message(body))
        consumer.consume()
        nodes.append(consumer)
    with kombu.Connection(broker.url) as asking:
        box = mailbox(asking)
        ticket = "t-1"
        reply_queue = box.reply_queue(asking.default_channel)
        reply_queue.declare()
        answers: list[dict[str, int]] = []
        with asking.Consumer(
            reply_queue, callbacks=[lambda body, _m: answers.append(body)], no_ack=True
        ):
            box._publish(
                "add",
                {"amount": 10},
                reply_ticket=ticket,
                channel=asking.default_channel,
                timeout=5,
            )
            for connection in connections:
                connection.drain_events(timeout=5)
            drain(asking, lambda: len(answers) == 3)
    assert {k: v for answer in answers for k, v in answer.items()} == {
        "node0": 10,
        "node1": 11,
        "node2": 12,
    }
    for connection in connections:
        connection.release()


def test_bindings_between_exchanges(connection: kombu.Connection, name: Name) -> None:
    channel = connection.channel()
    source = kombu.Exchange(name("source"), "topic", durable=False, channel=channel)
    target = kombu.Exchange(name("target"), "fanout", durable=False, channel=channel)
    source.declare()
    target.declare()
    target.bind_to(source, "a.#")
    queue = kombu.Queue(name("q"), target, exclusive=True, channel=channel)
    queue.declare()
    kombu.Producer(channel).publish("m", exchange=source, routing_key="a.b")
    assert queue.get(no_ack=True).payload == "m"
    target.unbind_from(source, "a.#")
    kombu.Producer(channel).publish("m", exchange=source, routing_key="a.b")
    assert queue.get(no_ack=True) is None
    source.delete()
    target.delete()


def test_errors_can_be_told_apart(connection: kombu.Connection, name: Name) -> None:
    with pytest.raises(connection.channel_errors) as refusal:
        kombu.Queue(name("absent"), channel=connection.channel()).queue_declare(passive=True)
    assert refusal.value.code == 404
    wrong = connection.clone(password="wrong")
    with pytest.raises(AccessRefused, match="Login was refused"):
        wrong.ensure_connection(max_retries=1, interval_start=0, interval_step=0)


def test_a_lost_connection_is_revived(connection: kombu.Connection, name: Name) -> None:
    producer = connection.Producer()
    queue = kombu.Queue(name("q"), auto_delete=True)
    producer.publish("before", routing_key=name("q"), declare=[queue])
    connection.connection.transport.sock.shutdown(socket.SHUT_RDWR)
    for body in ("after", "later"):
        connection.ensure(producer, producer.publish, max_retries=3)(
            body, routing_key=name("q"), declare=[queue]
        )
    got: list[str] = []
    with connection.Consumer(queue, callbacks=[lambda body, m: (got.append(body), m.ack())]):
        drain(connection, lambda: len(got) == 3)
    assert got == ["before", "after", "later"]

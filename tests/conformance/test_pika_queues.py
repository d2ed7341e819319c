"""pika: declaring, binding, emptying and deleting queues."""

import re
from typing import Any

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Name, Publish
from tests.conformance.pika_tools import Inbox, queue_exists, refused


def test_declaring_tells_what_is_there(
    channel: BlockingChannel, name: Name, publish: Publish
) -> None:
    queue = name("q")
    first = channel.queue_declare(queue, exclusive=True).method
    assert (first.queue, first.message_count, first.consumer_count) == (queue, 0, 0)
    publish(queue, b"1", b"2", b"3")
    channel.basic_get(queue)  # unacked: no longer counted
    channel.basic_qos(prefetch_count=1)
    Inbox(channel, queue).take(1)
    again = channel.queue_declare(queue, exclusive=True).method
    assert (again.message_count, again.consumer_count) == (1, 1)


def test_confirmed_messages_are_counted_at_once(channel: BlockingChannel, name: Name) -> None:
    queue = channel.queue_declare(name("q"), exclusive=True).method.queue
    channel.confirm_delivery()
    for count in range(1, 20):
        channel.basic_publish("", queue, b"m")
        assert channel.queue_declare(queue, passive=True).method.message_count == count


def test_a_missing_queue_is_not_found(channel: BlockingChannel, name: Name) -> None:
    absent = name("absent")
    text = f"NOT_FOUND - no queue '{absent}' in vhost '/'"
    for use in (
        lambda c: c.queue_declare(absent, passive=True),
        lambda c: c.queue_bind(absent, "amq.direct", "key"),
        lambda c: c.queue_purge(absent),
        lambda c: c.basic_get(absent),
        lambda c: c.basic_consume(absent, print),
    ):
        with refused(404, text):
            use(channel.connection.channel())


def test_the_broker_names_a_queue(channel: BlockingChannel) -> None:
    names = {channel.queue_declare("", exclusive=True).method.queue for _ in range(20)}
    assert len(names) == 20
    assert all(re.fullmatch(r"amq\.gen-[\w-]{22}", queue) for queue in names)


def test_no_name_means_the_queue_declared_last(channel: BlockingChannel) -> None:
    queue = channel.queue_declare("", exclusive=True).method.queue
    channel.queue_bind("", "amq.direct")  # and no key: its name again
    channel.basic_publish("amq.direct", queue, b"by name")
    assert channel.basic_get("", auto_ack=True)[2] == b"by name"
    channel.basic_publish("", queue, b"to purge")
    assert channel.queue_purge("").method.message_count == 1
    inbox = Inbox(channel, "")
    channel.basic_publish("", queue, b"consumed")
    assert inbox.take(1)[0].body == b"consumed"


def test_without_a_declaration_there_is_no_queue_declared_last(channel: BlockingChannel) -> None:
    with refused(404, "NOT_FOUND - no previously declared queue"):
        channel.queue_bind("", "amq.direct", "key")


def test_reserved_names_are_refused(channel: BlockingChannel, name: Name) -> None:
    reserved = f"amq.{name('q')}"
    with refused(403, f"ACCESS_REFUSED - queue name '{reserved}' contains reserved prefix 'amq.*'"):
        channel.queue_declare(reserved)


@pytest.mark.parametrize("letter", ["q", "ö", "🐇"])
def test_a_name_may_have_255_octets(channel: BlockingChannel, name: Name, letter: str) -> None:
    queue = name("q")
    width = len(letter.encode())
    queue += letter * ((255 - len(queue)) // width)
    channel.queue_declare(queue, exclusive=True)
    channel.basic_publish("", queue, b"long")
    method, _, body = channel.basic_get(queue, auto_ack=True)
    assert (method.routing_key, body) == (queue, b"long")


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("durable", {"durable": True}, "received 'true' but current is 'false'"),
    ("auto_delete", {"auto_delete": False}, "received 'false' but current is 'true'"),
    (
        "x-message-ttl",
        {"arguments": {}},
        "received none but current is the value '60000' of type 'signedint'",
    ),
    (
        "x-message-ttl",
        {"arguments": {"x-message-ttl": 5}},
        "received '5' but current is '60000'",
    ),
    (
        "x-expires",
        {"arguments": {"x-message-ttl": 60000, "x-expires": 70000}},
        "received the value '70000' of type 'signedint' but current is none",
    ),
]


@pytest.mark.parametrize(("argument", "change", "text"), CHANGES, ids=range(len(CHANGES)))
def test_a_queue_cannot_be_redeclared_otherwise(
    channel: BlockingChannel, name: Name, argument: str, change: dict[str, Any], text: str
) -> None:
    queue, other = name("q"), channel.connection.channel()
    declared: dict[str, Any] = {"auto_delete": True, "arguments": {"x-message-ttl": 60000}}
    for _ in range(2):
        channel.queue_declare(queue, **declared)
    with refused(
        406,
        f"PRECONDITION_FAILED - inequivalent arg '{argument}' for queue '{queue}' in vhost '/': "
        + text,
    ):
        other.queue_declare(queue, **{**declared, **change})
    channel.queue_delete(queue)


def test_arguments_that_mean_nothing_never_clash(channel: BlockingChannel, name: Name) -> None:
    queue = name("q")
    for value in ("one", "two", 3):
        channel.queue_declare(queue, exclusive=True, arguments={"x-my-note": value})


INVALID: list[tuple[dict[str, object], str]] = [
    ({"x-message-ttl": -1}, "invalid arg 'x-message-ttl' for queue"),
    ({"x-message-ttl": "soon"}, "invalid arg 'x-message-ttl' for queue"),
    ({"x-expires": 0}, "invalid arg 'x-expires' for queue"),
    ({"x-max-length": -5}, "invalid arg 'x-max-length' for queue"),
    ({"x-max-priority": 256}, "invalid arg 'x-max-priority' for queue"),
    ({"x-overflow": "explode"}, "invalid arg 'x-overflow' for queue"),
    ({"x-dead-letter-routing-key": "k"}, "invalid arg 'x-dead-letter-routing-key' for queue"),
    ({"x-queue-type": "imaginary"}, "invalid arg 'x-queue-type' for queue"),
]


@pytest.mark.parametrize(("arguments", "text"), INVALID, ids=[next(iter(a)) for a, _ in INVALID])
def test_arguments_are_checked(
    channel: BlockingChannel, name: Name, arguments: dict[str, object], text: str
) -> None:
    with refused(406, f"PRECONDITION_FAILED - {text} '{name('q')}' in ", exactly=False):
        channel.queue_declare(name("q"), exclusive=True, arguments=arguments)


def test_a_quorum_queue_can_be_declared(channel: BlockingChannel, name: Name) -> None:
    queue, arguments = name("q"), {"x-queue-type": "quorum"}
    for _ in range(2):
        declared = channel.queue_declare(queue, durable=True, arguments=arguments).method
        assert (declared.queue, declared.message_count) == (queue, 0)
    channel.confirm_delivery()
    channel.basic_publish("", queue, b"safe")
    assert channel.basic_get(queue, auto_ack=True)[2] == b"safe"
    channel.queue_delete(queue)


def test_binding_twice_routes_once_and_unbinding_what_is_not_bound_is_fine(
    channel: BlockingChannel, name: Name
) -> None:
    queue, exchange = name("q"), name("x")
    channel.queue_declare(queue, exclusive=True)
    channel.exchange_declare(exchange, "direct")
    channel.confirm_delivery()
    for _ in range(2):
        channel.queue_bind(queue, exchange, "key")
    channel.basic_publish(exchange, "key", b"once")
    assert channel.queue_declare(queue, passive=True).method.message_count == 1
    for _ in range(2):
        channel.queue_unbind(queue, exchange, "key")
    channel.basic_publish(exchange, "key", b"nobody's")
    assert channel.queue_declare(queue, passive=True).method.message_count == 1
    channel.exchange_delete(exchange, if_unused=True)


@pytest.mark.parametrize("missing", ["queue", "exchange"])
def test_unbinding_what_is_gone_is_fine(channel: BlockingChannel, name: Name, missing: str) -> None:
    channel.queue_declare(name("q"), exclusive=True)
    ends = {"queue": name("q"), "exchange": "amq.direct", missing: name("absent")}
    channel.queue_unbind(**ends, routing_key="key")
    assert channel.is_open


def test_purging_leaves_the_unacked(channel: BlockingChannel, name: Name) -> None:
    queue = channel.queue_declare(name("q"), exclusive=True).method.queue
    for body in (b"1", b"2", b"3"):
        channel.basic_publish("", queue, body)
    taken = channel.basic_get(queue)[0].delivery_tag
    assert channel.queue_purge(queue).method.message_count == 2
    channel.basic_nack(taken, requeue=True)
    assert channel.basic_get(queue)[2] == b"1"


def test_deleting_tells_how_many_messages_went(channel: BlockingChannel, name: Name) -> None:
    queue = channel.queue_declare(name("q")).method.queue
    for _ in range(5):
        channel.basic_publish("", queue, b"m")
    assert channel.queue_delete(queue).method.message_count == 5
    assert channel.queue_delete(queue).method.message_count == 0  # it is missing: no error


def test_a_queue_in_use_can_be_spared(channel: BlockingChannel, name: Name) -> None:
    queue, other = name("q"), channel.connection.channel()
    channel.queue_declare(queue, exclusive=True)
    inbox = Inbox(channel, queue)
    with refused(406, f"PRECONDITION_FAILED - queue '{queue}' in vhost '/' in use"):
        other.queue_delete(queue, if_unused=True)
    channel.basic_cancel(inbox.tag)
    channel.queue_delete(queue, if_unused=True)
    assert not queue_exists(channel, queue)


def test_a_queue_with_messages_can_be_spared(
    channel: BlockingChannel, name: Name, publish: Publish
) -> None:
    queue, other = name("q"), channel.connection.channel()
    channel.queue_declare(queue, exclusive=True)
    publish(queue, b"m")
    with refused(406, f"PRECONDITION_FAILED - queue '{queue}' in vhost '/' not empty"):
        other.queue_delete(queue, if_empty=True)
    channel.queue_purge(queue)
    channel.queue_delete(queue, if_empty=True)
    assert not queue_exists(channel, queue)


def test_a_deleted_queue_comes_back_empty_and_unbound(channel: BlockingChannel, name: Name) -> None:
    queue, exchange = name("q"), name("x")
    channel.exchange_declare(exchange, "fanout")
    channel.queue_declare(queue)
    channel.queue_bind(queue, exchange)
    channel.basic_publish(exchange, "", b"m")
    channel.queue_delete(queue)
    channel.queue_declare(queue, exclusive=True)
    channel.basic_publish(exchange, "", b"m")
    assert channel.basic_get(queue) == (None, None, None)
    channel.exchange_delete(exchange)

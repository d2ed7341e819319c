"""py-amqp, under kombu and Celery: what it alone can send, and what it lets one see."""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import amqp
import pytest
from amqp.exceptions import (
    AccessRefused,
    AMQPNotImplementedError,
    NotAllowed,
    NotFound,
    PreconditionFailed,
)

from tests.conformance.conftest import Broker, Name

Open = Callable[..., amqp.Connection]


@pytest.fixture
def open_connection(broker: Broker) -> Iterator[Open]:
    """Log in with changed parameters; the test's end closes it."""
    opened: list[amqp.Connection] = []

    def open_connection(**changes: Any) -> amqp.Connection:
        settings = {"host": f"{broker.host}:{broker.port}", "read_timeout": 10, **changes}
        opened.append(amqp.Connection(**settings))
        opened[-1].connect()
        return opened[-1]

    yield open_connection
    for connection in opened:
        with suppress(OSError, amqp.AMQPError):
            connection.close()
        connection.collect()


@pytest.fixture
def channel(open_connection: Open) -> amqp.Channel:
    return open_connection().channel()


def test_the_login_methods_are_offered(open_connection: Open) -> None:
    connection = open_connection()
    assert {"PLAIN", "AMQPLAIN"} <= {m.decode() for m in connection.mechanisms}
    assert connection.locales == ["en_US"]
    assert (connection.version_major, connection.version_minor) == (0, 9)


@pytest.mark.parametrize("method", ["PLAIN", "AMQPLAIN"])
def test_each_login_method_lets_in_and_keeps_out(open_connection: Open, method: str) -> None:
    channel = open_connection(login_method=method).channel()
    assert channel.queue_declare(exclusive=True).message_count == 0
    text = f"Login was refused using authentication mechanism {method}. For details see the"
    with pytest.raises(AccessRefused, match=text):
        open_connection(login_method=method, password="wrong")


def test_a_connection_error_names_the_method(channel: amqp.Channel, name: Name) -> None:
    channel.queue_declare(name("q"), exclusive=True)
    channel.basic_consume(name("q"), consumer_tag="twice")
    with pytest.raises(NotAllowed) as refusal:
        channel.basic_consume(name("q"), consumer_tag="twice")
    assert refusal.value.code == 530
    assert "attempt to reuse consumer tag 'twice'" in str(refusal.value)
    assert refusal.value.method_sig == (60, 20)
    assert not channel.connection or not channel.connection.connected


def test_a_channel_error_names_the_method(channel: amqp.Channel, name: Name) -> None:
    with pytest.raises(NotFound) as refusal:
        channel.queue_bind(name("q"), "amq.direct", "key")
    assert (refusal.value.code, refusal.value.method_sig) == (404, (50, 20))


def test_the_broker_makes_consumer_tags(channel: amqp.Channel, name: Name) -> None:
    channel.queue_declare(name("q"), exclusive=True)
    tags = {channel.basic_consume(name("q")) for _ in range(10)}
    assert len(tags) == 10
    assert all(re.fullmatch(r"amq\.ctag-[\w-]+", tag) for tag in tags)


def test_cancelling_what_does_not_consume_is_fine(channel: amqp.Channel) -> None:
    channel.basic_cancel("nobody")
    assert channel.queue_declare(exclusive=True).consumer_count == 0


def test_immediate_delivery_is_not_to_be_had(channel: amqp.Channel) -> None:
    channel.basic_publish(amqp.Message(b""), routing_key="q", immediate=True)
    with pytest.raises(AMQPNotImplementedError, match="immediate=true"):
        channel.queue_declare(exclusive=True)


def test_line_ends_in_names_are_dropped(channel: amqp.Channel, name: Name) -> None:
    assert channel.queue_declare(f"{name('q')}\r\n", exclusive=True).queue == name("q")


def test_recover_async_gives_back_without_an_answer(channel: amqp.Channel, name: Name) -> None:
    channel.queue_declare(name("q"), exclusive=True)
    channel.basic_publish(amqp.Message(b"m"), routing_key=name("q"))
    assert channel.basic_get(name("q")).delivery_info["redelivered"] is False
    channel.basic_recover_async(requeue=True)
    again = channel.basic_get(name("q"))
    assert (again.body, again.delivery_info["redelivered"]) == (b"m", True)


HEADERS: dict[str, Any] = {
    "short": 1,
    "negative": -(2**31),
    "long": 2**62,
    "double": 0.1,
    "minus zero": -0.0,
    "huge": 1e308,
    "yes": True,
    "nothing": None,
    "text": "snow ☃",
    "octets": b"\x00\xff",
    "table": {"list": [1, [2, {"three": 3.5}]], "empty": {}},
}


def test_headers_come_back_as_they_went(channel: amqp.Channel, name: Name) -> None:
    channel.queue_declare(name("q"), exclusive=True)
    channel.basic_publish(amqp.Message("m", application_headers=HEADERS), routing_key=name("q"))
    headers = channel.basic_get(name("q"), no_ack=True).headers
    octets = headers.pop("octets")
    assert octets == HEADERS["octets"]
    assert repr(headers) == repr({k: v for k, v in HEADERS.items() if k != "octets"})


def test_a_header_table_of_many_keys(channel: amqp.Channel, name: Name) -> None:
    headers = {f"key {number}": "x" * 20 for number in range(1000)}
    channel.queue_declare(name("q"), exclusive=True)
    channel.basic_publish(amqp.Message("m", application_headers=headers), routing_key=name("q"))
    assert channel.basic_get(name("q"), no_ack=True).headers == headers


def test_confirms_wait_for_the_broker(open_connection: Open, name: Name) -> None:
    channel = open_connection(confirm_publish=True).channel()
    channel.queue_declare(name("q"), exclusive=True)
    for count in range(1, 11):
        channel.basic_publish(amqp.Message(b"m"), routing_key=name("q"))
        assert channel.queue_declare(name("q"), passive=True).message_count == count


def test_a_no_wait_error_still_closes_the_channel(channel: amqp.Channel, name: Name) -> None:
    channel.queue_declare(name("q"), exclusive=True, auto_delete=False)
    channel.queue_declare(name("q"), exclusive=True, auto_delete=True, nowait=True)
    with pytest.raises(PreconditionFailed, match="inequivalent arg 'auto_delete'"):
        channel.queue_declare(exclusive=True)


def test_the_broker_sends_heartbeats(open_connection: Open) -> None:
    connection = open_connection(heartbeat=1)
    assert connection.heartbeat == 1
    before = connection.bytes_recv
    # Of one frame: drain_events reads on past heartbeats, until the broker misses the client's own.
    connection.blocking_read(timeout=10)
    assert connection.bytes_recv > before


def test_without_heartbeats_there_are_none(open_connection: Open) -> None:
    connection = open_connection(heartbeat=0)
    before = connection.bytes_recv
    with pytest.raises(socket.timeout):
        connection.drain_events(timeout=1.5)
    assert connection.bytes_recv == before

"""pika: what cannot be done with exchanges, in the broker's words."""

from typing import Any

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Connect, Name
from tests.conformance.pika_tools import refused

DEFAULT_REFUSED = "ACCESS_REFUSED - operation not permitted on the default exchange"


def test_the_default_exchange_is_not_to_be_touched(
    connect: Connect, channel: BlockingChannel, queue: str
) -> None:
    connection = channel.connection
    with refused(403, DEFAULT_REFUSED):
        connection.channel().queue_bind(queue, "", "key")
    with refused(403, DEFAULT_REFUSED):
        connection.channel().queue_unbind(queue, "", queue)
    with refused(403, DEFAULT_REFUSED):
        connection.channel().exchange_delete("")
    with refused(403, DEFAULT_REFUSED):
        connection.channel().exchange_bind("amq.fanout", "")


def test_reserved_names_are_refused(channel: BlockingChannel, name: Name) -> None:
    reserved = f"amq.{name('x')}"
    text = f"ACCESS_REFUSED - exchange name '{reserved}' contains reserved prefix 'amq.*'"
    with refused(403, text):
        channel.exchange_declare(reserved, "direct")


def test_a_missing_exchange_is_not_found(channel: BlockingChannel, name: Name) -> None:
    absent = name("absent")
    with refused(404, f"NOT_FOUND - no exchange '{absent}' in vhost '/'"):
        channel.exchange_declare(absent, passive=True)


def test_publishing_to_a_missing_exchange_closes_the_channel(
    channel: BlockingChannel, name: Name
) -> None:
    absent = name("absent")
    with refused(404, f"NOT_FOUND - no exchange '{absent}' in vhost '/'"):
        channel.basic_publish(absent, "key", b"lost")
        channel.queue_declare("", exclusive=True)


def test_binding_to_a_missing_exchange_is_not_found(
    channel: BlockingChannel, name: Name, queue: str
) -> None:
    absent = name("absent")
    with refused(404, f"NOT_FOUND - no exchange '{absent}' in vhost '/'"):
        channel.queue_bind(queue, absent, "key")


CHANGES = [
    ("exchange_type", {"exchange_type": "topic"}, "received 'topic' but current is 'direct'"),
    ("durable", {"durable": True}, "received 'true' but current is 'false'"),
    ("auto_delete", {"auto_delete": False}, "received 'false' but current is 'true'"),
    ("internal", {"internal": True}, "received 'true' but current is 'false'"),
]


@pytest.mark.parametrize(("argument", "change", "text"), CHANGES, ids=[c[0] for c in CHANGES])
def test_an_exchange_cannot_be_redeclared_otherwise(
    channel: BlockingChannel, name: Name, argument: str, change: dict[str, object], text: str
) -> None:
    exchange, other = name("x"), channel.connection.channel()
    declared: dict[str, Any] = {"exchange_type": "direct", "auto_delete": True}
    for _ in range(2):
        channel.exchange_declare(exchange, **declared)
    shown = {"exchange_type": "type"}.get(argument, argument)
    with refused(
        406,
        f"PRECONDITION_FAILED - inequivalent arg '{shown}' for exchange '{exchange}' "
        f"in vhost '/': {text}",
    ):
        other.exchange_declare(exchange, **{**declared, **change})
    channel.exchange_delete(exchange)


@pytest.mark.beyond_rabbitmq("an unknown type closes the connection (503) before 4.0")
def test_an_unknown_type_is_refused_on_the_channel(channel: BlockingChannel, name: Name) -> None:
    with refused(406, "PRECONDITION_FAILED - unknown exchange type 'telepathic'"):
        channel.exchange_declare(name("x"), "telepathic")

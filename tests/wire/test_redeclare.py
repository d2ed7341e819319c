"""Declaring what is there: the same, or an error that tells what differs (§1.7.2.1).

Tools read these texts by regular expressions, so they are interface.
"""

import re
from dataclasses import dataclass
from typing import Any

import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.fields import Table, encode_table
from amqplite.protocol.methods import ExchangeDeclare, QueueDeclare
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name
from tests.wire.events import arguments

TTL: Table = {"x-message-ttl": ("l", 1_800_000)}

SENTENCE = re.compile(
    r"^PRECONDITION_FAILED - inequivalent arg '(?P<arg>[^']+)' for (?P<kind>queue|exchange) "
    r"'(?P<name>[^']+)' in vhost '(?P<vhost>[^']+)': "
    r"received (?P<received>.+) but current is (?P<current>.+)$"
)
"""What libraries take the text apart with."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A second declaration that differs from the first, and what is said of it."""

    held: Table
    asked: Table
    arg: str
    received: str
    current: str
    durable: bool = True
    auto_delete: bool = False


CLASHES = {
    "durable": Clash(TTL, TTL, "durable", "'false'", "'true'", durable=False),
    "auto-delete": Clash(TTL, TTL, "auto_delete", "'true'", "'false'", auto_delete=True),
    "without-ttl": Clash(TTL, {}, "x-message-ttl", "none", "the value '1800000' of type 'long'"),
    "with-ttl": Clash({}, TTL, "x-message-ttl", "the value '1800000' of type 'long'", "none"),
    "other-ttl": Clash(
        TTL,
        {"x-message-ttl": ("I", 5)},
        "x-message-ttl",
        "'5'",
        "'1800000'",
    ),
    "other-text": Clash(
        {"x-dead-letter-exchange": ("S", b"a")},
        {"x-dead-letter-exchange": ("S", b"b")},
        "x-dead-letter-exchange",
        "'b'",
        "'a'",
    ),
    "quorum-then-none": Clash(
        {"x-queue-type": ("S", b"quorum")},
        {},
        "x-queue-type",
        "none",
        "the value 'quorum' of type 'longstr'",
    ),
    "none-then-quorum": Clash(
        {},
        {"x-queue-type": ("S", b"quorum")},
        "x-queue-type",
        "the value 'quorum' of type 'longstr'",
        "none",
    ),
}

SAME: dict[str, tuple[Table, Table]] = {
    "identical": (TTL, TTL),
    "ttl-as-signed-int": (TTL, {"x-message-ttl": ("I", 1_800_000)}),
    "ttl-as-unsigned-int": (TTL, {"x-message-ttl": ("i", 1_800_000)}),
    "ttl-as-other-long": (TTL, {"x-message-ttl": ("L", 1_800_000)}),
    "small-as-octet": ({"x-max-length": ("l", 5)}, {"x-max-length": ("b", 5)}),
    "small-as-short": ({"x-max-length": ("s", 5)}, {"x-max-length": ("B", 5)}),
    "classic-then-none": ({"x-queue-type": ("S", b"classic")}, {}),
    "none-then-classic": ({}, {"x-queue-type": ("S", b"classic")}),
    "quorum-twice": ({"x-queue-type": ("S", b"quorum")}, {"x-queue-type": ("S", b"quorum")}),
    "unknown-argument": ({}, {"x-foo": ("S", b"bar")}),
    "other-unknown-argument": ({"x-foo": ("S", b"bar")}, {"x-foo": ("I", 1)}),
}


@pytest.mark.parametrize(("held", "asked"), SAME.values(), ids=SAME)
def test_the_same_queue_may_be_declared_again(
    channel: Channel, queue: str, held: Table, asked: Table
) -> None:
    channel.declare(queue, arguments=encode_table(held))
    channel.publish(b"m", queue)
    answer = channel.call(QueueDeclare(queue=queue, durable=True, arguments=encode_table(asked)))
    assert (answer.queue, answer.message_count, answer.consumer_count) == (queue, 1, 0)


@pytest.mark.parametrize("clash", CLASHES.values(), ids=CLASHES)
def test_another_queue_of_that_name_is_refused_in_the_words_that_tools_read(
    connect: Connect, queue: str, clash: Clash
) -> None:
    peer = connect()
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue, arguments=encode_table(clash.held))
    channel.publish(b"m", queue)
    channel.send(
        QueueDeclare(
            queue=queue,
            durable=clash.durable,
            auto_delete=clash.auto_delete,
            arguments=encode_table(clash.asked),
        )
    )
    text = closed_with(channel, 406, QueueDeclare)
    found = SENTENCE.match(text)
    assert found, text
    assert found.groupdict() == {
        "arg": clash.arg,
        "kind": "queue",
        "name": queue,
        "vhost": "/",
        "received": clash.received,
        "current": clash.current,
    }
    other.declare(queue, arguments=encode_table(clash.held))
    assert other.drain(queue) == [(b"m", False)]
    peer.quiet()


def test_a_passive_declare_does_not_look_at_anything_but_the_name(
    channel: Channel, queue: str
) -> None:
    channel.declare(queue, arguments=encode_table(TTL))
    channel.call(
        QueueDeclare(
            queue=queue,
            passive=True,
            durable=False,
            auto_delete=True,
            exclusive=True,
            arguments=arguments(x_message_ttl=1),
        )
    )


def test_a_passive_declare_of_what_is_not_there_is_not_found(channel: Channel, queue: str) -> None:
    channel.send(QueueDeclare(queue=queue, passive=True))
    channel.expect_close(404, f"^NOT_FOUND - no queue '{re.escape(queue)}' in vhost '/'$")
    channel.reopen()
    channel.send(ExchangeDeclare(exchange=queue, passive=True))
    channel.expect_close(404, f"^NOT_FOUND - no exchange '{re.escape(queue)}' in vhost '/'$")


def test_an_exclusive_declare_of_a_queue_for_all_is_refused(connect: Connect, queue: str) -> None:
    channel = connect().channel()
    channel.declare(queue)
    for declaring in (channel, connect().channel()):
        declaring.send(QueueDeclare(queue=queue, durable=True, exclusive=True))
        declaring.expect_close(405, "exclusive", by=QueueDeclare)
    assert connect().channel().depth(queue) == 0


def test_an_exclusive_queue_may_be_declared_again_by_its_connection_alone(
    connect: Connect, queue: str
) -> None:
    owner = connect()
    first, second = owner.channel(), owner.channel()
    for channel in (first, second):
        channel.call(QueueDeclare(queue=queue, exclusive=True))
    stranger = connect().channel()
    for declare in (
        QueueDeclare(queue=queue, exclusive=True),
        QueueDeclare(queue=queue),
        QueueDeclare(queue=queue, passive=True),
    ):
        stranger.send(declare)
        stranger.expect_close(
            405,
            "^RESOURCE_LOCKED - cannot obtain exclusive access to locked queue "
            f"'{re.escape(queue)}' in vhost '/'",
            by=QueueDeclare,
        )
        stranger.reopen()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "topic"}, "'type' for .*: received 'topic' but current is 'direct'$"),
        ({"durable": False}, "'durable' for .*: received 'false' but current is 'true'$"),
        ({"auto_delete": True}, "'auto_delete' for .*: received 'true' but current is 'false'$"),
        ({"internal": True}, "'internal' for .*: received 'true' but current is 'false'$"),
        (
            {"arguments": arguments(alternate_exchange="a")},
            "'alternate-exchange' for .*: received the value 'a' of type 'longstr' "
            "but current is none$",
        ),
    ],
    ids=["type", "durable", "auto-delete", "internal", "alternate"],
)
def test_another_exchange_of_that_name_is_refused_in_the_words_that_tools_read(
    channel: Channel, name: Name, change: dict[str, Any], said: str
) -> None:
    exchange = channel.declare_exchange(name("x"), "direct")
    channel.send(ExchangeDeclare(**{"exchange": exchange, "durable": True, **change}))
    text = closed_with(channel, 406, ExchangeDeclare)
    assert re.search(f"inequivalent arg {said}", text), text
    assert SENTENCE.match(text), text
    channel.reopen().declare_exchange(exchange, "direct")


def test_another_alternate_exchange_is_told_by_its_name_alone(channel: Channel, name: Name) -> None:
    exchange = name("x")
    channel.declare_exchange(exchange, "direct", arguments(alternate_exchange="a"))
    channel.send(
        ExchangeDeclare(
            exchange=exchange,
            type="direct",
            durable=True,
            arguments=arguments(alternate_exchange="b"),
        )
    )
    channel.expect_close(406, "'alternate-exchange' for .*: received 'b' but current is 'a'$")


def test_an_exchange_type_that_does_not_exist_closes_the_channel(
    channel: Channel, name: Name
) -> None:
    channel.send(ExchangeDeclare(exchange=name("x"), type="x-nothing"))
    channel.expect_close(406, "'x-nothing'", by=ExchangeDeclare)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"x-message-ttl": ("S", b"1000")}, "x-message-ttl"),
        ({"x-message-ttl": ("l", -1)}, "x-message-ttl"),
        ({"x-max-length": ("I", -5)}, "x-max-length"),
        ({"x-expires": ("I", 0)}, "x-expires"),
        ({"x-overflow": ("S", b"explode")}, "x-overflow"),
        ({"x-queue-type": ("S", b"heap")}, "x-queue-type"),
        ({"x-dead-letter-exchange": ("I", 1)}, "x-dead-letter-exchange"),
        ({"x-dead-letter-routing-key": ("S", b"k")}, "x-dead-letter-routing-key"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_argument_that_cannot_be_closes_the_channel_and_makes_nothing(
    channel: Channel, queue: str, asked: Table, said: str
) -> None:
    channel.send(QueueDeclare(queue=queue, durable=True, arguments=encode_table(asked)))
    channel.expect_close(406, f"'{said}' for queue '{re.escape(queue)}'", by=QueueDeclare)
    channel.reopen().send(QueueDeclare(queue=queue, passive=True))
    channel.expect_close(404)


def closed_with(channel: Channel, code: int, by: type[Method]) -> str:
    """Expect a channel.close and return its text."""
    channel.expect_close(code, by=by)
    text: str = channel.peer.log[-1].method.reply_text
    return text

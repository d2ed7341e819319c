"""Which messages a headers binding takes (§3.1.3.4; RabbitMQ: headers exchange)."""

import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.fields import Table, encode_table
from amqplite.protocol.methods import QueueBind
from amqplite.protocol.properties import Properties
from tests.wire.channel import Channel
from tests.wire.conftest import Name
from tests.wire.events import arguments

MESSAGES: dict[str, Table | None] = {
    "none": None,
    "empty": {},
    "n1": {"n": ("l", 1)},
    "n1-short": {"n": ("s", 1)},
    "n2": {"n": ("I", 2)},
    "n1-text": {"n": ("S", b"1")},
    "n-void": {"n": ("V", None)},
    "n1-m1": {"n": ("I", 1), "m": ("I", 1)},
    "m1": {"m": ("I", 1)},
    "n1-more": {"n": ("I", 1), "extra": ("S", b"x"), "x-r": ("S", b"v")},
    "r": {"x-r": ("S", b"v")},
    "r-other": {"x-r": ("S", b"w")},
    "true": {"n": ("t", True)},
    "double": {"n": ("d", 1.5)},
    "N1": {"N": ("I", 1)},
}

WITH_N1 = {"n1", "n1-short", "n1-m1", "n1-more"}
WITH_N = WITH_N1 | {"n2", "n1-text", "n-void", "true", "double"}
ALL, ANY = ("S", b"all"), ("S", b"any")
ALL_X, ANY_X = ("S", b"all-with-x"), ("S", b"any-with-x")

BINDINGS: dict[str, tuple[Table, set[str]]] = {
    "all": ({"x-match": ALL, "n": ("b", 1)}, WITH_N1),
    "absent-is-all": ({"n": ("b", 1), "m": ("b", 1)}, {"n1-m1"}),
    "all-of-two": ({"x-match": ALL, "n": ("I", 1), "m": ("l", 1)}, {"n1-m1"}),
    "any": ({"x-match": ANY, "n": ("l", 1), "m": ("l", 1)}, WITH_N1 | {"m1"}),
    "text": ({"n": ("S", b"1")}, {"n1-text"}),
    "truth": ({"n": ("t", True)}, {"true"}),
    "double": ({"n": ("d", 1.5)}, {"double"}),
    "presence": ({"n": ("V", None)}, WITH_N),
    "presence-any": ({"x-match": ANY, "n": ("V", None), "m": ("I", 1)}, WITH_N | {"m1"}),
    "nothing-with-all": ({}, set(MESSAGES)),
    "nothing-with-any": ({"x-match": ANY}, set()),
    "x-is-passed-over": ({"x-match": ALL, "n": ("I", 1), "x-r": ("S", b"no")}, WITH_N1),
    "x-alone-with-all": ({"x-match": ALL, "x-r": ("S", b"v")}, set(MESSAGES)),
    "x-alone-with-any": ({"x-match": ANY, "x-r": ("S", b"v")}, set()),
    "all-with-x": ({"x-match": ALL_X, "n": ("I", 1), "x-r": ("S", b"v")}, {"n1-more"}),
    "any-with-x": (
        {"x-match": ANY_X, "n": ("I", 1), "x-r": ("S", b"v")},
        WITH_N1 | {"r"},
    ),
    "x-presence": ({"x-match": ALL_X, "x-r": ("V", None)}, {"n1-more", "r", "r-other"}),
}


def publish_all(channel: Channel, exchange: str) -> None:
    channel.confirm()
    for body, headers in MESSAGES.items():
        channel.publish(
            body.encode(), "ignored", exchange, Properties(headers=headers, delivery_mode=1)
        )
    channel.await_confirms(len(MESSAGES))


@pytest.mark.parametrize(("wanted", "taken"), BINDINGS.values(), ids=BINDINGS)
def test_a_binding_takes_these_messages_and_no_others(
    channel: Channel, name: Name, wanted: Table, taken: set[str]
) -> None:
    exchange, queue = channel.declare_exchange(name("x"), "headers"), name("q")
    channel.declare(queue, durable=False)
    channel.bind(queue, exchange, "k", encode_table(wanted))
    publish_all(channel, exchange)
    assert {body.decode() for body, _ in channel.drain(queue)} == taken


def test_bindings_that_differ_in_arguments_alone_are_two(channel: Channel, name: Name) -> None:
    exchange, queue = channel.declare_exchange(name("x"), "headers"), name("q")
    channel.declare(queue)
    for body in (b"1", b"2"):
        channel.bind(queue, exchange, "", encode_table({"n": ("S", body)}))
    for body in (b"1", b"2", b"3"):
        headers: Table = {"n": ("S", body)}
        channel.publish(body, "", exchange, Properties(headers=headers, delivery_mode=2))
    channel.peer.sync()
    assert [body for body, _ in channel.drain(queue)] == [b"1", b"2"]


@pytest.mark.parametrize(
    ("match", "said"),
    [(("S", b"foo"), "x-match.*foo"), (("I", 1), "x-match"), (("t", True), "x-match")],
    ids=["text", "integer", "bool"],
)
def test_a_way_to_match_that_does_not_exist_closes_the_channel(
    channel: Channel, name: Name, match: tuple[str, object], said: str
) -> None:
    exchange, queue = channel.declare_exchange(name("x"), "headers"), name("q")
    channel.declare(queue)
    wanted: Table = {"x-match": match, "n": ("I", 1)}  # type: ignore[dict-item]
    bind: Method = QueueBind(queue=queue, exchange=exchange, arguments=encode_table(wanted))
    channel.send(bind)
    channel.expect_close(406, said, by=QueueBind)


def test_why_a_message_died_can_be_matched_on(channel: Channel, name: Name) -> None:
    letters = channel.declare_exchange(name("letters"), "headers")
    queue, rejected, expired = name("q"), name("rejected"), name("expired")
    channel.declare(queue, arguments=arguments(x_dead_letter_exchange=letters))
    for dead, reason in ((rejected, b"rejected"), (expired, b"expired")):
        channel.declare(dead)
        wanted: Table = {"x-match": ANY_X, "x-first-death-reason": ("S", reason)}
        channel.bind(dead, letters, "", encode_table(wanted))
    channel.publish(b"m", queue)
    channel.reject(channel.got(queue).tag, requeue=False)
    channel.peer.sync()
    assert (channel.depth(rejected), channel.depth(expired)) == (1, 0)

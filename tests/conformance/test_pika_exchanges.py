"""pika: exchanges of every type, how they route, and how they are refused."""

from collections.abc import Callable
from typing import Any

import pytest
from pika import BasicProperties
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Name
from tests.conformance.pika_tools import refused

PREDECLARED = {
    "amq.direct": "direct",
    "amq.fanout": "fanout",
    "amq.topic": "topic",
    "amq.headers": "headers",
    "amq.match": "headers",
}


@pytest.fixture
def queues(channel: BlockingChannel) -> Callable[[int], list[str]]:
    """Declare so many queues of this test's connection."""
    return lambda n: [channel.queue_declare("", exclusive=True).method.queue for _ in range(n)]


def drain(channel: BlockingChannel, queue: str) -> list[bytes]:
    """Take all that is in the queue."""
    bodies = []
    while (got := channel.basic_get(queue, auto_ack=True))[0]:
        bodies.append(got[2])
    return bodies


@pytest.mark.parametrize(("exchange", "kind"), PREDECLARED.items())
def test_the_standard_exchanges_exist(channel: BlockingChannel, exchange: str, kind: str) -> None:
    channel.exchange_declare(exchange, passive=True)
    channel.exchange_declare(exchange, kind, durable=True)  # as it is: no change, no error


def test_direct_routes_by_the_whole_key(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange = name("x")
    channel.exchange_declare(exchange, "direct", auto_delete=True)
    red, green, both = queues(3)
    for queue, key in ((red, "red"), (green, "green"), (both, "red"), (both, "green")):
        channel.queue_bind(queue, exchange, key)
    for key in ("red", "green", "blue", "re", "red.green", ""):
        channel.basic_publish(exchange, key, key.encode())
    assert drain(channel, red) == [b"red"]
    assert drain(channel, green) == [b"green"]
    assert drain(channel, both) == [b"red", b"green"]


def test_fanout_ignores_the_key(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange = name("x")
    channel.exchange_declare(exchange, "fanout", auto_delete=True)
    two = queues(2)
    channel.queue_bind(two[0], exchange, "some")
    channel.queue_bind(two[1], exchange)
    channel.basic_publish(exchange, "other", b"all")
    assert [drain(channel, queue) for queue in two] == [[b"all"], [b"all"]]


TOPICS = [
    ("a.b", ["a.b"]),
    ("a.*", ["a.b", "a.c"]),
    ("*.b", ["a.b"]),
    ("a.#", ["a", "a.b", "a.c", "a.b.c"]),
    ("#.c", ["a.c", "a.b.c"]),
    ("a.#.c", ["a.c", "a.b.c"]),
    ("#", ["", "a", "a.b", "a.c", "a.b.c", "b..d"]),
    ("*", ["a"]),
    ("b.*.d", ["b..d"]),
    ("*.*.*", ["a.b.c", "b..d"]),
]


def test_topic_routes_by_words(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange = name("x")
    channel.exchange_declare(exchange, "topic", auto_delete=True)
    bound = dict(zip([key for key, _ in TOPICS], queues(len(TOPICS)), strict=True))
    for key, queue in bound.items():
        channel.queue_bind(queue, exchange, key)
    for key in ("", "a", "a.b", "a.c", "a.b.c", "b..d"):
        channel.basic_publish(exchange, key, key.encode())
    got = {key: [body.decode() for body in drain(channel, bound[key])] for key, _ in TOPICS}
    assert got == dict(TOPICS)


HEADERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"x-match": "all", "format": "pdf", "pages": 3}, ["both"]),
    ({"format": "pdf", "pages": 3}, ["both"]),
    ({"x-match": "any", "format": "pdf", "pages": 3}, ["both", "format", "pages"]),
    ({"x-match": "all"}, ["both", "format", "pages", "other", "private", "none"]),
    ({"x-match": "any"}, []),
    ({"x-match": "all", "format": None}, ["both", "format", "other"]),
    ({"x-match": "any", "x-private": "yes"}, []),
    ({"x-match": "any-with-x", "x-private": "yes"}, ["private"]),
    ({"x-match": "all-with-x", "x-private": "yes", "format": "pdf"}, []),
]
SENT: dict[str, dict[str, Any]] = {
    "both": {"format": "pdf", "pages": 3},
    "format": {"format": "pdf", "pages": 4},
    "pages": {"pages": 3},
    "other": {"format": "txt"},
    "private": {"x-private": "yes"},
    "none": {},
}


def test_headers_routes_by_the_headers(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange = name("x")
    channel.exchange_declare(exchange, "headers", auto_delete=True)
    bound = queues(len(HEADERS))
    for queue, (arguments, _) in zip(bound, HEADERS, strict=True):
        channel.queue_bind(queue, exchange, "", arguments)
    for body, headers in SENT.items():
        channel.basic_publish(exchange, "", body.encode(), BasicProperties(headers=headers))
    got = [[body.decode() for body in drain(channel, queue)] for queue in bound]
    assert got == [expected for _, expected in HEADERS]


def test_headers_refuses_an_unknown_way_to_match(
    channel: BlockingChannel, queues: Callable[[int], list[str]]
) -> None:
    with refused(406, "PRECONDITION_FAILED - Invalid x-match field value", exactly=False):
        channel.queue_bind(queues(1)[0], "amq.headers", "", {"x-match": "most"})


def test_a_queue_gets_one_copy_however_many_bindings_match(
    channel: BlockingChannel, queues: Callable[[int], list[str]]
) -> None:
    queue = queues(1)[0]
    for key in ("a.#", "#.b", "a.b", "*.*"):
        channel.queue_bind(queue, "amq.topic", f"{queue}.{key}")
    channel.queue_bind(queue, "amq.topic", f"{queue}.#")
    channel.basic_publish("amq.topic", f"{queue}.a.b", b"once")
    assert drain(channel, queue) == [b"once"]


def test_the_default_exchange_routes_to_the_queue_of_that_name(
    channel: BlockingChannel, queues: Callable[[int], list[str]]
) -> None:
    one, other = queues(2)
    channel.basic_publish("", one, b"for one")
    assert (drain(channel, one), drain(channel, other)) == ([b"for one"], [])


def test_deleting_is_idempotent(channel: BlockingChannel, name: Name) -> None:
    exchange = name("x")
    channel.exchange_declare(exchange, "fanout")
    for _ in range(2):
        channel.exchange_delete(exchange)
    with refused(404, f"NOT_FOUND - no exchange '{exchange}' in vhost '/'"):
        channel.exchange_declare(exchange, passive=True)


def test_an_exchange_in_use_can_be_spared(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange, spare = name("x"), channel.connection.channel()
    channel.exchange_declare(exchange, "fanout")
    channel.queue_bind(queue := queues(1)[0], exchange)
    with refused(406, f"PRECONDITION_FAILED - exchange '{exchange}' in vhost '/' in use"):
        spare.exchange_delete(exchange, if_unused=True)
    channel.queue_unbind(queue, exchange)
    channel.exchange_delete(exchange, if_unused=True)


def test_deleting_an_exchange_removes_its_bindings(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange, queue = name("x"), queues(1)[0]
    channel.exchange_declare(exchange, "fanout")
    channel.queue_bind(queue, exchange)
    channel.exchange_delete(exchange)
    channel.exchange_declare(exchange, "fanout")
    channel.basic_publish(exchange, "", b"nobody is bound")
    assert drain(channel, queue) == []
    channel.exchange_delete(exchange)


def test_an_auto_delete_exchange_goes_with_its_last_binding(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    exchange, (one, other) = name("x"), queues(2)
    channel.exchange_declare(exchange, "fanout", auto_delete=True)
    channel.exchange_declare(exchange, passive=True)  # never bound: it stays
    channel.queue_bind(one, exchange)
    channel.queue_bind(other, exchange)
    channel.queue_unbind(one, exchange)
    channel.exchange_declare(exchange, passive=True)
    channel.queue_delete(other)
    with refused(404, f"NOT_FOUND - no exchange '{exchange}' in vhost '/'"):
        channel.exchange_declare(exchange, passive=True)


def test_an_internal_exchange_is_reached_through_others_alone(
    channel: BlockingChannel, name: Name, queues: Callable[[int], list[str]]
) -> None:
    inner, outer, queue = name("inner"), name("outer"), queues(1)[0]
    channel.exchange_declare(inner, "fanout", internal=True, auto_delete=True)
    channel.exchange_declare(outer, "fanout", auto_delete=True)
    channel.queue_bind(queue, inner)
    channel.exchange_bind(inner, outer)
    channel.basic_publish(outer, "", b"through")
    assert drain(channel, queue) == [b"through"]
    text = f"ACCESS_REFUSED - cannot publish to internal exchange '{inner}' in vhost '/'"
    with refused(403, text):
        channel.basic_publish(inner, "", b"direct")
        channel.queue_declare(queue, passive=True)


def test_names_may_be_in_any_script(channel: BlockingChannel, name: Name) -> None:
    exchange, queue, key = name("交换机"), name("очередь"), "ключ.🐇.é"
    channel.exchange_declare(exchange, "topic", auto_delete=True)
    channel.queue_declare(queue, exclusive=True)
    channel.queue_bind(queue, exchange, "ключ.*.é")
    channel.basic_publish(exchange, key, b"hello")
    method, _, body = channel.basic_get(queue, auto_ack=True)
    assert (method.exchange, method.routing_key, body) == (exchange, key, b"hello")

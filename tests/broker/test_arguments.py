from typing import Any

import pytest

from amqplite.broker.arguments import QueueSettings, parse, require_equivalent
from amqplite.errors import PreconditionFailed
from amqplite.protocol.fields import from_python

TEN_YEARS_MS = 315_360_000_000


def test_what_is_not_asked_for_is_none() -> None:
    assert parse({}, "q", "/") == QueueSettings()
    assert QueueSettings().overflow == "drop-head"


GOOD = [
    ("x-expires", ("I", 1), "expires_ms", 1),
    ("x-expires", ("l", TEN_YEARS_MS), "expires_ms", TEN_YEARS_MS),
    ("x-message-ttl", ("I", 0), "message_ttl_ms", 0),
    ("x-dead-letter-exchange", ("S", b""), "dead_letter_exchange", ""),
    ("x-dead-letter-exchange", ("S", b"x\xff"), "dead_letter_exchange", "x\udcff"),
    ("x-dead-letter-exchange", ("S", b"x" * 255), "dead_letter_exchange", "x" * 255),
    ("x-max-length", ("b", 0), "max_length", 0),
    ("x-max-length", ("i", 4_294_967_295), "max_length", 4_294_967_295),
    ("x-max-length-bytes", ("L", 1 << 40), "max_length_bytes", 1 << 40),
    ("x-max-priority", ("B", 255), "max_priority", 255),
    ("x-delivery-limit", ("s", -1), "delivery_limit", -1),
    ("x-consumer-timeout", ("u", 0), "consumer_timeout_ms", 0),
    ("x-overflow", ("S", b"reject-publish"), "overflow", "reject-publish"),
    ("x-overflow", ("S", b"reject-publish-dlx"), "overflow", "reject-publish-dlx"),
    ("x-single-active-consumer", ("t", True), "single_active_consumer", True),
]


@pytest.mark.parametrize(("name", "value", "field", "expected"), GOOD)
def test_an_argument_sets(name: str, value: Any, field: str, expected: object) -> None:
    assert getattr(parse({name: value}, "q", "/"), field) == expected


def test_arguments_that_nobody_knows_are_carried_and_have_no_effect() -> None:
    assert parse({"mine": ("V", None), "x-mine": ("I", -5)}, "q", "/") == QueueSettings()


@pytest.mark.parametrize("kind", [b"classic", b"quorum"])
def test_queue_types_are_accepted_and_all_the_same(kind: bytes) -> None:
    assert parse({"x-queue-type": ("S", kind)}, "q", "/") == QueueSettings()


BAD = [
    ("x-expires", ("I", 0), "0 is below 1"),
    ("x-expires", ("l", TEN_YEARS_MS + 1), f"{TEN_YEARS_MS + 1} is above {TEN_YEARS_MS}"),
    ("x-expires", ("S", b"1"), "expected an integer, got a longstr"),
    ("x-expires", ("d", 1.0), "expected an integer, got a double"),
    ("x-expires", ("t", True), "expected an integer, got a bool"),
    ("x-message-ttl", ("I", -1), "-1 is below 0"),
    ("x-dead-letter-exchange", ("I", 1), "expected a string, got a signedint"),
    ("x-dead-letter-exchange", ("S", b"x" * 256), "256 octets are over 255"),
    ("x-max-length", ("I", -1), "-1 is below 0"),
    ("x-max-length-bytes", ("V", None), "expected an integer, got a void"),
    ("x-max-priority", ("I", 256), "256 is above 255"),
    ("x-delivery-limit", ("I", -2), "-2 is below -1"),
    ("x-consumer-timeout", ("I", -1), "-1 is below 0"),
    (
        "x-overflow",
        ("S", b"explode"),
        "'explode' is none of drop-head, reject-publish, reject-publish-dlx",
    ),
    ("x-overflow", ("t", True), "expected a string, got a bool"),
    ("x-single-active-consumer", ("S", b"true"), "expected a bool, got a longstr"),
    ("x-queue-type", ("S", b"stream"), "\"unsupported queue type 'stream'\""),
]


@pytest.mark.parametrize(("name", "value", "text"), BAD)
def test_an_argument_is_refused(name: str, value: Any, text: str) -> None:
    with pytest.raises(PreconditionFailed) as caught:
        parse({name: value}, "orders", "/shop")
    assert str(caught.value) == f"invalid arg '{name}' for queue 'orders' in vhost '/shop': {text}"


def test_a_dead_letter_routing_key_needs_an_exchange() -> None:
    key = ("S", b"key")
    found = parse(
        {"x-dead-letter-routing-key": key, "x-dead-letter-exchange": ("S", b"")}, "q", "/"
    )
    assert found.dead_letter_routing_key == "key"
    with pytest.raises(PreconditionFailed, match="it needs x-dead-letter-exchange"):
        parse({"x-dead-letter-routing-key": key}, "q", "/")


SAME: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"x-max-length": ("I", 5)}, {"x-max-length": ("l", 5)}),
    ({"x-queue-type": ("S", b"classic")}, {}),
    ({"mine": ("I", 1)}, {"mine": ("I", 2)}),
    (from_python({"x-overflow": "drop-head"}), from_python({"x-overflow": "drop-head"})),
]


@pytest.mark.parametrize(("held", "received"), SAME)
def test_a_redeclare_may_ask_for_what_is_there(
    held: dict[str, Any], received: dict[str, Any]
) -> None:
    require_equivalent(held, received, "q", "/")
    require_equivalent(received, held, "q", "/")


DIFFERENT: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"x-message-ttl": ("I", 60_000)},
        {},
        "'x-message-ttl' for queue 'q' in vhost '/': received none but current is the value "
        "'60000' of type 'signedint'",
    ),
    (
        {},
        {"x-max-length": ("l", 5)},
        "'x-max-length' for queue 'q' in vhost '/': received the value '5' of type 'long' but "
        "current is none",
    ),
    (
        {"x-dead-letter-exchange": ("S", b"a")},
        {"x-dead-letter-exchange": ("S", b"b")},
        "'x-dead-letter-exchange' for queue 'q' in vhost '/': received 'b' but current is 'a'",
    ),
    (
        {"x-queue-type": ("S", b"quorum")},
        {},
        "'x-queue-type' for queue 'q' in vhost '/': received none but current is the value "
        "'quorum' of type 'longstr'",
    ),
]


@pytest.mark.parametrize(("held", "received", "text"), DIFFERENT)
def test_a_redeclare_that_asks_for_something_else(
    held: dict[str, Any], received: dict[str, Any], text: str
) -> None:
    with pytest.raises(PreconditionFailed) as caught:
        require_equivalent(held, received, "q", "/")
    assert str(caught.value) == f"inequivalent arg {text}"

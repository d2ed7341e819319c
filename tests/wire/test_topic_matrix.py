"""Which routing keys a topic binding takes, word by word (§3.1.3.3)."""

import pytest

from tests.wire.channel import Channel
from tests.wire.conftest import Name

LONGEST = ".".join(["k"] * 128)  # 255 octets

KEYS = (
    *("", "a", "b", "ab", "A", "a.b", "a.c", "A.b", "a.", ".", ".a", "..", "a..b", "a.b.c"),
    *("a.x.b", "a.x.y.b", "a.b.b", "a.c.c", "a.b.c.d", "a.x.c.y.z", "a*", "*#", "a.+", "#", "*"),
    *("a.#", "a.bb", "a.\u00e9", "\u00e9.b", LONGEST),
)

EVERYTHING = frozenset(KEYS)

TAKES: dict[str, frozenset[str]] = {
    "#": EVERYTHING,
    "#.#": EVERYTHING,
    "": frozenset({""}),
    "*": frozenset(key for key in KEYS if key and "." not in key),
    "*.*": frozenset(key for key in KEYS if key.count(".") == 1),
    "*.*.*": frozenset(key for key in KEYS if key.count(".") == 2),
    "*.#": EVERYTHING - {""},
    "#.*": EVERYTHING - {""},
    "a.*": frozenset({"a.b", "a.", "a.c", "a.+", "a.#", "a.bb", "a.\u00e9"}),
    "*.b": frozenset({"a.b", "A.b", "\u00e9.b"}),
    "*.a": frozenset({".a"}),
    "a.#": frozenset(key for key in KEYS if key.split(".")[0] == "a"),
    "#.b": frozenset(key for key in KEYS if key.split(".")[-1] == "b"),
    "a.#.b": frozenset({"a.b", "a.x.b", "a..b", "a.x.y.b", "a.b.b"}),
    "a.*.b": frozenset({"a..b", "a.x.b", "a.b.b"}),
    "a.*.c.#": frozenset({"a.b.c", "a.b.c.d", "a.c.c", "a.x.c.y.z"}),
    "#.b.#": frozenset(key for key in KEYS if "b" in key.split(".")),
    "a..b": frozenset({"a..b"}),
    "a.": frozenset({"a."}),
    ".": frozenset({"."}),
    "..": frozenset({".."}),
    "#.": frozenset(key for key in KEYS if key and key.split(".")[-1] == ""),
    "a.b": frozenset({"a.b"}),
    "a*": frozenset({"a*"}),
    "*#": frozenset({"*#"}),
    "a.+": frozenset({"a.+"}),
    "a.\u00e9": frozenset({"a.\u00e9"}),
    LONGEST: frozenset({LONGEST}),
    "k.#": frozenset({LONGEST}),
}


@pytest.mark.parametrize("binding", TAKES, ids=lambda key: repr(key[:10]))
def test_a_binding_takes_these_keys_and_no_others(
    channel: Channel, name: Name, binding: str
) -> None:
    exchange, queue = name("x"), name("q")
    channel.declare_exchange(exchange, "topic")
    channel.declare(queue, durable=False)
    channel.bind(queue, exchange, binding)
    channel.confirm()
    for key in KEYS:
        channel.publish(key.encode(), key, exchange)
    channel.await_confirms(len(KEYS))
    taken = [body.decode() for body, _ in channel.drain(queue)]
    assert taken == [key for key in KEYS if key in TAKES[binding]]


def test_all_bindings_together_take_what_each_takes_alone(channel: Channel, name: Name) -> None:
    exchange = channel.declare_exchange(name("x"), "topic")
    queues = {binding: name(str(number)) for number, binding in enumerate(TAKES)}
    for binding, queue in queues.items():
        channel.declare(queue, durable=False)
        channel.bind(queue, exchange, binding)
    channel.confirm()
    for key in KEYS:
        channel.publish(key.encode(), key, exchange)
    channel.await_confirms(len(KEYS))
    for binding, queue in queues.items():
        taken = {body.decode() for body, _ in channel.drain(queue)}
        assert taken == TAKES[binding], binding


def test_a_queue_gets_one_copy_however_many_of_its_bindings_match(
    channel: Channel, name: Name
) -> None:
    exchange, queue = channel.declare_exchange(name("x"), "topic"), name("q")
    channel.declare(queue)
    for binding in ("a.b", "a.*", "a.#", "#", "*.b"):
        channel.bind(queue, exchange, binding)
    channel.confirm()
    channel.publish(b"once", "a.b", exchange)
    channel.await_confirms(1)
    assert channel.drain(queue) == [(b"once", False)]


@pytest.mark.beyond_rabbitmq("it refuses what is not UTF-8")
def test_keys_need_not_be_text(channel: Channel, name: Name) -> None:
    exchange, queue = channel.declare_exchange(name("x"), "topic"), name("q")
    channel.declare(queue)
    odd = b"\xff\xfe.b".decode(errors="surrogateescape")
    channel.bind(queue, exchange, odd)
    channel.confirm()
    channel.publish(b"m", odd, exchange)
    channel.publish(b"other", "\xff\xfe.b", exchange)
    channel.await_confirms(2)
    event = channel.got(queue)
    assert event.method.routing_key == odd
    assert (event.body, event.method.message_count) == (b"m", 0)

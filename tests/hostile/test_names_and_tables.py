"""Names, keys, tables and topologies that are valid and no pleasure."""

import struct
from itertools import product

import pytest

from amqplite.protocol.codec import method_frame
from amqplite.protocol.fields import Table, encode_table, from_python
from amqplite.protocol.methods import (
    BasicConsume,
    BasicGet,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ExchangeBind,
    ExchangeDeclare,
    QueueBind,
    QueueDeclare,
)
from amqplite.protocol.properties import Properties
from tests.broker_process import BrokerProcess
from tests.hostile.conftest import Connect, Start, probe, unhurt
from tests.seeds import seeded
from tests.wire.channel import Channel
from tests.wire.events import TRANSIENT, arguments
from tests.wire.peer import HEADER

NAMES = {
    "long": b"x" * 255,
    "long and beyond ASCII": "ü".encode() * 127,
    "every octet": bytes(octet for octet in range(256) if octet not in b"\r\n")[1:],
    "no UTF-8": b"\xff\xfe\x80" * 85,
    "NULs": b"\0" * 255,
    "half a surrogate pair": b"\xed\xa0\x80",
    "a lone quote": b"'",
    "SQL": b"'; DROP TABLE messages; --",
    "a format": b"{name} %s %n {0}",
    "a path": b"../../../etc/passwd",
    "markup": b"<script>alert(1)</script>",
    "terminal": b"\x1b[2J\x1b]0;owned\x07",
    "a broken regex": b"(((((.*)+)+)+$[a-",
    "a regex for anything": b".*",
    "a regex's nightmare": b"a" * 60 + b"!",
    "blank": b" ",
    "a binding key": b"a.#.*.b",
}
"""As octets. Line ends are not among them: those are dropped from names, as RabbitMQ does."""


def test_names_of_any_octets_serve_for_everything_and_survive(
    start: Start, connect: Connect
) -> None:
    broker = start()
    names = [octets.decode(errors="surrogateescape") for octets in NAMES.values()]
    for name in names:
        channel = connect(broker).channel().confirm()
        channel.declare_exchange(name, "direct")
        assert channel.declare(name, arguments=arguments(note=name)) == name
        channel.bind(name, name, name)
        channel.publish(b"by its exchange", name, name)
        channel.publish(b"by its name", name)
        channel.await_confirms(2)
        channel.peer.close()
    for restart in (False, True):
        if restart:
            unhurt(broker)
            broker.restart()
        for name in names:
            channel = connect(broker).channel()
            assert channel.consume(name, name) == name
            for exchange, body in ((name, b"by its exchange"), ("", b"by its name")):
                delivery = channel.delivery()
                assert (delivery.body, delivery.method.exchange) == (body, exchange)
                assert delivery.method.routing_key == delivery.method.consumer_tag == name
            channel.peer.hang_up()


def test_a_missing_name_of_any_octets_is_told_in_a_text_that_fits(
    broker: BrokerProcess, connect: Connect
) -> None:
    channel = connect(broker).channel()
    with seeded("missing") as random:
        for octets in [*NAMES.values(), *(random.randbytes(255) for _ in range(100))]:
            name = octets.decode(errors="surrogateescape")
            for method in (QueueDeclare(0, name, passive=True), BasicConsume(0, name)):
                channel.send(method)
                channel.expect_close(404, "NOT_FOUND - no queue '")
                channel.reopen()


# -- tables ----------------------------------------------------------------------------------------


def nested(depth: int, tag: bytes = b"F") -> bytes:
    """Return the octets of a table with a table in it and so on, or arrays if `tag` is A."""
    octets = b""
    for _ in range(depth):
        name = b"\x01a" if tag == b"F" else b""
        octets = name + tag + struct.pack(">L", len(octets)) + octets
    return octets if tag == b"F" else b"\x01a" + octets


WILD_TABLES = {
    "tables 18,000 deep": nested(18_000),
    "arrays 16,000 deep": nested(16_000, b"A"),
    "65 deep": nested(66),
}


@pytest.mark.parametrize("table", WILD_TABLES.values(), ids=WILD_TABLES.keys())
def test_a_table_that_nests_too_deeply_is_a_syntax_error(
    broker: BrokerProcess, connect: Connect, table: bytes
) -> None:
    for method in (
        QueueDeclare(0, "wild", arguments=table),
        ExchangeDeclare(0, "wild", arguments=table),
        QueueBind(0, "wild", "amq.headers", "", arguments=table),
        BasicConsume(0, "wild", arguments=table),
    ):
        peer = connect(broker)
        peer.channel(1)
        connect(broker).channel().declare("wild")
        peer.send(1, method)
        peer.expect_close(502, "SYNTAX_ERROR")
    probe(broker)


def test_wild_client_properties_let_nobody_in(broker: BrokerProcess, connect: Connect) -> None:
    for table in WILD_TABLES.values():
        peer = connect(broker, shake_hands=False)
        peer.send_octets(HEADER)
        peer.zero.expect(ConnectionStart)
        peer.send(0, ConnectionStartOk(table, "PLAIN", b"\0guest\0guest"))
        peer.expect_end()


def test_odd_client_properties_do_no_harm(broker: BrokerProcess, connect: Connect) -> None:
    tables: list[Table] = [
        {"capabilities": ("S", b"all")},
        {"capabilities": ("F", {"basic.nack": ("l", 1), "connection.blocked": ("V", None)})},
        {"product": ("T", 1 << 63), "version": ("D", (255, (1 << 32) - 1)), "x": ("f", 1e38)},
        {"\udcff" * 128: ("A", [("A", []), ("x", b"\0"), ("t", True)])},
        from_python({str(number): number for number in range(9000)}),
    ]
    for table in tables:
        peer = connect(broker, shake_hands=False)
        peer.send_octets(HEADER)
        peer.zero.expect(ConnectionStart)
        peer.send(0, ConnectionStartOk(encode_table(table), "PLAIN", b"\0guest\0guest"))
        peer.zero.expect(ConnectionTune)


def test_wild_headers_are_passed_on_or_refused_and_nobody_else_is_hurt(
    broker: BrokerProcess, connect: Connect
) -> None:
    watcher = connect(broker).channel()
    queue = watcher.declare("")
    watcher.bind(queue, "amq.headers", "", arguments(x_match="any", a=1))
    for table in (nested(60), *WILD_TABLES.values()):
        properties = b"\x30\x00" + struct.pack(">L", len(table)) + table + b"\x01"
        peer = connect(broker)
        channel = peer.channel(1)
        channel.publish(b"passed on", queue, properties=properties)  # nobody has to look
        assert channel.got(queue, no_ack=True).header.endswith(properties)
        channel.publish(b"looked at", "", "amq.headers", properties)
        if len(table) > 1000 or table == WILD_TABLES["65 deep"]:
            peer.expect_close(502)
        else:
            assert channel.depth(queue) == 0


ODD_PROPERTIES = {
    "CC that is no list": (Properties(headers=from_python({"CC": "queue"})), 406),
    "CC of numbers": (Properties(headers=from_python({"CC": [1, 2]})), 406),
    "an expiration in words": (Properties(expiration="soon"), 406),
    "an expiration below zero": (Properties(expiration="-1"), 406),
    "another's name": (Properties(user_id="root"), 406),
}


@pytest.mark.parametrize(("properties", "code"), ODD_PROPERTIES.values(), ids=ODD_PROPERTIES.keys())
def test_properties_that_cannot_be_close_the_channel(
    broker: BrokerProcess, connect: Connect, properties: Properties, code: int
) -> None:
    channel = connect(broker).channel()
    channel.publish(b"", "nowhere", properties=properties)
    channel.expect_close(code)


def test_thousands_of_carbon_copies_reach_each_queue_once(
    broker: BrokerProcess, connect: Connect
) -> None:
    channel = connect(broker).channel()
    queue = channel.declare("", durable=False)
    copies = [queue, *(f"nowhere{number}" for number in range(3000))] * 2
    channel.publish(b"", queue, properties=Properties(headers=from_python({"CC": copies})))
    assert channel.depth(queue) == 1


# -- routes ----------------------------------------------------------------------------------------


def bind_exchange(channel: Channel, source: str, destination: str, key: str = "") -> None:
    channel.call(ExchangeBind(0, destination, source, key))


def test_exchanges_bound_in_circles_deliver_once(broker: BrokerProcess, connect: Connect) -> None:
    channel = connect(broker).channel()
    names = [f"circle.{number}" for number in range(20)]
    for name in names:
        channel.call(ExchangeDeclare(0, name, "fanout", auto_delete=True))
    queue = channel.declare("", durable=False)
    for name in names:
        channel.bind(queue, name)
    for source, destination in product(names, names):  # itself among them
        bind_exchange(channel, source, destination)
    for name in names:
        channel.publish(b"", "any", name, TRANSIENT)
    assert channel.depth(queue) == len(names)
    probe(broker)
    channel.delete(queue)


def test_alternates_in_circles_end(broker: BrokerProcess, connect: Connect, queue: str) -> None:
    channel = connect(broker).channel()
    for name, other in (("one", "two"), ("two", "one"), ("self", "self")):
        channel.call(
            ExchangeDeclare(
                0, f"{queue}.{name}", arguments=arguments(alternate_exchange=f"{queue}.{other}")
            )
        )
        channel.publish(b"", "nowhere", f"{queue}.{name}", TRANSIENT)
    channel.declare("")


def test_binding_keys_full_of_wildcards_take_no_time(start: Start, connect: Connect) -> None:
    broker = start()
    channel = connect(broker).channel()
    queue = channel.declare("", durable=False)
    for number in range(100):
        key = ".".join(["#", "a"] * 40 + [str(number)])
        channel.bind(queue, "amq.topic", key)
    publications = b"".join(
        channel.publication(b"", ".".join(["a"] * 100 + [str(number)]), "amq.topic", TRANSIENT)
        for number in range(50)
    )
    channel.peer.send_octets(publications)
    probe(broker)
    assert channel.depth(queue) == 50


def test_a_name_with_line_ends_means_the_one_without(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    channel = connect(broker).channel()
    assert channel.declare(f"{queue}\r\n") == queue
    channel.publish(b"found", queue)
    assert channel.got(queue, no_ack=True).body == b"found"
    channel.send(BasicGet(0, f"{queue}\n"))
    channel.expect_close(404)


def test_a_frame_of_nothing_but_names_is_read_as_it_is(
    broker: BrokerProcess, connect: Connect
) -> None:
    """A name that is as long as it can be, in a method whose end it takes away."""
    peer = connect(broker)
    peer.channel(1)
    whole = method_frame(1, QueueDeclare(0, "x" * 255))
    size = len(whole) - 8 - 5
    peer.send_octets(whole[:3] + struct.pack(">L", size) + whole[7 : 7 + size] + b"\xce")
    peer.expect_close(502)

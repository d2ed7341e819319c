"""Headers and properties pass through octet by octet, whatever they hold (§4.2.5.5).

Tags mean what they mean to RabbitMQ; nothing is made a date of, and nothing is normalised.
"""

from struct import pack

import pytest

from amqplite.protocol.fields import Table, encode_table
from amqplite.protocol.methods import QueueDeclare
from amqplite.protocol.properties import Properties, encode_header, encode_properties
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name, Start
from tests.wire.events import arguments

HEADERS_FLAG, TIMESTAMP_FLAG, DELIVERY_MODE_FLAG = 0x2000, 0x0040, 0x1000

TIMESTAMPS = (0, 1_772_000_000_000, 2**63, 18_446_744_073_695_295_616, 2**64 - 1)


def field(name: str, octets: bytes) -> bytes:
    return bytes((len(name),)) + name.encode() + octets


def long_string(octets: bytes) -> bytes:
    return pack(">L", len(octets)) + octets


FIELDS = {
    "t-true": b"t\x01",
    "t-false": b"t\x00",
    "t-odd": b"t\x02",
    "b-min": b"b\x80",
    "b-max": b"b\x7f",
    "b-minus-one": b"b\xff",
    "B-zero": b"B\x00",
    "B-128": b"B\x80",
    "B-max": b"B\xff",
    "s-min": b"s\x80\x00",
    "s-max": b"s\x7f\xff",
    "u-max": b"u\xff\xff",
    "I-min": b"I\x80\x00\x00\x00",
    "I-max": b"I\x7f\xff\xff\xff",
    "i-max": b"i\xff\xff\xff\xff",
    "l-min": b"l\x80" + bytes(7),
    "l-max": b"l\x7f" + b"\xff" * 7,
    "L-min": b"L\x80" + bytes(7),
    "L-max": b"L\x7f" + b"\xff" * 7,
    "f": b"f" + pack(">f", -1.5),
    "f-nan": b"f\x7f\xc0\x00\x01",
    "f-signalling-nan": b"f\x7f\x80\x00\x01",
    "f-infinity": b"f\xff\x80\x00\x00",
    "d": b"d" + pack(">d", 0.1),
    "d-minus-zero": b"d\x80" + bytes(7),
    "d-nan": b"d\x7f\xf8\x00\x00\x00\x00\x00\x01",
    "D": b"D\x02\xff\xff\xff\x85",
    "T-max": b"T" + b"\xff" * 8,
    "T-milliseconds": b"T" + pack(">Q", TIMESTAMPS[1]),
    "S-empty": b"S" + long_string(b""),
    "S-no-text": b"S" + long_string(b"\xff\x00\xfe"),
    "x": b"x" + long_string(b"\x00\x01\xff"),
    "V": b"V",
    "A-empty": b"A" + long_string(b""),
    "A": b"A" + long_string(b"b\x80V" + b"A" + long_string(b"t\x01")),
    "F-empty": b"F" + long_string(b""),
    "F": b"F" + long_string(field("k", b"u\x80\x00") + field("", b"V")),
    "F-deep": b"F" + long_string(field("k", b"F" + long_string(field("k", b"L" + bytes(8))))),
}

TABLES = {name: field(name, octets) for name, octets in FIELDS.items()} | {
    "none": b"",
    "all": b"".join(field(name, octets) for name, octets in FIELDS.items()),
    "unsorted": field("z", b"V") + field("a", b"V") + field("m", b"V"),
    "one-name-twice": field("k", b"b\x01") + field("k", b"b\x02"),
    "name-no-text": b"\x02\xff\xfe" + b"V",
    "name-empty": field("", b"V"),
    "name-longest": field("n" * 255, b"V"),
    "x-headers": field("x-death", b"S" + long_string(b"mine")) + field("x-delay", b"I" + bytes(4)),
}


def with_table(table: bytes) -> bytes:
    """Return flags and property list of a persistent message with these headers."""
    return pack(">H", HEADERS_FLAG | DELIVERY_MODE_FLAG) + long_string(table) + b"\x02"


def test_headers_arrive_as_they_were_sent(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    channel.consume(queue)
    for name, table in TABLES.items():
        channel.publish(b"body", queue, properties=with_table(table))
        event = channel.delivery()
        assert event.header == encode_header(4, with_table(table)), name
        channel.nack(event.tag)
        again = channel.delivery()
        assert again.header == event.header, name
        channel.ack(again.tag)


def test_headers_are_the_same_after_a_restart(start: Start, connect: Connect, queue: str) -> None:
    broker = start()
    channel = connect(to=broker).channel().confirm()
    channel.declare(queue)
    for table in TABLES.values():
        channel.publish(b"body", queue, properties=with_table(table))
    for timestamp in TIMESTAMPS:
        channel.publish(b"body", queue, properties=stamped(timestamp))
    channel.await_confirms(len(TABLES) + len(TIMESTAMPS))
    broker.restart()
    channel = connect(to=broker).channel()
    sent = [with_table(table) for table in TABLES.values()] + [stamped(t) for t in TIMESTAMPS]
    for properties in sent:
        assert channel.got(queue, no_ack=True).header == encode_header(4, properties)
    assert channel.get(queue) is None


def stamped(timestamp: int) -> bytes:
    """Return flags and property list with a timestamp, in the headers too."""
    table = encode_table({"when": ("T", timestamp)})
    flags = pack(">H", HEADERS_FLAG | DELIVERY_MODE_FLAG | TIMESTAMP_FLAG)
    return flags + long_string(table) + b"\x02" + pack(">Q", timestamp)


@pytest.mark.parametrize("timestamp", TIMESTAMPS)
def test_a_timestamp_is_64_bits_and_no_date(channel: Channel, name: Name, timestamp: int) -> None:
    queue, dead = name("q"), name("dead")
    channel.declare(dead)
    channel.declare(
        queue, arguments=arguments(x_dead_letter_exchange="", x_dead_letter_routing_key=dead)
    )
    channel.publish(b"body", queue, properties=stamped(timestamp))
    event = channel.got(queue)
    assert event.header == encode_header(4, stamped(timestamp))
    channel.reject(event.tag, requeue=False)
    channel.peer.sync()
    letter = channel.got(dead)
    assert letter.properties.timestamp == timestamp
    assert letter.headers["when"] == ("T", timestamp)
    assert letter.body == b"body"


def test_what_dead_lettering_does_not_add_stays_as_it_was(channel: Channel, name: Name) -> None:
    queue, dead = name("q"), name("dead")
    channel.declare(dead)
    channel.declare(
        queue, arguments=arguments(x_dead_letter_exchange="", x_dead_letter_routing_key=dead)
    )
    table = b"".join(field(name, octets) for name, octets in FIELDS.items())
    channel.publish(b"body", queue, properties=with_table(table))
    channel.reject(channel.got(queue).tag, requeue=False)
    channel.peer.sync()
    header = channel.got(dead).header
    for field_name, octets in FIELDS.items():
        assert field(field_name, octets) in header, field_name


def test_all_properties_arrive_as_they_were_sent(channel: Channel, queue: str) -> None:
    properties = Properties(
        content_type="a",
        content_encoding="b",
        headers={},
        delivery_mode=2,
        priority=255,
        correlation_id="c",
        reply_to="d",
        expiration="60000",
        message_id="e",
        timestamp=2**64 - 1,
        type="f",
        app_id="g",
        cluster_id="h",
    )
    channel.declare(queue)
    channel.publish(b"", queue, properties=properties)
    assert channel.got(queue).header == encode_header(0, encode_properties(properties))


@pytest.mark.parametrize("tag", "bBsuIilL")
@pytest.mark.parametrize("argument", ["x-message-ttl", "x-max-length", "x-expires"])
def test_an_argument_may_be_an_integer_of_any_width(
    channel: Channel, queue: str, argument: str, tag: str
) -> None:
    table: Table = {argument: (tag, 100)}
    channel.declare(queue, arguments=encode_table(table))
    as_long: Table = {argument: ("l", 100)}
    channel.declare(queue, arguments=encode_table(as_long))


@pytest.mark.parametrize("tag", "bsIlL")
@pytest.mark.parametrize("argument", ["x-message-ttl", "x-max-length", "x-max-length-bytes"])
def test_an_argument_that_counts_may_not_be_negative(
    channel: Channel, queue: str, argument: str, tag: str
) -> None:
    table: Table = {argument: (tag, -1)}
    channel.send(QueueDeclare(queue=queue, arguments=encode_table(table)))
    channel.expect_close(406, argument, by=QueueDeclare)


@pytest.mark.parametrize("tag", "bsIlL")
def test_a_consumers_priority_may_be_negative(channel: Channel, queue: str, tag: str) -> None:
    channel.declare(queue)
    low: Table = {"x-priority": (tag, -5)}
    channel.consume(queue, "low", arguments=encode_table(low))
    channel.consume(queue, "normal")
    for _ in range(3):
        channel.publish(b"m", queue)
    assert {event.method.consumer_tag for event in channel.deliveries(3)} == {"normal"}
    channel.cancel("normal")
    channel.publish(b"m", queue)
    assert channel.delivery().method.consumer_tag == "low"


@pytest.mark.parametrize(
    "table",
    [
        field("k", b"Z\x00"),
        field("k", b"I\x00"),
        field("k", b"S" + pack(">L", 100) + b"short"),
        b"\x09short",
        field("k", b"F" + long_string(b"\x09short")),
    ],
    ids=["unknown-tag", "short-integer", "short-string", "short-name", "short-table"],
)
def test_a_malformed_table_closes_the_connection_and_nothing_else(
    connect: Connect, queue: str, table: bytes
) -> None:
    peer, other = connect(), connect().channel()
    peer.channel().send(QueueDeclare(queue=queue, arguments=table))
    peer.expect_close(502)
    other.peer.quiet()

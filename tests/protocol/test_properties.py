from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pamqp.commands
import pamqp.header
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.errors import InvalidSyntax
from amqplite.protocol import properties
from amqplite.protocol.fields import encode_table, to_python
from amqplite.protocol.properties import (
    Properties,
    decode_properties,
    encode_header,
    encode_properties,
    with_headers,
)

HEAD = bytes.fromhex("003c 0000 0000000000000007")
"""What comes before the flags: class basic, no weight, a body of seven octets."""

VECTORS = [
    # flags and list                                      property
    ("0000",                                              Properties()),
    ("8000 03 612f62",                                    Properties(content_type="a/b")),
    ("4000 04 677a6970",                                  Properties(content_encoding="gzip")),
    ("2000 00000004 016b7401",                            Properties(headers={"k": ("t", True)})),
    ("2000 00000000",                                     Properties(headers={})),
    ("1000 02",                                           Properties(delivery_mode=2)),
    ("0800 ff",                                           Properties(priority=255)),
    ("0400 01 63",                                        Properties(correlation_id="c")),
    ("0200 01 72",                                        Properties(reply_to="r")),
    ("0100 05 3630303030",                                Properties(expiration="60000")),
    ("0080 01 6d",                                        Properties(message_id="m")),
    ("0040 ffffffffffffffff",                             Properties(timestamp=2**64 - 1)),
    ("0020 01 74",                                        Properties(type="t")),
    ("0010 05 6775657374",                                Properties(user_id="guest")),
    ("0008 01 61",                                        Properties(app_id="a")),
    ("0004 02 fffe",                                      Properties(cluster_id="\udcff\udcfe")),
    ("9900 00 01 00 00",  Properties(content_type="", delivery_mode=1, priority=0, expiration="")),
]  # fmt: skip

FULL = Properties(
    "text/plain", "gzip", {"k": ("t", True)}, 2, 9, "c", "r", "60000", "m", 5, "t", "u", "a", "z"
)
FULL_OCTETS = bytes.fromhex(
    "fffc 0a 746578742f706c61696e 04 677a6970 00000004 016b7401 02 09 01 63 01 72 05 3630303030"
    "01 6d 0000000000000005 01 74 01 75 01 61 01 7a"
)

PEEKS: list[Callable[[bytes], object]] = [
    properties.delivery_mode,
    properties.priority,
    properties.expiration,
    properties.headers,
    properties.message_id,
    properties.user_id,
]


@pytest.mark.parametrize(("octets", "expected"), [*VECTORS, (FULL_OCTETS.hex(), FULL)])
def test_properties_on_the_wire(octets: str, expected: Properties) -> None:
    assert decode_properties(HEAD + bytes.fromhex(octets)) == expected
    assert encode_properties(expected) == bytes.fromhex(octets)


def test_a_header_is_the_body_size_and_the_properties() -> None:
    assert encode_header(7, FULL_OCTETS) == HEAD + FULL_OCTETS


def short_strings() -> st.SearchStrategy[str]:
    return st.binary(max_size=20).map(lambda octets: octets.decode(errors="surrogateescape"))


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "headers": st.dictionaries(
        st.text(max_size=5), st.tuples(st.just("S"), st.binary(max_size=9)), max_size=3
    ),
    "delivery_mode": st.integers(0, 255),
    "priority": st.integers(0, 255),
    "timestamp": st.integers(0, 2**64 - 1),
}
any_properties = st.builds(
    Properties,
    **{
        field.name: st.none() | VALUES.get(field.name, short_strings())
        for field in fields(Properties)
    },
)


@given(any_properties)
def test_properties_come_back_from_their_octets(original: Properties) -> None:
    assert decode_properties(encode_header(0, encode_properties(original))) == original


def as_octets(text: str | None) -> bytes | None:
    return None if text is None else text.encode(errors="surrogateescape")


@given(any_properties)
@settings(max_examples=300)
def test_a_peek_sees_what_decoding_sees(original: Properties) -> None:
    header = encode_header(0, encode_properties(original))
    table = None if original.headers is None else encode_table(original.headers)
    assert properties.delivery_mode(header) == (original.delivery_mode or 0)
    assert properties.priority(header) == original.priority
    assert properties.expiration(header) == as_octets(original.expiration)
    assert properties.headers(header) == table
    assert properties.message_id(header) == as_octets(original.message_id)
    assert properties.user_id(header) == as_octets(original.user_id)
    properties.check(header)


@given(any_properties, VALUES["headers"] | st.none())
def test_other_headers_leave_the_rest_as_it_was(original: Properties, table: Any) -> None:
    header = encode_header(7, encode_properties(original))
    changed = with_headers(header, None if table is None else encode_table(table))
    assert changed[:12] == HEAD
    assert properties.headers(changed) == (None if table is None else encode_table(table))
    assert with_headers(changed, properties.headers(header)) == header


def test_headers_are_added_replaced_and_removed() -> None:
    bare = HEAD + bytes.fromhex("9004 01 61 02 01 7a")
    with_one = HEAD + bytes.fromhex("b004 01 61 00000003 016b56 02 01 7a")
    with_two = HEAD + bytes.fromhex("b004 01 61 00000006 016b56016c56 02 01 7a")
    assert with_headers(bare, b"\x01kV") == with_one
    assert with_headers(with_one, b"\x01kV\x01lV") == with_two
    assert with_headers(with_two, None) == bare
    assert with_headers(bare, None) == bare
    assert with_headers(bare, b"") == HEAD + bytes.fromhex("b004 01 61 00000000 02 01 7a")


def test_headers_need_not_be_understood_to_be_passed_on() -> None:
    header = HEAD + bytes.fromhex("3000 00000003 016b00 02")  # no field has type 0
    assert properties.headers(header) == b"\x01k\x00"
    assert properties.delivery_mode(header) == 2
    properties.check(header)
    with pytest.raises(InvalidSyntax, match="unknown type 0x00"):
        decode_properties(header)


ALL = [*PEEKS, properties.check, decode_properties, lambda header: with_headers(header, None)]


@pytest.mark.parametrize("octets", [FULL_OCTETS, *[bytes.fromhex(row[0]) for row in VECTORS]])
def test_a_list_cut_short_is_a_syntax_error(octets: bytes) -> None:
    header = HEAD + octets
    for size in range(len(header)):
        for function in (properties.check, decode_properties):
            with pytest.raises(InvalidSyntax, match="cut short"):
                function(header[:size])


@pytest.mark.parametrize(
    ("peek", "octets"),
    [
        (properties.delivery_mode, "1000"),
        (properties.delivery_mode, "b000 01 61 00000002 01 02"),
        (properties.delivery_mode, "3000 0000"),
        (properties.priority, "1800 02"),
        (properties.expiration, "0100"),
        (properties.expiration, "0100 02 31"),
        (properties.expiration, "0700 01 63 05 72 01 31"),
        (properties.headers, "2000 000000"),
        (properties.headers, "2000 00000002 01"),
        (properties.headers, "a000 07 61"),
        (properties.message_id, "00"),
        (properties.message_id, "0080"),
        (properties.message_id, "0180 01 31 02 6d"),
        (properties.user_id, "00"),
        (properties.user_id, "0010"),
        (properties.user_id, "0010 02 75"),
        (properties.user_id, "01f0 01 31 01 6d 0000000000000005 01 74 02 75"),
        (properties.check, "0004 02 7a"),
        (lambda header: with_headers(header, b""), "a0"),
        (lambda header: with_headers(header, b""), "2000 00000002 01"),
        (lambda header: with_headers(header, b""), "2000 0000"),
    ],
)
def test_what_a_peek_needs_and_misses_is_a_syntax_error(peek: Any, octets: str) -> None:
    with pytest.raises(InvalidSyntax, match="content header is cut short"):
        peek(HEAD + bytes.fromhex(octets))


@pytest.mark.parametrize("flags", [b"\xff\xfd", b"\xff\xfe", b"\xff\xff"])
@pytest.mark.parametrize("function", ALL)
def test_flags_of_no_property_are_a_syntax_error(function: Any, flags: bytes) -> None:
    with pytest.raises(InvalidSyntax, match="class 60 doesn't have"):
        function(HEAD + flags + FULL_OCTETS[2:])


@pytest.mark.parametrize("function", ALL)
@given(octets=st.binary(max_size=60))
def test_random_octets_raise_a_syntax_error_and_nothing_else(function: Any, octets: bytes) -> None:
    with suppress(InvalidSyntax):
        function(HEAD + octets)
    with suppress(InvalidSyntax):
        function(octets)


@given(st.binary(max_size=60))
@settings(max_examples=500)
def test_after_a_check_no_peek_fails(octets: bytes) -> None:
    header = HEAD + octets
    try:
        properties.check(header)
    except InvalidSyntax:
        return
    for peek in PEEKS:
        peek(header)
    with_headers(header, None)


@pytest.mark.parametrize(
    "unfit",
    [
        Properties(delivery_mode=256),
        Properties(timestamp=-1),
        Properties(reply_to="r" * 256),
        Properties(headers={"k": ("b", 128)}),
    ],
)
def test_a_property_that_does_not_fit_is_not_encoded(unfit: Properties) -> None:
    with pytest.raises(ValueError, match=r"delivery_mode|timestamp|over 255|no value for a field"):
        encode_properties(unfit)


def test_pamqp_reads_the_same_properties() -> None:
    theirs = pamqp.header.ContentHeader()
    theirs.unmarshal(encode_header(7, encode_properties(FULL)))
    assert theirs.body_size == 7
    ours = {field.name: getattr(FULL, field.name) for field in fields(FULL)}
    ours["message_type"] = ours.pop("type")
    ours["headers"] = to_python(ours["headers"])
    ours["timestamp"] = datetime.fromtimestamp(5, UTC)
    assert dict(theirs.properties) == ours


def test_what_pamqp_writes_is_read() -> None:
    theirs = pamqp.commands.Basic.Properties(
        content_type="a/b", delivery_mode=2, expiration="10", headers={"k": 1}, user_id="guest"
    )
    header = pamqp.header.ContentHeader(body_size=7, properties=theirs).marshal()
    ours = decode_properties(header)
    assert (ours.content_type, ours.delivery_mode, ours.expiration) == ("a/b", 2, "10")
    assert to_python(ours.headers or {}) == {"k": 1}
    assert properties.user_id(header) == b"guest"

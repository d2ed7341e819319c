import math
import struct
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pamqp.decode
import pamqp.encode
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.errors import InvalidSyntax
from amqplite.protocol.fields import (
    DEPTH_MAX,
    Table,
    decode_table,
    encode_table,
    from_python,
    to_python,
)


def with_length(octets: bytes) -> bytes:
    return len(octets).to_bytes(4) + octets


VALUES = [
    # octets                    tag  value                   because
    ("00",                      "t", False,                  "false"),
    ("01",                      "t", True,                   "true"),
    ("80",                      "b", -128,                   "least octet"),
    ("7f",                      "b", 127,                    "greatest octet"),
    ("ff",                      "B", 255,                    "unsigned octet"),
    ("8000",                    "s", -32768,                 "signed, not a short string"),
    ("7fff",                    "s", 32767,                  "greatest short"),
    ("ffff",                    "u", 65535,                  "unsigned short"),
    ("80000000",                "I", -(2**31),               "least long"),
    ("7fffffff",                "I", 2**31 - 1,              "greatest long"),
    ("ffffffff",                "i", 2**32 - 1,              "unsigned long"),
    ("8000000000000000",        "l", -(2**63),               "least longlong"),
    ("7fffffffffffffff",        "l", 2**63 - 1,              "greatest longlong"),
    ("ffffffffffffffff",        "L", -1,                     "L is signed, too"),
    ("3fc00000",                "f", 1.5,                    "float"),
    ("80000000",                "f", -0.0,                   "negative zero"),
    ("ff800000",                "f", -math.inf,              "infinity"),
    ("3ff8000000000000",        "d", 1.5,                    "double"),
    ("020000007b",              "D", (2, 123),               "decimal 1.23"),
    ("00ffffffff",              "D", (0, 2**32 - 1),         "a decimal is unsigned"),
    ("0000019c99572510",        "T", 1_772_099_151_120,      "a timestamp in milliseconds"),
    ("ffffffffffffffff",        "T", 2**64 - 1,              "no date at all"),
    ("00000000",                "S", b"",                    "empty string"),
    ("0000000268ff",            "S", b"h\xff",               "a string that isn't UTF-8"),
    ("00000001ff",              "x", b"\xff",                "octets"),
    ("",                        "V", None,                   "void"),
    ("00000000",                "F", {},                     "empty table"),
    ("00000004016b7401",        "F", {"k": ("t", True)},     "table"),
    ("00000000",                "A", [],                     "empty array"),
    ("000000055662ff7400",      "A", [("V", None), ("b", -1), ("t", False)], "array"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("octets", "tag", "value"), [pytest.param(*row[:3], id=f"{row[1]}: {row[3]}") for row in VALUES]
)
def test_a_value_of_each_type(octets: str, tag: str, value: Any) -> None:
    table = b"\x04name" + tag.encode() + bytes.fromhex(octets)
    assert decode_table(table) == {"name": (tag, value)}
    assert encode_table({"name": (tag, value)}) == table


@pytest.mark.parametrize(
    "value",
    [
        "66 7fc00000",  # quiet
        "66 ffc00001",
        "66 7f800001",  # signalling, with nothing above its lowest bit
        "66 ff812345",
        "64 7ff8000000000000",
        "64 fff0000000000001",
        "66 80000000",
        "64 8000000000000000",
        "74 02",  # true, to whoever asks
        "74 ff",
    ],
)
def test_octets_without_a_value_of_their_own_come_back(value: str) -> None:
    octets = b"\x01k" + bytes.fromhex(value)
    table = decode_table(octets)
    assert encode_table(table) == octets
    assert to_python(table)["k"] is True or not to_python(table)["k"] > 0


def test_a_nan_too_small_for_a_float_stays_a_nan() -> None:
    (nan,) = struct.unpack(">d", bytes.fromhex("7ff0000000000001"))
    assert encode_table({"k": ("f", nan)}) == b"\x01kf\x7f\xc0\0\0"


def test_names_may_be_anything_of_up_to_255_octets() -> None:
    for name in (b"", b"\xff\xfe", "ü".encode(), b"n" * 255):
        octets = bytes([len(name)]) + name + b"V"
        assert encode_table(decode_table(octets)) == octets


def test_of_two_fields_with_one_name_the_last_wins() -> None:
    assert decode_table(b"\x01kt\x00\x01kt\x01") == {"k": ("t", True)}


def nested(tag: str, depth: int) -> bytes:
    """Octets of a table that holds tables, or arrays, to this depth."""
    octets = b""
    for _ in range(depth - 2):
        octets = (b"\x00" if tag == "F" else b"") + tag.encode() + with_length(octets)
    return b"\x00" + tag.encode() + with_length(octets)


@pytest.mark.parametrize("tag", ["F", "A"])
def test_tables_nest_so_deep_and_no_deeper(tag: str) -> None:
    octets = nested(tag, DEPTH_MAX)
    assert encode_table(decode_table(octets)) == octets
    with pytest.raises(InvalidSyntax, match="nested more than 64 deep"):
        decode_table(nested(tag, DEPTH_MAX + 1))
    with pytest.raises(InvalidSyntax, match="nested more than 64 deep"):
        decode_table(nested(tag, 5000))


MALFORMED = [
    ("01", "a name is cut short"),
    ("05 6b", "a name is cut short by more"),
    ("01 6b", "a tag is missing"),
    ("01 6b 49 000000", "a number is cut short"),
    ("01 6b 44 02 000000", "a decimal is cut short"),
    ("01 6b 53 000000", "a length is cut short"),
    ("01 6b 53 00000002 61", "a string is cut short"),
    ("01 6b 78 ffffffff 61", "a length is out of this world"),
    ("01 6b 46 00000003 01 61 74", "a table ends before its field"),
    ("01 6b 46 00000004 01 61 74", "a table is cut short"),
    ("01 6b 41 00000002 74 01 49", "an array is followed by half a field"),
    ("01 6b 46 00000003 01 61 49 00000000", "a number leaves its table"),
    ("01 6b 41 00000002 49 00 000000", "a number leaves its array"),
]


@pytest.mark.parametrize("octets", [pytest.param(row[0], id=row[1]) for row in MALFORMED])
def test_a_malformed_table_is_a_syntax_error(octets: str) -> None:
    with pytest.raises(InvalidSyntax, match="cut short"):
        decode_table(bytes.fromhex(octets))


@pytest.mark.parametrize("tag", [*set(range(256)) - set(b"tbBsuIilLfdTDSxFAV")])
def test_any_other_tag_is_a_syntax_error(tag: int) -> None:
    with pytest.raises(InvalidSyntax, match=f"unknown type {tag:#04x}"):
        decode_table(b"\x01k" + bytes([tag]) + bytes(8))


def strings() -> st.SearchStrategy[str]:
    return st.binary(max_size=20).map(lambda octets: octets.decode(errors="surrogateescape"))


def integers(tag: str, bits: int, *, signed: bool) -> st.SearchStrategy[Any]:
    least, greatest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.tuples(st.just(tag), st.integers(least, greatest))


NUMBERS = st.one_of(
    st.tuples(st.just("t"), st.booleans()),
    integers("b", 8, signed=True),
    integers("B", 8, signed=False),
    integers("s", 16, signed=True),
    integers("u", 16, signed=False),
    integers("I", 32, signed=True),
    integers("i", 32, signed=False),
    integers("l", 64, signed=True),
    integers("L", 64, signed=True),
    integers("T", 64, signed=False),
    st.tuples(st.just("f"), st.floats(width=32, allow_nan=False)),
    st.tuples(st.just("d"), st.floats(allow_nan=False)),
    st.tuples(st.just("D"), st.tuples(st.integers(0, 255), st.integers(0, 2**32 - 1))),
    st.tuples(st.just("V"), st.none()),
)
FIELDS = st.recursive(
    NUMBERS | st.tuples(st.sampled_from("Sx"), st.binary(max_size=20)),
    lambda fields: st.one_of(
        st.tuples(st.just("A"), st.lists(fields, max_size=4)),
        st.tuples(st.just("F"), st.dictionaries(strings(), fields, max_size=4)),
    ),
    max_leaves=12,
)
TABLES = st.dictionaries(strings(), FIELDS, max_size=6)


@given(TABLES)
def test_a_table_comes_back_from_its_octets(table: Table) -> None:
    assert decode_table(encode_table(table)) == table


@given(st.lists(st.sampled_from([*b"\x00\x01\x02\x05\x7f\xfftbBsuIilLfdTDSxFAVk"])).map(bytes))
def test_octets_are_refused_or_come_back(octets: bytes) -> None:
    try:
        table = decode_table(octets)
    except InvalidSyntax:
        return
    encoded = encode_table(table)
    if len(encoded) == len(octets):  # no name came twice
        assert encoded == octets


@given(st.binary(max_size=200))
def test_random_octets_raise_a_syntax_error_and_nothing_else(octets: bytes) -> None:
    with suppress(InvalidSyntax):
        decode_table(octets)


TOO_MUCH = [
    ("b", 128),
    ("B", -1),
    ("I", 2**31),
    ("l", 2**63),
    ("T", -1),
    ("f", 1e300),
    ("I", "1"),
    ("D", (256, 0)),
    ("s", 1 << 15),
    ("z", 0),
    ("", 0),
    ("ü", 0),
]


@pytest.mark.parametrize(("tag", "value"), TOO_MUCH)
def test_a_value_that_does_not_fit_its_tag_is_not_encoded(tag: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"no value for a field|no field has type"):
        encode_table({"k": (tag, value)})


def test_a_name_over_255_octets_is_not_encoded() -> None:
    with pytest.raises(ValueError, match="256 octets is over 255"):
        encode_table({"n" * 256: ("V", None)})


PYTHON = [
    ("ü", ("S", "ü".encode())),
    ("\udcff", ("S", b"\xff")),
    (b"\xff", ("S", b"\xff")),
    (True, ("t", True)),
    (-(2**31), ("I", -(2**31))),
    (2**31 - 1, ("I", 2**31 - 1)),
    (2**31, ("l", 2**31)),
    (-(2**63), ("l", -(2**63))),
    (0.5, ("d", 0.5)),
    (None, ("V", None)),
    ({"a": 1}, ("F", {"a": ("I", 1)})),
    ([1, [None]], ("A", [("I", 1), ("A", [("V", None)])])),
    ((1,), ("A", [("I", 1)])),
]


@pytest.mark.parametrize(("value", "field"), PYTHON)
def test_a_plain_value_gets_the_tag_a_client_would_give_it(value: Any, field: Any) -> None:
    table = from_python({"k": value})
    assert table == {"k": field}
    assert type(table["k"][1]) is type(field[1])


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, object(), {1}])
def test_some_values_have_no_place_in_a_table(value: Any) -> None:
    with pytest.raises(ValueError, match="no place in a field table"):
        from_python({"k": [value]})


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"k": value}])
def test_plain_values_nest_as_deep_as_tables(wrap: Any) -> None:
    value: Any = "leaf"
    for _ in range(DEPTH_MAX - 1):
        value = wrap(value)
    table = from_python({"k": value})
    assert decode_table(encode_table(table)) == table
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        from_python({"k": wrap(value)})


def test_what_holds_itself_has_no_tags() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        from_python({"k": endless})


def test_people_see_plain_values() -> None:
    table: Table = {
        "string": ("S", "ü".encode()),
        "not UTF-8": ("S", b"\xff"),
        "octets": ("x", b"\xff"),
        "true": ("t", 7),
        "decimal": ("D", (2, 123)),
        "timestamp": ("T", 2**64 - 1),
        "void": ("V", None),
        "table": ("F", {"a": ("A", [("b", -1), ("S", b"x")])}),
    }
    assert to_python(table) == {
        "string": "ü",
        "not UTF-8": "\udcff",
        "octets": b"\xff",
        "true": True,
        "decimal": Decimal("1.23"),
        "timestamp": 2**64 - 1,
        "void": None,
        "table": {"a": [-1, "x"]},
    }
    assert to_python(table)["true"] is True


KNOWN_TO_PAMQP = st.recursive(
    st.one_of(
        NUMBERS.filter(lambda field: field[0] not in "TD"),
        st.tuples(st.just("S"), st.text(max_size=10).map(str.encode)),
        st.tuples(st.just("x"), st.binary(max_size=10)),
    ),
    lambda fields: st.one_of(
        st.tuples(st.just("A"), st.lists(fields, max_size=4)),
        st.tuples(st.just("F"), st.dictionaries(st.text(max_size=10), fields, max_size=4)),
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=10), KNOWN_TO_PAMQP, max_size=6))
def test_pamqp_reads_the_same_values(table: Table) -> None:
    octets = with_length(encode_table(table))
    assert pamqp.decode.field_table(octets) == (len(octets), to_python(table))


def test_pamqp_reads_the_same_decimals_and_timestamps() -> None:
    table: Table = {"D": ("D", (2, 123)), "T": ("T", 1_772_000_000)}
    _, values = pamqp.decode.field_table(with_length(encode_table(table)))
    assert values == {"D": Decimal("1.23"), "T": datetime.fromtimestamp(1_772_000_000, UTC)}


def test_what_pamqp_writes_is_read() -> None:
    values: dict[str, Any] = {
        "s": "text",
        "t": True,
        "i": -5,
        "l": 2**40,
        "f": 0.5,
        "n": None,
        "a": ["x", 1],
        "d": {"k": False},
    }
    octets = pamqp.encode.field_table(values)
    assert to_python(decode_table(octets[4:])) == values

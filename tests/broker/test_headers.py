import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.headers import X_MATCH, canonical, facts_of, is_met, wanted_by
from amqplite.errors import PreconditionFailed

Table = dict[str, tuple[str, Any]]

A1: Table = {"a": ("I", 1)}
A1_B2: Table = {"a": ("I", 1), "b": ("I", 2)}
B_VOID: Table = {"b": ("V", None)}

MATCHES: list[tuple[str | None, Table, Table, bool, str]] = [
    # x-match    arguments      headers      matches  because
    (None, A1_B2, A1_B2, True, "absent is all"),
    (None, A1_B2, A1, False, "absent is not any"),
    ("all", A1_B2, {**A1_B2, "c": ("I", 3)}, True, "more headers do no harm to all"),
    ("all", A1_B2, {}, False, "all are missing"),
    ("all", {}, {}, True, "all of nothing"),
    ("all", {}, A1, True, "all of nothing, whatever the headers"),
    ("any", A1_B2, A1, True, "one is enough for any"),
    ("any", A1_B2, {"a": ("I", 2), "b": ("I", 1)}, False, "any has to match by name"),
    ("any", {}, A1, False, "any of nothing"),
    ("any", {}, {}, False, "any of nothing, without headers"),
    ("all", B_VOID, {"b": ("S", b"x")}, True, "void asks for presence"),
    ("all", B_VOID, {"b": ("V", None)}, True, "void is present"),
    ("all", B_VOID, A1, False, "void does not take absence"),
    ("any", {**A1, **B_VOID}, {"b": ("I", 0)}, True, "void counts for any"),
    ("all", A1, {"a": ("V", None)}, False, "a void header is no number"),
    ("all", {"x-r": ("S", b"v")}, {}, True, "x- is not looked at by all"),
    ("all", {"x-r": ("S", b"v"), **A1}, A1, True, "x- is not looked at among others"),
    ("any", {"x-r": ("S", b"v")}, {"x-r": ("S", b"v")}, False, "x- is not looked at by any"),
    ("all-with-x", {"x-r": ("S", b"v")}, {}, False, "x- is looked at by all-with-x"),
    ("all-with-x", {"x-r": ("S", b"v")}, {"x-r": ("S", b"v")}, True, "x- matches with x"),
    ("any-with-x", {"x-r": ("S", b"v")}, {"x-r": ("S", b"v")}, True, "x- matches any with x"),
    ("any-with-x", {"x-r": ("S", b"v"), **A1}, A1, True, "any-with-x takes others, too"),
    ("all-with-x", {}, {}, True, "x-match itself is never looked at by all"),
    ("any-with-x", {}, {"x-match": ("S", b"any-with-x")}, False, "nor by any"),
    ("all", {"x": ("I", 1)}, {}, False, "x is no x-"),
    ("all", {"X-r": ("I", 1)}, {}, False, "X- is no x-"),
    ("all", A1, {"A": ("I", 1)}, False, "the case of names counts"),
]


@pytest.mark.parametrize(
    ("x_match", "arguments", "headers", "expected"),
    [pytest.param(*row[:4], id=row[4]) for row in MATCHES],
)
def test_headers_match(
    x_match: str | None, arguments: Table, headers: Table, expected: bool
) -> None:
    if x_match is not None:
        arguments = {"x-match": ("S", x_match.encode()), **arguments}
    assert is_met(wanted_by(arguments), facts_of(headers)) is expected


EQUALS = [
    # one               other                      equal  because
    (("I", 1), ("b", 1), True, "integers of any width"),
    (("l", -1), ("s", -1), True, "negative integers of any width"),
    (("L", 200), ("B", 200), True, "integers with a sign or without"),
    (("u", 7), ("i", 7), True, "unsigned integers"),
    (("I", 1), ("I", 2), False, "other integers"),
    (("I", 1), ("S", b"1"), False, "a number and a text"),
    (("I", 1), ("t", True), False, "a number and a truth value"),
    (("I", 1), ("d", 1.0), False, "an integer and a float"),
    (("I", 1), ("T", 1), False, "an integer and a timestamp"),
    (("f", 0.5), ("d", 0.5), True, "floats of any width"),
    (("d", math.nan), ("f", struct.unpack(">d", b"\xff\xf8" + bytes(6))[0]), True, "all NaNs"),
    (("t", True), ("t", False), False, "truth values"),
    (("t", True), ("t", 7), True, "true is all but 0"),
    (("S", b"a"), ("S", b"a"), True, "texts"),
    (("S", b"a"), ("S", b"A"), False, "texts of another case"),
    (("S", b"a"), ("x", b"a"), False, "a text and octets"),
    (("D", (1, 10)), ("D", (1, 10)), True, "decimals"),
    (("D", (1, 10)), ("D", (2, 100)), False, "decimals of another scale"),
    (("V", None), ("V", None), True, "void"),
    (("F", {"a": ("b", 1), "b": ("t", 1)}), ("F", {"b": ("t", 1), "a": ("I", 1)}), True, "tables"),
    (("F", {"a": ("b", 1)}), ("F", {"a": ("b", 2)}), False, "tables of other values"),
    (("F", {}), ("A", []), False, "a table and an array"),
    (("A", [("b", 1), ("S", b"")]), ("A", [("l", 1), ("S", b"")]), True, "arrays"),
    (("A", [("b", 1), ("b", 2)]), ("A", [("b", 2), ("b", 1)]), False, "arrays of another order"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "expected"), [pytest.param(*row[:3], id=row[3]) for row in EQUALS]
)
def test_fields_are_equal(one: tuple[str, Any], other: tuple[str, Any], expected: bool) -> None:
    assert (canonical(one) == canonical(other)) is expected
    wanted = wanted_by({"k": one})
    if one != ("V", None):
        assert is_met(wanted, facts_of({"k": other})) is expected


@pytest.mark.parametrize(
    ("x_match", "text"),
    [
        (
            ("S", b"foo"),
            "Invalid x-match field value 'foo'; expected all, any, all-with-x, or any-with-x",
        ),
        (
            ("S", b"\xff"),
            "Invalid x-match field value '\udcff'; expected all, any, all-with-x, or any-with-x",
        ),
        (("S", b"ALL"), "Invalid x-match field value 'ALL'; "),
        (("I", 1), "Invalid x-match field type signedint (value 1); expected longstr"),
        (("V", None), "Invalid x-match field type void (value None); expected longstr"),
    ],
)
def test_an_unknown_x_match_is_refused(x_match: tuple[str, Any], text: str) -> None:
    with pytest.raises(PreconditionFailed) as caught:
        wanted_by({"x-match": x_match})
    assert str(caught.value).startswith(text)


def oracle(arguments: Table, headers: Table) -> bool:
    """Match by the words of the specification, one argument at a time."""
    mode = arguments.get("x-match", ("S", b"all"))[1].decode()
    results = []
    for name, (tag, value) in arguments.items():
        if name == "x-match" or (name.startswith("x-") and not mode.endswith("-with-x")):
            continue
        if name not in headers:
            results.append(False)
        elif tag == "V":
            results.append(True)
        else:
            other_tag, other = headers[name]
            same_type = (tag in "bIl" and other_tag in "bIl") or tag == other_tag
            results.append(same_type and value == other)
    return all(results) if mode.startswith("all") else any(results)


fields = st.one_of(
    st.tuples(st.sampled_from("bIl"), st.integers(0, 2)),
    st.tuples(st.just("S"), st.sampled_from([b"", b"1"])),
    st.tuples(st.just("t"), st.booleans()),
    st.just(("V", None)),
)
tables = st.dictionaries(st.sampled_from(["a", "b", "x-a", "x-match", "xx"]), fields, max_size=5)


@given(tables, tables, st.sampled_from([None, *X_MATCH]))
def test_matching_agrees_with_the_specification(
    arguments: Table, headers: Table, x_match: bytes | None
) -> None:
    arguments.pop("x-match", None)
    if x_match is not None:
        arguments["x-match"] = ("S", x_match)
    assert is_met(wanted_by(arguments), facts_of(headers)) is oracle(arguments, headers)

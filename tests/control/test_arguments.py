"""Field tables as JSON: a value of every type."""

import json
from typing import Any

import pytest

from amqplite.control.arguments import plain
from amqplite.control.response import encode

FIELDS: list[tuple[tuple[str, Any], Any]] = [
    (("S", b"caf\xc3\xa9"), "café"),
    (("S", b"\xff"), r"\xff"),
    (("x", b"\xff"), "/w=="),
    (("I", -1), -1),
    (("l", 2**62), 2**62),
    (("t", 2), True),
    (("t", False), False),
    (("d", 0.5), 0.5),
    (("d", float("inf")), None),
    (("D", (2, 314)), 3.14),
    (("T", 1_700_000_000), 1_700_000_000),
    (("V", None), None),
    (("F", {"a": ("F", {"b": ("S", b"c")})}), {"a": {"b": "c"}}),
    (("A", [("I", 1), ("A", [("S", b"x")])]), [1, ["x"]]),
]


@pytest.mark.parametrize(("field", "expected"), FIELDS, ids=[str(field) for field, _ in FIELDS])
def test_a_field_is_shown_without_its_tag(field: tuple[str, Any], expected: Any) -> None:
    assert json.loads(encode(plain({"é": field}))) == {"é": expected}

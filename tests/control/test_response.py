"""JSON, also of names that are no text."""

import json
from decimal import Decimal
from typing import Any

import pytest

from amqplite.control.response import encode, json_response

VALUES: list[tuple[Any, str]] = [
    ({"a": [1, True, None, "é"]}, '{"a":[1,true,null,"é"]}'),
    ("\udcffa\\", r'"\\xffa\\"'),
    ({"\udcff": ("\udcff", [{"b": "\udcfe"}])}, r'{"\\xff":["\\xff",[{"b":"\\xfe"}]]}'),
    (b"\xff", '"/w=="'),
    (Decimal("1.50"), "1.50"),
    (float("nan"), "null"),
    (2**63, "9223372036854775808"),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=[text for _, text in VALUES])
def test_values_are_encoded(value: Any, text: str) -> None:
    assert encode(value) == text.encode()
    json.loads(encode(value))


def test_json_is_never_cached() -> None:
    response = json_response([], 201, (("location", "/x"),))
    assert (response.status, response.body) == (201, b"[]")
    assert dict(response.headers) == {"cache-control": "no-store", "location": "/x"}

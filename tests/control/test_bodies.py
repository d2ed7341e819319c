"""Bodies: what they may say, and what is said of those that don't."""

from typing import Any

import pytest
from msgspec import field

from amqplite.control.auth import ANONYMOUS
from amqplite.control.bodies import Body, limit_body, read_body
from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from tests.control.sites import make_site

SITE = make_site()


class Shape(Body):
    name: str
    seed: int = 7
    params: dict[str, int] = field(default_factory=dict)
    extra: Any = None


class Optional(Body):
    seed: int = 7


def call(body: bytes) -> Call:
    return Call(SITE, ANONYMOUS, {}, {}, body)


def test_a_body_is_read_into_its_shape() -> None:
    assert read_body(call(b'{"name": "a", "params": {"b": 1}}'), Shape) == Shape(
        name="a", seed=7, params={"b": 1}
    )


def test_no_body_says_nothing() -> None:
    assert read_body(call(b""), Optional) == Optional(seed=7)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{}", "Object missing required field 'name'"),
        (b'{"name": "a", "seed": "x"}', "seed: Expected 'int', got 'str'"),
        (b'{"name": "a", "params": {"b": null}}', "params[...]: Expected 'int', got 'null'"),
        (b'{"name": "a", "sed": 1}', "Object contains unknown field 'sed'"),
        (b'{"name": "a", "seed": 1e999}', "seed: "),
        (b"[]", "Expected 'object', got 'array'"),
        (b"null", "Expected 'object', got 'null'"),
        (b"{", "the body is no JSON: "),
        (b"\xff", "the body is no JSON: "),
        (b'{"name": "\xff"}', "the body is no JSON: "),
        (b'{"name": ' + b"[" * 60_000, "name: Expected 'str', got 'array'"),
        (b'{"extra": ' + b"[" * 60_000, "the body is no JSON: it is nested too deeply"),
    ],
)
def test_what_is_wrong_is_named(body: bytes, reason: str) -> None:
    with pytest.raises(HttpError) as refused:
        read_body(call(body), Shape)
    assert refused.value.status == 400
    assert reason in str(refused.value)
    assert "`" not in str(refused.value)


def test_a_large_body_is_refused_unread() -> None:
    limit_body(call(b"12345"), 5)
    for check in (
        lambda: limit_body(call(b"123456"), 5),
        lambda: read_body(call(b"{     "), Shape, 5),
    ):
        with pytest.raises(HttpError, match="over 5 octets") as refused:
            check()
        assert refused.value.status == 413

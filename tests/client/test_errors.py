"""Closes by the broker, as exceptions."""

import pytest

from amqplite.client.errors import again, of_close
from amqplite.errors import (
    AccessRefused,
    HardError,
    LoginRefused,
    NotFound,
    PreconditionFailed,
    SoftError,
)


@pytest.mark.parametrize(
    ("code", "text", "hard", "kind", "explanation"),
    [
        (404, "NOT_FOUND - no queue 'q'", False, NotFound, "no queue 'q'"),
        (403, "ACCESS_REFUSED - no permission", False, AccessRefused, "no permission"),
        (403, "ACCESS_REFUSED - wrong password", True, LoginRefused, "wrong password"),
        (406, "something else", False, PreconditionFailed, "something else"),
        (404, "GONE - a - b", False, NotFound, "GONE - a - b"),
    ],
)
def test_a_reply_code_has_its_exception(
    code: int, text: str, hard: bool, kind: type[Exception], explanation: str
) -> None:
    error = of_close(code, text, hard=hard)
    assert (type(error), str(error), error.reply_code) == (kind, explanation, code)


@pytest.mark.parametrize(
    ("text", "name", "explanation"),
    [
        ("OUT_OF_PAPER - load tray 2", "OUT_OF_PAPER", "load tray 2"),
        ("load tray 2", "CODE_599", "load tray 2"),
        ("", "CODE_599", ""),
    ],
)
@pytest.mark.parametrize(("hard", "base"), [(True, HardError), (False, SoftError)])
def test_a_code_that_no_standard_knows_is_kept(
    text: str, name: str, explanation: str, hard: bool, base: type[Exception]
) -> None:
    error = of_close(599, text, hard=hard)
    assert isinstance(error, base)
    assert (error.reply_code, error.name, str(error)) == (599, name, explanation)


def test_the_same_error_is_raised_anew_in_each_place() -> None:
    def raised(error: Exception) -> Exception:
        try:
            raise error from ValueError("cause")
        except Exception as caught:
            return caught

    first = raised(NotFound("no queue 'q'"))
    second = again(first)
    assert first.__traceback__ is not None
    assert (type(second), str(second)) == (NotFound, "no queue 'q'")
    assert (second.__traceback__, second.__cause__, second.__context__) == (None, None, None)

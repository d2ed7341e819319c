import pytest

from amqplite import errors
from amqplite.errors import AmqpError, HardError, NotFound, SoftError

CODES = [
    # code, name                  scope
    (311, "CONTENT_TOO_LARGE", SoftError),
    (320, "CONNECTION_FORCED", HardError),
    (403, "ACCESS_REFUSED", SoftError),
    (403, "ACCESS_REFUSED", HardError),  # a login, where there is no channel yet
    (404, "NOT_FOUND", SoftError),
    (405, "RESOURCE_LOCKED", SoftError),
    (406, "PRECONDITION_FAILED", SoftError),
    (501, "FRAME_ERROR", HardError),
    (502, "SYNTAX_ERROR", HardError),
    (503, "COMMAND_INVALID", HardError),
    (504, "CHANNEL_ERROR", HardError),
    (505, "UNEXPECTED_FRAME", HardError),
    (506, "RESOURCE_ERROR", HardError),
    (530, "NOT_ALLOWED", HardError),
    (540, "NOT_IMPLEMENTED", HardError),
    (541, "INTERNAL_ERROR", HardError),
]


def test_each_reply_code_is_an_exception_and_closes_what_the_standard_says() -> None:
    classes = [one for one in vars(errors).values() if isinstance(one, type)]
    found = [
        (one.reply_code, one.name, scope)
        for one in classes
        for scope in (SoftError, HardError)
        if issubclass(one, scope) and one is not scope
    ]
    assert sorted(found, key=str) == sorted(CODES, key=str)


def test_a_reply_text_begins_with_the_codes_name() -> None:
    assert NotFound("no queue 'q'").reply_text == "NOT_FOUND - no queue 'q'"
    assert str(NotFound("no queue 'q'")) == "no queue 'q'"


@pytest.mark.parametrize("name", ["q" * 300, "é" * 150, "\U0001f600" * 80, "\udcff" * 300])
def test_a_reply_text_fits_a_short_string_and_is_utf8(name: str) -> None:
    octets = NotFound(name).reply_text.encode()
    assert octets.startswith(b"NOT_FOUND - ")
    assert len(octets) <= 255
    if not name.startswith("\udcff"):
        assert len(octets) > 255 - 4
        assert octets.endswith(b"...")


def test_an_error_blames_no_method_until_told() -> None:
    assert AmqpError().ids == (0, 0)

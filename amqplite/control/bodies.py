"""Bodies of requests: JSON of a known shape, or an error that names the field."""

from http import HTTPStatus
from typing import TypeVar

import msgspec

from amqplite.control.call import Call
from amqplite.control.errors import HttpError


class Body(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a request may say. A field without a default has to be there, others need not."""


_Body = TypeVar("_Body", bound=Body)


def read_body(call: Call, shape: type[_Body], octets_max: int = 64 * 1024) -> _Body:
    """Return what a request says; one without a body says nothing.

    Raises:
        HttpError: 400, it is no JSON, or not of that shape; 413, it is over `octets_max`.
    """
    limit_body(call, octets_max)
    try:
        return msgspec.json.decode(call.body or b"{}", type=shape)
    except msgspec.ValidationError as error:
        raise HttpError(HTTPStatus.BAD_REQUEST, _in_words(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise HttpError(HTTPStatus.BAD_REQUEST, f"the body is no JSON: {reason}") from None


def limit_body(call: Call, octets_max: int) -> None:
    """Check that a body isn't larger than that.

    Raises:
        HttpError: it is (413).
    """
    if len(call.body) > octets_max:
        raise HttpError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request's body is over {octets_max} octets"
        )


def _in_words(reason: str) -> str:
    """Return msgspec's reason with the place in front: `seed: Expected 'int', got 'str'`."""
    what, _, where = reason.replace("`", "'").rpartition(" - at ")
    return f"{where[1:-1].removeprefix('$.')}: {what}" if what else where

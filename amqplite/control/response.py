"""Responses, and JSON: nothing outside this package makes any."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

Body = bytes | AsyncGenerator[bytes, None]

SECURITY_HEADERS = (
    (
        "content-security-policy",
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
)
"""Sent with every response; of CORS there is none, so that no other site's page can read here."""

NO_STORE = (("cache-control", "no-store"),)


@dataclass(frozen=True, slots=True)
class Response:
    """What a request is answered with.

    Attributes:
        body: the octets, or a generator of them; a generator is sent as it goes, and closed.
        content_type: of the body; empty where there is none.
        headers: more of them, names in small letters.
    """

    status: int = 200
    body: Body = b""
    content_type: str = ""
    headers: Sequence[tuple[str, str]] = ()


def json_response(
    value: Any, status: int = 200, headers: Sequence[tuple[str, str]] = ()
) -> Response:
    """Answer with `value`, which is never cached: it is how things stand now."""
    return Response(status, encode(value), "application/json", (*NO_STORE, *headers))


def encode(value: Any) -> bytes:
    r"""Encode as JSON. Octets that aren't UTF-8, which names may have, are shown as `\xff`."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_printable(value))


def _printable(value: Any) -> Any:
    match value:
        case str():
            return value.encode(errors="surrogateescape").decode(errors="backslashreplace")
        case Mapping():
            return {_printable(name): _printable(held) for name, held in value.items()}
        case list() | tuple():
            return [_printable(item) for item in value]
    return value


_encode = msgspec.json.Encoder(decimal_format="number").encode

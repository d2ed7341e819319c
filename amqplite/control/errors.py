"""What went wrong, as a status and JSON: `{"error": …, "reason": …}` (RabbitMQ: HTTP API)."""

from collections.abc import Sequence
from http import HTTPStatus

from amqplite.control.response import Response, json_response
from amqplite.errors import (
    AccessRefused,
    AmqpError,
    ContentTooLarge,
    InternalError,
    LoginRefused,
    NotFound,
    ResourceError,
    Unsupported,
)

STATUS: dict[type[AmqpError], HTTPStatus] = {
    AccessRefused: HTTPStatus.FORBIDDEN,
    ContentTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    InternalError: HTTPStatus.INTERNAL_SERVER_ERROR,
    LoginRefused: HTTPStatus.UNAUTHORIZED,
    NotFound: HTTPStatus.NOT_FOUND,
    ResourceError: HTTPStatus.SERVICE_UNAVAILABLE,
    Unsupported: HTTPStatus.NOT_IMPLEMENTED,
}
"""The status of each error; of those that are not here 400, as they are the client's."""

ERRORS = {
    HTTPStatus.BAD_REQUEST: "bad_request",
    HTTPStatus.UNAUTHORIZED: "not_authorised",
    HTTPStatus.FORBIDDEN: "not_authorised",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal_error",
}
"""RabbitMQ's names for `error`; of those that are not here the status' own."""

CHALLENGE = (("www-authenticate", 'Basic realm="amqplite", charset="UTF-8"'),)
"""What makes a browser ask for user and password."""


class HttpError(Exception):
    """A request that can't be answered as asked for; `str()` is the reason.

    Attributes:
        error: what it is called; `None` for what `ERRORS` says.
    """

    def __init__(
        self,
        status: HTTPStatus,
        reason: str,
        *,
        error: str | None = None,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.error = error
        self.headers = headers


def no_such_object() -> HttpError:
    """Return what to raise where the path leads to nothing, in RabbitMQ's words."""
    return HttpError(HTTPStatus.NOT_FOUND, "Not Found", error="Object Not Found")


def error_response(error: HttpError | AmqpError) -> Response:
    """Answer with an error."""
    if isinstance(error, HttpError):
        return failure(error.status, str(error), error=error.error, headers=error.headers)
    status = STATUS.get(type(error), HTTPStatus.BAD_REQUEST)
    challenge = CHALLENGE if status is HTTPStatus.UNAUTHORIZED else ()
    return failure(status, str(error), headers=challenge)


def failure(
    status: int,
    reason: str,
    *,
    error: str | None = None,
    headers: Sequence[tuple[str, str]] = (),
) -> Response:
    """Answer that something failed."""
    known = HTTPStatus(status)
    name = error or ERRORS.get(known, known.phrase)
    return json_response({"error": name, "reason": reason}, status, headers)

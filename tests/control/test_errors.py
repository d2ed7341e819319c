"""Errors as statuses: each of AMQP's, and HTTP's own."""

from http import HTTPStatus

import pytest

from amqplite import errors
from amqplite.control.errors import HttpError, error_response, failure
from tests.control.sites import decoded

STATUSES = [
    (errors.ContentTooLarge, 413, "Request Entity Too Large"),
    (errors.AccessRefused, 403, "not_authorised"),
    (errors.NotFound, 404, "not_found"),
    (errors.ResourceLocked, 400, "bad_request"),
    (errors.PreconditionFailed, 400, "bad_request"),
    (errors.LoginRefused, 401, "not_authorised"),
    (errors.InvalidSyntax, 400, "bad_request"),
    (errors.ResourceError, 503, "Service Unavailable"),
    (errors.NotAllowed, 400, "bad_request"),
    (errors.Unsupported, 501, "Not Implemented"),
    (errors.InternalError, 500, "internal_error"),
]


@pytest.mark.parametrize(("kind", "status", "name"), STATUSES)
def test_an_error_of_amqp_has_a_status(
    kind: type[errors.AmqpError], status: int, name: str
) -> None:
    response = error_response(kind("what 'x' is"))
    assert response.status == status
    if status == 413:
        name = HTTPStatus(413).phrase  # which Python has renamed
    assert decoded(response) == {"error": name, "reason": "what 'x' is"}
    assert ("www-authenticate" in dict(response.headers)) is (status == 401)


def test_an_error_of_http_carries_its_headers() -> None:
    error = HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "no", headers=(("allow", "GET"),))
    response = error_response(error)
    assert (response.status, dict(response.headers)["allow"]) == (405, "GET")
    assert decoded(response) == {"error": "Method Not Allowed", "reason": "no"}


def test_names_in_reasons_do_no_harm() -> None:
    reason = "no queue '<script>\"\udcff\r\nx'"
    assert decoded(failure(404, reason))["reason"] == "no queue '<script>\"\\xff\r\nx'"

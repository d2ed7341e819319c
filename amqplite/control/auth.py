"""Who asks, and what that user may (RabbitMQ: management plugin, user tags)."""

from base64 import b64decode
from collections.abc import Mapping
from enum import Enum
from http import HTTPStatus

from amqplite.broker.users import User, Users
from amqplite.control.errors import CHALLENGE, HttpError
from amqplite.control.request import Request
from amqplite.errors import AccessRefused

ANONYMOUS = User("", "", ())
"""Whoever asks for what anybody may have."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class Access(Enum):
    """Who may use a route: a user with one of these tags."""

    ANYBODY = frozenset[str]()
    USER = frozenset({"any"})  # every user: the handler asks for a permission
    MANAGEMENT = frozenset({"management", "policymaker", "monitoring", "administrator"})
    POLICYMAKER = frozenset({"policymaker", "administrator"})
    MONITORING = frozenset({"monitoring", "administrator"})
    ADMINISTRATOR = frozenset({"administrator"})

    def includes(self, user: User) -> bool:
        """Return whether `user` has one of the tags."""
        if self is Access.USER:
            return user is not ANONYMOUS
        return not self.value.isdisjoint(user.tags)


def authorize(request: Request, users: Users, access: Access) -> User:
    """Return the user who asks.

    Raises:
        HttpError: 401, there are no credentials; 403, another site's page asks.
        LoginRefused: they are wrong, or may not be used from there.
        AccessRefused: the user has none of the tags.
    """
    _refuse_other_sites(request)
    if access is Access.ANYBODY:
        return ANONYMOUS
    name, password = credentials(request.headers)
    user = users.authenticate(name, password, mechanism="Basic", loopback=request.peer.loopback)
    if not access.includes(user):
        raise AccessRefused(f"user '{user.name}' has none of the tags {_listed(access)}")
    return user


def credentials(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return user and password of the header Authorization (RFC 7617).

    Raises:
        HttpError: there are none (401).
    """
    scheme, _, encoded = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            decoded = b64decode(encoded.strip(), validate=True).decode(errors="surrogateescape")
        except ValueError:
            decoded = ""
        name, colon, password = decoded.partition(":")
        if colon:
            return name, password
    raise HttpError(HTTPStatus.UNAUTHORIZED, "user and password are needed", headers=CHALLENGE)


def _refuse_other_sites(request: Request) -> None:
    """Refuse to change anything for a page that is not ours, whose browser knows the password."""
    if request.method in SAFE_METHODS:
        return
    headers = request.headers
    origin = headers.get("origin")
    theirs = headers.get("sec-fetch-site")
    if theirs is None and origin is not None:  # of a browser that doesn't tell
        same = origin.partition("://")[2] == headers.get("host")
        theirs = "same-origin" if same else "cross-site"
    if theirs not in (None, "same-origin", "none"):
        raise HttpError(HTTPStatus.FORBIDDEN, "a page of another site may change nothing here")


def _listed(access: Access) -> str:
    return ", ".join(sorted(access.value))

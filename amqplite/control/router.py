"""From a raw target to a route: split first, then decode, so that `%2F` is part of a name.

A segment is what stands between two slashes, whatever it is: `..`, `.` and nothing at all are names
like others, and never lead to another object. An empty one fits no parameter.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote_to_bytes

from amqplite.control.auth import Access
from amqplite.control.call import Call
from amqplite.control.errors import HttpError, no_such_object
from amqplite.control.response import Response

Handler = Callable[[Call], Response | Awaitable[Response]]
"""Answers a call, or raises an AmqpError or HttpError. It is a plain function, which runs to its
end; a coroutine where the answer has to be waited for."""

_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ORIGIN = re.compile(r"\Ahttps?://[^/?#]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table.

    Attributes:
        method: `GET` answers HEAD, too.
        path: segments in braces are parameters.
    """

    method: str
    path: str
    handler: Handler
    access: Access = Access.MANAGEMENT


@dataclass(frozen=True, slots=True)
class Match:
    """A route, and what the target says beside it."""

    route: Route
    parameters: Mapping[str, str]
    query: Mapping[str, str]


class Router:
    """Finds routes. Where several fit, the first wins."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._by_length: dict[int, dict[tuple[str, ...], dict[str, Route]]] = {}
        for route in routes:
            pattern = tuple(route.path.split("/"))
            patterns = self._by_length.setdefault(len(pattern), {})
            patterns.setdefault(pattern, {})[route.method] = route

    def find(self, method: str, target: str) -> Match:
        """Return the route for a request.

        Raises:
            HttpError: 400, the target is malformed; 404, no route fits; 405, with `Allow`.
        """
        path, query = split_target(target)
        pattern, routes = self._find_pattern(path)
        route = routes.get("GET" if method == "HEAD" else method)
        if route is None:
            route = _otherwise(method, routes)
        parameters = {
            part[1:-1]: segment
            for part, segment in zip(pattern, path, strict=False)
            if part.startswith("{")
        }
        return Match(route, parameters, query)

    def _find_pattern(self, path: list[str]) -> tuple[tuple[str, ...], Mapping[str, Route]]:
        ends_in_slash = len(path) > 2 and path[-1] == "" != path[-2]
        for segments in (path, path[:-1]) if ends_in_slash else (path,):
            for pattern, routes in self._by_length.get(len(segments), {}).items():
                if all(map(_fits, pattern, segments)):
                    return pattern, routes
        raise no_such_object()


def split_target(target: str) -> tuple[list[str], dict[str, str]]:
    """Return the decoded segments of a target's path, the first one empty, and its query.

    Octets that aren't UTF-8 become surrogates, as they do in names from AMQP.

    Raises:
        HttpError: 400.
    """
    target = _ORIGIN.sub("", target, count=1)
    path, _, query = target.partition("?")
    if target and not target.startswith(("/", "?")):
        raise HttpError(HTTPStatus.BAD_REQUEST, "the target is no path")
    if "#" in target:
        raise HttpError(HTTPStatus.BAD_REQUEST, "the target has a '#', which is written %23")
    if _BAD_ESCAPE.search(target):
        raise HttpError(HTTPStatus.BAD_REQUEST, "the target has a '%' that is written %25")
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    return [_decode(segment) for segment in (path or "/").split("/")], dict(pairs)


def _decode(segment: str) -> str:
    return unquote_to_bytes(segment).decode(errors="surrogateescape")


def _fits(part: str, segment: str) -> bool:
    return segment != "" if part.startswith("{") else part == segment


def _otherwise(method: str, routes: Mapping[str, Route]) -> Route:
    """Return what answers OPTIONS.

    Raises:
        HttpError: it is another method (405).
    """
    methods = {*routes, "OPTIONS"} | ({"HEAD"} if "GET" in routes else set())
    allow = (("allow", ", ".join(sorted(methods))),)
    if method == "OPTIONS":
        return Route(method, "", lambda _: Response(204, headers=allow), Access.ANYBODY)
    raise HttpError(
        HTTPStatus.METHOD_NOT_ALLOWED, f"{method} is none of {allow[0][1]}", headers=allow
    )

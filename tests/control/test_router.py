"""From a raw target to a route: nothing is decoded before it is split."""

import pytest

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.response import Response
from amqplite.control.router import Route, Router, split_target


def nothing(_: Call) -> Response:
    raise AssertionError("a router calls nobody")


PATHS = ("/", "/api/all", "/api/q", "/api/q//", "/api/q/{vhost}", "/api/q/{vhost}/{name}", "/f/{f}")

ROUTER = Router(
    [
        *(Route("GET", path, nothing) for path in PATHS),
        Route("PUT", "/api/q/{vhost}/{name}", nothing),
        Route("POST", "/api/jobs", nothing),
    ]
)

FOUND = [
    # target               route                    parameters
    ("/", "/", {}),
    ("/?a", "/", {}),
    ("/api/q", "/api/q", {}),
    ("/api/q/", "/api/q", {}),
    ("/api/q//", "/api/q//", {}),
    ("/api/q/%2F", "/api/q/{vhost}", {"vhost": "/"}),
    ("/api/q/%2f/", "/api/q/{vhost}", {"vhost": "/"}),
    ("/api/q/%2Flog", "/api/q/{vhost}", {"vhost": "/log"}),
    ("/api/q/a%20b/c+d", "/api/q/{vhost}/{name}", {"vhost": "a b", "name": "c+d"}),
    ("/api/q/%252F/%2525", "/api/q/{vhost}/{name}", {"vhost": "%2F", "name": "%25"}),
    ("/api/q/%2F/..", "/api/q/{vhost}/{name}", {"vhost": "/", "name": ".."}),
    ("/api/q/%2F/%2E%2e%2Fall", "/api/q/{vhost}/{name}", {"vhost": "/", "name": "../all"}),
    ("/api/q/../all", "/api/q/{vhost}/{name}", {"vhost": "..", "name": "all"}),
    ("/api/q/%2F/a?b=/c", "/api/q/{vhost}/{name}", {"vhost": "/", "name": "a"}),
    ("/api/q/%2F/a%3Fb%23c", "/api/q/{vhost}/{name}", {"vhost": "/", "name": "a?b#c"}),
    ("/api/q/%2F/%C3%A9", "/api/q/{vhost}/{name}", {"vhost": "/", "name": "é"}),
    ("/api/q/%2F/%FF%00", "/api/q/{vhost}/{name}", {"vhost": "/", "name": "\udcff\0"}),
    ("/%61pi/%71", "/api/q", {}),
    ("http://here/api/q", "/api/q", {}),
    ("HTTPS://u@here:1?x", "/", {}),
    ("/api/q/%2F/http://", "/api/q/{vhost}/{name}", None),
    ("/f/..%2Frouter.py", "/f/{f}", {"f": "../router.py"}),
]


@pytest.mark.parametrize(("target", "path", "parameters"), FOUND, ids=[row[0] for row in FOUND])
def test_a_target_leads_to_its_route(
    target: str, path: str, parameters: dict[str, str] | None
) -> None:
    if parameters is None:
        with pytest.raises(HttpError) as missed:
            ROUTER.find("GET", target)
        assert missed.value.status == 404
        return
    match = ROUTER.find("GET", target)
    assert (match.route.path, match.parameters) == (path, parameters)


NOWHERE = [
    "//",
    "///",
    "/api",
    "/API/q",
    "/api/nothing",
    "//api/q",
    "/api//q",
    "/api/q///",
    "/api/q//log",
    "/api/q/%2F//",
    "/api/q/%2F//x",
    "/api/q///x",
    "/api/q/a/b/c",
    "/api/q%2Fa",
    "/api/./q",
    "/x/../api/q",
    "/f/",
    "/f//",
]


@pytest.mark.parametrize("target", NOWHERE)
def test_other_targets_lead_nowhere(target: str) -> None:
    with pytest.raises(HttpError, match="Not Found") as missed:
        ROUTER.find("GET", target)
    assert (missed.value.status, missed.value.error) == (404, "Object Not Found")


@pytest.mark.parametrize(
    "target",
    ["*", "broker:80", "ftp://here/", "api/q", "/100%", "/%zz", "/%4", "/q#1", "/?%", "/?#"],
)
def test_a_malformed_target_is_refused(target: str) -> None:
    with pytest.raises(HttpError) as refused:
        ROUTER.find("GET", target)
    assert refused.value.status == 400


METHODS = [
    # method   target        allowed where it is not
    ("GET", "/api/jobs", "OPTIONS, POST"),
    ("HEAD", "/api/jobs", "OPTIONS, POST"),
    ("POST", "/api/q", "GET, HEAD, OPTIONS"),
    ("get", "/api/q", "GET, HEAD, OPTIONS"),
    ("DELETE", "/api/q/%2F/x", "GET, HEAD, OPTIONS, PUT"),
    ("BREW", "/", "GET, HEAD, OPTIONS"),
]


@pytest.mark.parametrize(("method", "target", "allowed"), METHODS)
def test_a_method_that_a_route_has_not_is_told_those_it_has(
    method: str, target: str, allowed: str
) -> None:
    with pytest.raises(HttpError) as refused:
        ROUTER.find(method, target)
    assert refused.value.status == 405
    assert refused.value.headers == (("allow", allowed),)


def test_the_method_chooses_the_route() -> None:
    assert ROUTER.find("PUT", "/api/q/v/n").route.method == "PUT"
    assert ROUTER.find("GET", "/api/q/v/n").route.method == "GET"
    assert ROUTER.find("HEAD", "/api/q/v/n").route.method == "GET"


def test_the_first_of_two_routes_wins() -> None:
    router = Router([Route("GET", "/q/all", nothing), Route("GET", "/q/{name}", nothing)])
    assert router.find("GET", "/q/all").route.path == "/q/all"
    assert router.find("GET", "/q/ball").route.path == "/q/{name}"


QUERIES = [
    ("/", {}),
    ("/?", {}),
    ("/?a", {"a": ""}),
    ("/?a=1&b=2&a=3", {"a": "3", "b": "2"}),
    ("/?a=x+y%2Bz%26", {"a": "x y+z&"}),
    ("/?a=%FF", {"a": "\udcff"}),
    ("?a=?&b==", {"a": "?", "b": "="}),
]


@pytest.mark.parametrize(("target", "query"), QUERIES)
def test_the_query_is_decoded(target: str, query: dict[str, str]) -> None:
    assert split_target(target) == (["", ""], query)

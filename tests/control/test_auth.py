"""Who may ask: Basic credentials, tags, the loopback rule, and no other site's pages."""

from base64 import b64encode

import pytest

from amqplite.broker.journal import Journal
from amqplite.broker.users import Users
from amqplite.control.auth import ANONYMOUS, Access, authorize
from amqplite.control.errors import HttpError
from amqplite.control.request import Peer, Request
from amqplite.errors import AccessRefused, LoginRefused

HERE, ELSEWHERE = Peer("127.0.0.1", loopback=True), Peer("192.0.2.1", loopback=False)

TAGS = {
    "nobody": (),
    "manager": ("management",),
    "policymaker": ("policymaker", "other"),
    "watcher": ("monitoring",),
    "root": ("administrator",),
}


@pytest.fixture(scope="module")
def users() -> Users:
    users = Users(Journal().define, bytes, loopback_users=("root",))
    for name, tags in TAGS.items():
        users.put_user(name, users.hash_password(f"{name}:é"), tags)
    return users


def basic(name: str, password: str, scheme: str = "Basic") -> str:
    credentials = f"{name}:{password}".encode(errors="surrogateescape")
    return f"{scheme} {b64encode(credentials).decode()}"


async def unread() -> bytes:
    raise AssertionError("to know who asks takes no body")


def request(authorization: str | None, peer: Peer = HERE) -> Request:
    headers = {} if authorization is None else {"authorization": authorization}
    return Request("GET", "/", headers, peer, unread)


def as_user(name: str, peer: Peer = HERE) -> Request:
    return request(basic(name, f"{name}:é"), peer)


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC "])
def test_the_right_password_lets_a_user_in(users: Users, scheme: str) -> None:
    asked = request(basic("manager", "manager:é", scheme))
    assert authorize(asked, users, Access.MANAGEMENT).name == "manager"


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Basic",
        "Basic !",
        "Basic bWFuYWdlcg==",  # no colon
        "Bearer bWFuYWdlcjptYW5hZ2VyOsOp",
        "Digest username=manager",
    ],
)
def test_without_credentials_they_are_asked_for(users: Users, authorization: str | None) -> None:
    with pytest.raises(HttpError, match="user and password are needed") as refused:
        authorize(request(authorization), users, Access.MANAGEMENT)
    assert refused.value.status == 401
    assert dict(refused.value.headers)["www-authenticate"].startswith("Basic realm=")


@pytest.mark.parametrize(
    ("name", "password"),
    [("manager", "x"), ("manager", ""), ("nobody here", "x"), ("", ""), ("manager", "\udcff")],
)
def test_wrong_credentials_are_refused(users: Users, name: str, password: str) -> None:
    with pytest.raises(LoginRefused):
        authorize(request(basic(name, password)), users, Access.MANAGEMENT)


def test_a_loopback_user_is_let_in_from_this_machine_only(users: Users) -> None:
    assert authorize(as_user("root"), users, Access.ADMINISTRATOR).name == "root"
    assert authorize(as_user("manager", ELSEWHERE), users, Access.MANAGEMENT).name == "manager"
    with pytest.raises(LoginRefused):
        authorize(as_user("root", ELSEWHERE), users, Access.ADMINISTRATOR)


ALLOWED = {
    Access.USER: {"nobody", "manager", "policymaker", "watcher", "root"},
    Access.MANAGEMENT: {"manager", "policymaker", "watcher", "root"},
    Access.POLICYMAKER: {"policymaker", "root"},
    Access.MONITORING: {"watcher", "root"},
    Access.ADMINISTRATOR: {"root"},
}


@pytest.mark.parametrize("access", ALLOWED, ids=[access.name for access in ALLOWED])
def test_tags_decide_what_a_user_may(users: Users, access: Access) -> None:
    for name in TAGS:
        if name in ALLOWED[access]:
            assert authorize(as_user(name), users, access).name == name
        else:
            with pytest.raises(AccessRefused, match=f"user '{name}' has none of the tags"):
                authorize(as_user(name), users, access)


def test_what_anybody_may_have_is_given_whatever_the_credentials(users: Users) -> None:
    for authorization in (None, basic("root", "wrong"), "Basic !"):
        assert authorize(request(authorization), users, Access.ANYBODY) is ANONYMOUS
    assert not any(access.includes(ANONYMOUS) for access in Access)


CHANGES = [
    # headers                                                         allowed
    ({}, True),
    ({"sec-fetch-site": "same-origin", "origin": "http://broker"}, True),
    ({"sec-fetch-site": "none"}, True),
    ({"sec-fetch-site": "cross-site"}, False),
    ({"sec-fetch-site": "same-site"}, False),
    ({"origin": "http://broker"}, True),
    ({"origin": "http://broker:8000"}, False),
    ({"origin": "https://evil.example"}, False),
    ({"origin": "null"}, False),
]


@pytest.mark.parametrize(("headers", "allowed"), CHANGES)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_pages_of_other_sites_change_nothing(
    users: Users, method: str, headers: dict[str, str], allowed: bool
) -> None:
    held = {"host": "broker", "authorization": basic("root", "root:é"), **headers}
    asked = Request(method, "/", held, HERE, unread)
    if allowed:
        assert authorize(asked, users, Access.MANAGEMENT).name == "root"
    else:
        with pytest.raises(HttpError) as refused:
            authorize(asked, users, Access.MANAGEMENT)
        assert refused.value.status == 403
    assert (
        authorize(Request("GET", "/", held, HERE, unread), users, Access.MANAGEMENT).name == "root"
    )

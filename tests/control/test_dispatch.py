"""From a request to its response: in which order things are asked, and what faults become."""

from base64 import b64encode
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from amqplite.control.auth import Access
from amqplite.control.call import Call
from amqplite.control.dispatch import Dispatcher
from amqplite.control.errors import no_such_object
from amqplite.control.request import Peer, Request
from amqplite.control.response import Response, json_response
from amqplite.control.router import Route, Router
from amqplite.errors import AmqpError, LoginRefused, PreconditionFailed
from tests.control.sites import PASSWORDS, decoded, make_site


def show(call: Call) -> Response:
    said = {"user": call.user.name, "body": call.body.decode(), **call.parameters, **call.query}
    return json_response(said)


def fail(_: Call) -> Response:
    raise PreconditionFailed("it clashes")


def miss(_: Call) -> Response:
    raise no_such_object()


def break_(_: Call) -> Response:
    raise KeyError("a fault of ours")


async def wait(call: Call) -> Response:
    await trio.sleep(3600)
    return show(call)


async def miss_later(_: Call) -> Response:
    await trio.lowlevel.checkpoint()
    raise no_such_object()


async def break_later(_: Call) -> Response:
    await trio.lowlevel.checkpoint()
    raise KeyError("a fault of ours")


def name_headers(call: Call) -> Response:
    return json_response(sorted(call.headers))


ROUTES = [
    Route("GET", "/open", show, Access.ANYBODY),
    Route("GET", "/show/{name}", show),
    Route("PUT", "/show/{name}", show, Access.ADMINISTRATOR),
    Route("GET", "/fail", fail),
    Route("GET", "/miss", miss),
    Route("GET", "/break", break_),
    Route("GET", "/wait", wait),
    Route("GET", "/miss-later", miss_later),
    Route("GET", "/break-later", break_later),
    Route("GET", "/headers", name_headers),
]


class Rig:
    """A dispatcher, and what it told."""

    def __init__(self) -> None:
        self.faults: list[Exception] = []
        self.refused: list[tuple[AmqpError, str]] = []
        self.dispatch = Dispatcher(
            make_site(),
            Router(ROUTES),
            self.faults.append,
            lambda error, address: self.refused.append((error, address)),
        )
        self.reads = 0

    async def ask(
        self, target: str, method: str = "GET", user: str = "", password: str | None = None
    ) -> tuple[int, Any]:
        headers = {}
        if user:
            credentials = f"{user}:{PASSWORDS[user] if password is None else password}"
            headers["authorization"] = f"Basic {b64encode(credentials.encode()).decode()}"
        peer = Peer("127.0.0.1", loopback=True)
        response = await self.dispatch(Request(method, target, headers, peer, self._read))
        return response.status, decoded(response) if response.body else None

    async def _read(self) -> bytes:
        self.reads += 1
        return b"body"


@pytest.fixture
def rig() -> Rig:
    return Rig()


async def test_a_handler_learns_who_asks_for_what(rig: Rig) -> None:
    assert await rig.ask("/show/a%2Fb?c=d", user="owner") == (
        200,
        {"user": "owner", "body": "", "name": "a/b", "c": "d"},
    )
    assert rig.reads == 0


async def test_a_body_is_read_for_a_method_that_has_one(rig: Rig) -> None:
    status, said = await rig.ask("/show/x", "PUT", user="admin")
    assert (status, said["body"], rig.reads) == (200, "body", 1)


async def test_a_handler_learns_the_headers(rig: Rig) -> None:
    assert await rig.ask("/headers", user="owner") == (200, ["authorization"])


async def test_an_answer_may_be_waited_for(rig: Rig, autojump_clock: MockClock) -> None:
    assert await rig.ask("/wait?a=b", user="owner") == (
        200,
        {"user": "owner", "body": "", "a": "b"},
    )
    assert trio.current_time() >= 3600


async def test_what_goes_wrong_later_is_answered_the_same(rig: Rig) -> None:
    assert (await rig.ask("/miss-later", user="admin"))[0] == 404
    assert rig.faults == []
    assert (await rig.ask("/break-later", user="admin"))[0] == 500
    assert [type(fault) for fault in rig.faults] == [KeyError]


@pytest.mark.parametrize(
    ("target", "user", "status"),
    [
        ("/show/x", "", 401),
        ("/show/x", "owner", 403),
        ("/show/x", "client", 403),
        ("/nowhere", "admin", 404),
        ("/fail", "admin", 405),
        ("/%", "admin", 400),
    ],
)
async def test_nobodys_body_is_read_unless_it_is_wanted(
    rig: Rig, target: str, user: str, status: int
) -> None:
    assert (await rig.ask(target, "PUT", user=user))[0] == status
    assert rig.reads == 0


async def test_anybody_may_see_what_is_open(rig: Rig) -> None:
    assert await rig.ask("/open") == (200, {"user": "", "body": ""})


async def test_anybody_may_ask_for_the_methods(rig: Rig) -> None:
    assert await rig.ask("/show/x", "OPTIONS") == (204, None)


async def test_errors_are_answers(rig: Rig) -> None:
    assert await rig.ask("/fail", user="admin") == (
        400,
        {"error": "bad_request", "reason": "it clashes"},
    )
    assert await rig.ask("/miss", user="admin") == (
        404,
        {"error": "Object Not Found", "reason": "Not Found"},
    )
    assert rig.faults == []


async def test_a_fault_is_told_to_the_log_and_not_to_the_client(rig: Rig) -> None:
    status, said = await rig.ask("/break", user="admin")
    assert (status, said["error"]) == (500, "internal_error")
    assert "fault of ours" not in str(said)
    assert [type(fault) for fault in rig.faults] == [KeyError]


async def test_a_refused_login_is_told_to_the_log_with_its_reason(rig: Rig) -> None:
    status, said = await rig.ask("/show/x", user="admin", password="wrong")
    assert (status, said["error"]) == (401, "not_authorised")
    ((error, address),) = rig.refused
    assert isinstance(error, LoginRefused)
    assert error.__notes__ == ["user 'admin': invalid credentials"]
    assert address == "127.0.0.1"


async def test_what_reading_raises_is_passed_on(rig: Rig) -> None:
    async def cut_short() -> bytes:
        raise EOFError

    credentials = b64encode(b"admin:a").decode()
    headers = {"authorization": f"Basic {credentials}"}
    asked = Request("PUT", "/show/x", headers, Peer("127.0.0.1", loopback=True), cut_short)
    with pytest.raises(EOFError):
        await rig.dispatch(asked)
    assert rig.faults == []

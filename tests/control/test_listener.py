"""HTTP over real sockets: names of every kind, crowds, and clients that break off."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import trio

from amqplite.control import listener
from amqplite.control.listener import HttpListener
from amqplite.control.site import Site, endpoints
from tests.control.sites import PASSWORDS, VHOSTS, make_site

QUEUES = (
    "orders",
    "orders/../../api/overview",
    "..",
    ".",
    "/",
    "//",
    "log/orders",
    "q?x=1",
    "q#1",
    "q;a=b",
    "q&r=s",
    "100%",
    "%2F",
    "%252F",
    "a b",
    "a+b",
    "été ☂ 𝄞",
    '"<script>\\',
    "tab\there",
    "q" * 255,
    "é" * 127,
)
"""Names that somebody decodes once too often, or splits too late."""

Log = pytest.LogCaptureFixture
"""What was logged."""


@asynccontextmanager
async def serving(site: Site) -> AsyncIterator[str]:
    """Serve `site` on a free port of loopback; give the URL."""
    sockets = await trio.open_tcp_listeners(0, host="127.0.0.1")
    (http,) = endpoints({"http": sockets})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, HttpListener(site).serve, sockets)
        yield f"http://{http.address}"
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def client_of(site: Site, user: str = "admin") -> AsyncIterator[httpx.AsyncClient]:
    async with serving(site) as url:
        auth = (user, PASSWORDS[user])
        async with httpx.AsyncClient(base_url=url, auth=auth, trust_env=False) as client:
            yield client


@pytest.fixture
def site() -> Site:
    """A site where every vhost has every queue, with its own number of consumers' arguments."""
    site = make_site()
    for vhost in VHOSTS:
        for name in QUEUES:
            where = {"x-where": ("S", f"{vhost} {name}".encode())}
            site.broker.vhosts[vhost].declare_queue(None, name, None, arguments=where)
    return site


def encoded(name: str) -> str:
    """Encode `name` as a segment, so that no client takes it for `..`."""
    return quote(name, safe="").replace(".", "%2E")


async def test_every_queue_of_every_vhost_is_found_by_its_name(site: Site) -> None:
    async with client_of(site) as client:
        for vhost in VHOSTS:
            for name in QUEUES:
                answer = await client.get(f"/api/queues/{encoded(vhost)}/{encoded(name)}")
                assert answer.status_code == 200, (vhost, name, answer.text)
                found = answer.json()
                assert (found["vhost"], found["name"]) == (vhost, name)
                assert found["arguments"] == {"x-where": f"{vhost} {name}"}


async def test_every_vhost_is_found_by_its_name(site: Site) -> None:
    async with client_of(site) as client:
        for vhost in VHOSTS:
            answer = await client.get(f"/api/queues/{encoded(vhost)}")
            assert [queue["name"] for queue in answer.json()] == list(QUEUES)
            assert {queue["vhost"] for queue in answer.json()} == {vhost}


RAW = [
    # target                                     status  vhost   name
    ("/api/queues/%2F/orders", 200, "/", "orders"),
    ("/api/queues/%2Flog/orders", 200, "/log", "orders"),
    ("/api/queues/log/orders", 200, "log", "orders"),
    ("/api/queues/%2F/log%2Forders", 200, "/", "log/orders"),
    ("/api/queues/%2F/..", 200, "/", ".."),
    ("/api/queues/%2F/.", 200, "/", "."),
    ("/api/queues/%2F/%252F", 200, "/", "%2F"),
    ("/api/queues/%2F/orders?x=/../../overview", 200, "/", "orders"),
    ("/api/queues//log/orders", 404, "", ""),
    ("/api/queues///orders", 404, "", ""),
    ("/api/queues//orders", 404, "", ""),
    ("/api/queues/%2F//", 404, "", ""),
    ("/api/queues/%2F/log/orders", 404, "", ""),
    ("/api/queues/%2F/../../overview", 404, "", ""),
    ("/api/queues/%2F/%2e%2e/%2e%2e/overview", 404, "", ""),
    ("/api//queues/%2F/orders", 404, "", ""),
    ("//api/queues/%2F/orders", 404, "", ""),
    ("/api/queues/%2F/q#1", 400, "", ""),
    ("/api/queues/%2F/100%", 400, "", ""),
]


@pytest.mark.parametrize(("target", "status", "vhost", "name"), RAW, ids=[row[0] for row in RAW])
async def test_a_raw_target_leads_to_one_object_or_none(
    site: Site, target: str, status: int, vhost: str, name: str
) -> None:
    got, said = await ask_raw(site, target)
    assert got == status
    if status == 200:
        assert (said["vhost"], said["name"]) == (vhost, name)
    else:
        assert set(said) == {"error", "reason"}


async def ask_raw(site: Site, target: str) -> tuple[int, dict[str, str]]:
    """Ask as no library would let us: with the target as it is."""
    credentials = b64encode(b"admin:a").decode()
    async with serving(site) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        stream = await trio.open_tcp_stream(host, int(port))
        async with stream:
            head = f"GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {credentials}"
            await stream.send_all(f"{head}\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join([bytes(data) async for data in stream])
    head_octets, _, body = answer.partition(b"\r\n\r\n")
    return int(head_octets.split()[1]), json.loads(body)


async def test_a_name_that_is_no_text_is_listed_and_found(site: Site) -> None:
    site.broker.vhosts["log"].declare_queue(None, "q\udcff", None)
    async with client_of(site) as client:
        assert (await client.get("/api/queues/log")).json()[-1]["name"] == r"q\xff"
        assert (await client.get("/api/queues/log/q%FF")).json()["name"] == r"q\xff"
        assert (await client.get("/api/queues/log/q%5Cxff")).status_code == 404


async def test_requests_come_in_turn_and_at_once(site: Site) -> None:
    async with client_of(site) as client, trio.open_nursery() as nursery:

        async def ask() -> None:
            for _ in range(5):
                assert (await client.get("/api/whoami")).json()["name"] == "admin"

        for _ in range(10):
            nursery.start_soon(ask)


async def test_errors_of_login_are_told_apart(site: Site) -> None:
    async with serving(site) as url, httpx.AsyncClient(base_url=url, trust_env=False) as client:
        target = "/api/queues"
        assert (await client.get(target)).headers["www-authenticate"].startswith("Basic ")
        wrong = await client.get(target, auth=("admin", "wrong"))
        assert (wrong.status_code, wrong.json()["error"]) == (401, "not_authorised")
        tagless = await client.get(target, auth=("client", "c"))
        assert (tagless.status_code, "www-authenticate" in tagless.headers) == (403, False)
        stranger = await client.get("/api/queues/%2F", auth=("owner", "o"))
        assert (stranger.status_code, stranger.json()["error"]) == (403, "not_authorised")
        assert (await client.get("/health")).json() == {"status": "ok"}


async def test_the_page_is_there_for_anybody(site: Site) -> None:
    async with serving(site) as url, httpx.AsyncClient(base_url=url, trust_env=False) as client:
        answer = await client.get("/")
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "amqp://127.0.0.1:5672" in answer.text
        assert (await client.get("/page/page.js")).status_code == 200


async def test_a_refused_login_is_logged_with_its_reason(site: Site, caplog: Log) -> None:
    async with serving(site) as url, httpx.AsyncClient(base_url=url, trust_env=False) as client:
        await client.get("/api/whoami", auth=("admin", "secret?"))
    (event,) = caplog.records
    facts: dict[str, Any] = event.__dict__["facts"]
    assert (event.message, facts["reason"]) == (
        "login refused",
        "user 'admin': invalid credentials",
    )
    assert facts["peer"] == "127.0.0.1"
    assert "secret?" not in str(facts)


async def test_a_client_that_breaks_off_is_not_worth_a_word(site: Site, caplog: Log) -> None:
    async with serving(site) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        for sent in (b"", b"GET / HT", b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 500):
            stream = await trio.open_tcp_stream(host, int(port))
            stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, bytes([1] + [0] * 7))
            await stream.send_all(sent)
            await stream.aclose()  # by a reset
        async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
            assert (await client.get("/health")).status_code == 200
    assert caplog.records == []


async def test_a_fault_of_a_handler_is_logged_and_costs_one_answer(site: Site, caplog: Log) -> None:
    site.endpoints = None  # type: ignore[assignment]
    async with client_of(site) as client:
        answer = await client.get("/api/health/checks/port-listener/1")
        assert (answer.status_code, answer.json()["error"]) == (500, "internal_error")
        assert (await client.get("/health")).status_code == 200
    assert [event.levelname for event in caplog.records] == ["ERROR"]


async def test_a_fault_below_is_logged_and_costs_one_connection(
    site: Site, caplog: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise ValueError("a fault of ours")

    monkeypatch.setattr("amqplite.control.http.serve_http", fail)
    async with client_of(site) as client:
        for _ in range(2):
            with pytest.raises(httpx.TransportError):
                await client.get("/health")
    assert [event.levelname for event in caplog.records] == ["ERROR", "ERROR"]


async def test_a_crowd_is_kept_out(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "CONNECTIONS_MAX", 2)
    async with serving(site) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        held = [await trio.open_tcp_stream(host, int(port)) for _ in range(2)]
        for stream in held:
            await stream.send_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 ")
        late = await trio.open_tcp_stream(host, int(port))
        assert await late.receive_some() == b""
        await held[0].aclose()
        await trio.testing.wait_all_tasks_blocked(0.05)
        async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
            assert (await client.get("/health")).status_code == 200
        for stream in (*held, late):
            await stream.aclose()

"""HTTP on one connection: what is kept, what is refused, and how it ends."""

from collections.abc import AsyncGenerator

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from amqplite.control.http import HttpLimits, serve_http
from amqplite.control.request import Request
from amqplite.control.response import Response
from tests.control.http_client import LOCAL, echo, http_client, request

SMALL = HttpLimits(timeout_s=60, body_max=100, discard_max=10)


async def refuse(_: Request) -> Response:
    """Answer without a look at the body."""
    return Response(403, b"no", "text/plain")


# -- requests and responses ------------------------------------------------------------------------


async def test_a_request_is_answered_with_what_the_handler_returns() -> None:
    async with http_client() as client:
        answer = await client.get("/a%2Fb?c=d%20e")
    assert (answer.status, answer.body) == (200, b"GET /a%2Fb?c=d%20e ")
    assert answer.headers["content-type"] == "text/plain"
    assert answer.headers["date"].endswith(" GMT")
    assert "connection" not in answer.headers


async def test_every_response_keeps_browsers_careful() -> None:
    async with http_client() as client:
        headers = (await client.get()).headers
        await client.send(b"garbage\r\n\r\n")
        of_an_error = (await client.answer()).headers
    for held in (headers, of_an_error):
        assert held["content-security-policy"].startswith("default-src 'self';")
        assert held["x-content-type-options"] == "nosniff"
        assert not [name for name in held if name.startswith("access-control-")]


async def test_the_handler_learns_who_asks_and_with_which_headers() -> None:
    seen = []

    async def handle(asked: Request) -> Response:
        seen.append((asked.peer, asked.headers["x-a"], await asked.read(), await asked.read()))
        return Response()

    async with http_client(handle) as client:
        await client.send(b"PUT / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\n")
        await client.send(b"Content-Length: 2\r\n\r\nhi")
        await client.answer()
    assert seen == [(LOCAL, "1, 2", b"hi", b"")]


async def test_a_connection_is_kept_for_the_next_request() -> None:
    async with http_client() as client:
        for n in range(3):
            assert (await client.get(f"/{n}")).body == f"GET /{n} ".encode()


async def test_requests_sent_at_once_are_answered_in_turn() -> None:
    async with http_client() as client:
        await client.send(b"".join(request(f"/{n}", "PUT", b"body") for n in range(5)))
        for n in range(5):
            assert (await client.answer()).body == f"PUT /{n} body".encode()


async def test_a_request_may_come_octet_by_octet() -> None:
    async with http_client() as client:
        for octet in request("/slow", "PUT", b"body"):
            await client.send(bytes([octet]))
        assert (await client.answer()).body == b"PUT /slow body"


async def test_head_has_the_headers_of_get_and_no_body() -> None:
    async with http_client() as client:
        asked, headed = await client.get("/x"), await client.get("/y", "HEAD")
        assert int(headed.headers["content-length"]) == len("HEAD /y ")
        assert (asked.status, headed.status, headed.body) == (200, 200, b"")
        assert (await client.get("/z")).body == b"GET /z "


@pytest.mark.parametrize("status", [204, 304])
async def test_what_has_no_body_has_no_length(status: int) -> None:
    async def handle(_: Request) -> Response:
        return Response(status)

    async with http_client(handle) as client:
        headers = (await client.get()).headers
        assert "content-length" not in headers
        assert "content-type" not in headers
        assert (await client.get()).status == status


@pytest.mark.parametrize(
    "head",
    [b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    ids=["HTTP/1.0", "Connection: close"],
)
async def test_a_client_that_wants_one_answer_gets_one(head: bytes) -> None:
    async with http_client() as client:
        await client.send(head)
        assert (await client.answer()).headers["connection"] == "close"
        assert await client.rest() == b""


async def test_a_client_may_end_its_side_before_it_reads() -> None:
    async with http_client() as client:
        await client.send(request("/last"))
        await client.stream.send_eof()
        assert (await client.answer()).body == b"GET /last "
        assert await client.rest() == b""


@pytest.mark.parametrize("upgrade", ["h2c", "websocket"])
async def test_an_offer_to_speak_otherwise_is_ignored(upgrade: str) -> None:
    async with http_client() as client:
        for _ in range(2):
            answer = await client.get("/", connection="Upgrade", upgrade=upgrade)
            assert answer.status == 200


# -- bodies ----------------------------------------------------------------------------------------


async def test_a_chunked_body_is_put_together() -> None:
    async with http_client() as client:
        await client.send(request("/c", "PUT", transfer_encoding="chunked"))
        await client.send(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        assert (await client.answer()).body == b"PUT /c abcde"
        assert (await client.get("/next")).body == b"GET /next "


async def test_a_client_that_waits_is_told_to_go_on_by_whoever_reads() -> None:
    async with http_client() as client:
        await client.send(request("/e", "PUT", expect="100-continue", content_length="4"))
        await wait_all_tasks_blocked()
        await client.send(b"body")
        answer = await client.answer()
        assert (answer.body, answer.continues) == (b"PUT /e body", 1)
        assert (await client.get("/next")).body == b"GET /next "


async def test_a_client_that_waits_is_refused_before_it_sends() -> None:
    async with http_client(refuse) as client:
        await client.send(request("/e", "PUT", expect="100-continue", content_length="4"))
        answer = await client.answer()
        assert (answer.status, answer.continues) == (403, 0)
        assert answer.headers["connection"] == "close"  # a body may come, or the next request


async def test_a_client_that_waits_with_nothing_to_send_keeps_its_connection() -> None:
    async with http_client(refuse) as client:
        answer = await client.get("/e", "PUT", expect="100-continue", content_length="0")
        assert (answer.status, answer.headers.get("connection")) == (403, None)
        assert (await client.get()).status == 403


async def test_a_small_body_nobody_wants_costs_no_connection() -> None:
    async with http_client(refuse, SMALL) as client:
        for _ in range(2):
            await client.send(request("/", "PUT", b"0123456789"))
            answer = await client.answer()
            assert (answer.status, answer.headers.get("connection")) == (403, None)


async def test_a_larger_one_does(autojump_clock: MockClock) -> None:
    async with http_client(refuse, SMALL) as client:
        await client.send(request("/", "PUT", b"0123456789a"))
        assert (await client.answer()).headers["connection"] == "close"
        assert await client.rest() == b""


async def test_a_body_that_is_announced_too_large_is_refused_unread(
    autojump_clock: MockClock,
) -> None:
    raised = []

    async def handle(asked: Request) -> Response:
        try:
            return await echo(asked)
        except Exception as error:
            raised.append(error)
            return Response(413, b"too large", "text/plain")

    async with http_client(handle, SMALL) as client:
        await client.send(request("/", "PUT", expect="100-continue", content_length="101"))
        answer = await client.answer()
    assert (answer.status, answer.continues, answer.headers["connection"]) == (413, 0, "close")
    assert [str(error) for error in raised] == ["the request's body is over 100 octets"]


async def test_a_body_that_never_ends_is_cut_off(autojump_clock: MockClock) -> None:
    async def handle(asked: Request) -> Response:
        with pytest.raises(Exception, match="is over 100 octets"):
            await asked.read()
        return Response(413, b"too large", "text/plain")

    async with http_client(handle, SMALL) as client:
        await client.send(request("/", "PUT", transfer_encoding="chunked"))
        await client.send_while_taken(b"40\r\n" + bytes(0x40) + b"\r\n", every_s=1)
        answer = await client.answer()
        assert (answer.status, answer.headers["connection"]) == (413, "close")


# -- what is no HTTP -------------------------------------------------------------------------------

HOSTILE = [
    pytest.param(b"\x16\x03\x01\x02\x00\x01", 400, id="TLS"),
    pytest.param(b"AMQP\x00\x00\x09\x01", 400, id="AMQP"),
    pytest.param(b"GET\r\n\r\n", 400, id="no target"),
    pytest.param(b"GET / HTTP/1.1\r\n\r\n", 400, id="no host"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, id="two hosts"),
    pytest.param(b"GET / HTP/1.1\r\nHost: x\r\n\r\n", 400, id="unknown protocol"),
    pytest.param(b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n", 400, id="raw UTF-8"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n", 400, id="NUL in a header"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n", 200, id="folded header"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", 400, id="nameless header"),
    pytest.param(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400, id="length -1"),
    pytest.param(
        b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        400,
        id="two lengths",
    ),
    pytest.param(
        b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501, id="encoding"
    ),
    pytest.param(
        b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, id="chunks"
    ),
    pytest.param(b"GET /" + b"a" * 70_000, 431, id="endless target"),
    pytest.param(
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 12_000, 431, id="endless headers"
    ),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 70_000, 431, id="endless header"),
]


@pytest.mark.parametrize(("octets", "status"), HOSTILE)
async def test_what_is_no_request_is_answered_once(
    octets: bytes, status: int, autojump_clock: MockClock
) -> None:
    async with http_client() as client:
        await client.send(octets)
        answer = await client.answer()
        assert answer.status == status
        if status != 200:
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["connection"] == "close"
            assert answer.body.startswith(b'{"error":')
            assert await client.rest() == b""


async def test_a_head_cut_short_is_answered_to_who_still_listens(
    autojump_clock: MockClock,
) -> None:
    async with http_client() as client:
        await client.send(b"GET / HT")
        await client.stream.send_eof()
        assert (await client.answer()).status == 400


async def test_a_body_cut_short_is_no_body(autojump_clock: MockClock) -> None:
    async with http_client() as client:
        await client.send(request("/", "PUT", content_length="10") + b"half")
        await client.stream.send_eof()
        assert (await client.answer()).status == 400


# -- time, by a virtual clock ----------------------------------------------------------------------


async def test_an_idle_connection_ends_without_a_word(autojump_clock: MockClock) -> None:
    async with http_client(limits=SMALL) as client:
        await client.get()
        started = trio.current_time()
        assert await client.rest() == b""
        assert trio.current_time() - started == 60


async def test_a_head_that_drips_in_is_given_a_minute_in_all(autojump_clock: MockClock) -> None:
    async with http_client(limits=SMALL) as client:
        started = trio.current_time()
        for octet in request("/")[:7]:
            await client.send(bytes([octet]))
            await trio.sleep(9)
        answer = await client.answer()
        assert (answer.status, answer.headers["connection"]) == (408, "close")
        assert trio.current_time() - started == 63


async def test_a_body_that_drips_in_is_given_a_minute_in_all(autojump_clock: MockClock) -> None:
    async with http_client(limits=SMALL) as client:
        await client.send(request("/", "PUT", content_length="10"))
        for _ in range(7):
            await client.send(b"x")
            await trio.sleep(9)
        assert (await client.answer()).status == 408


async def test_a_body_nobody_wants_is_not_waited_for_longer(autojump_clock: MockClock) -> None:
    async with http_client(refuse, SMALL) as client:
        await client.send(request("/", "PUT", content_length="10"))
        assert (await client.answer()).status == 408


async def test_a_client_that_reads_nothing_is_hung_up_on(autojump_clock: MockClock) -> None:
    async def handle(_: Request) -> Response:
        return Response(200, bytes(10_000_000), "text/plain")

    class Deaf(trio.abc.HalfCloseableStream):
        async def receive_some(self, max_bytes: int | None = None) -> bytes:
            return request("/")

        async def send_all(self, data: object) -> None:
            await trio.sleep_forever()

        async def wait_send_all_might_not_block(self) -> None:
            await trio.sleep_forever()

        async def send_eof(self) -> None:
            raise AssertionError("not for one who doesn't read")

        async def aclose(self) -> None:
            await trio.lowlevel.checkpoint()

    started = trio.current_time()
    await serve_http(Deaf(), handle, LOCAL, SMALL)
    assert trio.current_time() - started == 60


async def test_a_client_refused_while_it_sends_can_read_why(autojump_clock: MockClock) -> None:
    async with http_client(refuse, SMALL) as client:
        await client.send(request("/", "PUT", content_length="1000000") + bytes(64_000))
        assert (await client.answer()).status == 403
        await client.send(bytes(1000))  # still taken, and thrown away
        started = trio.current_time()
        await client.send_while_taken(bytes(1000), every_s=0.5)
        assert 2 <= trio.current_time() - started <= 2.5


# -- streams ---------------------------------------------------------------------------------------


async def count_down() -> AsyncGenerator[bytes, None]:
    for n in (b"3", b"2", b"", b"1"):
        yield n
        await trio.sleep(1)


async def stream(_: Request) -> Response:
    return Response(200, count_down(), "text/event-stream")


async def test_a_stream_is_sent_as_it_comes(autojump_clock: MockClock) -> None:
    async with http_client(stream) as client:
        for _ in range(2):
            answer = await client.get()
            assert (answer.body, answer.headers["transfer-encoding"]) == (b"321", "chunked")
            assert "content-length" not in answer.headers


async def test_an_old_client_gets_a_stream_to_the_end_of_the_connection(
    autojump_clock: MockClock,
) -> None:
    async with http_client(stream) as client:
        await client.send(b"GET / HTTP/1.0\r\n\r\n")
        assert (await client.rest()).endswith(b"\r\n\r\n321")


async def test_a_request_sent_during_a_stream_is_answered_after_it(
    autojump_clock: MockClock,
) -> None:
    async def handle(asked: Request) -> Response:
        return await (stream if asked.target == "/stream" else echo)(asked)

    async with http_client(handle) as client:
        await client.send(request("/stream"))
        await trio.sleep(1.5)
        await client.send(request("/next"))
        assert (await client.answer()).body == b"321"
        assert (await client.answer()).body == b"GET /next "


async def test_many_requests_sent_during_a_stream_are_answered_after_it(
    autojump_clock: MockClock,
) -> None:
    async def handle(asked: Request) -> Response:
        return await (stream if asked.target == "/stream" else echo)(asked)

    async with http_client(handle) as client:
        await client.send(request("/stream"))
        await trio.sleep(0.5)
        for _ in range(3):
            await client.send(request("/next", x_long="a" * 9000) * 8)
            await trio.sleep(0.5)
        assert (await client.answer()).body == b"321"
        for _ in range(24):
            assert (await client.answer()).body == b"GET /next "


async def test_a_stream_ends_when_its_client_hangs_up() -> None:
    closed = trio.Event()

    async def forever() -> AsyncGenerator[bytes, None]:
        try:
            yield b"first"
            await trio.sleep_forever()
        finally:
            closed.set()

    async def handle(_: Request) -> Response:
        return Response(200, forever(), "text/event-stream")

    async with http_client(handle) as client:
        await client.send(request())
        await client.stream.receive_some()
        await client.stream.aclose()
        await closed.wait()


async def test_a_stream_nobody_sees_is_closed_too() -> None:
    async with http_client(stream) as client:
        answer = await client.get("/", "HEAD")
        assert (answer.status, answer.body) == (200, b"")
        assert (await client.get("/", "HEAD")).status == 200

"""Server-sent events: how they look, when they come, and how they end."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from amqplite.control.auth import ANONYMOUS
from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.http import HttpLimits, serve_http
from amqplite.control.request import Request
from amqplite.control.response import Response
from amqplite.control.stream import Message, Streams, resumed_after
from amqplite.lab.keeping.bell import Bell
from tests.control.http_client import LOCAL, HttpClient, http_client, request
from tests.control.sites import make_site

HELLO = b"retry: 2000\n\n"


class Log:
    """What is read: numbers that are kept, the last few of them."""

    def __init__(self, kept: int = 1000) -> None:
        self.kept = kept
        self.last = 0
        self.ended = False
        self.bell = Bell()
        self.readers: list[LogReader] = []

    def write(self, count: int = 1) -> None:
        self.last += count
        self.bell.ring()

    def end(self) -> None:
        self.ended = True
        self.bell.ring()

    def reader(self, after: int = 0) -> "LogReader":
        self.readers.append(LogReader(self, after))
        return self.readers[-1]


class LogReader:
    """A place in a log."""

    def __init__(self, log: Log, after: int) -> None:
        self.log, self.after, self.closed = log, after, False

    @property
    def done(self) -> bool:
        return self.log.ended

    def take(self) -> Sequence[Message]:
        first = max(self.after, self.log.last - self.log.kept)
        taken = [] if first == self.after else [Message("gap", b"%d" % (first - self.after))]
        last = min(first + 10, self.log.last)
        taken += [Message("number", b"%d" % n, n) for n in range(first + 1, last + 1)]
        self.after = last
        return taken

    async def wait(self) -> None:
        await self.log.bell.wait()

    def close(self) -> None:
        self.closed = True


class Rig:
    """Streams of a log."""

    def __init__(self, log: Log, most: int = 2) -> None:
        self.log = log
        self.stopping = trio.Event()
        self.streams = Streams(self.stopping, most)

    async def handle(self, asked: Request) -> Response:
        return self.streams.respond(self.log.reader)

    @asynccontextmanager
    async def client(self, limits: HttpLimits | None = None) -> AsyncIterator[HttpClient]:
        async with http_client(self.handle, limits) as client:
            yield client


def numbers(first: int, last: int) -> bytes:
    return b"".join(b"id: %d\nevent: number\ndata: %d\n\n" % (n, n) for n in range(first, last + 1))


def test_an_event_looks_as_browsers_expect() -> None:
    assert Message("trace", b'{"n":7}', 7).encode() == b'id: 7\nevent: trace\ndata: {"n":7}\n\n'
    assert Message("state", b"{}").encode() == b"event: state\ndata: {}\n\n"


async def test_a_stream_is_all_there_is_to_its_end() -> None:
    rig = Rig(Log())
    rig.log.write(25)
    rig.log.end()
    async with rig.client() as client:
        answer = await client.get()
    assert answer.body == HELLO + numbers(1, 25)
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["cache-control"] == "no-store"
    assert rig.streams.open == 0
    assert [reader.closed for reader in rig.log.readers] == [True]


async def test_what_comes_later_is_sent_when_it_comes(autojump_clock: MockClock) -> None:
    rig = Rig(Log())
    async with rig.client() as client, trio.open_nursery() as nursery:

        async def write() -> None:
            for _ in range(5):
                await trio.sleep(1)
                rig.log.write(2)
            rig.log.end()

        nursery.start_soon(write)
        started = trio.current_time()
        answer = await client.get()
    assert answer.body == HELLO + numbers(1, 10)
    assert 5 <= trio.current_time() - started < 5.1


async def test_events_gather_before_they_are_sent(autojump_clock: MockClock) -> None:
    rig = Rig(Log())
    async with rig.client() as client, trio.open_nursery() as nursery:
        await client.send(request())
        await wait_all_tasks_blocked()

        async def write() -> None:
            for _ in range(4):
                rig.log.write()
                await trio.sleep(0.01)

        nursery.start_soon(write)
        got = b""
        while b"data: 4" not in got:
            got = bytes(await client.stream.receive_some())
        assert b"data: 1" in got


async def test_a_silence_is_broken_by_comments(autojump_clock: MockClock) -> None:
    rig = Rig(Log())
    async with rig.client() as client, trio.open_nursery() as nursery:

        async def end() -> None:
            await trio.sleep(50)
            rig.log.end()

        nursery.start_soon(end)
        assert (await client.get()).body == HELLO + b":\n\n" * 3


async def test_a_slow_reader_finds_a_gap_and_nothing_is_kept_for_it(
    autojump_clock: MockClock,
) -> None:
    rig = Rig(Log(kept=10))
    async with rig.client() as client:
        await client.send(request())
        await wait_all_tasks_blocked()
        rig.log.write(3)
        await trio.sleep(1)
        rig.log.write(500)
        await trio.sleep(1)
        rig.log.end()
        assert (await client.answer()).body == (
            HELLO + numbers(1, 3) + b"event: gap\ndata: 490\n\n" + numbers(494, 503)
        )


async def test_a_reader_that_takes_nothing_is_hung_up_on(autojump_clock: MockClock) -> None:
    rig = Rig(Log(kept=10**9))
    limits = HttpLimits(timeout_s=60)

    class Deaf(trio.abc.HalfCloseableStream):
        async def receive_some(self, max_bytes: int | None = None) -> bytes:
            if not rig.log.last:
                rig.log.write(10**6)
                return request()
            await trio.sleep_forever()
            raise AssertionError

        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            if b"data: 100\n" in bytes(data):
                await trio.sleep_forever()
            await trio.lowlevel.checkpoint()

        async def wait_send_all_might_not_block(self) -> None:
            await trio.lowlevel.checkpoint()

        async def send_eof(self) -> None:
            await trio.lowlevel.checkpoint()

        async def aclose(self) -> None:
            await trio.lowlevel.checkpoint()

    started = trio.current_time()
    await serve_http(Deaf(), rig.handle, LOCAL, limits)
    assert trio.current_time() - started == 60
    assert rig.log.readers[0].after == 100
    assert (rig.streams.open, rig.log.readers[0].closed) == (0, True)


async def test_a_stream_ends_with_its_client() -> None:
    rig = Rig(Log())
    async with rig.client() as client:
        await client.send(request())
        await wait_all_tasks_blocked()
        assert rig.streams.open == 1
        await client.stream.aclose()
        await wait_all_tasks_blocked()
        assert rig.streams.open == 0
        assert rig.log.readers[0].closed


async def test_streams_end_when_the_broker_stops() -> None:
    rig = Rig(Log())
    rig.log.write(2)
    async with rig.client() as first, rig.client() as second:
        for client in (first, second):
            await client.send(request())
        await wait_all_tasks_blocked(0.1)
        rig.stopping.set()
        for client in (first, second):
            assert (await client.answer()).body == HELLO + numbers(1, 2)
        with pytest.raises(HttpError, match="the broker stops") as refused:
            rig.streams.respond(rig.log.reader)
    assert refused.value.status == 503
    assert rig.streams.open == 0


async def test_only_so_many_are_open_at_a_time() -> None:
    rig = Rig(Log(), most=2)
    async with rig.client() as first, rig.client() as second:
        for client in (first, second):
            await client.send(request())
        await wait_all_tasks_blocked()
        with pytest.raises(HttpError, match="2 streams are open; close one") as refused:
            rig.streams.respond(rig.log.reader)
        assert refused.value.status == 503
        assert dict(refused.value.headers) == {"retry-after": "5"}
        await first.stream.aclose()
        await wait_all_tasks_blocked()
        assert rig.streams.respond(rig.log.reader).status == 200


async def test_those_that_come_at_once_are_no_more() -> None:
    rig = Rig(Log(), most=2)
    responses = [rig.streams.respond(rig.log.reader) for _ in range(3)]
    bodies = [response.body for response in responses if not isinstance(response.body, bytes)]
    for body in bodies[:2]:
        assert await anext(body) == HELLO
    with pytest.raises(StopAsyncIteration):
        await anext(bodies[2])
    for body in bodies:
        await body.aclose()
    assert rig.streams.open == 0


async def test_one_that_is_never_read_counts_for_nothing() -> None:
    rig = Rig(Log())
    async with rig.client() as client:
        for _ in range(3):
            assert (await client.get("/", "HEAD")).status == 200
    assert (rig.streams.open, rig.log.readers) == (0, [])


# -- where to go on --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "query", "after"),
    [("", "", 0), ("7", "", 7), ("", "5", 5), ("7", "5", 7), ("0", "5", 0)],
)
def test_a_client_goes_on_behind_what_it_has_seen(header: str, query: str, after: int) -> None:
    call = Call(make_site(), ANONYMOUS, {}, {"after": query}, headers={"last-event-id": header})
    assert resumed_after(call) == after


@pytest.mark.parametrize("junk", ["-1", "x", "1.5", "9" * 19, "²", " 1"])
def test_what_is_no_event_is_refused(junk: str) -> None:
    site = make_site()
    for call, name in (
        (Call(site, ANONYMOUS, {}, {}, headers={"last-event-id": junk}), "Last-Event-ID"),
        (Call(site, ANONYMOUS, {}, {"after": junk}), "after"),
    ):
        with pytest.raises(HttpError, match=f"{name} is no number of an event") as refused:
            resumed_after(call)
        assert refused.value.status == 400

"""A client that sees each octet: h11 on one end of a memory stream, `serve_http` on the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import h11
import trio
from trio.testing import memory_stream_pair

from amqplite.control.http import Handler, HttpLimits, serve_http
from amqplite.control.request import Peer, Request
from amqplite.control.response import Response

LOCAL = Peer("127.0.0.1", loopback=True)


@dataclass(frozen=True)
class Answer:
    """A response as it was received."""

    status: int
    headers: dict[str, str]
    body: bytes
    continues: int
    """How many times we were told to go on."""


class HttpClient:
    """Sends octets, and reads responses one after the other."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self.stream = stream
        self.http = h11.Connection(h11.CLIENT)

    async def send(self, octets: bytes) -> None:
        """Send what may be no HTTP."""
        await self.stream.send_all(octets)

    async def send_while_taken(self, octets: bytes, every_s: float) -> None:
        """Send them again and again, until the other end is gone."""
        with suppress(trio.BrokenResourceError):
            while True:
                await trio.sleep(every_s)
                await self.send(octets)

    async def get(self, target: str = "/", method: str = "GET", **headers: str) -> Answer:
        """Ask, and return the answer."""
        await self.send(request(target, method, b"", **headers))
        return await self.answer(method)

    async def answer(self, method: str = "GET") -> Answer:
        """Read the next response; `method` is that of its request."""
        self._expect(method)
        continues, body = 0, b""
        while True:
            event = self.http.next_event()
            match event:
                case h11.NEED_DATA:
                    self.http.receive_data(bytes(await self.stream.receive_some()))
                case h11.InformationalResponse():
                    continues += 1
                case h11.Response():
                    head = event
                case h11.Data():
                    body += event.data
                case h11.EndOfMessage():
                    headers = {n.decode(): v.decode() for n, v in head.headers}
                    return Answer(head.status_code, headers, body, continues)
                case _:
                    raise AssertionError(f"hung up: {event}")

    def _expect(self, method: str) -> None:
        """Let h11 believe that it sent the request."""
        if self.http.our_state is h11.DONE:
            rest = self.http.trailing_data[0]
            self.http = h11.Connection(h11.CLIENT)
            self.http.receive_data(rest) if rest else None
        self.http.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
        self.http.send(h11.EndOfMessage())

    async def rest(self) -> bytes:
        """Read to the end of the connection."""
        return b"".join([bytes(data) async for data in self.stream])


def request(target: str = "/", method: str = "GET", body: bytes = b"", **headers: str) -> bytes:
    """Return the octets of a request."""
    lines = [f"{method} {target} HTTP/1.1", "host: broker"]
    if body:
        lines.append(f"content-length: {len(body)}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


async def echo(asked: Request) -> Response:
    """Answer with what was asked."""
    body = await asked.read()
    return Response(200, f"{asked.method} {asked.target} {body.decode()}".encode(), "text/plain")


@asynccontextmanager
async def http_client(
    handle: Handler = echo, limits: HttpLimits | None = None
) -> AsyncIterator[HttpClient]:
    """Serve one connection with `handle`, and give the other end of it."""
    theirs, ours = memory_stream_pair()

    async def serve() -> None:
        try:
            await serve_http(ours, handle, LOCAL, limits)
        except* trio.BrokenResourceError:
            pass
        finally:
            await trio.aclose_forcefully(ours)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        yield HttpClient(theirs)
        nursery.cancel_scope.cancel()

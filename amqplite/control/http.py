"""HTTP/1.1 on one connection: requests in, responses out, one after the other (RFC 9112).

h11 knows the protocol and no sockets, trio the sockets and no protocol; here they meet.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from http import HTTPStatus

import h11
import trio

from amqplite.control.errors import HttpError, failure
from amqplite.control.request import Peer, Request
from amqplite.control.response import SECURITY_HEADERS, Response

Handler = Callable[[Request], Awaitable[Response]]
"""Answers a request. Errors are answers, too: it raises only what `Request.read` raised."""

READ_SIZE = WRITE_SIZE = 64 * 1024

_WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What a client may ask of us.

    Attributes:
        timeout_s: time for a request's head to come, counted from the response before; for its
            body; and for the client to take each 64 KiB of the response.
        body_max: octets in a request's body.
        discard_max: octets read of a body that nobody wanted, to keep the connection.
        linger_s: time to read our last words, where we hang up on what is still being sent.
    """

    timeout_s: float = 60
    body_max: int = 16 * 1024 * 1024
    discard_max: int = 64 * 1024
    linger_s: float = 2


async def serve_http(
    stream: trio.abc.HalfCloseableStream,
    handle: Handler,
    peer: Peer,
    limits: HttpLimits | None = None,
) -> None:
    """Answer the requests of one connection, one after the other, until it ends.

    Raises:
        trio.BrokenResourceError: the client is gone.
    """
    conversation = _Conversation(stream, handle, peer, limits or HttpLimits())
    try:
        while await conversation.serve_one():
            pass
    except* trio.TooSlowError:
        pass  # it doesn't take our response
    else:
        await conversation.say_goodbye()


class _Conversation:
    """One connection, and where it is in the protocol."""

    def __init__(
        self,
        stream: trio.abc.HalfCloseableStream,
        handle: Handler,
        peer: Peer,
        limits: HttpLimits,
    ) -> None:
        self._stream = stream
        self._handle = handle
        self._peer = peer
        self._limits = limits
        self._http = h11.Connection(h11.SERVER)
        self._method = ""
        self._body_expected = 0  # its Content-Length
        self._must_linger = False

    async def serve_one(self) -> bool:
        """Answer one request; return whether there may be another."""
        http, limits = self._http, self._limits
        try:
            with trio.fail_after(limits.timeout_s):
                head = await self._read_head()
            if head is None:
                return False
            response = await self._handle(self._request(head))
            with trio.fail_after(limits.timeout_s):
                keep = await self._discard_body()
        except h11.RemoteProtocolError as error:
            response, keep = failure(error.error_status_hint, str(error)), False
        except trio.TooSlowError:
            if self._idle:
                return False
            response, keep = failure(HTTPStatus.REQUEST_TIMEOUT, "the request took too long"), False
        await self._send(response, keep)
        if http.our_state is not h11.DONE or http.their_state is not h11.DONE:
            return False  # told to close, or lost in the stream
        http.start_next_cycle()
        self._method = ""
        return True

    async def say_goodbye(self) -> None:
        """Let the client read our last words: to close with input unread would take them back."""
        if self._must_linger:
            await self._stream.send_eof()
            with trio.move_on_after(self._limits.linger_s):
                while await self._stream.receive_some(READ_SIZE):
                    pass

    # -- reading ---------------------------------------------------------------------------------

    @property
    def _idle(self) -> bool:
        """Whether no request has begun."""
        return not self._method and not self._http.trailing_data[0]

    async def _read_head(self) -> h11.Request | None:
        """Read a request up to its body; `None` if the client has hung up instead.

        Raises:
            h11.RemoteProtocolError: it is not HTTP, or its head is too large.
        """
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if b"\0" in self._http.trailing_data[0]:  # as in AMQP's header: no line will end this
                raise h11.RemoteProtocolError("this is not HTTP")
            await self._receive()
        return event if isinstance(event, h11.Request) else None

    def _request(self, head: h11.Request) -> Request:
        headers: dict[str, str] = {}
        for name, value in ((n.decode(), v.decode("latin-1")) for n, v in head.headers):
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        self._method = head.method.decode()
        self._body_expected = int(headers.get("content-length", 0))
        return Request(self._method, head.target.decode(), headers, self._peer, self._read_body)

    async def _read_body(self) -> bytes:
        """See `Request.read`.

        Raises:
            HttpError: 413.
            h11.RemoteProtocolError: it is cut short, or its chunks are none.
            trio.TooSlowError: it doesn't come.
        """
        http, most = self._http, self._limits.body_max
        if self._body_expected > most:
            raise _too_large(most)
        if http.they_are_waiting_for_100_continue:
            await self._write(http.send(h11.InformationalResponse(status_code=100, headers=[])))
        body = bytearray()
        with trio.fail_after(self._limits.timeout_s):
            while (data := await self._read_data()) is not None:
                body += data
                if len(body) > most:
                    raise _too_large(most)
        return bytes(body)

    async def _discard_body(self) -> bool:
        """Read what is left of the body, if that is little; return whether it was.

        The next request is behind it.
        """
        http, left = self._http, self._limits.discard_max
        if self._body_expected > self._limits.body_max:
            return False
        while left >= 0:
            data = await self._read_data(wait=not http.they_are_waiting_for_100_continue)
            if data is None:
                return http.their_state is not h11.SEND_BODY
            left -= len(data)
        return False

    async def _read_data(self, *, wait: bool = True) -> bytes | None:
        """Read some of the body; `None` at its end, or if it would have to be waited for."""
        while self._http.their_state is h11.SEND_BODY:
            event = self._http.next_event()
            if isinstance(event, h11.Data):
                return bytes(event.data)
            if event is h11.NEED_DATA:
                if not wait:
                    return None
                await self._receive()
        return None

    async def _receive(self) -> None:
        self._http.receive_data(bytes(await self._stream.receive_some(READ_SIZE)))

    # -- writing ---------------------------------------------------------------------------------

    async def _send(self, response: Response, keep: bool) -> None:
        http, body = self._http, response.body
        self._must_linger = not keep
        head = http.send(
            h11.Response(
                status_code=response.status,
                headers=_headers(response, keep),
                reason=HTTPStatus(response.status).phrase,
            )
        )
        if isinstance(body, bytes):
            data = http.send(h11.Data(body)) if body and self._method != "HEAD" else b""
            end = http.send(h11.EndOfMessage())
            await self._write(b"".join((head or b"", data or b"", end or b"")))
            return
        async with aclosing(body):
            await self._write(head)
            if self._method != "HEAD":
                await self._send_as_it_comes(body)
        await self._write(http.send(h11.EndOfMessage()))

    async def _send_as_it_comes(self, body: AsyncGenerator[bytes, None]) -> None:
        """Send what `body` yields, until its end or the client's.

        Raises:
            trio.BrokenResourceError: the client has hung up.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._break_when_gone)
            async for data in body:
                if data:
                    await self._write(self._http.send(h11.Data(data)))
            nursery.cancel_scope.cancel()

    async def _break_when_gone(self) -> None:
        """Read, if only to notice the end; requests that come early wait with h11."""
        received = 0
        while received < READ_SIZE:
            data = await self._stream.receive_some(READ_SIZE)
            if not data:
                raise trio.BrokenResourceError("hung up")
            received += len(data)
            self._http.receive_data(bytes(data))

    async def _write(self, data: bytes | None) -> None:
        octets = memoryview(data or b"")
        for start in range(0, len(octets), WRITE_SIZE):
            with trio.fail_after(self._limits.timeout_s):
                await self._stream.send_all(octets[start : start + WRITE_SIZE])


def _headers(response: Response, keep: bool) -> list[tuple[str, str]]:
    headers = [("date", _now()), *SECURITY_HEADERS, *response.headers]
    if response.content_type:
        headers.append(("content-type", response.content_type))
    if isinstance(response.body, bytes) and response.status not in _WITHOUT_BODY:
        headers.append(("content-length", str(len(response.body))))
    if not keep:
        headers.append(("connection", "close"))
    return headers


def _now() -> str:
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())


def _too_large(most: int) -> HttpError:
    return HttpError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request's body is over {most} octets"
    )

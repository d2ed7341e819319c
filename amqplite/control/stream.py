"""Server-sent events: a response that goes on, and that a client may resume (HTML: §9.2).

Readers pull. What they read from keeps its events itself, within its own bounds; a reader is a
place in it and no more. One that is slow so costs nothing, and learns from a gap what it missed.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

import trio

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.response import NO_STORE, Response

STREAMS_MAX = 128
"""At a time: half of the connections there may be, so that somebody can always ask what is up."""

HEARTBEAT_S = 15.0
"""Silence after which a comment is sent, so that nobody on the way takes us for dead."""

GATHER_S = 0.05
"""How long events gather before a reader that has seen all is sent the next ones."""

RETRY_MS = 2000
"""When a client that has lost us comes again."""

_HEADERS = (*NO_STORE, ("x-accel-buffering", "no"))
_HELLO = f"retry: {RETRY_MS}\n\n".encode()
_HEARTBEAT = b":\n\n"


@dataclass(frozen=True, slots=True)
class Message:
    """One event of a stream.

    Attributes:
        event: its name.
        data: JSON, in one line.
        id: where a client resumes that has seen it; 0 for an event that changes nothing there.
    """

    event: str
    data: bytes
    id: int = 0

    def encode(self) -> bytes:
        """Return it as it is sent."""
        place = b"id: %d\n" % self.id if self.id else b""
        return b"%sevent: %s\ndata: %s\n\n" % (place, self.event.encode(), self.data)


class Reader(Protocol):
    """A place in something that keeps its events."""

    @property
    def done(self) -> bool:
        """Whether nothing comes any more, once `take` has returned nothing."""
        ...

    def take(self) -> Sequence[Message]:
        """Return what follows, some of it if it is much, and move behind it."""
        ...

    async def wait(self) -> None:
        """Return once there may be more to take."""
        ...

    def close(self) -> None:
        """The stream has ended."""
        ...


class Streams:
    """The streams that are open, and how many there may be.

    Args:
        stopping: ends them all.
    """

    def __init__(self, stopping: trio.Event, most: int = STREAMS_MAX) -> None:
        self._stopping = stopping
        self._most = most
        self.open = 0

    def respond(self, open_reader: Callable[[], Reader]) -> Response:
        """Answer with a stream of what a reader takes; the reader is made when it begins.

        Raises:
            HttpError: 503, there are too many already, or the broker stops.
        """
        if self.open >= self._most or self._stopping.is_set():
            why = "the broker stops" if self._stopping.is_set() else f"{self.open} streams are open"
            raise HttpError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{why}; close one, or come again later",
                headers=(("retry-after", "5"),),
            )
        return Response(200, self._body(open_reader), "text/event-stream", _HEADERS)

    async def _body(self, open_reader: Callable[[], Reader]) -> AsyncGenerator[bytes, None]:
        if self.open >= self._most:  # a crowd came at once
            return
        reader = open_reader()
        self.open += 1
        try:
            yield _HELLO
            while not self._stopping.is_set():
                messages = reader.take()
                if messages:
                    yield b"".join([message.encode() for message in messages])
                elif reader.done:
                    return
                elif not await self._news(reader):
                    yield _HEARTBEAT
        finally:
            self.open -= 1
            reader.close()

    async def _news(self, reader: Reader) -> bool:
        """Wait for news, for the end, or for long; return whether it was not just long."""
        with trio.move_on_after(HEARTBEAT_S) as silence:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_until, reader.wait, nursery.cancel_scope)
                nursery.start_soon(_until, self._stopping.wait, nursery.cancel_scope)
        if silence.cancelled_caught:
            return False
        with trio.move_on_after(GATHER_S):
            await self._stopping.wait()
        return True


async def _until(wait: Callable[[], Awaitable[object]], scope: trio.CancelScope) -> None:
    await wait()
    scope.cancel()


def resumed_after(call: Call) -> int:
    """Return the event behind which a client goes on: by `Last-Event-ID`, or `after` in the query.

    Raises:
        HttpError: 400, it is no number.
    """
    for name, asked in (
        ("Last-Event-ID", call.headers.get("last-event-id", "")),
        ("after", call.query.get("after", "")),
    ):
        if asked:
            if not (asked.isascii() and asked.isdigit() and len(asked) <= 18):
                raise HttpError(HTTPStatus.BAD_REQUEST, f"{name} is no number of an event")
            return int(asked)
    return 0


NO_MORE = Response(204)
"""For who resumes a stream behind its end: to EventSource it means not to come again."""

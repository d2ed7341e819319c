"""Sockets for HTTP: who asks, how many may at a time, and what the log hears.

What answers is imported when the first one asks, off the broker's thread: a start doesn't wait for
it, and neither do AMQP's clients.
"""

from collections.abc import Awaitable, Callable

import trio

from amqplite.control.site import Site
from amqplite.errors import LoginRefused
from amqplite.imports import uncollected
from amqplite.log import get_logger

CONNECTIONS_MAX = 256
"""At a time; more are hung up on. They must not use up the file descriptors that AMQP needs."""

Serve = Callable[[trio.SocketStream], Awaitable[None]]


class HttpListener:
    """Serves HTTP on some sockets."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._log = get_logger("amqplite.control")
        self._serve: Serve | None = None
        self._open = 0

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection to its end."""
        self._open += 1
        try:
            if self._open <= CONNECTIONS_MAX:
                if self._serve is None:
                    self._serve = await trio.to_thread.run_sync(self._load)
                await self._serve(stream)
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # reset by the peer: to us the same as hanging up
        except* Exception as errors:
            self._on_fault(errors)
        finally:
            self._open -= 1
            await trio.aclose_forcefully(stream)

    def _load(self) -> Serve:
        with uncollected():
            from amqplite.control.dispatch import Dispatcher
            from amqplite.control.http import serve_http
            from amqplite.control.request import peer_of
            from amqplite.control.router import Router
            from amqplite.control.routes import ROUTES

        dispatch = Dispatcher(self._site, Router(ROUTES), self._on_fault, self._on_refused)
        return lambda stream: serve_http(stream, dispatch, peer_of(stream))

    def _on_fault(self, error: Exception) -> None:
        self._log.error("a fault of the broker ended an HTTP request", exc_info=error)

    def _on_refused(self, error: LoginRefused, address: str) -> None:
        why = "; ".join(getattr(error, "__notes__", ()))
        self._log.warning("login refused", protocol="http", peer=address, reason=why)

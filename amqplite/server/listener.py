"""Sockets for AMQP: listen, accept, and keep the sessions."""

import socket
from collections.abc import Callable
from contextlib import suppress

import trio

from amqplite.broker.broker import Broker
from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.server.clock import Clock
from amqplite.server.flusher import Flusher
from amqplite.server.session import Session
from amqplite.server.wakeup import Wakeup

BACKLOG = 1024
"""Connections the kernel may hold until we accept them."""


async def listen(host: str, port: int) -> list[trio.SocketListener]:
    """Listen on every address `host` stands for, with one port for all; 0 picks a free one.

    Raises:
        OSError: the port is in use, or the host unknown.
    """
    if port:
        return await trio.open_tcp_listeners(port, host=host, backlog=BACKLOG)
    first, *others = await trio.open_tcp_listeners(0, host=host, backlog=BACKLOG)
    if not others:
        return [first]
    chosen = first.socket.getsockname()[1]
    for listener in (first, *others):
        await listener.aclose()
    return await trio.open_tcp_listeners(chosen, host=host, backlog=BACKLOG)


class Listener:
    """Serves AMQP on some sockets.

    Attributes:
        sessions: those that are running, oldest first.
    """

    def __init__(
        self,
        broker: Broker,
        clock: Clock,
        limits: ConnectionLimits,
        flusher: Flusher,
        *,
        handshake_timeout_s: float,
        on_fault: Callable[[Exception], object],
    ) -> None:
        self._broker = broker
        self._clock = clock
        self._limits = limits
        self._flusher = flusher
        self._handshake_timeout_s = handshake_timeout_s
        self._on_fault = on_fault
        self._idle = Wakeup()
        self.sessions: dict[Session, None] = {}

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection to its end."""
        peer = peer_of(stream)
        if peer.loopback:
            spare_pacing(stream)
        session = Session(
            stream,
            self._broker,
            self._clock,
            peer,
            self._limits,
            self._flusher,
            handshake_timeout_s=self._handshake_timeout_s,
            on_fault=self._on_fault,
        )
        self.sessions[session] = None
        try:
            await session.run()
        finally:
            del self.sessions[session]
            if not self.sessions:
                self._idle.set()

    async def drain(self, timeout_s: float) -> None:
        """Close every connection with 320, and wait for the clients' answers."""
        for session in self.sessions:
            session.shut_down()
        with trio.move_on_after(timeout_s):
            while self.sessions:
                await self._idle.wait()


def spare_pacing(stream: trio.SocketStream) -> None:
    """Have a connection within the machine do without what a network needs (RFC 5681).

    Where the system's congestion control is BBR, it sends by a timer and takes only little at a
    time: a fifth of the CPU that a 64 KB message costs, and half of its latency.
    """
    with suppress(OSError):
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")


def peer_of(stream: trio.SocketStream) -> Peer:
    """Return who is at the other end of a socket."""
    try:
        theirs, ours = stream.socket.getpeername(), stream.socket.getsockname()
    except OSError:
        return Peer("gone", False)
    address = theirs[0].removeprefix("::ffff:")
    loopback = address == "::1" or address.startswith("127.")
    return Peer(f"{theirs[0]}:{theirs[1]} -> {ours[0]}:{ours[1]}", loopback)

"""A broker that clients reach over TCP, in the same process as the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import trio

from amqplite.connection.connection import ConnectionLimits
from amqplite.server.clock import Clock
from amqplite.server.flusher import Flusher
from amqplite.server.listener import Listener, listen
from amqplite.server.ticker import Ticker
from tests.rig import Rig


@dataclass(eq=False)
class Listening:
    """A broker that listens.

    Attributes:
        nursery: where tasks run as long as it does.
        faults: what went wrong in the broker itself.
    """

    rig: Rig
    nursery: trio.Nursery
    sockets: list[trio.SocketListener]
    faults: list[Exception]

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        port: int = self.sockets[0].socket.getsockname()[1]
        return port


@asynccontextmanager
async def listening(rig: Rig | None = None) -> AsyncIterator[Listening]:
    """Have a broker listen on a free port; its disk is quick."""
    rig, clock, faults = rig or Rig(), Clock(), list[Exception]()
    rig.broker.trace.clock = clock.now_us
    sockets = await listen("127.0.0.1", 0)
    listener = Listener(
        rig.broker,
        clock,
        ConnectionLimits(),
        Flusher(),
        handshake_timeout_s=10,
        on_fault=faults.append,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Ticker(rig.broker, clock).run)
        nursery.start_soon(_commit, rig)
        nursery.start_soon(trio.serve_listeners, listener.serve, sockets)
        yield Listening(rig, nursery, sockets, faults)
        nursery.cancel_scope.cancel()


async def _commit(rig: Rig) -> None:
    changed = trio.Event()

    def on_append() -> None:
        changed.set()

    rig.journal.on_append = on_append
    while True:
        rig.commit()
        await changed.wait()
        changed = trio.Event()

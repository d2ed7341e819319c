"""Clients of a broker in the same process, on streams in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import memory_stream_pair

from amqplite.broker.broker import Limits
from amqplite.client.channel import Channel
from amqplite.client.connect import connect_over
from amqplite.client.connection import Connection
from amqplite.client.target import Target
from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.server.clock import Clock
from amqplite.server.session import Session
from amqplite.server.ticker import Ticker
from tests.rig import Rig


class Served:
    """A broker that serves whoever connects, and whose disk is quick.

    Attributes:
        sessions: the broker's side of each connection, in the order they came.
        ended: when connections ended, in trio's seconds.
        faults: what went wrong in the broker itself.
    """

    def __init__(self, nursery: trio.Nursery, rig: Rig, limits: ConnectionLimits) -> None:
        self.rig = rig
        self.sessions: list[Session] = []
        self.ended: list[float] = []
        self.faults: list[Exception] = []
        self._nursery = nursery
        self._limits = limits
        self._clock = Clock()
        self._changed = trio.Event()
        rig.journal.on_append = lambda: self._changed.set()
        nursery.start_soon(Ticker(rig.broker, self._clock).run)
        nursery.start_soon(self._commit)

    async def _commit(self) -> None:
        while True:
            self.rig.commit()
            await self._changed.wait()
            self._changed = trio.Event()

    async def _serve(self, session: Session) -> None:
        await session.run()
        self.ended.append(trio.current_time())

    def stream(self) -> trio.abc.Stream:
        """Return the client's end of a new connection."""
        ours, theirs = memory_stream_pair()
        session = Session(
            ours,
            self.rig.broker,
            self._clock,
            Peer(f"client {len(self.sessions) + 1} -> broker", True),
            self._limits,
            on_fault=self.faults.append,
        )
        self.sessions.append(session)
        self._nursery.start_soon(self._serve, session)
        return theirs

    @asynccontextmanager
    async def connection(self, target: Target | None = None) -> AsyncIterator[Connection]:
        """Connect."""
        async with connect_over(self.stream(), target) as connection:
            yield connection

    @asynccontextmanager
    async def channel(self, target: Target | None = None) -> AsyncIterator[Channel]:
        """Connect, and open a channel."""
        async with self.connection(target) as connection:
            yield await connection.channel()


@asynccontextmanager
async def served(
    broker_limits: Limits | None = None, limits: ConnectionLimits | None = None
) -> AsyncIterator[Served]:
    """Have a broker serve while the body runs, and see that nothing went wrong in it."""
    async with trio.open_nursery() as nursery:
        broker = Served(nursery, Rig(broker_limits), limits or ConnectionLimits())
        yield broker
        nursery.cancel_scope.cancel()
    assert broker.faults == []

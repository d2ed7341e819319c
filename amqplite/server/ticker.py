"""Lets the broker's time pass when it asked for that."""

from typing import Never

import trio

from amqplite.broker.broker import Broker
from amqplite.server.clock import Clock
from amqplite.server.wakeup import Wakeup


class Ticker:
    """Calls `Broker.advance` at each of its deadlines."""

    def __init__(self, broker: Broker, clock: Clock) -> None:
        self._broker = broker
        self._clock = clock
        self._changed = Wakeup()
        broker.on_deadline = self._changed.set

    async def run(self) -> Never:
        """Tick until cancelled."""
        while True:
            deadline = self._broker.advance(self._clock.now_ms())
            until = trio.current_time() + 3600
            if deadline is not None:
                until = min(until, self._clock.trio_time(deadline) + 0.001)
            with trio.move_on_at(until):
                await self._changed.wait()

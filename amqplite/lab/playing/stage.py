"""What actors find around them: a broker to connect to, time in ticks, and somebody to tell."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias

import trio

from amqplite.client.connection import Connection
from amqplite.lab.playing.timeline import Timeline

Connect: TypeAlias = Callable[[str, int], AbstractAsyncContextManager[Connection]]
"""Connects an actor to the broker, given the connection's name and its heartbeat in seconds."""


class Mark(Protocol):
    """Takes what the broker can't see: the type of an event, and what is known of its attributes.

    From a consumer those are its tag `c`, its queue `q`, and the message's label `m` and delivery
    tag `tag`, where there is a message.
    """

    def __call__(self, type: str, /, **fields: Any) -> object:
        """Take it."""
        ...


class Pace:
    """Counts ticks from the moment the play begins.

    Args:
        tick_s: seconds of a tick.
        timeline: the clock trio runs on, where sleepers are to wake one by one in order of their
            ranks; else who wakes at the same time does so in any order.
    """

    def __init__(self, tick_s: float, timeline: Timeline | None = None) -> None:
        self._tick_s = tick_s
        self._timeline = timeline
        self._begun = trio.Event()
        self._start = 0.0

    def begin(self) -> None:
        """It is tick 0 now; whoever slept towards a tick counts from here."""
        self._start = trio.current_time()
        self._begun.set()

    @property
    def now(self) -> float:
        """Ticks since the begin; 0 before."""
        if not self._begun.is_set():
            return 0.0
        return round((trio.current_time() - self._start) / self._tick_s, 6)

    async def sleep_until(self, ticks: float, rank: int = 0) -> None:
        """Sleep until a tick, after the begin at any rate."""
        await self._begun.wait()
        when = self._start + round(ticks * self._tick_s, 6)
        if self._timeline is None:
            await trio.sleep_until(when)
        else:
            await self._timeline.sleep_until(when, rank)

    async def sleep(self, ticks: float, rank: int = 0) -> None:
        """Sleep for so many ticks."""
        await self.sleep_until(self.now + ticks, rank)

    async def settle(self, rank: int = 0) -> None:
        """Let what was said before have its effect, where that takes no time."""
        if self._timeline is None:
            await trio.lowlevel.checkpoint()
            return
        settled = trio.Event()
        self._timeline.call_at(self._timeline.now, rank, settled.set)
        await settled.wait()

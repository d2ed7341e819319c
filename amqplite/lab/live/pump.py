"""Takes what the broker records to whoever wants it, while somebody does.

The broker's trace is one, and remembers so much; runs and queues that are watched each want their
part of it, and keep it. One task reads the trace for all of them. It comes a moment after the
events, and in steps, so that clients don't wait for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import trio

from amqplite.broker.broker import Broker
from amqplite.broker.recorder import STEP_US
from amqplite.broker.trace import Event
from amqplite.lab.keeping.bell import Bell
from amqplite.lab.live.scope import Scope

STEP_EVENTS = 40
"""Read at a time; between two steps the broker goes on with its work. A millisecond is not much for
whoever waits, but five are: acks that come so late spare no write any more."""

GATHER_S = 0.02

SHARE = 0.2
"""Of the time, how much may go into what is passed on: of more than that, less is recorded."""

_MEASURED_FROM = 25
"""Events whose time says how long one takes; that of fewer says little."""

Spawn = Callable[..., object]
"""Starts a task that outlives whoever asks for it; `trio.Nursery.start_soon`."""


class Sink(Protocol):
    """What keeps events."""

    def add(self, event: Event, /) -> None:
        """Take the next event of its queues."""
        ...

    def rest(self) -> None:
        """There are no more for now."""
        ...

    def fail(self, error: Exception, /) -> None:
        """Taking an event raised `error`; no more will come."""
        ...


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a sink wants.

    Attributes:
        scope: picks its events.
        origin: where its times are counted from.
        after: the last event that was before it.
    """

    scope: Scope
    origin: int
    after: int


class Pump:
    """Reads a broker's trace, and has it recorded for as long as a sink wants it.

    Args:
        broker: whose trace it is.
        spawn: starts the task.
        clock: tells seconds, by which it is measured how long events take.
    """

    def __init__(
        self, broker: Broker, spawn: Spawn, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._broker = broker
        self._spawn = spawn
        self._clock = clock
        self._sinks: dict[Sink, _Wish] = {}
        self._news = Bell()
        self._running = False
        self._read = 0  # number of the last event that was passed on
        self._event_s = 0.0  # how long one takes, of late; 0: nobody knows

    @property
    def caught_up(self) -> bool:
        """Whether all that was recorded has been passed on."""
        return self._read >= self._broker.trace.log.last

    def add(self, sink: Sink, *queues: tuple[str, str], origin: int = 0) -> None:
        """Have `queues` recorded, and pass `sink` what happens to them from now on.

        Args:
            sink: who wants to know.
            queues: `(vhost, queue)` of each.
            origin: where its times are counted from, in microseconds of the trace's clock. Sinks
                that have one in common cost less.
        """
        last = self._broker.trace.log.last
        if not self._sinks:
            self._read = last
        self._sinks[sink] = _Wish(Scope(queues), origin, last)
        for vhost, name in queues:
            self._broker.record(vhost, name)
        if not self._running:
            self._running = True
            self._spawn(self._run)

    def remove(self, sink: Sink, *, passing_on: bool = True) -> None:
        """Pass a sink no more events; record what nobody else wants no longer.

        Args:
            sink: the one.
            passing_on: what there is comes to it first, which may take a while.
        """
        if sink not in self._sinks:
            return
        if passing_on:
            self.pass_on()
        if sink in self._sinks:
            self._drop(sink)

    def pass_on(self) -> None:
        """Pass on all that is recorded, at once."""
        while self._step():
            pass
        self._rest()

    async def catch_up(self) -> None:
        """Pass on all that is recorded by now; others go on meanwhile."""
        last = self._broker.trace.log.last
        while self._read < last and self._step():
            await trio.lowlevel.checkpoint()
        self._rest()

    def _rest(self) -> None:
        for sink in list(self._sinks):
            sink.rest()

    def _step(self) -> bool:
        """Pass some events on; return whether there were any."""
        trace, after = self._broker.trace, self._read
        if after >= trace.log.last:
            return False
        started = self._clock()
        for origin in {wish.origin for wish in self._sinks.values()}:
            events = trace.read(after, STEP_EVENTS, origin)
            self._read = events[-1].n
            for sink, wish in list(self._sinks.items()):
                if wish.origin == origin:
                    self._pass(events, sink, wish)
        self._measure(self._read - after, self._clock() - started)
        return bool(self._sinks)

    def _measure(self, events: int, took_s: float) -> None:
        """See how long events take, and so how many there may be."""
        if events < _MEASURED_FROM:
            return
        each_s = took_s / events
        self._event_s += (each_s - self._event_s) / (4 if self._event_s else 1)
        self._broker.trace.afford(SHARE * STEP_US / 1e6 / max(self._event_s, 1e-9))

    def _pass(self, events: list[Event], sink: Sink, wish: _Wish) -> None:
        pick = wish.scope.pick
        try:
            for event in events:
                if event.n > wish.after:
                    for told in pick(event):
                        sink.add(told)
        except Exception as error:
            self._drop(sink)
            sink.fail(error)

    def _drop(self, sink: Sink) -> None:
        dropped = self._sinks.pop(sink).scope
        still = {queue for wish in self._sinks.values() for queue in wish.scope.queues}
        for vhost, name in dropped.queues - still:
            self._broker.trace.stop_queue(vhost, name)
        self._news.ring()

    async def _run(self) -> None:
        """Pass events on as they come, until no sink is left."""
        trace = self._broker.trace
        try:
            while self._sinks:
                while self._step():
                    await trio.lowlevel.checkpoint()
                self._rest()
                if not self._sinks:
                    break
                trace.on_event = self._news.ring
                await self._news.wait()
                await trio.sleep(GATHER_S)
        finally:
            trace.on_event = None
            self._running = False

"""Takes what the broker records to whoever wants it, while somebody does.

The broker's trace is one, and remembers so much; runs and queues that are watched each want their
part of it, and keep it. One task reads the trace for all of them. It comes a moment after the
events, and in steps, so that clients don't wait for it.
"""

from collections.abc import Callable
from typing import Protocol

import trio

from amqplite.broker.broker import Broker
from amqplite.broker.trace import Event
from amqplite.lab.bell import Bell
from amqplite.lab.scope import Scope

STEP_EVENTS = 250
"""Read at a time; between two steps the broker goes on with its work."""

GATHER_S = 0.02

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


class Pump:
    """Reads a broker's trace, and has it recorded for as long as a sink wants it."""

    def __init__(self, broker: Broker, spawn: Spawn) -> None:
        self._broker = broker
        self._spawn = spawn
        self._sinks: dict[Sink, tuple[Scope, int]] = {}  # with the origin of its times
        self._news = Bell()
        self._running = False
        self._read = 0  # number of the last event that was passed on

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
        if not self._sinks:
            self._read = self._broker.trace.log.last
        else:
            self.pass_on()
        self._sinks[sink] = Scope(queues), origin
        for vhost, name in queues:
            self._broker.record(vhost, name)
        if not self._running:
            self._running = True
            self._spawn(self._run)

    def remove(self, sink: Sink) -> None:
        """Pass on what there is, and no more; record what nobody else wants no longer."""
        if sink not in self._sinks:
            return
        self.pass_on()
        if sink in self._sinks:
            self._drop(sink)

    def pass_on(self) -> None:
        """Pass on all that is recorded, at once."""
        while self._step():
            pass
        self._rest()

    def _rest(self) -> None:
        for sink in list(self._sinks):
            sink.rest()

    def _step(self) -> bool:
        """Pass some events on; return whether there were any."""
        trace, after = self._broker.trace, self._read
        if after >= trace.log.last:
            return False
        for origin in {origin for _, origin in self._sinks.values()}:
            events = trace.read(after, STEP_EVENTS, origin)
            self._read = events[-1].n
            for sink, (scope, own) in list(self._sinks.items()):
                if own == origin:
                    self._pass(events, sink, scope)
        return bool(self._sinks)

    def _pass(self, events: list[Event], sink: Sink, scope: Scope) -> None:
        try:
            for event in events:
                for told in scope.pick(event):
                    sink.add(told)
        except Exception as error:
            self._drop(sink)
            sink.fail(error)

    def _drop(self, sink: Sink) -> None:
        scope, _ = self._sinks.pop(sink)
        still = {queue for other, _ in self._sinks.values() for queue in other.queues}
        for vhost, name in scope.queues - still:
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

"""Real runs: a scenario's actors as clients of a running broker, over TCP, at a pace to follow.

They use queues that nobody else knows of, which are told of under the scenario's names and taken
down at the end. Only where people bring consumers of their own the queue is called as it says.
"""

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

import trio

from amqplite.broker.broker import Broker
from amqplite.broker.trace import Event
from amqplite.client.connect import connect_over
from amqplite.client.connection import Connection
from amqplite.client.target import Target
from amqplite.lab.live.pump import Pump
from amqplite.lab.playing.runner import Play
from amqplite.lab.playing.scenery import Scenery
from amqplite.lab.playing.stage import Pace
from amqplite.lab.playing.telling import Telling
from amqplite.lab.scripts.plan import TICK_US, Plan, make_plan
from amqplite.lab.scripts.script import Scenario, ScenarioError
from amqplite.lab.trace import Header, Trace

DETECT = 6.0
"""Ticks until the broker gives somebody up who was silenced by hand."""

_LOOK = 0.25
"""Ticks between two looks whether it is over; it is if it was at the look before, too."""


class Sink(Protocol):
    """What keeps a run's events."""

    def add(self, event: Event, /) -> None:
        """Take the next event."""
        ...

    def rest(self) -> None:
        """There are no more for now."""
        ...


class RealRun:
    """One run over TCP.

    Args:
        plan: what is played.
        broker: which runs in this process.
        pump: takes what it records.
        target: how to connect to it, as whom; the name is ours to choose.
        sink: who wants the events as they come.
        tick_us: microseconds a tick.

    Attributes:
        header: of its trace.
        events: so far, under the scenario's names.
        names: what the queues are called on the broker, by those names.

    Raises:
        ScenarioError: there is no such vhost.
    """

    def __init__(
        self,
        plan: Plan,
        broker: Broker,
        pump: Pump,
        target: Target,
        sink: Sink | None = None,
        tick_us: int = TICK_US,
    ) -> None:
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.header: Header = plan.header("real", tick_us, started)
        self.events: list[Event] = []
        self._prefix = f"lab-{secrets.token_hex(3)}."
        self._plan = plan
        self._broker = broker
        self._pump = pump
        self._target = target
        self._sink = sink
        self._tick_s = tick_us / 1_000_000
        self._scenery = self._make_scenery(tick_us)
        self.names: Mapping[str, str] = self._scenery.queues
        self._pace = Pace(self._tick_s)
        self._play = Play(
            plan,
            broker,
            self._scenery,
            self._pace,
            self._tick_s,
            self._connect,
            self._prefix.__add__,
            vhost=target.vhost,
        )
        self._stopped = trio.Event()
        self._failure: Exception | None = None

    def _make_scenery(self, tick_us: int) -> Scenery:
        vhost = self._broker.vhosts.get(self._target.vhost)
        if vhost is None:
            raise ScenarioError(f"there is no vhost '{self._target.vhost}'")
        name_of = str if self._plan.scenario.own else self._prefix.__add__
        return Scenery(vhost, self._plan.scenario, tick_us, name_of)

    # -- from outside ----------------------------------------------------------------------------

    async def run(self) -> Trace:
        """Play to the end, and take everything down; it can be cancelled.

        Raises:
            ScenarioError: there is a queue or exchange of that name already.
            OSError, LoginRefused, NotAllowed: the actors can't connect.
        """
        self._scenery.require_room()
        names = {real: plain for plain, real in self._scenery.all_names.items()}
        telling = Telling(names, self._prefix, self._on_event)
        ear = _Ear(self, telling)
        queues = [(self._target.vhost, name) for name in self.names.values()]
        origin = self._broker.trace.clock()
        self._pump.add(ear, *queues, origin=origin)
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(self._play.run)
                telling.begin(self._broker.trace.clock() - origin)
                await self._until_over()
                self._pump.remove(ear)  # that the actors leave is no part of it
                nursery.cancel_scope.cancel()
        finally:
            self._pump.remove(ear)
            self._scenery.clear()
        if self._failure is not None:
            raise self._failure
        return Trace(self.header, self.events)

    def stop(self) -> None:
        """End it as if it were over."""
        self._stopped.set()

    def press(self, do: str, target: str, by: str = "lab") -> None:
        """Have a fault befall an actor now.

        Args:
            do: `crash`, `silence`, `lose_ack`, `slow`, `nack_next`, `cancel` or `restart`.
            target: the consumer, by the scenario's name for it.
            by: who wants it.

        Raises:
            ScenarioError: there is no such fault, or no such actor.
        """
        self._play.press(do, target, by)
        if do == "silence":
            self._play.expect_heartbeats(target, DETECT * self._tick_s)

    # -- within ----------------------------------------------------------------------------------

    @asynccontextmanager
    async def _connect(self, name: str, heartbeat_s: int) -> AsyncIterator[Connection]:
        target = replace(self._target, name=self._prefix + name, heartbeat_s=heartbeat_s)
        with trio.fail_after(target.timeout_s):
            stream = await trio.open_tcp_stream(target.host, target.port)
        async with connect_over(stream, target) as connection:
            yield connection

    async def _until_over(self) -> None:
        until = self._plan.scenario.until or float("inf")
        quiet = 0
        while quiet < 2 and not self._stopped.is_set() and self._pace.now < until:
            with trio.move_on_after(_LOOK * self._tick_s):
                await self._stopped.wait()
            over = self._play.over and not self._plan.scenario.own
            quiet = quiet + 1 if over else 0

    def _on_event(self, event: Event) -> None:
        self.events.append(event)
        if self._sink is not None:
            self._sink.add(event)

    def rest(self) -> None:
        """There are no more events for now."""
        if self._sink is not None:
            self._sink.rest()

    def fail(self, error: Exception) -> None:
        """There are no more events, since one could not be told."""
        self._failure = error
        self.stop()


class _Ear:
    """Hears what the broker records."""

    def __init__(self, run: RealRun, telling: Telling) -> None:
        self._run = run
        self.add = telling.add
        self.rest, self.fail = run.rest, run.fail


async def run_real(
    scenario: Scenario,
    params: Mapping[str, object] | None,
    broker: Broker,
    target: Target,
    *,
    variant: str = "",
    seed: int = 0,
    tick_us: int = TICK_US,
) -> Trace:
    """Run a scenario on a broker in this process; raises as `make_plan` and `RealRun` do."""
    plan = make_plan(scenario, params, variant, seed)
    async with trio.open_nursery() as nursery:
        pump = Pump(broker, nursery.start_soon)
        trace = await RealRun(plan, broker, pump, target, tick_us=tick_us).run()
        nursery.cancel_scope.cancel()
    return trace

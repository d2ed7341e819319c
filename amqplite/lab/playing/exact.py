"""Exact runs: a scenario on a broker of its own and a clock that takes no time.

They come out the same to the octet, every time: the same events, in the same order, at the same
microsecond.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import trio

from amqplite.broker.trace import Event
from amqplite.client.connect import connect_over
from amqplite.client.connection import Connection
from amqplite.lab.live.scope import Scope
from amqplite.lab.playing.runner import Play
from amqplite.lab.playing.scenery import Scenery
from amqplite.lab.playing.stage import Pace
from amqplite.lab.playing.telling import Telling
from amqplite.lab.playing.timeline import Timeline
from amqplite.lab.playing.virtual import TARGET, VirtualBroker
from amqplite.lab.scripts.plan import TICK_US, Plan, make_plan
from amqplite.lab.scripts.script import Scenario
from amqplite.lab.trace import Trace

STEP_EVENTS = 1000


def run_exact(
    scenario: Scenario,
    params: Mapping[str, object] | None = None,
    seed: int = 0,
    variant: str = "",
) -> Trace:
    """Run a scenario; see `make_plan` for what can be said and raised."""
    return play_exact(make_plan(scenario, params, variant, seed))


def play_exact(plan: Plan) -> Trace:
    """Act a plan out, in any thread, also while trio runs in another one."""
    events: list[Event] = []
    timeline = Timeline()
    trio.run(_play, plan, timeline, events, clock=timeline)
    return Trace(plan.header("exact"), events)


async def _play(plan: Plan, timeline: Timeline, events: list[Event]) -> None:
    async with trio.open_nursery() as nursery:
        virtual = VirtualBroker(timeline, nursery)
        scenery = Scenery(virtual.vhost, plan.scenario, TICK_US, str)
        for name in scenery.queues:
            virtual.broker.record(TARGET.vhost, name)

        @asynccontextmanager
        async def connect(name: str, heartbeat_s: int) -> AsyncIterator[Connection]:
            target = replace(TARGET, name=name, heartbeat_s=heartbeat_s)
            async with connect_over(await virtual.dial(), target) as connection:
                yield connection

        tick_s = TICK_US / 1_000_000
        pace = Pace(tick_s, timeline)
        play = Play(plan, virtual.broker, scenery, pace, tick_s, connect)
        over = trio.Event()
        timeline.on_idle = over.set
        await nursery.start(play.run)
        if plan.scenario.until:
            nursery.start_soon(_end, pace, plan.scenario.until, over)
        await over.wait()
        _read(virtual, events)
        nursery.cancel_scope.cancel()


async def _end(pace: Pace, until: float, over: trio.Event) -> None:
    await pace.sleep_until(until, 1 << 30)
    over.set()


def _read(virtual: VirtualBroker, events: list[Event]) -> None:
    """Take what the broker has recorded."""
    trace = virtual.broker.trace
    scope = Scope(trace.queues)
    telling = Telling({}, "", events.append)
    telling.begin(0)
    after = 0
    while told := trace.read(after, STEP_EVENTS):
        after = told[-1].n
        for event in told:
            for picked in scope.pick(event):
                telling.add(picked)

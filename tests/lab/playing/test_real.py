"""Real runs: actors over TCP, on a broker that runs in this process."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.broker.broker import Broker
from amqplite.broker.trace import Event
from amqplite.client.connect import connect
from amqplite.client.target import Target
from amqplite.errors import LoginRefused
from amqplite.lab.live.pump import Pump
from amqplite.lab.playing.real import RealRun, run_real
from amqplite.lab.scenario import ScenarioError, catalogue, find
from amqplite.lab.scripts.expect import Check, check
from amqplite.lab.scripts.plan import Plan, make_plan
from amqplite.lab.trace import Trace
from tests.lab.listening import listening
from tests.rig import Rig

TICK_US = 200_000
"""A tick, half as long as people get; of a play that needs more on a busy machine, see below."""

AT_A_TIME = 12

PLAYS = [
    (scenario.id, variant)
    for scenario in catalogue()
    for variant in ("", *(variant.name for variant in scenario.variants))
    if not scenario.own
]


@dataclass
class Room:
    """A broker that listens, and what a run needs of it."""

    rig: Rig
    pump: Pump
    target: Target
    nursery: trio.Nursery

    @property
    def broker(self) -> Broker:
        return self.rig.broker

    def run(self, plan: Plan, sink: "Heard | None" = None, tick_us: int = 50_000) -> RealRun:
        return RealRun(plan, self.broker, self.pump, self.target, sink, tick_us)


@asynccontextmanager
async def room() -> AsyncIterator[Room]:
    """Have a broker listen, and see that a run leaves nothing behind, and no fault."""
    async with listening() as there:
        pump = Pump(there.rig.broker, there.nursery.start_soon)
        exchanges = list(there.rig.vhost.exchanges)
        yield Room(there.rig, pump, Target(port=there.port), there.nursery)
        assert there.faults == []
        assert not there.rig.vhost.queues
        assert list(there.rig.vhost.exchanges) == exchanges
        assert not there.rig.broker.trace.queues


class Heard:
    """What keeps a run's events, and lets tests wait for them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.rests = 0
        self._more = trio.Event()

    async def until(self, happened: Callable[[list[Event]], bool]) -> None:
        while not happened(self.events):
            await self._more.wait()

    def add(self, event: Event) -> None:
        self.events.append(event)
        more, self._more = self._more, trio.Event()
        more.set()

    def rest(self) -> None:
        self.rests += 1


def wrong(trace: Trace, plan: Plan) -> list[Check]:
    assert plan.expect is not None
    return [one for one in check(trace, plan.expect) if not one.ok]


async def played(there: Room, scenario: str, variant: str) -> list[Check]:
    """Return what is wrong with a run.

    On a machine that has too much to do, actors come late. Where that has made another play of it,
    it is played again at half the pace, and so on.
    """
    plan, found = make_plan(find(scenario), variant=variant), list[Check]()
    for slower in (1, 2, 4):
        found = wrong(await there.run(plan, tick_us=TICK_US * slower).run(), plan)
        if not found:
            break
    return found


async def test_every_order_cause_and_count_comes_out_over_tcp() -> None:
    found = dict[tuple[str, str], list[Check]]()
    left = deque(PLAYS)

    async def play(there: Room) -> None:
        while left:
            which = left.popleft()
            found[which] = await played(there, *which)

    async with room() as there, trio.open_nursery() as nursery:
        for _ in range(AT_A_TIME):
            nursery.start_soon(play, there)
    assert {which: checks for which, checks in found.items() if checks} == {}
    assert len(found) == len(PLAYS)


@pytest.fixture
def plan() -> Plan:
    return make_plan(find("fig-11-2"), {"service": 0.5, "crash": False})


async def test_a_trace_has_the_scenarios_names_and_the_broker_others(plan: Plan) -> None:
    async with room() as there:
        heard = Heard()
        run = there.run(plan, heard)
        assert run.header.mode == "real"
        assert run.header.started[:2] == "20"
        assert run.names["q"] != "q"
        trace = await run.run()
    assert {(e.v, e.q) for e in trace.events} == {("/", ""), ("/", "q")}
    assert {e.c for e in trace.events if e.c} == {"c1", "c2"}
    assert {e.p for e in trace.events if e.p} == {"p1"}
    assert {e.conn for e in trace.events if e.conn} == {"p1", "c1", "c2"}
    assert [e.n for e in trace.events] == list(range(1, len(trace.events) + 1))
    assert trace.events[0].t == 0
    assert [e.t for e in trace.events] == sorted(e.t for e in trace.events)
    assert heard.events == trace.events
    assert heard.rests > 0
    assert "connection_closed" not in {e.type for e in trace.events}


async def test_several_runs_on_one_broker_do_not_get_in_each_others_way(plan: Plan) -> None:
    traces = list[Trace]()

    async def run(there: Room) -> None:
        traces.append(await there.run(plan).run())

    async with room() as there, trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(run, there)
    for trace in traces:
        published = [e.m for e in trace.events if e.type == "published"]
        assert published == ["m1", "m2", "m3", "m4", "m5"]
        assert {e.c for e in trace.events if e.c} == {"c1", "c2"}


async def test_what_is_pressed_meanwhile_is_part_of_it() -> None:
    heard = Heard()

    async def press(run: RealRun) -> None:
        await heard.until(lambda events: any(e.type == "started" and e.m == "m3" for e in events))
        run.press("silence", "c2", "teacher")

    async with room() as there:
        run = there.run(make_plan(find("no-fault")), heard, 100_000)
        there.nursery.start_soon(press, run)
        with pytest.raises(ScenarioError, match="nothing is being played"):
            run.press("cancel", "c2")
        trace = await run.run()
        with pytest.raises(ScenarioError, match="nothing is being played"):
            run.press("restart", "c2")
        with pytest.raises(ScenarioError, match="there is no consumer 'c3'"):
            run.press("crash", "c3")
    told = [(e.type, e.c, e.by or e.sub) for e in trace.events if e.type == "fault" or e.sub]
    assert told[:2] == [("fault", "c2", "teacher"), ("connection_lost", "", "heartbeat_timeout")]
    assert len([e for e in trace.events if e.type == "acked"]) == 5


async def test_a_run_can_be_cancelled_and_leaves_nothing_behind(plan: Plan) -> None:
    async with room() as there:
        with trio.move_on_after(0.2) as scope:
            await there.run(plan, tick_us=1_000_000).run()
        assert scope.cancelled_caught
        while there.broker.connections:  # their sockets are closed; the broker has yet to hear it
            await wait_all_tasks_blocked(0.01)


async def test_people_bring_consumers_of_their_own_until_somebody_stops_it() -> None:
    plan = make_plan(find("your-own"), {"messages": 3, "stand_in": False})
    heard, seen = Heard(), list[str]()

    async def consume(there: Room, run: RealRun) -> None:
        await heard.until(bool)
        async with connect(f"amqp://127.0.0.1:{there.target.port}?name=mine") as connection:
            channel = await connection.channel()
            consumer = await channel.consume("lab.your-own", tag="my-own")
            while len(seen) < 3:
                delivery = await consumer.receive()
                channel.ack(delivery)
                seen.append(delivery.properties.message_id or "")
            await heard.until(lambda events: [e.type for e in events].count("acked") == 3)
            with pytest.raises(ScenarioError, match=r"'lab\.your-own' is there already"):
                await there.run(plan).run()
            run.stop()

    async with room() as there:
        run = there.run(plan, heard)
        assert run.names == {"lab.your-own": "lab.your-own"}
        there.nursery.start_soon(consume, there, run)
        trace = await run.run()
    assert seen == ["m1", "m2", "m3"]
    assert [(e.m, e.c, e.conn) for e in trace.events if e.type == "acked"] == [
        (m, "my-own", "mine") for m in seen
    ]


async def test_a_run_ends_when_its_time_is_over() -> None:
    settings = {"messages": 1, "stand_in": False}
    async with room() as there:
        trace = await run_real(find("your-own"), settings, there.broker, there.target, tick_us=500)
    assert [e.type for e in trace.events] == ["published", "enqueued", "confirmed"]


async def test_who_may_not_connect_can_not_play(plan: Plan) -> None:
    async with room() as there:
        there.target = replace(there.target, user="nobody")
        with pytest.raises(ExceptionGroup) as error:
            await there.run(plan).run()
    assert error.value.subgroup(LoginRefused)


async def test_a_vhost_that_is_not_there_is_named(plan: Plan) -> None:
    async with room() as there:
        there.target = replace(there.target, vhost="classes")
        with pytest.raises(ScenarioError, match="there is no vhost 'classes'"):
            there.run(plan)


async def test_an_event_that_can_not_be_kept_ends_the_run(plan: Plan) -> None:
    class Full(Heard):
        def add(self, event: Event) -> None:
            if event.m == "m3":
                raise MemoryError

    async with room() as there:
        with pytest.raises(MemoryError):
            await there.run(plan, Full()).run()

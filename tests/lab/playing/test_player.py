"""Scenarios that are played, exactly and by clients over TCP, and what is kept of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import trio

from amqplite.broker.trace import Event
from amqplite.errors import AccessRefused
from amqplite.lab.keeping import recording
from amqplite.lab.keeping.runs import Run, RunStore
from amqplite.lab.keeping.work import Busy, Work
from amqplite.lab.live.pump import Pump
from amqplite.lab.playing import player
from amqplite.lab.playing.player import Player
from amqplite.lab.playing.real import RealRun
from amqplite.lab.scenario import find
from amqplite.lab.scripts.plan import Plan, make_plan
from amqplite.lab.scripts.script import ScenarioError
from amqplite.lab.trace import Header, Trace
from tests.lab.listening import Listening, listening

GUEST = {"host": "127.0.0.1", "user": "guest", "password": "guest", "vhost": "/"}


class Playing:
    """A player on a broker.

    Attributes:
        faults: of the lab's own, that it told of.
    """

    def __init__(self, broker: Listening) -> None:
        self.broker = broker
        self.faults: list[Exception] = []
        self.stopping = trio.Event()
        self.player = Player(
            broker=broker.rig.broker,
            pump=Pump(broker.rig.broker, broker.nursery.start_soon),
            runs=RunStore(),
            work=Work(),
            spawn=broker.nursery.start_soon,
            stopping=self.stopping,
            on_fault=self.faults.append,
        )

    def start(self, plan: Plan, **other: Any) -> Run:
        return self.player.start(plan, **{**GUEST, "port": self.broker.port, **other})


@asynccontextmanager
async def playing() -> AsyncIterator[Playing]:
    async with listening() as broker:
        yield Playing(broker)
        assert broker.faults == []


async def over(run: Run) -> None:
    with trio.fail_after(20):
        while run.state == "running":
            await run.recording.news.wait()


def plan_of(scenario: str, **params: object) -> Plan:
    return make_plan(find(scenario), params)


def completion(run: Run) -> list[str]:
    assert run.outcome is not None
    metrics = run.outcome.metrics
    (done,) = (one for one in metrics if (one.scope, one.at) == ("queue", "completion"))
    return done.completion


def unmet(run: Run) -> list[str]:
    assert run.outcome is not None
    return [check.what for check in run.outcome.expect if not check.ok]


async def test_an_exact_run_is_over_at_once_and_as_expected() -> None:
    async with playing() as lab:
        run = await lab.player.play(plan_of("fig-11-2"), "guest")
    assert (run.state, run.owner, run.name) == ("done", "guest", "Load balancing + redelivery")
    assert completion(run) == ["m1", "m2", "m4", "m3", "m5"]
    assert run.outcome is not None
    assert len(run.outcome.expect) > 10
    assert unmet(run) == []
    assert run.vhosts == frozenset()


async def test_a_real_run_comes_out_the_same() -> None:
    async with playing() as lab:
        run = lab.start(plan_of("fig-11-2"))
        assert (run.state, run.owner) == ("running", "guest")
        await over(run)
        assert (run.state, run.reason) == ("done", "")
        assert completion(run) == ["m1", "m2", "m4", "m3", "m5"]
        assert unmet(run) == []
        assert run.recording.header.mode == "real"
        assert run.strike is None
        assert not lab.broker.rig.vhost.queues
        assert not lab.broker.rig.broker.trace.on


async def test_a_fault_by_hand_befalls_an_actor() -> None:
    async with playing() as lab:
        run = lab.start(plan_of("no-fault", service=0.4))
        assert run.strike is not None
        with pytest.raises(ScenarioError):
            run.strike("crash", "c9", "guest")
        while b'"started"' not in run.recording.joined():
            await run.recording.news.wait()
        run.strike("crash", "c2", "guest")
        await over(run)
        assert run.state == "done"
        told = run.recording.joined()
    assert b'"type":"fault"' in told
    assert b'"by":"guest"' in told
    assert b'"type":"connection_lost"' in told


async def test_a_run_that_is_dropped_ends_and_takes_all_down() -> None:
    async with playing() as lab:
        run = lab.start(plan_of("your-own"))
        assert run.vhosts == {"/"}
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert lab.broker.rig.vhost.queues
        lab.player.runs.remove(run)
        await over(run)
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert not lab.broker.rig.vhost.queues
        assert not lab.broker.rig.broker.trace.on


async def test_runs_end_when_the_broker_stops() -> None:
    async with playing() as lab:
        run = lab.start(plan_of("fig-11-2"))
        await trio.testing.wait_all_tasks_blocked(0.05)
        lab.stopping.set()
        await over(run)
        assert run.outcome is not None
        assert run.outcome.expect == []  # it isn't what it would have been
        with pytest.raises(Busy, match="the broker stops"):
            lab.start(plan_of("fig-11-2"))


async def test_no_run_goes_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "LONGEST_S", 0.2)
    async with playing() as lab:
        run = lab.start(plan_of("your-own"))
        await over(run)
        assert run.state == "done"


async def test_only_so_many_are_played_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "PLAYING_MAX", 1)
    async with playing() as lab:
        first = lab.start(plan_of("fig-11-2"))
        with pytest.raises(Busy, match="1 runs are under way"):
            lab.start(plan_of("fig-11-2"))
        first.scope.cancel()
        await over(first)
        second = lab.start(plan_of("fig-11-2"))
        second.scope.cancel()
        await over(second)


async def test_a_run_ends_when_it_has_told_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "EVENTS_MAX", 10)
    async with playing() as lab:
        run = lab.start(plan_of("fig-11-2"))
        await over(run)
        assert (len(run.recording), run.recording.full, run.state) == (10, True, "done")


async def test_actors_that_cannot_log_in_cannot_play() -> None:
    async with playing() as lab:
        run = lab.start(plan_of("fig-11-2"), password="wrong")
        await over(run)
        assert run.state == "failed"
        assert run.reason.startswith("the actors can't play: ")
        assert not lab.broker.rig.vhost.queues
        assert lab.faults == []


async def test_actors_that_find_no_broker_cannot_play() -> None:
    async with playing() as lab:
        run = lab.start(plan_of("fig-11-2"), port=1)
        await over(run)
        assert run.state == "failed"
        assert run.reason.startswith("the actors can't play: ")


async def test_who_may_not_use_the_queues_may_not_play() -> None:
    async with playing() as lab:
        users = lab.broker.rig.broker.users
        users.set_permissions("guest", "/", configure=".*", write=".*", read="^mine")
        with pytest.raises(AccessRefused, match="read access to queue 'lab-"):
            lab.start(plan_of("fig-11-2"))
        lab.broker.rig.broker.add_vhost("other")
        with pytest.raises(AccessRefused, match="access to vhost 'other' refused"):
            lab.start(plan_of("fig-11-2"), vhost="other")
        with pytest.raises(ScenarioError, match="no vhost 'none'"):
            lab.start(plan_of("fig-11-2"), vhost="none")
        assert list(lab.player.runs) == []
        assert not lab.broker.rig.broker.trace.on


async def test_a_fault_of_the_labs_is_told_to_the_log_and_not_to_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr(RealRun, "run", fail)
    async with playing() as lab:
        run = lab.start(plan_of("fig-11-2"))
        await over(run)
        assert (run.state, run.reason) == ("failed", "the lab failed; see the broker's log")
        assert len(lab.faults) == 1


async def test_a_trace_is_kept_as_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "EVENTS_MAX", 10)
    events = [Event(n=n, t=n, type="purged", q="q") for n in range(1, 21)]
    async with playing() as lab:
        keep = lab.player.keep
        run = await keep(Trace(Header(name="x"), events), "guest", vhosts=frozenset({"/"}))
        assert list(lab.player.runs) == [run]
    assert (run.name, run.owner, run.state) == ("x", "guest", "done")
    assert run.vhosts == {"/"}
    assert (len(run.recording), run.recording.full) == (10, True)
    assert run.outcome is not None
    assert run.outcome.expect == []


async def test_a_plan_that_nobody_knows_the_outcome_of_is_not_checked() -> None:
    async with playing() as lab:
        plan = replace(plan_of("fig-11-2"), expect=None)
        run = await lab.player.play(plan, "guest")
    assert run.outcome is not None
    assert run.outcome.expect == []

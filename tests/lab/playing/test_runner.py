"""Plays: actors, scenery and faults on a broker, on a timeline."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
import trio

from amqplite.broker.trace import Event
from amqplite.client.connect import connect_over
from amqplite.client.connection import Connection
from amqplite.lab.playing.runner import PRESSES, Play
from amqplite.lab.playing.scenery import Scenery
from amqplite.lab.playing.stage import Pace
from amqplite.lab.playing.timeline import Timeline
from amqplite.lab.playing.virtual import TARGET, VirtualBroker
from amqplite.lab.scenario import ScenarioError, find
from amqplite.lab.scripts.plan import make_plan

TICK_US = 100_000


@dataclass
class Stage:
    """A play that is on, under names of its own on the broker.

    Attributes:
        until: sleeps until a tick.
    """

    play: Play
    pace: Pace
    virtual: VirtualBroker

    async def until(self, ticks: float) -> None:
        await self.pace.sleep_until(ticks, 1000)

    def told(self, *types: str) -> list[str]:
        """Return tick, type, message, consumer and so on of events of these types."""
        return [
            " ".join(filter(None, (f"{e.t / TICK_US:g}", e.type, e.m, e.c, e.sub or e.text, e.by)))
            for e in self.virtual.broker.trace.read(0)
            if e.type in types
        ]

    def events(self) -> list[Event]:
        return self.virtual.broker.trace.read(0)


def played(
    scenario: str, main: Callable[[Stage], Awaitable[None]], variant: str = "", **settings: object
) -> None:
    """Play a scenario while `main` watches."""
    timeline = Timeline()
    plan = make_plan(find(scenario), settings, variant)

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            virtual = VirtualBroker(timeline, nursery)
            scenery = Scenery(virtual.vhost, plan.scenario, TICK_US, lambda name: f"x.{name}")
            for name in scenery.queues.values():
                virtual.broker.record("/", name)

            @asynccontextmanager
            async def connect(name: str, heartbeat_s: int) -> AsyncIterator[Connection]:
                target = replace(TARGET, name=f"x.{name}", heartbeat_s=heartbeat_s)
                async with connect_over(await virtual.dial(), target) as connection:
                    yield connection

            pace = Pace(TICK_US / 1e6, timeline)
            play = Play(
                plan,
                virtual.broker,
                scenery,
                pace,
                TICK_US / 1e6,
                connect,
                lambda name: f"x.{name}",
            )
            await nursery.start(play.run)
            await main(Stage(play, pace, virtual))
            nursery.cancel_scope.cancel()

    trio.run(run, clock=timeline)


def test_actors_work_on_queues_under_the_brokers_names() -> None:
    async def main(stage: Stage) -> None:
        await stage.until(20)
        assert {e.q for e in stage.events() if e.type != "connection_opened"} == {"", "x.q"}
        assert len(stage.told("acked")) == 5

    played("fig-11-2", main)


def test_exchanges_have_the_brokers_names_too_and_what_comes_late_does() -> None:
    async def main(stage: Stage) -> None:
        assert list(stage.virtual.vhost.queues) == ["x.qA"]
        await stage.until(2.6)
        assert list(stage.virtual.vhost.queues) == ["x.qA", "x.qB"]
        await stage.until(20)
        assert stage.play.over
        assert {e.exchange for e in stage.events() if e.type == "published"} == {"x.news"}

    played("late-subscriber", main)


def test_nothing_comes_between_changes_at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    bound, sleep_until = list[list[str]](), Pace.sleep_until

    async def main(stage: Stage) -> None:
        async def watched(pace: Pace, ticks: float, rank: int = 0) -> None:
            exchange = stage.virtual.vhost.exchange("x.accounts")
            bound.append([queue.name for queue in exchange.route("A", None)])
            await sleep_until(pace, ticks, rank)

        monkeypatch.setattr(Pace, "sleep_until", watched)
        await stage.until(10)

    played("repartition", main)
    assert bound[0] == ["x.q1"]
    assert bound[-1] == ["x.q2"]
    assert ["x.q1", "x.q2"] not in bound


def test_a_play_is_over_when_nothing_more_is_to_come() -> None:
    async def main(stage: Stage) -> None:
        for ticks in (0.1, 1.9, 3.5, 7.0, 8.3):
            await stage.until(ticks)
            assert not stage.play.over
        await stage.until(8.5)
        assert stage.play.over

    played("fig-11-2", main)


def test_a_play_is_not_over_while_a_death_is_to_be_noticed() -> None:
    async def main(stage: Stage) -> None:
        await stage.until(9.3)
        assert not stage.play.over
        await stage.until(9.5)
        assert stage.told("connection_lost") == ["9.4 connection_lost heartbeat_timeout"]
        await stage.until(11.3)
        assert stage.play.over

    played("silent-death", main)


def test_a_play_is_not_over_while_a_fault_is_to_come() -> None:
    async def main(stage: Stage) -> None:
        await stage.until(6)
        assert not stage.play.over
        await stage.until(12)
        assert stage.told("crashed") == ["12 crashed c2"]
        assert stage.play.over

    played("fig-11-2", main, crash_after=10, service=1)


def test_a_resequencer_lets_go_in_order() -> None:
    async def main(stage: Stage) -> None:
        await stage.until(20)
        assert stage.told("released") == [
            "1.8 released m1 resequencer",
            "2.8 released m2 resequencer",
            "6.6 released m3 resequencer",
            "6.6 released m4 resequencer",
            "8.4 released m5 resequencer",
        ]

    played("resequencer", main)


async def pressing(stage: Stage, do: str, target: str = "c1", at: float = 2.5) -> None:
    await stage.until(at)
    stage.play.press(do, target, "teacher")


def test_whatever_is_pressed_is_told_with_who_did_it() -> None:
    async def main(stage: Stage) -> None:
        for do in PRESSES:
            stage.play.press(do, "c1", "teacher")
        assert stage.told("fault") == [f"0 fault c1 {do} teacher" for do in PRESSES]

    played("no-fault", main)


def test_a_crash_by_hand_can_be_undone_by_a_restart() -> None:
    async def main(stage: Stage) -> None:
        await pressing(stage, "crash", "c2")
        await pressing(stage, "restart", "c2", at=6)
        await stage.until(30)
        assert stage.play.over
        assert stage.told("crashed", "recovered") == ["2.5 crashed m3 c2", "6 recovered c2"]
        assert stage.told("fault")[1] == "6 fault c2 restart teacher"

    played("no-fault", main)


def test_who_hangs_is_there_anew_by_a_restart() -> None:
    async def main(stage: Stage) -> None:
        await pressing(stage, "silence", "c2")
        await stage.until(20)
        assert not stage.play.over
        await pressing(stage, "restart", "c2", at=20)
        await stage.until(30)
        assert stage.told("recovered", "connection_lost") == [
            "20 connection_lost peer_reset",
            "20 recovered c2",
        ]
        assert stage.play.over

    played("no-fault", main)


def test_who_is_alive_dies_first_by_a_restart() -> None:
    async def main(stage: Stage) -> None:
        await pressing(stage, "restart", "c2")
        await stage.until(30)
        assert stage.told("crashed", "recovered") == ["2.5 crashed m3 c2", "2.5 recovered c2"]

    played("no-fault", main)


@pytest.mark.parametrize(
    ("do", "told"),
    [
        ("nack_next", ["2.8 nacked m2 c1", "2.8 requeued m2 c1"]),
        ("lose_ack", ["2.8 ack_lost m2 c1", "2.8 crashed m2 c1", "2.8 requeued m2 c1 peer_reset"]),
        ("cancel", ["2.5 consumer_cancelled c1 c1"]),
    ],
)
def test_other_faults_by_hand(do: str, told: list[str]) -> None:
    async def main(stage: Stage) -> None:
        await pressing(stage, do)
        await stage.until(3.0)
        types = "nacked", "requeued", "ack_lost", "crashed"
        found = stage.told(*types, *["consumer_cancelled"] * (do == "cancel"))
        assert found == told

    played("no-fault", main)


def test_a_slowed_one_takes_twice_as_long_from_the_next_message_on() -> None:
    async def main(stage: Stage) -> None:
        await pressing(stage, "slow")
        await stage.until(30)
        assert [one for one in stage.told("applied") if one.endswith("c1")] == [
            "2.8 applied m2 c1",
            "6.6 applied m4 c1",
        ]

    played("no-fault", main)


def test_heartbeats_can_be_expected_by_hand_too() -> None:
    async def main(stage: Stage) -> None:
        await pressing(stage, "silence", "c2")
        stage.play.expect_heartbeats("c2", 0.3)
        await stage.until(20)
        assert stage.told("connection_lost") == ["5.5 connection_lost heartbeat_timeout"]

    played("no-fault", main)


def test_what_can_not_be_pressed_is_said() -> None:
    async def main(stage: Stage) -> None:
        with pytest.raises(ScenarioError, match="there is no consumer 'p1'; there are c2, c1"):
            stage.play.press("crash", "p1", "teacher")
        with pytest.raises(ScenarioError, match="'shout' is none of crash, silence"):
            stage.play.press("shout", "c1", "teacher")

    played("fig-11-2", main)


def test_without_consumers_there_is_nobody_to_press() -> None:
    async def main(stage: Stage) -> None:
        with pytest.raises(ScenarioError, match="there are none"):
            stage.play.press("crash", "c1", "teacher")

    played("your-own", main, "alone")

"""Ticks."""

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from amqplite.lab.playing.stage import Pace
from amqplite.lab.playing.timeline import Timeline


async def test_ticks_count_from_the_begin(autojump_clock: MockClock) -> None:
    pace = Pace(0.4)
    await trio.sleep(7)
    assert pace.now == 0.0
    pace.begin()
    await trio.sleep(1.36)
    assert pace.now == 3.4
    await pace.sleep(1.4)
    assert pace.now == 4.8
    await pace.sleep_until(1.0)
    assert pace.now == 4.8


async def test_who_sleeps_before_the_begin_sleeps_until_after_it(
    autojump_clock: MockClock,
) -> None:
    pace, woken = Pace(0.4), list[float]()

    async def sleep(until: float) -> None:
        await pace.sleep_until(until)
        woken.append(pace.now)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sleep, 0.0)
        nursery.start_soon(sleep, 2.0)
        await trio.sleep(7)
        assert woken == []
        pace.begin()
        await wait_all_tasks_blocked()
        assert woken == [0.0]
    assert woken == [0.0, 2.0]


async def test_in_real_time_settling_is_giving_others_their_turn() -> None:
    with trio.testing.assert_checkpoints():
        await Pace(0.4).settle()


def test_on_a_timeline_sleepers_wake_in_order_of_their_ranks() -> None:
    for _ in range(10):  # trio's own order would come out both ways
        timeline, woken = Timeline(), list[int]()
        pace = Pace(0.4, timeline)

        async def sleep(rank: int, pace: Pace = pace, woken: list[int] = woken) -> None:
            await pace.sleep_until(2.0, rank)
            woken.append(rank)

        async def run(pace: Pace = pace) -> None:
            async with trio.open_nursery() as nursery:
                for rank in (2, 0, 1):
                    nursery.start_soon(sleep, rank)
                await trio.lowlevel.checkpoint()
                pace.begin()
            assert pace.now == 2.0

        trio.run(run, clock=timeline)
        assert woken == [0, 1, 2]


def test_on_a_timeline_settling_waits_for_what_was_sent() -> None:
    timeline, seen = Timeline(), list[str]()
    pace = Pace(0.4, timeline)

    async def run() -> None:
        pace.begin()
        timeline.cross((1, 0), lambda: seen.append("arrived"))
        await pace.settle()
        seen.append("settled")
        assert pace.now == 0.0

    trio.run(run, clock=timeline)
    assert seen == ["arrived", "settled"]

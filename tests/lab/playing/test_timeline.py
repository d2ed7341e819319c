"""A clock that moves by what happens."""

from collections.abc import Awaitable, Callable
from math import inf

import pytest
import trio

from amqplite.lab.playing.timeline import Timeline

RUNS = 20
"""Enough for trio's order of ready tasks to come out both ways."""


def play(timeline: Timeline, *tasks: Callable[[], Awaitable[object]]) -> None:
    """Run tasks side by side until nothing is to come."""

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            timeline.on_idle = nursery.cancel_scope.cancel
            for task in tasks:
                nursery.start_soon(task)

    trio.run(main, clock=timeline)


def test_sleepers_wake_one_by_one_by_time_and_rank_and_no_time_is_lost() -> None:
    for _ in range(RUNS):
        timeline, seen = Timeline(), list[tuple[float, str]]()

        def sleeper(
            name: str,
            when: float,
            rank: int,
            timeline: Timeline = timeline,
            seen: list[tuple[float, str]] = seen,
        ) -> Callable[[], Awaitable[None]]:
            async def sleep() -> None:
                await timeline.sleep_until(when, rank)
                for _ in range(3):
                    await trio.lowlevel.checkpoint()
                seen.append((trio.current_time(), name))

            return sleep

        play(
            timeline,
            sleeper("c", 3600.0, 2),
            sleeper("b", 3600.0, 1),
            sleeper("d", 7200.0, 0),
            sleeper("a", 0.0, 9),
        )
        assert seen == [(0.0, "a"), (3600.0, "b"), (3600.0, "c"), (7200.0, "d")]


def test_timeouts_of_trio_come_in_between_and_first_at_the_same_time() -> None:
    timeline, seen = Timeline(), list[str]()

    async def patient() -> None:
        with trio.move_on_after(2):
            await trio.sleep_forever()
        seen.append("timeout")

    async def others() -> None:
        await timeline.sleep_until(1, 0)
        seen.append("before")
        await timeline.sleep_until(2, 0)
        seen.append("after")

    play(timeline, others, patient)
    assert seen == ["before", "timeout", "after"]


def test_what_crosses_does_so_when_all_have_done_what_they_could_in_order_of_the_wires() -> None:
    for _ in range(RUNS):
        timeline, seen = Timeline(), list[str]()

        async def writer(
            number: int, timeline: Timeline = timeline, seen: list[str] = seen
        ) -> None:
            for _ in range(number):
                await trio.lowlevel.checkpoint()
            timeline.cross((number, 0), lambda: seen.append(f"wire {number}"))
            timeline.cross((number, 0), lambda: seen.append(f"wire {number}"))
            seen.append("wrote")
            await trio.sleep_forever()

        play(timeline, *(lambda n=n: writer(n) for n in (3, 1, 2)))
        assert seen == ["wrote"] * 3 + ["wire 1", "wire 2", "wire 3"]


def test_to_wait_for_ever_is_an_error_and_no_hang() -> None:
    timeline, told = Timeline(), list[bool]()
    timeline.on_idle = lambda: told.append(True)
    for _ in range(5000):
        assert timeline.deadline_to_sleep_time(inf) == 0.001
    assert told == [True]
    with pytest.raises(RuntimeError, match="nothing is to come"):
        timeline.deadline_to_sleep_time(inf)

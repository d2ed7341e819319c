import time

import pytest
import trio
from trio.testing import MockClock

from amqplite.server.clock import Clock


async def test_it_starts_at_the_time_of_day() -> None:
    assert abs(Clock().now_ms() - time.time() * 1000) < 1000


async def test_it_follows_trios_clock(autojump_clock: MockClock) -> None:
    clock = Clock()
    started = clock.now_ms()
    await trio.sleep(3600)
    assert clock.now_ms() - started == pytest.approx(3_600_000, abs=1)


async def test_a_moment_is_the_same_by_both_clocks(autojump_clock: MockClock) -> None:
    clock = Clock()
    assert clock.trio_time(clock.now_ms() + 5000) == pytest.approx(
        trio.current_time() + 5, abs=0.002
    )

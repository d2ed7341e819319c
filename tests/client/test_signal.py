"""Wakes all who wait, and each of them once."""

import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.client.signal import Signal


async def test_all_who_wait_are_woken_and_may_wait_again() -> None:
    signal, woken = Signal(), list[int]()

    async def wait(who: int, times: int) -> None:
        for _ in range(times):
            await signal.wait()
            woken.append(who)

    async with trio.open_nursery() as nursery:
        signal.give()
        nursery.start_soon(wait, 1, 2)
        nursery.start_soon(wait, 2, 1)
        await wait_all_tasks_blocked()
        assert woken == []
        signal.give()
        await wait_all_tasks_blocked()
        assert sorted(woken) == [1, 2]
        signal.give()
    assert sorted(woken) == [1, 1, 2]

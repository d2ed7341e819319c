"""Who is woken, and when."""

import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.lab.keeping.bell import Bell


async def test_a_bell_wakes_all_who_wait_and_nobody_later() -> None:
    bell, woken = Bell(), []

    async def wait(name: str) -> None:
        await bell.wait()
        woken.append(name)

    bell.ring()
    async with trio.open_nursery() as nursery:
        for name in "ab":
            nursery.start_soon(wait, name)
        await wait_all_tasks_blocked()
        bell.ring()
        await wait_all_tasks_blocked()
        assert sorted(woken) == ["a", "b"]
        nursery.start_soon(wait, "c")
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert sorted(woken) == ["a", "b"]

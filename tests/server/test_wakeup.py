import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.server.wakeup import Wakeup


async def test_a_flag_that_was_raised_is_taken_once() -> None:
    wakeup, taken = Wakeup(), list[int]()

    async def take() -> None:
        while True:
            await wakeup.wait()
            taken.append(len(taken))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take)
        await wait_all_tasks_blocked()
        assert taken == []
        wakeup.set()
        wakeup.set()
        await wait_all_tasks_blocked()
        assert taken == [0]
        wakeup.set()
        await wait_all_tasks_blocked()
        assert taken == [0, 1]
        nursery.cancel_scope.cancel()


async def test_a_flag_raised_before_anybody_waits_is_not_lost() -> None:
    wakeup = Wakeup()
    wakeup.set()
    with trio.fail_after(5):
        await wakeup.wait()

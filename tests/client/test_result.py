"""What will come of a request."""

import pytest
import trio
from trio.testing import assert_checkpoints, wait_all_tasks_blocked

from amqplite.client.result import Result


async def test_all_who_wait_get_the_value() -> None:
    result, got = Result[int](), list[int]()

    async def wait() -> None:
        got.append(await result.wait())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        assert not result.done
        result.set(7)
        result.set(8)
        result.fail(OSError())
    assert got == [7, 7]


async def test_a_failure_is_raised_in_each_place_by_itself() -> None:
    result = Result[int]()
    result.fail(OSError("it broke"))
    result.set(7)
    caught = []
    for _ in range(2):
        with pytest.raises(OSError, match="it broke") as one:
            await result.wait()
        caught.append(one.value)
    assert caught[0] is not caught[1]


async def test_waiting_for_what_is_there_gives_others_their_turn() -> None:
    result = Result[None]()
    result.set(None)
    with assert_checkpoints():
        await result.wait()

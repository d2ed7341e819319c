"""Work in a thread: in turn, and bounded."""

from threading import Event, get_ident

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.lab.keeping.work import Busy, Work


async def test_work_is_done_in_another_thread() -> None:
    here = get_ident()
    assert await Work().do(lambda a, b: (a, b, get_ident() != here), 1, 2) == (1, 2, True)


async def test_what_a_piece_raises_is_raised() -> None:
    with pytest.raises(KeyError):
        await Work().do({}.__getitem__, "none")


async def test_pieces_are_done_one_after_the_other_and_only_so_many_wait() -> None:
    work, gate, begun = Work(waiting_max=2), Event(), list[int]()

    def piece(n: int) -> None:
        begun.append(n)
        assert gate.wait(5)

    async with trio.open_nursery() as nursery:
        for n in range(3):
            nursery.start_soon(work.do, piece, n)
            await wait_all_tasks_blocked()
        with pytest.raises(Busy, match="2 others wait for the lab"):
            await work.do(piece, 3)
        gate.set()
    assert begun == [0, 1, 2]
    await work.do(piece, 4)
    assert begun == [0, 1, 2, 4]

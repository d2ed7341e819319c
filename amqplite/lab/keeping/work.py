"""Work that takes a while: in a thread, one piece after the other, and not too much of it.

The broker's own thread goes on meanwhile. More threads than one would only take the interpreter
from it more often.
"""

from collections.abc import Callable
from typing import TypeVar

import trio

WAITING_MAX = 16

_Result = TypeVar("_Result")


class Busy(Exception):
    """There is too much to do already; `str()` says so."""


class Work:
    """What is done in a thread."""

    def __init__(self, waiting_max: int = WAITING_MAX) -> None:
        self._limiter = trio.CapacityLimiter(1)
        self._waiting_max = waiting_max

    async def do(self, piece: Callable[..., _Result], *args: object) -> _Result:
        """Return what `piece(*args)` does, once it is its turn; it isn't interrupted.

        Raises:
            Busy: too many pieces wait already.
        """
        waiting = self._limiter.statistics().tasks_waiting
        if waiting >= self._waiting_max:
            raise Busy(f"{waiting} others wait for the lab; come again in a moment")
        return await trio.to_thread.run_sync(piece, *args, limiter=self._limiter)

"""A clock that moves only when every task waits, and then to what comes next, one thing at a time.

Trio runs tasks that are ready in no fixed order, on purpose. Here that has no say: what crosses a
wire, and who wakes at a time, is lined up until all have done what they could, and then happens in
an order that depends on nothing else. So a run on this clock takes no time, and is the same always.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf

import trio

_PATIENCE = 5000
"""How often trio may ask in vain, a millisecond each, before something must be wrong."""


class Timeline(trio.abc.Clock):
    """Trio's clock for a run in which nothing takes time but what says so.

    Attributes:
        now: seconds since the begin.
        on_idle: called once when nothing is to come any more, to end the run.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.on_idle: Callable[[], object] = _nobody
        self._asked_in_vain = 0
        self._due: list[tuple[float, int, int, Callable[[], object]]] = []
        self._calls = 0
        self._crossing: dict[tuple[int, int], Callable[[], object]] = {}

    # -- what is to happen -----------------------------------------------------------------------

    def call_at(self, when: float, rank: int, call: Callable[[], object]) -> None:
        """Have `call()` called at a time; of those at the same time, the lower rank comes first."""
        self._calls += 1
        heappush(self._due, (when, rank, self._calls, call))

    async def sleep_until(self, when: float, rank: int) -> None:
        """Sleep until a time, and wake alone; ranks are as for `call_at`."""
        if when <= self.now:
            await trio.lowlevel.checkpoint()
            return
        woken = trio.Event()
        self.call_at(when, rank, woken.set)
        await woken.wait()

    def cross(self, wire: tuple[int, int], arrive: Callable[[], object]) -> None:
        """Have `arrive()` called now, when all have done what they could; once for each wire."""
        self._crossing[wire] = arrive

    # -- what trio asks for ----------------------------------------------------------------------

    def start_clock(self) -> None:
        """Trio has started."""

    def current_time(self) -> float:
        """Return the time."""
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Do what comes next: trio asks when no task can run, and is not to sleep.

        Timeouts of trio's own come before what is due at the same time.
        """
        if deadline <= self.now or self._step(deadline):
            self._asked_in_vain = 0
            return 0
        self._asked_in_vain += 1
        if self._asked_in_vain == 1:
            self.on_idle()
        elif self._asked_in_vain > _PATIENCE:
            raise RuntimeError("everybody waits, and nothing is to come")
        return 0.001  # trio itself waits a little when it ends

    def _step(self, deadline: float) -> bool:
        """Do one thing; return False if there is none."""
        if self._crossing:
            self._crossing.pop(min(self._crossing))()
            return True
        when = self._due[0][0] if self._due else inf
        if when < deadline:
            self.now = when
            heappop(self._due)[3]()
            return True
        if deadline < inf:
            self.now = deadline
        return deadline < inf


def _nobody() -> None:
    """Nobody wants to know."""

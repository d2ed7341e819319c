"""A bell: tells all who wait that there is news."""

import trio


class Bell:
    """Wakes whoever waits for news, all of them."""

    __slots__ = ("_rung", "_waiting")

    def __init__(self) -> None:
        self._rung = trio.Event()
        self._waiting = 0

    def ring(self) -> None:
        """Wake those who wait now; costs next to nothing where there are none."""
        if self._waiting:
            rung, self._rung = self._rung, trio.Event()
            rung.set()

    async def wait(self) -> None:
        """Return at the next `ring`."""
        self._waiting += 1
        try:
            await self._rung.wait()
        finally:
            self._waiting -= 1

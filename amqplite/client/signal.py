"""Something may have changed: wakes all who wait for a condition, to look again."""

import trio


class Signal:
    """Waited for by any number of tasks; giving it wakes those that wait by then."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = trio.Event()

    def give(self) -> None:
        """Wake who waits."""
        self._event.set()
        self._event = trio.Event()

    async def wait(self) -> None:
        """Wait until it is given again."""
        await self._event.wait()

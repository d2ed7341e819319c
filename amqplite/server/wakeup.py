"""A flag that one task waits for, and anybody may raise."""

import trio


class Wakeup:
    """Raised by `set`, taken by `wait`; raising it twice is raising it once."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = trio.Event()

    def set(self) -> None:
        """Raise the flag."""
        self._event.set()

    async def wait(self) -> None:
        """Wait until the flag is raised, and lower it."""
        await self._event.wait()
        self._event = trio.Event()

"""What will come of a request, to be waited for."""

from typing import Generic, TypeVar

import trio

from amqplite.client.errors import again

T = TypeVar("T")


class Result(Generic[T]):
    """A value or an error that is still to come; any number of tasks may wait for it."""

    __slots__ = ("_error", "_event", "_value", "done")

    def __init__(self) -> None:
        self.done = False
        self._value: T
        self._error: Exception | None = None
        self._event: trio.Event | None = None  # made for who waits: most have their result by then

    def set(self, value: T) -> None:
        """It is `value`; what comes after the first doesn't count."""
        if not self.done:
            self._value = value
            self._settle()

    def fail(self, error: Exception) -> None:
        """There is none, but `error`; what comes after the first doesn't count."""
        if not self.done:
            self._error = error
            self._settle()

    def _settle(self) -> None:
        self.done = True
        if self._event is not None:
            self._event.set()

    async def wait(self) -> T:
        """Wait for it.

        Raises:
            Exception: what it failed with.
        """
        if self.done:
            await trio.lowlevel.checkpoint()
        else:
            if self._event is None:
                self._event = trio.Event()
            await self._event.wait()
        if self._error is not None:
            raise again(self._error)
        return self._value

"""A consumer: the messages of one queue as they come (§1.8.3.3)."""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Self

import trio

from amqplite.client.errors import again
from amqplite.client.events import Delivery
from amqplite.client.signal import Signal


class Consumer:
    """Deliveries to one consumer tag, in order; `async for` takes them one by one.

    What has come and was not taken yet waits in memory: as many as the prefetch allows, and all
    that the queue has where there is no limit, or no ack.

    Attributes:
        tag: the consumer tag.
    """

    def __init__(self, tag: str, cancel: Callable[["Consumer"], Awaitable[None]]) -> None:
        self.tag = tag
        self._cancel = cancel
        self._waiting: deque[Delivery] = deque()
        self._changed = Signal()
        self._ended = False
        self._error: Exception | None = None

    @property
    def waiting(self) -> int:
        """How many have come and were not taken yet."""
        return len(self._waiting)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Delivery:
        """Take the next message; end once we cancelled and all that had come was taken.

        Raises:
            ConsumerCancelled: the broker ended it.
            Exception: what the channel or the connection ended with.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        while not self._waiting:
            if self._error is not None:
                raise again(self._error)
            if self._ended:
                raise StopAsyncIteration
            await self._changed.wait()
        return self._waiting.popleft()

    async def receive(self) -> Delivery:
        """Take the next message.

        Raises:
            trio.EndOfChannel: we cancelled, and all that had come was taken.
            Exception: as for iterating.
        """
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise trio.EndOfChannel from None

    async def cancel(self) -> None:
        """Get nothing more (basic.cancel); what has come can still be taken, and settled."""
        await self._cancel(self)

    # -- what the channel tells ------------------------------------------------------------------

    def deliver(self, delivery: Delivery) -> None:
        """Add a message."""
        self._waiting.append(delivery)
        self._changed.give()

    def end(self, error: Exception | None = None) -> None:
        """Nothing more comes, with an error for who waits then; what had come stays."""
        self._ended, self._error = True, error
        self._changed.give()

    def void(self, error: Exception) -> None:
        """Channel or connection are over: what had come can't be settled any more, and goes."""
        self._waiting.clear()
        self.end(error)

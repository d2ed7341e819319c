"""The lease of a queue with `x-expires`: unused for so long, it is deleted (RabbitMQ: queue TTL).

Used is a queue that has consumers, is declared again, or is asked by basic.get. Its messages are
not dead-lettered.
"""

from collections.abc import Callable
from typing import Any

from amqplite.broker.queue import Queue

CallAt = Callable[[int, Callable[[int], object]], Any]


class Lease:
    """Watches over one queue, and deletes it when its lease has run out.

    Args:
        expires_ms: how long the queue may be unused.
        now_ms: tells the time.
        call_at: see `Broker.call_at`.
        delete: deletes the queue.
    """

    def __init__(
        self,
        queue: Queue,
        expires_ms: int,
        now_ms: Callable[[], int],
        call_at: CallAt,
        delete: Callable[[Queue], object],
    ) -> None:
        self._queue = queue
        self._expires_ms = expires_ms
        self._now_ms = now_ms
        self._call_at = call_at
        self._delete = delete
        self._used_ms = now_ms()
        call_at(self._used_ms + expires_ms, self._look)

    def renew(self) -> None:
        """The queue is being used."""
        self._used_ms = self._now_ms()

    def _look(self, now: int) -> None:
        if self._queue.deleted:
            return
        if self._queue.consumers:
            self._used_ms = now
        until = self._used_ms + self._expires_ms
        if until <= now:
            self._delete(self._queue)
        else:
            self._call_at(until, self._look)

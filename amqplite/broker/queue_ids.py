"""Numbers for queues, which their messages' keys begin with."""

from collections import deque
from collections.abc import Iterator, Set

from amqplite.broker.records import QUEUE_IDS
from amqplite.errors import ResourceError


class QueueIds:
    """Hands out each number once, and then again those that came back, the oldest first.

    The store clears a deleted queue's messages away at its leisure. By the time eight million other
    numbers were handed out it has long done so.

    Args:
        end: what all numbers are below.
    """

    def __init__(self, end: int = QUEUE_IDS) -> None:
        self._end = end
        self._fresh: Iterator[int] = iter(range(1, end))
        self._returned: deque[tuple[int, int]] = deque()

    def start_without(self, used: Set[int]) -> None:
        """Hand out all numbers but those in `used`, which the store has messages of."""
        self._fresh = (number for number in range(1, self._end) if number not in used)

    def take(self, durable: int) -> int:
        """Return a number.

        Args:
            durable: up to where the journal is on disk: a number comes back into use only when
                its queue's deletion is.

        Raises:
            ResourceError: there is none (506).
        """
        fresh = next(self._fresh, None)
        if fresh is not None:
            return fresh
        if self._returned and self._returned[0][0] <= durable:
            return self._returned.popleft()[1]
        raise ResourceError(f"there are as many queues as there can be: {self._end - 1}")

    def give_back(self, queue_id: int, position: int) -> None:
        """Take back the number of a queue whose deletion is at `position` of the journal."""
        self._returned.append((position, queue_id))

"""Numbers for queues, which their messages' keys begin with."""

from collections import deque


class QueueIds:
    """Hands out numbers that no queue has, and whose messages are all gone from the store."""

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self._returned: deque[tuple[int, int]] = deque()

    def start_at(self, first: int) -> None:
        """Hand out `first` next: the store knows the numbers below."""
        self._next = first

    def take(self, durable: int) -> int:
        """Return a number.

        Args:
            durable: up to where the journal is on disk: a number comes back into use only when
                its queue's deletion is.
        """
        if self._returned and self._returned[0][0] <= durable:
            return self._returned.popleft()[1]
        self._next += 1
        return self._next - 1

    def give_back(self, queue_id: int, position: int) -> None:
        """Take back the number of a queue whose deletion is at `position` of the journal."""
        self._returned.append((position, queue_id))

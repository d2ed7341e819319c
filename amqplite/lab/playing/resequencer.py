"""A resequencer: lets messages go in their order, and holds what comes too early."""

from collections import deque
from collections.abc import Callable, Iterable


class Resequencer:
    """Downstream of consumers, and told what they have done.

    Args:
        order: labels of the messages, in the order to be had.
        release: called with each that may go.
    """

    def __init__(self, order: Iterable[str], release: Callable[[str], object]) -> None:
        self._missing = deque(order)
        self._held: set[str] = set()
        self._release = release

    def done(self, m: str) -> None:
        """A message is done; one that has gone already is no news."""
        if m not in self._missing:
            return
        self._held.add(m)
        while self._missing and self._missing[0] in self._held:
            self._release(self._missing.popleft())

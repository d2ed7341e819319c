"""Consumers that have credit, in turn (RabbitMQ: consumer priorities)."""

from collections import deque
from typing import Generic, Protocol, TypeVar


class HasPriority(Protocol):
    """Whoever takes turns, the higher `priority` before the lower."""

    priority: int


Member = TypeVar("Member", bound=HasPriority)


class Ring(Generic[Member]):
    """Members in order of priority, and within one priority in order of their turn.

    Attributes:
        top: those of the highest priority, next first; empty only if the ring is.
    """

    __slots__ = ("_lower", "_priority", "top")

    def __init__(self) -> None:
        self.top: deque[Member] = deque()
        self._priority = 0  # of those in `top`
        self._lower: dict[int, deque[Member]] = {}

    def add(self, member: Member) -> None:
        """Give `member` the last turn of its priority. It must not be in the ring."""
        priority = member.priority
        if not self.top:
            self._priority = priority
        if priority > self._priority:
            self._lower[self._priority] = self.top
            self.top, self._priority = deque([member]), priority
        elif priority == self._priority:
            self.top.append(member)
        else:
            self._lower.setdefault(priority, deque()).append(member)

    def drop_first(self) -> None:
        """Take out whose turn it is."""
        self.top.popleft()
        self._refill()

    def remove(self, member: Member) -> None:
        """Take `member` out, if it is there."""
        for level in (self.top, *self._lower.values()):
            if member in level:
                level.remove(member)
        self._lower = {priority: level for priority, level in self._lower.items() if level}
        self._refill()

    def _refill(self) -> None:
        if not self.top and self._lower:
            self._priority = max(self._lower)
            self.top = self._lower.pop(self._priority)

"""The messages that are under way, and those that were until a while ago."""

from amqplite.broker.trace import Event
from amqplite.lab.analysis.message import Message

CLOSED_MAX = 10_000
"""Messages that are remembered when they are done with everywhere; of more, the latest."""

OPEN_MAX = 65_536
"""Messages under way that are remembered: of more, the latest."""


class Messages:
    """Messages by number, and by what they are called.

    Args:
        closed_max: see `CLOSED_MAX`.
        open_max: see `OPEN_MAX`.
    """

    def __init__(self, closed_max: int = CLOSED_MAX, open_max: int = OPEN_MAX) -> None:
        self._closed_max, self._open_max = closed_max, open_max
        self._open: dict[int, Message] = {}
        self._closed: dict[int, Message] = {}
        self._called: dict[str, int] = {}
        self._numbered = 0

    def __len__(self) -> int:
        """Messages that are remembered."""
        return len(self._open) + len(self._closed)

    def of(self, event: Event) -> Message:
        """Return the message an event is about, which may be new."""
        id_ = event.id or self._called.get(event.m, 0)
        message = self._open.get(id_) or self._closed.get(id_)
        if message is None:
            id_ = id_ or self._numbered + 1
            self._numbered = max(self._numbered, id_)
            message = Message(id_, event.m or f"m{id_}")
            self._open[id_] = message
            self._called[message.m] = id_
            if len(self._open) > self._open_max:
                self._forget(self._open)
        return message

    def called(self, label: str) -> Message | None:
        """Return the latest message of that label."""
        id_ = self._called.get(label, 0)
        return self._open.get(id_) or self._closed.get(id_)

    def opened(self, message: Message) -> None:
        """A message is under way, again if need be."""
        if self._closed.pop(message.id, None) is not None:
            self._open[message.id] = message

    def closed(self, message: Message) -> None:
        """A message is done with everywhere."""
        if self._open.pop(message.id, None) is not None:
            self._closed[message.id] = message
            if len(self._closed) > self._closed_max:
                self._forget(self._closed)

    def all(self) -> list[Message]:
        """Return those that are remembered."""
        return [*self._closed.values(), *self._open.values()]

    def _forget(self, some: dict[int, Message]) -> None:
        message = some.pop(next(iter(some)))
        if self._called.get(message.m) == message.id:
            del self._called[message.m]

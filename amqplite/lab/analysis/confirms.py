"""Which messages were confirmed to their publishers: one confirm may be for many."""

from collections import deque

from amqplite.broker.trace import Event
from amqplite.lab.analysis.message import Message
from amqplite.lab.analysis.scopes import Recent

AWAITED_MAX = 65_536
"""Messages of a channel whose confirm is awaited: of more, the latest."""

Channel = tuple[str, str, int]
"""`(publisher, connection, channel)`."""


class Confirms:
    """The confirms that are awaited, by channel."""

    def __init__(self) -> None:
        self._awaited: Recent[Channel, deque[tuple[int, Message]]] = Recent(
            lambda _: deque(maxlen=AWAITED_MAX)
        )

    def expect(self, event: Event, message: Message) -> None:
        """A message was published under a confirm's number."""
        self._awaited[event.p, event.conn, event.ch].append((event.tag, message))

    def come(self, event: Event) -> list[Message]:
        """A confirm went out, or a nack; return the messages it is for."""
        awaited = self._awaited[event.p, event.conn, event.ch]
        if not event.multiple:
            found = [one for one in awaited if one[0] == event.tag]
            for one in found:
                awaited.remove(one)
            return [message for _, message in found]
        found = []
        while awaited and awaited[0][0] <= event.tag:
            found.append(awaited.popleft())
        return [message for _, message in found]

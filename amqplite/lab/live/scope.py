"""What belongs to some queues, out of all that a broker has recorded.

Events that name a queue are easy. Those that don't — a message is published before it is in a
queue, connections have no queue at all — belong to a queue if their message, or who they are about,
has to do with it.
"""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from amqplite.broker.trace import Event

KNOWN_MAX = 4096
"""Connections, and channels that publish, that are remembered; of more the oldest are forgotten."""

_OF_PUBLISHERS = {"unroutable", "returned", "confirmed", "publish_nacked"}

_Key = TypeVar("_Key", bound=Hashable)


class Scope:
    """Picks the events of some queues, in their order.

    Args:
        queues: `(vhost, queue)` of each.
    """

    def __init__(self, queues: Iterable[tuple[str, str]]) -> None:
        self.queues = frozenset(queues)
        self._published: Event | None = None  # the last one, which may go to one of ours
        self._connections: dict[str, None] = {}
        self._publishers: dict[tuple[str, int], None] = {}

    def pick(self, event: Event) -> tuple[Event, ...]:
        """Return what is to be told now that `event` came: itself, nothing, or a publish first."""
        if event.type == "published":
            self._published = event
            return ()
        if not self._is_ours(event):
            return ()
        published, self._published = self._published, None  # told by now, or too late to be told
        told = (event,) if published is None or published.id != event.id else (published, event)
        if event.q:
            for one in told:
                _remember(self._connections, one.conn)
                if one.p:
                    _remember(self._publishers, (one.conn, one.ch))
        return told

    def _is_ours(self, event: Event) -> bool:
        if event.q:
            return (event.v, event.q) in self.queues
        if event.type in _OF_PUBLISHERS:
            return (event.conn, event.ch) in self._publishers
        return event.type == "gap" or (event.conn != "" and event.conn in self._connections)


def _remember(known: dict[_Key, None], thing: _Key) -> None:
    known[thing] = None
    if len(known) > KNOWN_MAX:
        del known[next(iter(known))]

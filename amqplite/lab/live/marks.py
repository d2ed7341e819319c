"""Marks: what consumers say they have done with a message, told in the trace beside the rest.

Whoever marks knows a message by its message-id. Which hand-out of it is meant, the trace tells: the
last one there was.
"""

from dataclasses import replace
from typing import Literal

from amqplite.broker.trace import Event

Mark = Literal["started", "applied", "skipped_duplicate", "crashed", "released"]
"""What may be said of a message."""

MARKS = frozenset(("started", "applied", "skipped_duplicate", "crashed", "released"))

KNOWN_MAX = 10_000


class HandedOut:
    """The messages that were handed out last, by what they are called."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Event] = {}

    def explained(self, event: Event) -> Event:
        """Return an event as it is; a mark with the message, hand-out and consumer it means."""
        if event.type == "delivered":
            name = (event.v, event.q, event.m)
            self._known.pop(name, None)
            self._known[name] = event
            if len(self._known) > KNOWN_MAX:
                del self._known[next(iter(self._known))]
        elif event.type in MARKS and event.m and not event.id:
            found = self._known.get((event.v, event.q, event.m))
            if found is not None:
                return replace(
                    event,
                    id=found.id,
                    s=found.s,
                    attempt=found.attempt,
                    tag=found.tag,
                    c=event.c or found.c,
                )
        return event

"""A play's events as people read them: under the scenario's names, from the play's begin.

On a broker that does other things as well, actors and queues have names of their own, which nobody
else uses. And what actors mark says what was worked on by its delivery tag alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from amqplite.broker.trace import Event

_MARKS = {
    *("started", "applied", "skipped_duplicate", "crashed", "ack_lost", "recovered", "released"),
    *("late_ack_ignored", "fault"),
}


class Telling:
    """Tells events on, each under its plain names; those before the begin are at its time.

    Args:
        names: plain names of queues and exchanges, by what they are called on the broker.
        prefix: of the names of actors' connections; what is behind it is the actor's.
        tell: takes them.
    """

    def __init__(
        self, names: Mapping[str, str], prefix: str, tell: Callable[[Event], object]
    ) -> None:
        self._names = names
        self._prefix = prefix
        self._tell = tell
        self._n = 0
        self._origin: int | None = None
        self._early: list[Event] = []
        self._held: dict[tuple[str, int], Event] = {}  # by consumer and delivery tag
        self._enqueued: dict[str, Event] = {}  # the last of each label

    def begin(self, at: int) -> None:
        """The play began `at` so many microseconds, as events count them."""
        self._origin = at
        early, self._early = self._early, []
        for event in early:
            self._pass_on(event, at)

    def add(self, event: Event) -> None:
        """Take the next event."""
        if self._origin is None:
            self._early.append(event)
        else:
            self._pass_on(event, self._origin)

    def _pass_on(self, event: Event, origin: int) -> None:
        self._n += 1
        changes = self._plain(event)
        changes |= self._known(event, changes.get("c", event.c))
        told = replace(event, n=self._n, t=max(0, event.t - origin), v="/", **changes)
        self._remember(told)
        self._tell(told)

    def _plain(self, event: Event) -> dict[str, Any]:
        """Return the names that are others than on the broker."""
        names = self._names
        changes = {
            field: names[getattr(event, field)]
            for field in ("q", "exchange", "key")
            if getattr(event, field) in names
        }
        if self._prefix and event.conn.startswith(self._prefix):
            actor = event.conn.removeprefix(self._prefix)
            changes |= {"conn": actor}
            changes |= {field: actor for field in ("c", "p") if getattr(event, field)}
        return changes

    def _known(self, event: Event, consumer: str) -> dict[str, Any]:
        """Return what a mark's message is, as far as it can be told."""
        if event.type not in _MARKS or not (event.tag or event.m):
            return {}
        found = self._held.get((consumer, event.tag))
        if found is not None:
            return {
                "q": found.q,
                "m": found.m,
                "id": found.id,
                "s": found.s,
                "attempt": found.attempt,
            }
        found = self._enqueued.get(event.m)
        return {} if found is None else {"id": found.id, "s": found.s}

    def _remember(self, event: Event) -> None:
        if event.type == "delivered":
            self._held[event.c, event.tag] = event
        elif event.type == "enqueued":
            self._enqueued[event.m] = event

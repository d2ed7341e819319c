"""What messages did where the broker can't look: as consumers report it, by mark events.

Counted by what a message is called, as Jepsen does, for a publisher that isn't sure sends the same
message again as another one.
"""

from dataclasses import dataclass, field
from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.messages import Messages

REMEMBERED_MAX = 10_000
"""Messages whose effects are remembered: of more, the latest."""

_REPORTS = frozenset({"started", "applied", "skipped_duplicate", "crashed", "ack_lost"})


@dataclass(slots=True)
class Unproven:
    """A message is done with, as far as the broker knows, and nobody has reported an effect.

    Attributes:
        n: the event by which it was done with.
        t: when.
        m: what it is called.
        c: who had it.
        conn: over which connection.
        auto: it was done with by being handed out.
        died: who had it is dead since.
    """

    n: int
    t: int
    m: str
    c: str
    conn: str
    auto: bool
    died: bool = False


@dataclass(slots=True)
class Effect:
    """How often a message took effect.

    Attributes:
        times: it did.
        last: the event that tells of the latest.
    """

    times: int = 0
    last: int = 0


@dataclass(slots=True)
class Effects:
    """The effects so far.

    Attributes:
        total: how many.
        duplicates: of these, beyond the first of each message.
        skipped: hand-outs that a consumer recognised as done already.
        unexpected: effects of messages that nobody published.
    """

    total: int = 0
    duplicates: int = 0
    skipped: int = 0
    unexpected: int = 0
    _of: dict[str, Effect] = field(default_factory=dict)
    _unproven: dict[str, Unproven] = field(default_factory=dict)
    _reporters: dict[str, None] = field(default_factory=dict)

    def report(self, event: Event, known: bool) -> None:
        """A consumer tells something; `known` is whether the message was published."""
        if event.type in _REPORTS:
            _remember(self._reporters, event.c or event.by, None)
        if event.type == "applied":
            self.total += 1
            self.unexpected += not known
            effect = self._of.pop(event.m, None) or Effect()
            effect.times += 1
            effect.last = event.n
            self.duplicates += effect.times > 1
            _remember(self._of, event.m, effect)
            self._unproven.pop(event.m, None)
        elif event.type == "skipped_duplicate":
            self.skipped += 1
            self._unproven.pop(event.m, None)
        elif event.type in ("crashed", "ack_lost"):
            self.died(c=event.c or event.by)

    def done(self, event: Event) -> None:
        """A message is done with, as far as the broker knows."""
        if event.m not in self._of:
            unproven = Unproven(event.n, event.t, event.m, event.c, event.conn, event.auto)
            _remember(self._unproven, event.m, unproven)

    def died(self, *, c: str = "", conn: str = "") -> None:
        """A consumer is dead, or all that had a connection."""
        for unproven in self._unproven.values():
            if (c and unproven.c == c) or (conn and unproven.conn == conn):
                unproven.died = True

    @property
    def lost(self) -> list[Unproven]:
        """Messages that count as done with and never took effect, of consumers that report.

        One that counted as done with by being handed out may still be worked on while who has it is
        alive.
        """
        return [
            unproven
            for unproven in self._unproven.values()
            if unproven.c in self._reporters and (unproven.died or not unproven.auto)
        ]

    def times(self, label: str) -> int:
        """Return how often a message took effect."""
        effect = self._of.get(label)
        return effect.times if effect else 0

    @property
    def repeated(self) -> list[tuple[str, Effect]]:
        """Messages that took effect more than once."""
        return [(label, effect) for label, effect in self._of.items() if effect.times > 1]

    def counts(self, messages: Messages) -> dict[str, Any]:
        """Return the attributes of `Counts` that are about effects."""
        return {
            "effects": self.total,
            "reported_duplicates": self.duplicates,
            "skipped": self.skipped,
            "unexpected": self.unexpected,
            "lost": [unproven.m for unproven in self.lost],
            "recovered": sum(
                message.confirms and not message.confirmed and self.times(message.m) > 0
                for message in messages.all()
            ),
        }


def _remember(known: dict[str, Any], key: str, value: Any) -> None:
    known[key] = value
    if len(known) > REMEMBERED_MAX:
        del known[next(iter(known))]

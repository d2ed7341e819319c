"""What messages did where the broker can't look: as consumers report it, by mark events.

Counted by what a message is called, as Jepsen does, for a publisher that isn't sure sends the same
message again as another one; and by queue, for each queue's consumers do something of their own.
"""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from amqplite.broker.trace import Event
from amqplite.lab.analysis.message import Message
from amqplite.lab.analysis.messages import Messages

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

REMEMBERED_MAX = 10_000
"""Messages whose effects are remembered: of more, the latest."""

Where = tuple[str, str, str]
"""`(vhost, queue, label)`."""

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
    _of: dict[Where, Effect] = field(default_factory=dict)
    _unproven: dict[Where, Unproven] = field(default_factory=dict)
    _reporters: dict[str, None] = field(default_factory=dict)

    def report(self, event: Event, message: Message | None) -> None:
        """A consumer tells something of a message, or of itself."""
        where = _where(event, message)
        if event.type in _REPORTS:
            _remember(self._reporters, event.c or event.by, None)
        if event.type == "applied":
            self.total += 1
            self.unexpected += message is None
            effect = self._of.pop(where, None) or Effect()
            effect.times += 1
            effect.last = event.n
            self.duplicates += effect.times > 1
            _remember(self._of, where, effect)
            self._unproven.pop(where, None)
        elif event.type == "skipped_duplicate":
            self.skipped += 1
            self._unproven.pop(where, None)
        elif event.type in ("crashed", "ack_lost"):
            self.died(c=event.c or event.by)

    def done(self, event: Event) -> None:
        """A message is done with, as far as the broker knows."""
        where = (event.v, event.q, event.m)
        if where not in self._of:
            unproven = Unproven(event.n, event.t, event.m, event.c, event.conn, event.auto)
            _remember(self._unproven, where, unproven)

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

    @property
    def repeated(self) -> list[tuple[str, Effect]]:
        """Messages that took effect more than once."""
        return [(where[2], effect) for where, effect in self._of.items() if effect.times > 1]

    def counts(self, messages: Messages) -> dict[str, Any]:
        """Return the attributes of `Counts` that are about effects."""
        took_effect = {where[2] for where in self._of}
        return {
            "effects": self.total,
            "reported_duplicates": self.duplicates,
            "skipped": self.skipped,
            "unexpected": self.unexpected,
            "lost": [unproven.m for unproven in self.lost],
            "recovered": sum(
                message.confirms and not message.confirmed and message.m in took_effect
                for message in messages.all()
            ),
        }


def _where(event: Event, message: Message | None) -> Where:
    """Return where an effect belongs; whoever reports it needs not say in which queue it was."""
    if not event.q and message is not None and len(message.places) == 1:
        return (*next(iter(message.places)), event.m)
    return (event.v, event.q, event.m)


def _remember(known: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    known[key] = value
    if len(known) > REMEMBERED_MAX:
        del known[next(iter(known))]

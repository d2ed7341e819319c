"""Runs: traces that are kept for a while, so that a link to one finds it again."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import trio

from amqplite.lab.keeping.outcome import Outcome
from amqplite.lab.keeping.recording import Recording

RUNS_MAX = 50
"""Kept at a time; of more, those that nobody has looked at for longest are dropped."""

KEPT_S = 24 * 60 * 60

OCTETS_MAX = 64 * 1024 * 1024
"""Of memory, by all runs together."""

NAME_MAX = 80

_REMEMBERED_MAX = 1000

State = Literal["running", "done", "failed"]


@dataclass(eq=False, kw_only=True)
class Run:
    """A run.

    Attributes:
        owner: name of the user who has it.
        name: what people call it.
        vhosts: those whose real traffic it shows; only who may see these may see it.
        recording: its events.
        imported: from a file, which anybody may have written.
        outcome: what came of it; `None` while it is running.
        reason: why it failed.
        scope: cancels it while it is running.
        strike: has a fault befall an actor, given what, whom, and who wants it; `None` where
            nobody plays. It raises ScenarioError.
        since: when it was made, in seconds of the store's clock.
    """

    owner: str
    name: str
    recording: Recording
    vhosts: frozenset[str] = frozenset()
    imported: bool = False
    state: State = "running"
    outcome: Outcome | None = None
    reason: str = ""
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    strike: Callable[[str, str, str], object] | None = None
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    since: float = 0

    def finish(self, outcome: Outcome) -> None:
        """It is over."""
        self.state, self.outcome, self.strike = "done", outcome, None
        self.recording.rest()

    def fail(self, reason: str, outcome: Outcome | None = None) -> None:
        """It is over, though not as it should be; `outcome` is what came of it so far."""
        self.state, self.reason, self.outcome = "failed", reason, outcome
        self.strike = None
        self.recording.rest()


class RunStore:
    """The runs there are, within bounds: number, age, memory.

    Args:
        clock: tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = trio.current_time) -> None:
        self._clock = clock
        self._runs: dict[str, Run] = {}  # looked at longest ago first
        self._expired: dict[str, None] = {}

    def __iter__(self) -> Iterator[Run]:
        """Yield the runs, newest first."""
        self._expire()
        return iter(sorted(self._runs.values(), key=lambda run: run.since, reverse=True))

    def add(self, run: Run) -> Run:
        """Keep a run."""
        run.since = self._clock()
        self._runs[run.id] = run
        self.make_room()
        return run

    def get(self, id_: str) -> Run | None:
        """Return a run, `None` if it isn't there (any more)."""
        self._expire()
        run = self._runs.pop(id_, None)
        if run is not None:
            self._runs[id_] = run
        return run

    def has_expired(self, id_: str) -> bool:
        """Return whether such a run was here, and is no more."""
        return id_ in self._expired

    def remove(self, run: Run) -> None:
        """Drop a run, and end it if it is running."""
        run.scope.cancel()
        self._runs.pop(run.id, None)
        run.recording.rest()

    def left_s(self, run: Run) -> int:
        """Return how many seconds a run will be kept, if nothing pushes it out."""
        return max(0, round(run.since + KEPT_S - self._clock()))

    def make_room(self) -> None:
        """Drop what is too much, but nothing that is running, nor the newest."""
        self._expire()
        over = [run for run in self._runs.values() if run.state != "running"]
        octets = sum(run.recording.octets for run in self._runs.values())
        for run in over[:-1]:
            if len(self._runs) <= RUNS_MAX and octets <= OCTETS_MAX:
                return
            octets -= run.recording.octets
            self._forget(run)

    def _expire(self) -> None:
        now = self._clock()
        for run in [run for run in self._runs.values() if run.since + KEPT_S <= now]:
            self._forget(run)

    def _forget(self, run: Run) -> None:
        self.remove(run)
        self._expired[run.id] = None
        if len(self._expired) > _REMEMBERED_MAX:
            del self._expired[next(iter(self._expired))]


def name_of(text: str) -> str:
    """Return a name for a run: `text` without what isn't printable, and not too long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:NAME_MAX]

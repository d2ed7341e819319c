"""How long work takes in a re-run: as measured, and where nothing was, as usual for who does it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from amqplite.lab.rerun.inputs import Inputs, Outcome, Place, Work

_WHOLE = {"ack", "nack", "reject", "discard", "recover"}
_USUAL = ""
"""In place of a consumer's name: whoever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Work that is about to begin.

    Attributes:
        us: how long it will take; `None`: it never ends by itself.
        outcome: how it will end.
        effects: how long after its begin it takes effect, as it did.
        measured: it took so long in the recording.
    """

    us: int | None
    outcome: Outcome
    effects: tuple[int, ...] = ()
    measured: bool = True


class Estimates:
    """Tells how long work takes, time after time of each message.

    Attributes:
        measured: how often that was known.
        guessed: how often it wasn't, by who worked.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.measured = 0
        self.guessed: Counter[str] = Counter()
        self._works = inputs.works
        self._begun: Counter[Place] = Counter()
        self._usual = _usual(inputs)

    def usual(self, c: str) -> int:
        """Return how long a consumer usually takes."""
        return self._usual.get(c, self._usual[_USUAL])

    def begin(self, place: Place, c: str, line: int, *, faults: bool) -> Task:
        """A consumer begins to work on a message; return what comes of it.

        Args:
            place: the message, in the recorded queue.
            c: the consumer.
            line: its connection.
            faults: whether what failed then fails now.
        """
        works = self._works.get(place, ())
        number = self._begun[place]
        self._begun[place] += 1
        work = works[number] if number < len(works) else None
        if work is not None and work.outcome in _WHOLE:
            self.measured += 1
            return self._as_measured(work, faults=faults)
        if work is not None and work.outcome == "cut" and work.line == line and faults:
            self.measured += 1
            return Task(us=None, outcome="cut", effects=work.effects)
        return self._guess(work, c)

    @staticmethod
    def _as_measured(work: Work, *, faults: bool) -> Task:
        outcome = work.outcome if faults else "ack"
        return Task(us=work.us, outcome=outcome, effects=work.effects)

    def _guess(self, work: Work | None, c: str) -> Task:
        """Return work that takes as long as usual, or as it is known to have taken at least."""
        self.guessed[c] += 1
        least, effects = (0, ()) if work is None else (work.us, work.effects)
        us = max(self.usual(c), least)
        return Task(us=us, outcome="ack", effects=effects, measured=False)


def _usual(inputs: Inputs) -> dict[str, int]:
    """Return how long each consumer takes in the median, and all do."""
    taken: dict[str, list[int]] = {_USUAL: []}
    for works in inputs.works.values():
        for work in works:
            if work.outcome in _WHOLE:
                taken[_USUAL].append(work.us)
                taken.setdefault(work.c, []).append(work.us)
    return {c: _median(us) for c, us in taken.items()}


def _median(numbers: Sequence[int]) -> int:
    return round(median(numbers)) if numbers else 0

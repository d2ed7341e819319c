"""Reading from a trace who was handed what, and how that ended."""

from collections import Counter
from dataclasses import dataclass, field

from amqplite.broker.trace import Event
from amqplite.lab.rerun.inputs import Desk, Inputs, Outcome, Place, QueueName, Taker

_BY_CAUSE: dict[str, Outcome] = {
    "nack_requeue": "nack",
    "reject_requeue": "reject",
    "recover": "recover",
}
_TIMEOUT = "ack_timeout"
TIMEOUT_ARGUMENT = "x-consumer-timeout"
"""Of a queue: milliseconds that a delivery may stay unacked."""

_EFFECTS = ("applied", "skipped_duplicate")


@dataclass(slots=True, kw_only=True, eq=False)
class Handout:
    """A message was handed out.

    Attributes:
        place: the message.
        line: to which connection, as a place in `Inputs.lines`.
        desk: to which of its channels.
        taker: to which consumer; `None`: somebody asked for it.
        c: the consumer's name.
        n: number of the event that tells so.
        at: when.
        available: since when it had been ready.
        auto: it needed no ack.
        ended: when that was over; `None`: it wasn't when the recording ended.
        outcome: how.
        cut: its channel ended, or its connection.
        started: when its consumer told that it began.
        began: when the work on it began, as far as is known; `None`: never.
        effects: when it was told that it took effect.
    """

    place: Place
    line: int
    desk: Desk
    taker: Taker | None
    c: str
    n: int
    at: int
    available: int
    auto: bool
    ended: int | None = None
    outcome: Outcome = "open"
    cut: bool = False
    started: int | None = None
    began: int | None = None
    effects: list[int] = field(default_factory=list)


class Handouts:
    """Follows messages from hand-out to ack.

    Attributes:
        all: in order.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.all: list[Handout] = []
        self._inputs = inputs
        self._of_desk: dict[int, list[Handout]] = {}  # by the channel's identity
        self._counts: Counter[int] = Counter()  # of what each consumer holds, by its identity
        self._available: dict[Place, int] = {}
        self._held: dict[Place, Handout] = {}
        self._late: set[Handout] = set()  # taken back, and not acked since
        self._by_tag: dict[tuple[str, int], Handout] = {}
        self._last: dict[Place, Handout] = {}
        self._guessed: set[QueueName] = set()
        self._labelled: dict[tuple[str, str, str], Place] = {}

    def ready(self, event: Event) -> None:
        """A message is ready."""
        place = _place(event)
        self._available[place] = event.t
        self._labelled[event.v, event.q, event.m] = place
        self._inputs.open.add(place)

    def delivered(self, event: Event, line: int, desk: Desk, taker: Taker | None) -> None:
        """It was handed out."""
        place = _place(event)
        handout = Handout(
            place=place,
            line=line,
            desk=desk,
            taker=taker,
            c=event.c,
            n=event.n,
            at=event.t,
            available=self._available.get(place, event.t),
            auto=event.auto,
        )
        self.all.append(handout)
        self._of_desk.setdefault(id(desk), []).append(handout)
        self._counts[id(taker)] += 1
        self._inputs.open.add(place)
        self._held[place] = self._last[place] = handout
        self._labelled[event.v, event.q, event.m] = place
        if event.c:
            self._by_tag[event.c, event.tag] = handout

    def held_by(self, taker: Taker) -> int:
        """Return how many a consumer holds."""
        return self._counts[id(taker)]

    # -- how it ended ----------------------------------------------------------------------------

    def acked(self, event: Event) -> None:
        """It is done with."""
        place = _place(event)
        self._end(place, event.t, "ack")
        self._inputs.open.discard(place)
        self._inputs.done.setdefault(place[:2], []).append(event.id)
        self._inputs.batched += event.multiple

    def rejected(self, event: Event) -> None:
        """Its consumer did not want it; what came of that is told next."""
        if not event.requeue:
            self._end(_place(event), event.t, "discard")

    def requeued(self, event: Event) -> None:
        """It is back."""
        place = _place(event)
        handout = self._held.get(place)
        if handout is not None and event.cause == _TIMEOUT:
            self._late.add(handout)
            self._took_back(place[:2], event.t - handout.at)
        self._end(place, event.t, _BY_CAUSE.get(event.cause, "cut"))
        self._available[place] = event.t

    def _took_back(self, queue: QueueName, after: int) -> None:
        """The timeout may be the broker's own; the queue's declaration tells of none then."""
        arguments = self._inputs.queues[queue]
        known = arguments.get(TIMEOUT_ARGUMENT)
        if known is None or queue in self._guessed:
            self._guessed.add(queue)
            arguments[TIMEOUT_ARGUMENT] = min(known or after // 1000, after // 1000)

    def gone(self, event: Event) -> None:
        """It is given up."""
        place = _place(event)
        self._inputs.open.discard(place)
        self._end(place, event.t, "nack")

    def purged(self, queue: QueueName, *, deleted: bool) -> None:
        """All that was ready in a queue is gone; if that was deleted, what was held as well."""
        gone = {place for place in self._inputs.open if place[:2] == queue}
        self._inputs.open -= gone if deleted else gone - set(self._held)

    def late_ack(self, event: Event) -> None:
        """An ack came that was late: so long it took."""
        handout = self._by_tag.get((event.c, event.tag))
        if handout in self._late:
            self._late.remove(handout)
            handout.ended, handout.outcome = event.t, "ack"

    def died(self, desk: Desk, at: int) -> None:
        """A channel ended, and with it what it still had to do."""
        for handout in self._of_desk.get(id(desk), ()):
            if handout in self._late:
                self._late.remove(handout)
                handout.cut = True
            at_work = handout.started is not None and not handout.effects
            held = self._held.get(handout.place) is handout
            if held or (handout.auto and at_work):
                handout.cut = True
            if handout.cut and handout.outcome != "cut":
                handout.ended, handout.outcome = at, "cut"

    def _end(self, place: Place, at: int, outcome: Outcome) -> None:
        handout = self._held.pop(place, None)
        if handout is None:
            return
        self._counts[id(handout.taker)] -= 1
        if not handout.cut:
            handout.ended, handout.outcome = at, outcome

    # -- what was told ---------------------------------------------------------------------------

    def marked(self, event: Event) -> None:
        """An actor, or a program, told what it does."""
        handout = self._meant(event)
        if event.type == "started":
            self._inputs.starting.add(event.c)
        if event.type in _EFFECTS and event.c:
            self._inputs.reporting.add(event.c)
        if event.type == "skipped_duplicate":
            self._inputs.skipping.add(event.c)
        if handout is None:
            return
        if event.type == "started":
            handout.started = event.t
        elif event.type in _EFFECTS:
            handout.effects.append(event.t)

    def _meant(self, event: Event) -> Handout | None:
        if event.tag:
            return self._by_tag.get((event.c, event.tag))
        place = _place(event) if event.id else self._labelled.get((event.v, event.q, event.m))
        return None if place is None else self._last.get(place)


def _place(event: Event) -> Place:
    return (event.v, event.q, event.id)

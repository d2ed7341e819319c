"""The order of one queue's messages: how they were handed out, seen, and done with."""

from amqplite.broker.trace import Event
from amqplite.lab.analysis.depth import Depth
from amqplite.lab.analysis.message import Handout, Message, Moment, Place, QueueName
from amqplite.lab.analysis.messages import OPEN_MAX
from amqplite.lab.analysis.metrics import Measured, Metrics
from amqplite.lab.analysis.scopes import Overtaken, Recent, Settled, View

CONSUMERS_MAX = 1000
"""Consumers of a queue whose view is measured: of more, the latest."""


class QueueScope:
    """One queue.

    Attributes:
        name: `(vhost, queue)`.
        open: messages that are in it, or with a consumer, or away, by their number in the trace.
        done: the order in which they were done with.
        depth: how many are ready.
        wait_max: longest time from coming in to the first hand-out, in microseconds.
    """

    def __init__(self, name: QueueName) -> None:
        self.name = name
        self.open: dict[int, Place] = {}
        self.done = Measured()
        self.depth = Depth()
        self.wait_max = 0
        self._handed = Measured()
        self._views: Recent[str, View] = Recent(lambda _: View(), CONSUMERS_MAX)
        self._settled = Settled()
        self._handed_by_prio: dict[int, int] = {}
        self._base = self._last = 0

    # -- in --------------------------------------------------------------------------------------

    def enter(self, message: Message, event: Event, *, late: bool) -> Place:
        """A message came in.

        Args:
            message: which.
            event: that tells of it.
            late: the trace left it out when it happened.
        """
        place = Place(message, self.name, self._number(event, late), 0, Moment(event.n, event.t))
        place.s = self._base + event.s if event.s else place.number
        message.places[self.name] = self.open[message.id] = place
        if late:  # its hand-out may be told where it doesn't belong, or not at all
            self._handed.missing(place.number, place.number, event.t)
        if len(self.open) > OPEN_MAX:
            del self.open[next(iter(self.open))]
        return place

    def enter_again(self, place: Place, event: Event) -> None:
        """A message that had left came back, under another number of the broker's."""
        place.s = self._number(event, late=False)
        place.state = "ready"
        if place.s != place.number:
            self._gone(place.s, event.t)

    def _number(self, event: Event, late: bool) -> int:
        number = self._base + event.s if event.s else self._last + 1
        if number <= self._last and not late:  # another queue of the same name, which counts anew
            self._base = self._last
            number = self._base + event.s
        if number > self._last + 1:
            self.done.sampled |= self._last > self._base
            for order in (self.done, self._handed):
                order.missing(self._last + 1, number - 1, event.t)
        self._last = max(self._last, number)
        return number

    # -- out -------------------------------------------------------------------------------------

    def hand_out(self, place: Place, handout: Handout, *, late: bool) -> None:
        """A message was handed out."""
        first = place.attempts == 1 and place.first is None
        if first:
            place.first = handout
            self.wait_max = max(self.wait_max, handout.t - place.since.t)
        elif place.first is None:
            place.unsure = place.unsure or not place.returns
        place.last, place.state, place.cancelled = handout, "held", None
        if late:
            return  # it isn't told where it belongs in the order
        if first:
            place.passed_by = "" if place.absence else self._passed_by(place)
            self._handed.arrive(place.number, handout.t, place.message.m)
        if handout.c:
            self._views[handout.c].see(place, handout, self.done.floor)

    def _passed_by(self, place: Place) -> str:
        """Return why a message is handed out behind one that came later; empty if it isn't."""
        prio, latest = place.message.prio, self._handed_by_prio
        ahead = [p for p, number in latest.items() if number > place.number]
        latest[prio] = max(latest.get(prio, 0), place.number)
        if not ahead:
            return ""
        return "priority" if min(ahead) > prio else "unexplained"

    # -- over ------------------------------------------------------------------------------------

    def complete(self, place: Place, t: int) -> Overtaken | None:
        """A message is done with; return how it was overtaken, if it was."""
        place.state = "done"
        self.open.pop(place.message.id, None)
        if place.first is None:
            self._handed.missing(place.number, place.number, t)
        arrival = self.done.arrive(place.number, t, place.message.m)
        over = self._settled.among(arrival.over) if arrival else []
        self._settled.add(place.number, place)
        self._settled.forget(self.done.floor)
        return Overtaken(arrival, over) if arrival else None

    def let_go(self, place: Place, t: int) -> None:
        """A message has left, and may return."""
        place.state = "away"
        self.done.missing(place.number, place.number, t)
        if place.first is None:
            self._handed.missing(place.number, place.number, t)

    def lose(self, place: Place, t: int) -> None:
        """A message is gone for good."""
        place.state = "gone"
        self.open.pop(place.message.id, None)
        self._gone(place.number, t)

    def _gone(self, number: int, t: int) -> None:
        self.done.gone(number, number, t)
        self._handed.gone(number, number, t)
        self._settled.forget(self.done.floor)

    def miss(self, t: int) -> None:
        """Events are missing: whatever is open may be done with already."""
        self.done.sampled = True
        for place in self.open.values():
            place.unsure = True
            self.done.missing(place.number, place.number, t)
            if place.first is None:
                self._handed.missing(place.number, place.number, t)

    # -- what it comes to ------------------------------------------------------------------------

    @property
    def handed_in_order(self) -> bool:
        """The first hand-outs were in order."""
        return self._handed.in_order

    def metrics(self) -> list[Metrics]:
        """Return what it has come to so far: completion, first hand-out, each consumer's view."""
        return [
            self.done.metrics("queue", self.name[1], "completion", self.name),
            self._handed.metrics("queue", self.name[1], "first", self.name),
            *(
                self._views[name].metrics(name, self.name)
                for name in sorted(self._views, key=_natural)
            ),
        ]


def _natural(name: str) -> tuple[int, str]:
    return len(name), name

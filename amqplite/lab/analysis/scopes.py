"""The order of the messages of one key or publisher, in whatever queues they are; and who is told.

AMQP promises order along a path alone: from one channel that publishes, by one exchange and queue,
to one channel that consumes, among messages of one priority that were never redelivered (§4.7).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from amqplite.broker.order import Arrival
from amqplite.lab.analysis.message import Handout, Place
from amqplite.lab.analysis.metrics import LISTED_MAX, Measured, Metrics

MEMBERS_MAX = 10_000
"""Keys, publishers and paths that are remembered: of more, those used last."""

_Key = TypeVar("_Key", bound=Hashable)
_Member = TypeVar("_Member")


class Recent(Generic[_Key, _Member]):
    """Things by key, made when they are asked for; of too many, those used last."""

    def __init__(self, make: Callable[[_Key], _Member], limit: int = MEMBERS_MAX) -> None:
        self._make, self._limit = make, limit
        self._members: dict[_Key, _Member] = {}

    def __getitem__(self, key: _Key) -> _Member:
        """Return what has `key`."""
        member = self._members.pop(key, None)
        if member is None:
            member = self._make(key)
            if len(self._members) >= self._limit:
                del self._members[next(iter(self._members))]
        self._members[key] = member
        return member

    def __iter__(self) -> Iterator[_Key]:
        """Yield the keys of all that are there."""
        return iter(list(self._members))


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A message was done with after others that were published later.

    Attributes:
        arrival: how late it was.
        over: those that overtook it, as far as they are remembered.
    """

    arrival: Arrival
    over: list[Place]


class Settled:
    """Messages done with that may yet turn out to have overtaken another, by their number."""

    def __init__(self) -> None:
        self._places: dict[int, Place] = {}
        self._floor = 0

    def __len__(self) -> int:
        """Messages that are remembered."""
        return len(self._places)

    def add(self, number: int, place: Place) -> None:
        """A message is done with."""
        if number > self._floor:
            self._places[number] = place

    def among(self, numbers: Iterable[int]) -> list[Place]:
        """Return those of `numbers` that are remembered."""
        return [self._places[number] for number in numbers if number in self._places]

    def forget(self, floor: int) -> None:
        """Nothing up to `floor` is awaited any more, so nothing has overtaken it."""
        before, self._floor = self._floor, floor
        if floor - before > len(self._places):
            self._places = {n: place for n, place in self._places.items() if n > floor}
        else:
            for number in range(before + 1, floor + 1):
                self._places.pop(number, None)


class Across:
    """Messages of one key or publisher, by number; what is between those is another's.

    Attributes:
        order: in which they are done with.
        backward: hand-outs that AMQP forbids, of a publisher's messages in one queue.
    """

    def __init__(self) -> None:
        self.order = Measured()
        self.backward = 0
        self._last = 0
        self._settled = Settled()

    def expect(self, number: int, t: int) -> None:
        """A message was published."""
        if number > self._last + 1:
            self.order.gone(self._last + 1, number - 1, t)
        self._last = max(self._last, number)

    def arrive(self, number: int, place: Place, t: int) -> Overtaken | None:
        """A message is done with; return how it was overtaken, if it was."""
        arrival = self.order.arrive(number, t, place.message.m)
        over = self._settled.among(arrival.over) if arrival else []
        self._settled.add(number, place)
        self._settled.forget(self.order.floor)
        return Overtaken(arrival, over) if arrival else None

    def gone(self, number: int, t: int) -> None:
        """A message will not come."""
        self.order.gone(number, number, t)
        self._settled.forget(self.order.floor)

    def missing(self, number: int, t: int) -> None:
        """A message may come, though nobody counts on it."""
        self.order.missing(number, number, t)
        self._settled.forget(self.order.floor)


class Path:
    """The only way on which order is promised."""

    def __init__(self) -> None:
        self._largest = 0

    def steps_back(self, number: int) -> bool:
        """Take what is handed out; return whether something behind it was handed out before."""
        if number < self._largest:
            return True
        self._largest = number
        return False


class View:
    """What one consumer saw of a queue.

    Attributes:
        backward: hand-outs of a message that was published before one seen already.
    """

    def __init__(self) -> None:
        self.backward = 0
        self._order = Measured()
        self._largest = 0
        self._listed: list[str] = []

    def see(self, place: Place, handout: Handout, floor: int) -> None:
        """A message was handed out to it.

        Args:
            place: the message.
            handout: how.
            floor: whatever is up to this number will not be handed out any more.
        """
        self.backward += place.number < self._largest
        self._largest = max(self._largest, place.number)
        if len(self._listed) < LISTED_MAX:
            self._listed.append(place.message.m)
        if handout.c in place.seen_by:
            return  # the order of a sequence is that of the first time each comes (RFC 4737)
        place.seen_by.add(handout.c)
        self._order.gone(1, floor, handout.t)
        self._order.arrive(place.number, handout.t, place.message.m)

    def metrics(self, name: str, where: tuple[str, str]) -> Metrics:
        """Return what it has come to so far."""
        return self._order.metrics(
            "consumer", name, "view", where, backward=self.backward, listed=self._listed
        )

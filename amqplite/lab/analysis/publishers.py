"""The orders that don't end at a queue: of each key, of each publisher, and of AMQP's own paths."""

from amqplite.lab.analysis.message import Handout, Message, Place
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.analysis.scopes import Across, Overtaken, Path, Recent


class Publishers:
    """Follows messages by key, and by who published them.

    Only those whose publishing was told of can be followed: nobody knows when the others were
    published.
    """

    def __init__(self) -> None:
        self._keys: Recent[tuple[str, str], Across] = Recent(lambda _: Across())
        self._publishes: Recent[str, Across] = Recent(lambda _: Across())
        self._in_queues: Recent[tuple[str, str, str], Across] = Recent(lambda _: Across())
        self._paths: Recent[tuple[object, ...], Path] = Recent(lambda _: Path())

    # -- in --------------------------------------------------------------------------------------

    def published(self, message: Message, t: int) -> None:
        """A message was published."""
        for across in self._publish_of(message):
            across.expect(message.id, t)

    def enqueued(self, place: Place, t: int) -> None:
        """A message came into a queue for the first time."""
        for across in self._key_of(place):
            across.expect(place.message.id, t)
        for across in self._in_queue_of(place):
            across.expect(place.number, t)

    # -- out -------------------------------------------------------------------------------------

    def handed_out(self, place: Place, handout: Handout) -> bool:
        """A message was handed out for the first time; return whether AMQP (§4.7) forbids that."""
        message = place.message
        if not message.p and not message.channel[0]:
            return False
        sender = (message.p, *message.channel, message.exchange, message.prio)
        path = self._paths[*sender, *place.queue, handout.channel]
        back = path.steps_back(place.s)
        if back:
            for across in self._in_queue_of(place):
                across.backward += 1
        return back

    def done(self, place: Place, t: int) -> None:
        """A message is done with in a queue."""
        for across in self._in_queue_of(place):
            across.arrive(place.number, place, t)

    def complete(self, place: Place, t: int) -> tuple[Overtaken | None, Overtaken | None]:
        """If a message is done with everywhere, return how it was overtaken, by key and publisher.

        Args:
            place: the last that it was done with in.
            t: when.
        """
        message = place.message
        if message.is_open or message.completed:
            return None, None
        message.completed = True
        key = publish = None
        for across in self._key_of(place):
            key = across.arrive(message.id, place, t)
        for across in self._publish_of(message):
            publish = across.arrive(message.id, place, t)
        return key, publish

    # -- gone ------------------------------------------------------------------------------------

    def lost(self, place: Place, t: int) -> None:
        """A message is gone from a queue."""
        for across in self._in_queue_of(place):
            across.gone(place.number, t)

    def gone(self, message: Message, t: int) -> None:
        """A message is gone everywhere."""
        for across in self._of(message):
            across.gone(message.id, t)

    def missing(self, message: Message, t: int, place: Place | None = None) -> None:
        """A message is gone, from a queue or altogether, but may come back."""
        if place is not None:
            for across in self._in_queue_of(place):
                across.missing(place.number, t)
        if not message.is_open:
            for across in self._of(message):
                across.missing(message.id, t)

    # -- where they belong -----------------------------------------------------------------------

    def _of(self, message: Message) -> list[Across]:
        first = next(iter(message.places.values()), None)
        return self._publish_of(message) + (self._key_of(first) if first else [])

    def _publish_of(self, message: Message) -> list[Across]:
        return [self._publishes[message.p]] if message.p and message.published else []

    def _in_queue_of(self, place: Place) -> list[Across]:
        message = place.message
        return [self._in_queues[message.p, *place.queue]] if message.p and message.published else []

    def _key_of(self, place: Place) -> list[Across]:
        message = place.message
        return (
            [self._keys[place.queue[0], message.key]] if message.key and message.published else []
        )

    def metrics(self) -> list[Metrics]:
        """Return what it has come to so far, by key, publisher and queue, and publisher."""
        keys, queues, publishes = self._keys, self._in_queues, self._publishes
        return [
            *(
                keys[one].order.metrics("key", one[1], "completion", (one[0], ""))
                for one in sorted(keys)
            ),
            *(_of_queue(one, queues[one]) for one in sorted(queues)),
            *(publishes[p].order.metrics("publish", p, "completion") for p in sorted(publishes)),
        ]


def _of_queue(path: tuple[str, str, str], across: Across) -> Metrics:
    p, *where = path
    return across.order.metrics(
        "publisher", p, "completion", (where[0], where[1]), backward=across.backward
    )

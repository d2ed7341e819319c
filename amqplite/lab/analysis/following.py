"""Follows messages through the events of a trace: where each one is, and what befell it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from amqplite.broker.trace import TOLD_LATE, Event
from amqplite.lab.analysis.confirms import Confirms
from amqplite.lab.analysis.counts import Counting
from amqplite.lab.analysis.effects import Effects
from amqplite.lab.analysis.message import Absence, Handout, Moment, Place, QueueName, Return
from amqplite.lab.analysis.messages import Messages
from amqplite.lab.analysis.publishers import Publishers
from amqplite.lab.analysis.queue_scope import QueueScope
from amqplite.lab.analysis.scopes import Overtaken, Recent

_CONSUMERS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Completion:
    """A message is done with in a queue.

    Attributes:
        place: the message there.
        queue: how it was overtaken in the queue, if it was.
        key: how it was, among all of its key, if it is done with everywhere.
        publish: how it was, among all of its publisher.
    """

    place: Place
    queue: Overtaken | None
    key: Overtaken | None
    publish: Overtaken | None


class Following:
    """Takes events in order, and keeps what they tell of.

    Attributes:
        messages: those under way, and the latest that were.
        queues: by `(vhost, queue)`.
        publishers: keys, and who publishes.
        counts: numbers.
        effects: what consumers reported.
    """

    def __init__(self) -> None:
        self.messages = Messages()
        self.queues: dict[QueueName, QueueScope] = {}
        self.publishers = Publishers()
        self.counts = Counting()
        self.effects = Effects()
        self._confirms = Confirms()
        self._died: Recent[str, list[int]] = Recent(lambda _: [], _CONSUMERS_MAX)

    def feed(self, event: Event) -> Completion | None:
        """Take the next event; return what is to be told of a message that is done with."""
        if event.id or event.m:
            self.counts.end = max(self.counts.end, event.t)
        handle = _HANDLERS.get(event.type)
        return handle(self, event) if handle else None

    # -- publishing ------------------------------------------------------------------------------

    def _published(self, event: Event) -> None:
        message = self.messages.of(event)
        self.counts.published += message.published is None
        message.published = Moment(event.n, event.t)
        message.p, message.channel = event.p, (event.conn, event.ch)
        message.key = event.key or message.key
        message.exchange, message.prio = event.exchange, event.prio
        if event.tag:
            message.confirms = True
            self._confirms.expect(event, message)
        self.publishers.published(message, event.t)

    def _unroutable(self, event: Event) -> None:
        message = self.messages.of(event)
        self.counts.drop(message.m)
        self.publishers.gone(message, event.t)
        self.messages.closed(message)

    def _refused(self, event: Event) -> None:
        self.counts.refused += 1
        message = self.messages.of(event)
        if not message.places:
            self.publishers.missing(message, event.t)
            self.messages.closed(message)

    def _confirmed(self, event: Event) -> None:
        for message in self._confirms.come(event):
            self.counts.confirmed += event.type == "confirmed" and not message.confirmed
            message.confirmed = event.type == "confirmed"

    def _enqueued(self, event: Event) -> None:
        message = self.messages.of(event)
        queue = self._queue(event)
        place = message.places.get(queue.name)
        if place is not None and place.is_open:
            return
        self.messages.opened(message)
        if place is not None and place.state == "away":
            queue.enter_again(place, event)
            if place.absence is not None:
                place.absence.returned = Moment(event.n, event.t)
        else:
            late = event.text == TOLD_LATE
            message.key = event.key or message.key
            message.prio = event.prio or message.prio
            place = queue.enter(message, event, late=late)
            if event.cause == "delay":
                place.absence = Absence(None, "delay", Moment(event.n, event.t))
            self.publishers.enqueued(place, event.t)
        self.counts.enqueued += 1
        self._moved(place, "", event)

    # -- consuming -------------------------------------------------------------------------------

    def _delivered(self, event: Event) -> None:
        place = self._place(event)
        if not place.is_open:
            return
        before, late = place.state, event.text == TOLD_LATE
        place.attempts = event.attempt or place.attempts + 1
        self.counts.handed_out(place, event.t)
        handout = Handout(event.n, event.t, event.c, event.conn, event.ch)
        queue = self._queue(event)
        queue.hand_out(place, handout, late=late)
        if not late and place.attempts == 1 and not event.redelivered:
            self.counts.violations += self.publishers.handed_out(place, handout)
        self._moved(place, before, event)

    def _acked(self, event: Event) -> Completion | None:
        place = self._place(event)
        if not place.is_open:
            return None
        before = place.state
        place.end = Moment(event.n, event.t)
        self.counts.done(place, event.t)
        overtaken = self._queue(event).complete(place, event.t)
        self.publishers.done(place, event.t)
        self._moved(place, before, event)
        self.effects.done(event)
        self._close(place, event.t)
        self.counts.completed += not (place.message.is_open or place.message.completed)
        key, publish = self.publishers.complete(place, event.t)
        return Completion(place, overtaken, key, publish)

    def _requeued(self, event: Event) -> None:
        place = self._place(event)
        if not place.is_open:
            return
        before = place.state
        c = event.c or (place.last.c if place.last else "")
        gap = self._unnoticed(c, event)
        place.came_back(Return(event.n, event.t, c, event.cause, event.sub, gap))
        self.counts.came_back(place)
        place.state = "ready"
        self._moved(place, before, event)

    def _unnoticed(self, c: str, event: Event) -> int:
        died = self._died[c]
        if died and died[0] <= event.t:
            return event.t - died[0]
        return event.idle if event.sub == "heartbeat_timeout" else 0

    # -- gone ------------------------------------------------------------------------------------

    def _left(self, event: Event) -> None:
        place = self._place(event)
        if place.is_open:
            self._lose(place, event)

    def _lose(self, place: Place, event: Event) -> None:
        before, queue = place.state, self._queue(event)
        place.end, place.reason = Moment(event.n, event.t), event.cause or event.type
        dropped = event.type in ("dropped", "expired")
        self.counts.left(place.message.m, place.reason, dropped=dropped)
        if event.type == "dead_lettered":
            place.absence = Absence(place.end, place.reason)
            queue.let_go(place, event.t)
            self.publishers.missing(place.message, event.t, place)
        else:
            queue.lose(place, event.t)
            self.publishers.lost(place, event.t)
        self._moved(place, before, event)
        self._close(place, event.t)

    def _purged(self, event: Event) -> None:
        queue = self._queue(event)
        for place in list(queue.open.values()):
            if place.state == "ready" or (place.is_open and event.cause == "queue_deleted"):
                self._lose(place, event)

    def _close(self, place: Place, t: int) -> None:
        """If that was the last of a message, it is closed, and won't return to where it was."""
        message = place.message
        if message.is_open:
            return
        if place.state != "away":
            for other in message.places.values():
                if other.state == "away":
                    self.queues[other.queue].lose(other, t)
                    self.publishers.lost(other, t)
            if place.state == "gone" and message.is_done:
                self.publishers.complete(place, t)
            elif place.state == "gone":
                self.publishers.gone(message, t)
        self.messages.closed(message)

    # -- around ----------------------------------------------------------------------------------

    def _cancelled(self, event: Event) -> None:
        for place in self._queue(event).open.values():
            if place.state == "held" and place.last is not None and place.last.c == event.c:
                place.cancelled = Moment(event.n, event.t)

    def _back(self, event: Event) -> None:
        self._died[event.c or event.by].clear()

    def _connection_ended(self, event: Event) -> None:
        self.effects.died(conn=event.conn)

    def _bad_ack(self, event: Event) -> None:
        self.counts.bad_acks += 1

    def _late_ack(self, event: Event) -> None:
        self.counts.late_acks += 1

    def _gap(self, event: Event) -> None:
        self.counts.lost_events += max(0, event.lost_to - event.lost_from + 1)
        for queue in self.queues.values():
            queue.miss(event.t)

    def _reported(self, event: Event) -> None:
        silenced = event.type == "fault" and event.text == "silence"
        if silenced or event.type == "crashed":
            self._died[event.c or event.by].append(event.t)
        if event.type == "released":
            self.counts.release(event.m)
        elif event.type != "fault":
            self.effects.report(event, self.messages.called(event.m))

    # -- where things are ------------------------------------------------------------------------

    def _queue(self, event: Event) -> QueueScope:
        name = (event.v, event.q)
        queue = self.queues.get(name)
        if queue is None:
            queue = self.queues[name] = QueueScope(name)
        return queue

    def _place(self, event: Event) -> Place:
        """Return where a message is; how it came there may not have been told."""
        message = self.messages.of(event)
        place = message.places.get((event.v, event.q))
        if place is None:
            place = self._queue(event).enter(message, event, late=True)
            place.unsure = True
            self.counts.enqueued += 1
            self.counts.ready += 1
        return place

    def _moved(self, place: Place, before: str, event: Event) -> None:
        """Count a change of a message's state."""
        ready = (place.state == "ready") - (before == "ready")
        self.counts.ready += ready
        self.counts.unacked += (place.state == "held") - (before == "held")
        self._queue(event).depth.change(ready, event.t, event.depth)


_HANDLERS: Mapping[str, Callable[[Following, Event], Completion | None]] = {
    "published": Following._published,
    "unroutable": Following._unroutable,
    "refused": Following._refused,
    "confirmed": Following._confirmed,
    "publish_nacked": Following._confirmed,
    "enqueued": Following._enqueued,
    "delivered": Following._delivered,
    "acked": Following._acked,
    "requeued": Following._requeued,
    "expired": Following._left,
    "dropped": Following._left,
    "dead_lettered": Following._left,
    "discarded": Following._left,
    "purged": Following._purged,
    "consumer_registered": Following._back,
    "consumer_cancelled": Following._cancelled,
    "recovered": Following._back,
    "connection_lost": Following._connection_ended,
    "connection_closed": Following._connection_ended,
    "bad_ack": Following._bad_ack,
    "late_ack_ignored": Following._late_ack,
    "gap": Following._gap,
    "started": Following._reported,
    "applied": Following._reported,
    "skipped_duplicate": Following._reported,
    "crashed": Following._reported,
    "ack_lost": Following._reported,
    "released": Following._reported,
    "fault": Following._reported,
}

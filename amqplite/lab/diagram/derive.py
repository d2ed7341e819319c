"""What events come to: bars, arrows, marks and spans, one handler for each type of event."""

from collections.abc import Callable, Iterable

from amqplite.broker.trace import Event
from amqplite.lab.diagram.boxes import Bar, Span
from amqplite.lab.diagram.lanes import after_lane, consumer_lane, exchange_lane, queue_lane
from amqplite.lab.diagram.shapes import Consumer, Place, Shapes


class Derived(Shapes):
    """The shapes of events."""

    def add(self, events: Iterable[Event]) -> None:
        """Take further events, in order of `n`; unknown types are passed over."""
        for event in events:
            self.end = max(self.end, event.t)
            handler = _HANDLERS.get(event.type)
            if handler is not None:
                handler(self, event)

    def _published(self, event: Event) -> None:
        lane = f"p:{event.p}"
        self.producers[event.id] = lane
        if event.conn:
            self.senders[event.conn] = lane
        self.mark(event, lane)

    def _enqueued(self, event: Event) -> None:
        place = self.place_of(event)
        place.fresh = not event.cause
        self.wait(event, place, "waiting")
        if event.id in self.dead_letters and event.cause:
            self.arrow(event, "return", self.dead_letters[event.id], queue_lane(event))
        elif event.id in self.producers:
            self.arrow(event, "publish", self.producers[event.id], queue_lane(event))

    def _delivered(self, event: Event) -> None:
        place, lane = self.place_of(event), consumer_lane(event)
        consumer = self.consumer_of(event)
        place.attempts = event.attempt or place.attempts + 1
        again = place.attempts > 1 or event.redelivered
        arrow = self.arrow(event, "redeliver" if again else "deliver", queue_lane(event), lane)
        arrow.waited = place.wait is not None and place.wait.start < event.t
        arrow.fresh, place.fresh = place.fresh and not arrow.waited, False
        self.waited(event, place, "delivered")
        bar = self.open(event, "redelivered" if again else "held", lane, place.attempts)
        if not consumer.tells and not consumer.holding:
            bar.work = event.t
        consumer.holding.append(bar)
        place.held = arrow.bar = bar

    def _acked(self, event: Event) -> None:
        place = self.place_of(event)
        bar, place.held = place.held, None
        if bar is None:
            return
        consumer = self.consumer_of(event, bar.lane)
        if bar.work is None and not consumer.tells:
            bar.work = max(bar.start, consumer.settled)
        bar.auto = bar.auto or event.auto
        self.close(event, bar, "acked")
        self._keep(event, place, bar)
        self.next_work(consumer, event.t)

    def _keep(self, event: Event, place: Place, done: Bar) -> None:
        """Give what is done to who comes after the consumers, if there is somebody."""
        if not self.after:
            return
        self.arrow(event, "release", done.lane, self.after).bar = done
        place.kept = self.open(event, "buffered", self.after, place.attempts)
        if place.free:
            self.close(event, place.kept, "delivered")

    def _released(self, event: Event) -> None:
        self.after = after_lane(event)
        place = self.place_of(event)
        place.free = True
        if place.kept is not None:
            self.close(event, place.kept, "delivered")
        self.mark(event, self.after)

    def _nacked(self, event: Event) -> None:
        bar = self.place_of(event).held
        if bar is not None:
            self.mark(event, bar.lane, "nacked", bar)

    def _requeued(self, event: Event) -> None:
        place = self.place_of(event)
        bar, place.held = place.held, None
        if bar is not None:
            consumer = self.consumers[bar.lane]
            bar.kind, bar.cause, bar.sub = "failed", event.cause, event.sub
            if event.sub == "heartbeat_timeout":
                self.be_quiet(event, bar.lane, consumer)
            self.close(event, bar, "requeued")
            self.next_work(consumer, event.t)
            self.arrow(event, "requeue", bar.lane, queue_lane(event)).bar = bar
        if place.wait is None:
            self.wait(event, place, "requeued")

    def _left(self, event: Event) -> None:
        """Take a message out of its queue that nobody acked."""
        place = self.place_of(event)
        bar, place.held = place.held, None
        if bar is not None:
            consumer = self.consumers[bar.lane]
            bar.kind = bar.kind if event.type == "purged" else "failed"
            bar.cause, bar.sub = event.cause, event.sub
            self.close(event, bar, event.type)
            self.next_work(consumer, event.t)
        self.waited(event, place, event.type)
        self.mark(event, queue_lane(event), bar=bar)
        if event.type == "dead_lettered":
            lane = queue_lane(event) if bar is None else bar.lane
            exchange = self.dead_letters[event.id] = exchange_lane(event)
            self.arrow(event, "dead_letter", lane, exchange).bar = bar

    def _up(self, event: Event) -> None:
        consumer = self.consumer_of(event)
        if consumer.down is not None:
            consumer.down.stop, consumer.down.n1 = event.t, event.n
            consumer.down = None

    def _crashed(self, event: Event) -> None:
        lane = consumer_lane(event)
        if self.take_down(event, lane, self.consumer_of(event), "crashed"):
            self.mark(event, lane, "crash")
        for bar in [bar for bar in self.consumer_of(event).holding if bar.kind == "work"]:
            self.close(event, bar, "crashed")

    def _cancelled(self, event: Event) -> None:
        self.take_down(event, consumer_lane(event), self.consumer_of(event), "cancelled")

    def _closed(self, event: Event) -> None:
        """Take down the consumers of a channel or a connection that is no more."""
        lost = event.type == "connection_lost"
        crash = lost or event.sub == "protocol_error" or event.cause == "ack_timeout"
        for lane, consumer in self.consumers.items():
            if not _is_on(consumer, event):
                continue
            if self.take_down(event, lane, consumer, "lost" if lost else "closed"):
                if crash:
                    self.mark(event, lane, "crash")
            elif crash:
                self.be_quiet(event, lane, consumer)

    def _started(self, event: Event) -> None:
        consumer = self.consumer_of(event)
        consumer.tells = True
        bar = _of(consumer, event)
        if bar is None:
            bar = self.open(event, "work", consumer_lane(event), event.attempt)
            consumer.holding.append(bar)
        bar.work, bar.told = event.t, True

    def _told(self, event: Event) -> None:
        """Mark what a consumer tells of itself."""
        bar = _of(self.consumer_of(event), event)
        self.mark(event, consumer_lane(event), bar=bar)
        if bar is not None and bar.kind == "work":
            self.close(event, bar, "applied")

    def _trouble(self, event: Event) -> None:
        lane = f"p:{event.p}" if event.p else queue_lane(event) if event.q else ""
        self.mark(event, consumer_lane(event) if event.c else lane)

    def _blocked(self, event: Event) -> None:
        lane = self.senders.get(event.conn)
        open_ = self.stopped.pop(event.conn, None)
        if open_ is not None:
            open_.stop, open_.n1 = event.t, event.n
        if lane is not None and event.type == "blocked":
            span = Span(kind="blocked", lane=lane, start=event.t, n0=event.n, why="blocked")
            self.stopped[event.conn] = span
            self.spans.append(span)


def _of(consumer: Consumer, event: Event) -> Bar | None:
    """Return the bar of an event's message, of those that a consumer holds."""
    return next((bar for bar in consumer.holding if bar.m == event.m), None)


def _is_on(consumer: Consumer, closed: Event) -> bool:
    """Return whether a consumer was on the channel, or the connection, that closed."""
    if not closed.conn or consumer.conn != closed.conn:
        return False
    return closed.type != "channel_closed" or consumer.ch == closed.ch


_HANDLERS: dict[str, Callable[[Derived, Event], None]] = {
    "published": Derived._published,
    "enqueued": Derived._enqueued,
    "delivered": Derived._delivered,
    "acked": Derived._acked,
    "nacked": Derived._nacked,
    "rejected": Derived._nacked,
    "requeued": Derived._requeued,
    **dict.fromkeys(("expired", "dropped", "dead_lettered", "discarded", "purged"), Derived._left),
    **dict.fromkeys(("consumer_registered", "recovered"), Derived._up),
    "consumer_cancelled": Derived._cancelled,
    **dict.fromkeys(("channel_closed", "connection_closed", "connection_lost"), Derived._closed),
    "crashed": Derived._crashed,
    "started": Derived._started,
    **dict.fromkeys(("applied", "skipped_duplicate", "ack_lost", "consumer_active"), Derived._told),
    "released": Derived._released,
    **dict.fromkeys(
        (
            *("unroutable", "refused", "publish_nacked", "bad_ack", "late_ack_ignored"),
            "fault",
            "gap",
        ),
        Derived._trouble,
    ),
    **dict.fromkeys(("blocked", "unblocked"), Derived._blocked),
}

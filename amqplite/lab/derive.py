"""What events come to: bars, arrows, marks and spans, one handler for each type of event."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from amqplite.broker.trace import Event
from amqplite.lab.boxes import Arrow, Bar, Mark, Span
from amqplite.lab.lanes import after_lane, consumer_lane, exchange_lane, queue_lane


@dataclass(slots=True)
class Place:
    """A message in one queue: where it waits or who holds it, if anybody, and its hand-outs.

    Attributes:
        kept: where it is kept downstream.
        fresh: it came straight from its publisher.
        free: it has been let go downstream.
    """

    wait: Bar | None = None
    held: Bar | None = None
    kept: Bar | None = None
    free: bool = False
    attempts: int = 0
    fresh: bool = False


@dataclass(slots=True)
class Consumer:
    """What a consumer's lane needs to be remembered of.

    Attributes:
        holding: bars that it holds, oldest first.
        settled: when it last was through with one, in µs.
        tells: whether it tells itself when it begins with a message.
        down: the span since which it is away.
    """

    conn: str = ""
    ch: int = 0
    holding: list[Bar] = field(default_factory=list)
    settled: int = 0
    tells: bool = False
    down: Span | None = None


class Shapes:
    """Bars, arrows, marks and spans of the events so far, in their order."""

    def __init__(self) -> None:
        self.bars: list[Bar] = []
        self.arrows: list[Arrow] = []
        self.marks: list[Mark] = []
        self.spans: list[Span] = []
        self.end = 0
        self._places: dict[tuple[str, int], Place] = {}
        self._consumers: dict[str, Consumer] = {}
        self._producers: dict[int, str] = {}
        self._senders: dict[str, str] = {}
        self._stopped: dict[str, Span] = {}
        self._dead_letters: dict[int, str] = {}
        self._after = ""  # the lane of who comes after the consumers

    def add(self, events: Iterable[Event]) -> None:
        """Take further events, in order of `n`; unknown types are passed over."""
        for event in events:
            self.end = max(self.end, event.t)
            handler = _HANDLERS.get(event.type)
            if handler is not None:
                handler(self, event)

    def _place(self, event: Event) -> Place:
        return self._places.setdefault((queue_lane(event), event.s), Place())

    def _consumer(self, event: Event, lane: str = "") -> Consumer:
        consumer = self._consumers.setdefault(lane or consumer_lane(event), Consumer())
        if event.conn:
            consumer.conn, consumer.ch = event.conn, event.ch
        return consumer

    def _mark(self, event: Event, lane: str, kind: str = "", bar: Bar | None = None) -> None:
        mark = Mark(kind=kind or event.type, lane=lane, t=event.t, n=event.n, m=event.m)
        mark.id, mark.c, mark.cause, mark.sub = event.id, event.c, event.cause, event.sub
        mark.text, mark.by, mark.requeue, mark.bar = event.text, event.by, event.requeue, bar
        if event.type == "gap":
            mark.count = event.lost_to - event.lost_from + 1
        self.marks.append(mark)

    def _arrow(self, event: Event, kind: str, source: str, target: str) -> Arrow:
        arrow = Arrow(kind=kind, source=source, target=target, t=event.t, n=event.n, m=event.m)
        arrow.id, arrow.s, arrow.cause, arrow.sub = event.id, event.s, event.cause, event.sub
        self.arrows.append(arrow)
        return arrow

    def _open(self, event: Event, kind: str, lane: str, attempt: int) -> Bar:
        bar = Bar(
            kind=kind, lane=lane, queue=queue_lane(event), m=event.m, start=event.t, n0=event.n
        )
        bar.id, bar.s, bar.attempt, bar.shown = event.id, event.s, attempt, event.t
        bar.cause, bar.sub, bar.auto = event.cause, event.sub, event.auto
        self.bars.append(bar)
        return bar

    def _close(self, event: Event, bar: Bar, end: str) -> None:
        bar.stop, bar.n1, bar.end = event.t, event.n, end
        consumer = self._consumers.get(bar.lane)
        if consumer is not None and bar in consumer.holding:
            consumer.holding.remove(bar)

    def _wait(self, event: Event, place: Place, kind: str) -> None:
        place.wait = self._open(event, kind, queue_lane(event), place.attempts)

    def _waited(self, event: Event, place: Place, end: str) -> None:
        if place.wait is not None:
            self._close(event, place.wait, end)
            place.wait = None

    def _next_work(self, consumer: Consumer, t: int) -> None:
        """Let a consumer that was through with a message begin with what it holds longest."""
        consumer.settled = t
        if not consumer.tells and consumer.holding and consumer.holding[0].work is None:
            consumer.holding[0].work = t

    def _published(self, event: Event) -> None:
        lane = f"p:{event.p}"
        self._producers[event.id] = lane
        if event.conn:
            self._senders[event.conn] = lane
        self._mark(event, lane)

    def _enqueued(self, event: Event) -> None:
        place = self._place(event)
        place.fresh = not event.cause
        self._wait(event, place, "waiting")
        if event.id in self._dead_letters and event.cause:
            self._arrow(event, "return", self._dead_letters[event.id], queue_lane(event))
        elif event.id in self._producers:
            self._arrow(event, "publish", self._producers[event.id], queue_lane(event))

    def _delivered(self, event: Event) -> None:
        place, lane = self._place(event), consumer_lane(event)
        consumer = self._consumer(event)
        place.attempts = event.attempt or place.attempts + 1
        again = place.attempts > 1 or event.redelivered
        arrow = self._arrow(event, "redeliver" if again else "deliver", queue_lane(event), lane)
        arrow.waited = place.wait is not None and place.wait.start < event.t
        arrow.fresh, place.fresh = place.fresh and not arrow.waited, False
        self._waited(event, place, "delivered")
        bar = self._open(event, "redelivered" if again else "held", lane, place.attempts)
        if not consumer.tells and not consumer.holding:
            bar.work = event.t
        consumer.holding.append(bar)
        place.held = arrow.bar = bar

    def _acked(self, event: Event) -> None:
        place = self._place(event)
        bar, place.held = place.held, None
        if bar is None:
            return
        consumer = self._consumer(event, bar.lane)
        if bar.work is None and not consumer.tells:
            bar.work = max(bar.start, consumer.settled)
        bar.auto = bar.auto or event.auto
        self._close(event, bar, "acked")
        self._keep(event, place, bar)
        self._next_work(consumer, event.t)

    def _keep(self, event: Event, place: Place, done: Bar) -> None:
        """Give what is done to who comes after the consumers, if there is somebody."""
        if not self._after:
            return
        self._arrow(event, "release", done.lane, self._after).bar = done
        place.kept = self._open(event, "buffered", self._after, place.attempts)
        if place.free:
            self._close(event, place.kept, "delivered")

    def _released(self, event: Event) -> None:
        self._after = after_lane(event)
        place = self._place(event)
        place.free = True
        if place.kept is not None:
            self._close(event, place.kept, "delivered")
        self._mark(event, self._after)

    def _nacked(self, event: Event) -> None:
        bar = self._place(event).held
        if bar is not None:
            self._mark(event, bar.lane, "nacked", bar)

    def _requeued(self, event: Event) -> None:
        place = self._place(event)
        bar, place.held = place.held, None
        if bar is not None:
            consumer = self._consumers[bar.lane]
            bar.kind, bar.cause, bar.sub = "failed", event.cause, event.sub
            if event.sub == "heartbeat_timeout":
                self._quiet(event, bar.lane, consumer)
            self._close(event, bar, "requeued")
            self._next_work(consumer, event.t)
            self._arrow(event, "requeue", bar.lane, queue_lane(event)).bar = bar
        if place.wait is None:
            self._wait(event, place, "requeued")

    def _left(self, event: Event) -> None:
        """Take a message out of its queue that nobody acked."""
        place = self._place(event)
        bar, place.held = place.held, None
        if bar is not None:
            consumer = self._consumers[bar.lane]
            bar.kind = bar.kind if event.type == "purged" else "failed"
            bar.cause, bar.sub = event.cause, event.sub
            self._close(event, bar, event.type)
            self._next_work(consumer, event.t)
        self._waited(event, place, event.type)
        self._mark(event, queue_lane(event), bar=bar)
        if event.type == "dead_lettered":
            lane = queue_lane(event) if bar is None else bar.lane
            exchange = self._dead_letters[event.id] = exchange_lane(event)
            self._arrow(event, "dead_letter", lane, exchange).bar = bar

    def _up(self, event: Event) -> None:
        consumer = self._consumer(event)
        if consumer.down is not None:
            consumer.down.stop, consumer.down.n1 = event.t, event.n
            consumer.down = None

    def _crashed(self, event: Event) -> None:
        lane = consumer_lane(event)
        if self._down(event, lane, self._consumer(event), "crashed"):
            self._mark(event, lane, "crash")
        for bar in [bar for bar in self._consumer(event).holding if bar.kind == "work"]:
            self._close(event, bar, "crashed")

    def _cancelled(self, event: Event) -> None:
        self._down(event, consumer_lane(event), self._consumer(event), "cancelled")

    def _closed(self, event: Event) -> None:
        """Take down the consumers of a channel or a connection that is no more."""
        lost = event.type == "connection_lost"
        crash = lost or event.sub == "protocol_error" or event.cause == "ack_timeout"
        for lane, consumer in self._consumers.items():
            if not _is_on(consumer, event):
                continue
            if self._down(event, lane, consumer, "lost" if lost else "closed"):
                if crash:
                    self._mark(event, lane, "crash")
            elif crash:
                self._quiet(event, lane, consumer)

    def _down(self, event: Event, lane: str, consumer: Consumer, why: str) -> bool:
        """Note that a consumer is away; return whether it was there until now."""
        if consumer.down is not None:
            if why == "crashed" and consumer.down.start == event.t:
                consumer.down.why, consumer.down.kind = why, "down"
            return False
        kind = "down" if why in ("crashed", "lost") else "left"
        consumer.down = Span(kind=kind, lane=lane, start=event.t, n0=event.n, why=why)
        self.spans.append(consumer.down)
        return True

    def _quiet(self, event: Event, lane: str, consumer: Consumer) -> None:
        """Note how long nobody knew that a consumer was dead: since it crashed, if it said so.

        Else since it was last heard of, where it was its silence that betrayed it.
        """
        since = event.t
        if consumer.down is not None and consumer.down.start < event.t:
            since = consumer.down.start
        elif event.sub == "heartbeat_timeout":
            since -= event.idle
        known = any(s.kind == "quiet" and s.lane == lane and s.stop == event.t for s in self.spans)
        if since < event.t and not known:
            span = Span(kind="quiet", lane=lane, start=since, stop=event.t, n0=event.n)
            span.n1 = event.n
            self.spans.append(span)

    def _started(self, event: Event) -> None:
        consumer = self._consumer(event)
        consumer.tells = True
        bar = _of(consumer, event)
        if bar is None:
            bar = self._open(event, "work", consumer_lane(event), event.attempt)
            consumer.holding.append(bar)
        bar.work, bar.told = event.t, True

    def _told(self, event: Event) -> None:
        """Mark what a consumer tells of itself."""
        bar = _of(self._consumer(event), event)
        self._mark(event, consumer_lane(event), bar=bar)
        if bar is not None and bar.kind == "work":
            self._close(event, bar, "applied")

    def _trouble(self, event: Event) -> None:
        lane = f"p:{event.p}" if event.p else queue_lane(event) if event.q else ""
        self._mark(event, consumer_lane(event) if event.c else lane)

    def _blocked(self, event: Event) -> None:
        lane = self._senders.get(event.conn)
        open_ = self._stopped.pop(event.conn, None)
        if open_ is not None:
            open_.stop, open_.n1 = event.t, event.n
        if lane is not None and event.type == "blocked":
            span = Span(kind="blocked", lane=lane, start=event.t, n0=event.n, why="blocked")
            self._stopped[event.conn] = span
            self.spans.append(span)


def _of(consumer: Consumer, event: Event) -> Bar | None:
    """Return the bar of an event's message, of those that a consumer holds."""
    return next((bar for bar in consumer.holding if bar.m == event.m), None)


def _is_on(consumer: Consumer, closed: Event) -> bool:
    """Return whether a consumer was on the channel, or the connection, that closed."""
    if not closed.conn or consumer.conn != closed.conn:
        return False
    return closed.type != "channel_closed" or consumer.ch == closed.ch


_HANDLERS: dict[str, Callable[[Shapes, Event], None]] = {
    "published": Shapes._published,
    "enqueued": Shapes._enqueued,
    "delivered": Shapes._delivered,
    "acked": Shapes._acked,
    "nacked": Shapes._nacked,
    "rejected": Shapes._nacked,
    "requeued": Shapes._requeued,
    **dict.fromkeys(("expired", "dropped", "dead_lettered", "discarded", "purged"), Shapes._left),
    **dict.fromkeys(("consumer_registered", "recovered"), Shapes._up),
    "consumer_cancelled": Shapes._cancelled,
    **dict.fromkeys(("channel_closed", "connection_closed", "connection_lost"), Shapes._closed),
    "crashed": Shapes._crashed,
    "started": Shapes._started,
    **dict.fromkeys(("applied", "skipped_duplicate", "ack_lost", "consumer_active"), Shapes._told),
    "released": Shapes._released,
    **dict.fromkeys(
        (
            *("unroutable", "refused", "publish_nacked", "bad_ack", "late_ack_ignored"),
            "fault",
            "gap",
        ),
        Shapes._trouble,
    ),
    **dict.fromkeys(("blocked", "unblocked"), Shapes._blocked),
}

"""What a diagram is made of, as it comes: opened, closed, marked."""

from dataclasses import dataclass, field

from amqplite.broker.trace import Event
from amqplite.lab.diagram.boxes import Arrow, Bar, Mark, Span
from amqplite.lab.diagram.lanes import consumer_lane, queue_lane


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
    """Bars, arrows, marks and spans so far, in their order, and what is known of who is in them.

    Attributes:
        end: when the last event was, in µs.
        producers: the lane of who published each message.
        senders: the lane of who publishes on a connection.
        stopped: spans in which a connection is blocked.
        dead_letters: the lane of the exchange that a message went to.
        after: the lane of who comes after the consumers; empty is nobody.
    """

    def __init__(self) -> None:
        self.bars: list[Bar] = []
        self.arrows: list[Arrow] = []
        self.marks: list[Mark] = []
        self.spans: list[Span] = []
        self.end = 0
        self.places: dict[tuple[str, int], Place] = {}
        self.consumers: dict[str, Consumer] = {}
        self.producers: dict[int, str] = {}
        self.senders: dict[str, str] = {}
        self.stopped: dict[str, Span] = {}
        self.dead_letters: dict[int, str] = {}
        self.after = ""

    def place_of(self, event: Event) -> Place:
        """Return where an event's message is in its queue."""
        return self.places.setdefault((queue_lane(event), event.s), Place())

    def consumer_of(self, event: Event, lane: str = "") -> Consumer:
        """Return an event's consumer, or that of a lane."""
        consumer = self.consumers.setdefault(lane or consumer_lane(event), Consumer())
        if event.conn:
            consumer.conn, consumer.ch = event.conn, event.ch
        return consumer

    def mark(self, event: Event, lane: str, kind: str = "", bar: Bar | None = None) -> None:
        """Note that something happened on a lane; it is called as its event is, or as `kind`."""
        mark = Mark(kind=kind or event.type, lane=lane, t=event.t, n=event.n, m=event.m)
        mark.id, mark.c, mark.cause, mark.sub = event.id, event.c, event.cause, event.sub
        mark.text, mark.by, mark.requeue, mark.bar = event.text, event.by, event.requeue, bar
        if event.type == "gap":
            mark.count = event.lost_to - event.lost_from + 1
        self.marks.append(mark)

    def arrow(self, event: Event, kind: str, source: str, target: str) -> Arrow:
        """Note that an event's message went from one lane to another."""
        arrow = Arrow(kind=kind, source=source, target=target, t=event.t, n=event.n, m=event.m)
        arrow.id, arrow.s, arrow.cause, arrow.sub = event.id, event.s, event.cause, event.sub
        self.arrows.append(arrow)
        return arrow

    def open(self, event: Event, kind: str, lane: str, attempt: int) -> Bar:
        """Begin a bar."""
        bar = Bar(
            kind=kind, lane=lane, queue=queue_lane(event), m=event.m, start=event.t, n0=event.n
        )
        bar.id, bar.s, bar.attempt, bar.shown = event.id, event.s, attempt, event.t
        bar.cause, bar.sub, bar.auto = event.cause, event.sub, event.auto
        self.bars.append(bar)
        return bar

    def close(self, event: Event, bar: Bar, end: str) -> None:
        """End a bar; its consumer holds it no more."""
        bar.stop, bar.n1, bar.end = event.t, event.n, end
        consumer = self.consumers.get(bar.lane)
        if consumer is not None and bar in consumer.holding:
            consumer.holding.remove(bar)

    def wait(self, event: Event, place: Place, kind: str) -> None:
        """Let a message wait in its queue."""
        place.wait = self.open(event, kind, queue_lane(event), place.attempts)

    def waited(self, event: Event, place: Place, end: str) -> None:
        """End a message's wait, if it waits."""
        if place.wait is not None:
            self.close(event, place.wait, end)
            place.wait = None

    def next_work(self, consumer: Consumer, t: int) -> None:
        """Let a consumer that was through with a message begin with what it holds longest."""
        consumer.settled = t
        if not consumer.tells and consumer.holding and consumer.holding[0].work is None:
            consumer.holding[0].work = t

    def take_down(self, event: Event, lane: str, consumer: Consumer, why: str) -> bool:
        """Note that a consumer is away; return whether it was there until now."""
        if consumer.down is not None:
            if why == "crashed" and consumer.down.start == event.t:
                consumer.down.why, consumer.down.kind = why, "down"
            return False
        kind = "down" if why in ("crashed", "lost") else "left"
        consumer.down = Span(kind=kind, lane=lane, start=event.t, n0=event.n, why=why)
        self.spans.append(consumer.down)
        return True

    def be_quiet(self, event: Event, lane: str, consumer: Consumer) -> None:
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

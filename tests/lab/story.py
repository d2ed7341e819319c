"""Traces told by hand: what happens, one line each."""

from itertools import count

from amqplite.broker.trace import Event

TICK = 400_000
"""Microseconds of a tick."""


class Story:
    """Events of one queue, in ticks; who publishes and consumes is named by what is called.

    Attributes:
        events: so far.
    """

    def __init__(self, queue: str = "q") -> None:
        self.queue = queue
        self.events: list[Event] = []
        self._numbers = count(1)
        self._ids: dict[str, int] = {}
        self._places: dict[tuple[str, str], int] = {}
        self._attempts: dict[tuple[str, str], int] = {}

    def add(self, tick: float, type_: str, **told: object) -> None:
        told.setdefault("q", self.queue)
        event = Event(n=next(self._numbers), t=round(tick * TICK), type=type_, **told)  # type: ignore[arg-type]
        self.events.append(event)

    def _message(self, m: str, queue: str) -> dict[str, object]:
        place = self._places[queue, m]
        return {"m": m, "id": self._ids[m], "q": queue, "s": place}

    def consumer(self, tick: float, c: str, prefetch: int = 1) -> None:
        self.add(tick, "consumer_registered", c=c, conn=c, ch=1, prefetch=prefetch)

    def publish(self, tick: float, m: str, *queues: str, p: str = "p1", key: str = "") -> None:
        id_ = self._ids.setdefault(m, len(self._ids) + 1)
        self.add(tick, "published", q="", m=m, id=id_, p=p, conn=p, ch=1, key=key)
        for queue in queues or (self.queue,):
            self.enqueue(tick, m, queue)

    def enqueue(self, tick: float, m: str, queue: str = "", cause: str = "") -> None:
        queue = queue or self.queue
        self._places[queue, m] = 1 + sum(1 for name, _ in self._places if name == queue)
        self.add(tick, "enqueued", **self._message(m, queue), cause=cause)

    def deliver(self, tick: float, m: str, c: str, queue: str = "") -> None:
        queue = queue or self.queue
        attempt = self._attempts.get((queue, m), 0) + 1
        self._attempts[queue, m] = attempt
        told = {"attempt": attempt, "redelivered": attempt > 1, "conn": c, "ch": 1}
        self.add(tick, "delivered", **self._message(m, queue), c=c, **told)

    def tell(
        self, tick: float, type_: str, m: str, c: str = "", queue: str = "", **more: object
    ) -> None:
        told = self._message(m, queue or self.queue) | {"c": c} | more
        self.add(tick, type_, **told)

    def ack(self, tick: float, m: str, c: str, queue: str = "") -> None:
        self.tell(tick, "acked", m, c, queue)

    def requeue(
        self, tick: float, m: str, c: str, cause: str, sub: str = "", **more: object
    ) -> None:
        self.tell(tick, "requeued", m, c, cause=cause, sub=sub, **more)

    def lose(self, tick: float, c: str, sub: str = "eof") -> None:
        self.add(tick, "connection_lost", q="", conn=c, cause="connection_lost", sub=sub)


def figure_11_2() -> Story:
    """Two consumers share a queue; c2 dies while it works on m3, c1 on m4."""
    story = Story()
    story.consumer(0, "c2")
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c2")
    story.publish(1, "m2")
    story.deliver(1, "m2", "c1")
    story.ack(1.8, "m1", "c2")
    story.publish(2, "m3")
    story.deliver(2, "m3", "c2")
    story.ack(2.8, "m2", "c1")
    story.publish(3, "m4")
    story.deliver(3, "m4", "c1")
    story.lose(3.4, "c2")
    story.requeue(3.4, "m3", "c2", "connection_lost", "eof")
    story.publish(4, "m5")
    story.ack(4.8, "m4", "c1")
    story.deliver(4.8, "m3", "c1")
    story.ack(6.6, "m3", "c1")
    story.deliver(6.6, "m5", "c1")
    story.ack(8.4, "m5", "c1")
    return story


LATE = round(1.8 * TICK)
"""By how much m3 is late there, in µs."""

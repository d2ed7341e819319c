"""Bars, marks and arrows, one by one."""

from amqplite.broker.trace import Event
from amqplite.lab.diagram.shapes import Shapes


def event(n: int, t: int, type_: str = "delivered", **more: object) -> Event:
    told = {"q": "q", "m": "m1", "id": 1, "s": 1, "c": "c1"} | more
    return Event(n=n, t=t, type=type_, **told)  # type: ignore[arg-type]


def test_a_bar_is_opened_and_closed_and_held_no_more() -> None:
    shapes = Shapes()
    bar = shapes.open(event(1, 5, cause="x"), "held", "c:c1", 2)
    shapes.consumer_of(event(1, 5)).holding.append(bar)
    shapes.close(event(2, 9), bar, "acked")
    assert (bar.start, bar.stop, bar.n0, bar.n1, bar.end) == (5, 9, 1, 2, "acked")
    assert (bar.attempt, bar.cause, bar.queue) == (2, "x", "q:q")
    assert shapes.consumer_of(event(3, 9)).holding == []


def test_a_message_waits_once() -> None:
    shapes = Shapes()
    place = shapes.place_of(event(1, 0))
    shapes.wait(event(1, 0), place, "waiting")
    shapes.waited(event(2, 4), place, "delivered")
    shapes.waited(event(3, 5), place, "expired")
    (bar,) = shapes.bars
    assert (bar.kind, bar.stop, bar.end) == ("waiting", 4, "delivered")
    assert shapes.place_of(event(9, 9)) is place


def test_a_mark_is_called_as_its_event_and_counts_what_is_missing() -> None:
    shapes = Shapes()
    shapes.mark(event(1, 0, "applied"), "c:c1")
    shapes.mark(event(2, 0, "crashed"), "c:c1", "crash")
    shapes.mark(event(3, 0, "gap", lost_from=4, lost_to=6), "")
    assert [(mark.kind, mark.count) for mark in shapes.marks] == [
        *(("applied", 0), ("crash", 0), ("gap", 3)),
    ]


def test_an_arrow_has_what_its_event_says() -> None:
    arrow = Shapes().arrow(event(1, 7, cause="ttl", sub="x"), "requeue", "c:c1", "q:q")
    assert (arrow.t, arrow.m, arrow.s, arrow.cause, arrow.sub) == (7, "m1", 1, "ttl", "x")


def test_who_is_away_goes_once_and_a_crash_explains_it() -> None:
    shapes = Shapes()
    consumer = shapes.consumer_of(event(1, 0))
    assert shapes.take_down(event(2, 5), "c:c1", consumer, "closed")
    assert not shapes.take_down(event(3, 5), "c:c1", consumer, "crashed")
    assert not shapes.take_down(event(4, 6), "c:c1", consumer, "lost")
    assert [(span.kind, span.why) for span in shapes.spans] == [("down", "crashed")]


def test_silence_is_noted_once() -> None:
    shapes = Shapes()
    consumer = shapes.consumer_of(event(1, 0))
    lost = event(2, 9, sub="heartbeat_timeout", idle=4)
    shapes.be_quiet(lost, "c:c1", consumer)
    shapes.be_quiet(lost, "c:c1", consumer)
    shapes.be_quiet(event(3, 20, sub="eof", idle=4), "c:c1", consumer)
    assert [(span.kind, span.start, span.stop) for span in shapes.spans] == [("quiet", 5, 9)]


def test_the_next_work_is_what_is_held_longest_unless_somebody_tells() -> None:
    shapes = Shapes()
    consumer = shapes.consumer_of(event(1, 0))
    bars = [shapes.open(event(n, 0), "held", "c:c1", 1) for n in (1, 2)]
    consumer.holding = list(bars)
    shapes.next_work(consumer, 3)
    shapes.next_work(consumer, 4)
    assert [bar.work for bar in bars] == [3, None]
    consumer.tells, consumer.holding = True, bars[1:]
    shapes.next_work(consumer, 5)
    assert bars[1].work is None

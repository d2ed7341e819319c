from amqplite.broker.redelivery import Cause
from amqplite.lab.rerun.inputs import Anchor, Inputs
from tests.lab.rerun.recorded import inputs_of, measured
from tests.lab.story import TICK, Story


def consumers(inputs: Inputs) -> list[list[str]]:
    return [[taker.c for taker in line.takers] for line in inputs.lines]


def lose(story: Story, tick: float, conn: str, *cs: str, type_: str = "connection_lost") -> None:
    closed = type_ == "connection_closed"
    cause = "connection_closed" if closed else "connection_lost"
    story.add(tick, type_, q="", conn=conn, cause=cause, sub="" if closed else "eof")
    for c in cs:
        story.add(tick, "consumer_cancelled", c=c, conn=conn, ch=1)


def register(story: Story, tick: float, c: str, conn: str, ch: int = 1, queue: str = "q") -> None:
    story.add(
        tick, "consumer_registered", q=queue, c=c, conn=conn, ch=ch, prefetch=1, text=f"tag-{c}"
    )


def test_a_consumer_has_a_channel_of_a_connection() -> None:
    (c2, c1) = inputs_of("fig-11-2", prefetch=3).lines
    (taker,) = c2.takers
    assert (taker.c, taker.tag, taker.queue, taker.prefetch) == ("c2", "c2", ("/", "q"), 3)
    assert (c2.conn, c2.desks[0].ch, c2.at, c1.end) == ("c2", 1, 0, None)


def test_channels_of_one_connection_stay_together() -> None:
    story = Story()
    story.publish(0, "m1")
    register(story, 0, "c1", "127.0.0.1:5000 -> 127.0.0.1:5672")
    register(story, 0, "c2", "127.0.0.1:5000 -> 127.0.0.1:5672")
    register(story, 0, "c3", "127.0.0.1:5000 -> 127.0.0.1:5672", ch=2)
    inputs = measured(story)
    assert consumers(inputs) == [["c1", "c2", "c3"]]
    assert [desk.ch for desk in inputs.lines[0].desks] == [1, 2]


def test_connections_of_one_name_are_told_apart_by_their_consumers() -> None:
    story = Story()
    story.publish(0, "m1")
    register(story, 0, "c1", "worker")
    register(story, 0, "c2", "worker")
    lose(story, 1, "worker", "c2")
    story.publish(2, "m2")
    inputs = measured(story)
    assert consumers(inputs) == [["c1"], ["c2"]]
    assert [line.end is None for line in inputs.lines] == [True, False]


def test_a_connection_that_is_opened_is_another() -> None:
    story = Story()
    story.publish(0, "m1")
    register(story, 0, "c1", "worker")
    story.add(1, "connection_opened", q="", conn="worker")
    register(story, 1, "c1#2", "worker", queue="r")
    assert consumers(measured(story, "r")) == [["c1"], ["c1#2"]]


def test_who_comes_back_follows_who_was_lost() -> None:
    first, second = inputs_of("lost-ack").lines
    assert (first.follows, second.follows) == (None, 0)
    assert second.takers[0].recovered
    story = Story()
    story.publish(0, "m1")
    register(story, 0, "c1", "a -> b")
    lose(story, 1, "a -> b", "c1")
    register(story, 2, "c1", "c -> d")
    lose(story, 3, "c -> d", "c1", type_="connection_closed")
    register(story, 4, "c1", "e -> f")
    story.publish(5, "m2")
    assert [line.follows for line in measured(story).lines] == [None, 0, None]


def test_a_fault_is_anchored_to_the_work_that_it_cut_short() -> None:
    end = inputs_of("fig-11-2").lines[0].end
    assert end is not None
    assert (end.cause, end.fault, end.held) == (Cause.CONNECTION_RESET, True, 1)
    assert end.anchor == Anchor(place=("/", "q", 3), after=round(1.4 * TICK))
    assert [mark.type for mark in end.marks] == ["crashed"]


def test_a_silent_one_died_when_it_was_heard_of_last() -> None:
    end = inputs_of("silent-death").lines[0].end
    assert end is not None
    assert (end.died / TICK, end.at / TICK, end.detection / TICK) == (3.4, 9.4, 6)


def test_a_goodbye_is_no_fault() -> None:
    end = inputs_of("sac-cancel", "close").lines[0].end
    assert end is not None
    assert (end.cause, end.fault, end.anchor, end.held) == (Cause.CONNECTION_CLOSED, False, None, 3)


def test_a_consumer_may_be_cancelled_and_its_channel_closed() -> None:
    (taker,) = inputs_of("sac-cancel").lines[0].takers
    assert taker.cancelled is not None
    assert taker.cancelled[0] / TICK == 1
    story = Story()
    story.publish(0, "m1")
    register(story, 0, "c1", "a -> b")
    story.add(1, "channel_closed", q="", conn="a -> b", ch=1, cause="channel_closed")
    story.add(1, "consumer_cancelled", c="c1", conn="a -> b", ch=1)
    register(story, 2, "c1", "a -> b")
    story.publish(3, "m2")
    (line,) = measured(story).lines
    first, second = line.desks
    assert first.end is not None
    assert (first.end.cause, first.end.fault) == (Cause.CHANNEL_CLOSED, False)
    assert (first.takers[0].cancelled, second.end, second.at / TICK) == (None, None, 2)


def test_a_consumer_that_was_there_before_has_the_prefetch_that_it_used() -> None:
    story = Story()
    for m in ("m1", "m2", "m3"):
        story.publish(1, m)
    for m in ("m1", "m2"):
        story.deliver(2, m, "c1")
    story.ack(3, "m1", "c1")
    story.deliver(3, "m3", "c1")
    inputs = measured(story)
    (taker,) = inputs.lines[0].takers
    assert (taker.prefetch, taker.at / TICK, inputs.guessed) == (2, 1, {"c1"})


def test_who_asks_for_messages_has_a_channel_too() -> None:
    story = Story()
    story.publish(0, "m1")
    told = {"m": "m1", "id": 1, "s": 1, "conn": "g -> b", "ch": 3, "tag": 1, "attempt": 1}
    story.add(2, "delivered", get=True, **told)
    (line,) = measured(story).lines
    (desk,) = line.desks
    assert (desk.ch, desk.serial, [get.at / TICK for get in desk.gets]) == (3, False, [2])

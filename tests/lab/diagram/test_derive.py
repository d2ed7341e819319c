"""Bars, arrows, marks and spans of short stories."""

from amqplite.lab.diagram.boxes import Bar
from amqplite.lab.diagram.derive import Derived
from tests.lab.story import TICK, Story, figure_11_2


def shapes(story: Story) -> Derived:
    found = Derived()
    found.add(story.events)
    return found


def told(bar: Bar) -> tuple[object, ...]:
    stop = None if bar.stop is None else bar.stop / TICK
    return bar.kind, bar.lane, bar.m, bar.start / TICK, stop, bar.end


def held(story: Story) -> list[Bar]:
    return [bar for bar in shapes(story).bars if bar.lane.startswith("c:")]


def one_delivered(*consumers: str) -> Story:
    story = Story()
    for name in consumers or ("c1",):
        story.consumer(0, name)
    story.publish(0, "m1")
    story.deliver(1, "m1", consumers[0] if consumers else "c1")
    return story


def test_the_bars_of_the_figure() -> None:
    found = [told(bar) for bar in shapes(figure_11_2()).bars if bar.stop != bar.start]
    assert found == [
        ("held", "c:c2", "m1", 0, 1.8, "acked"),
        ("held", "c:c1", "m2", 1, 2.8, "acked"),
        ("failed", "c:c2", "m3", 2, 3.4, "requeued"),
        ("held", "c:c1", "m4", 3, 4.8, "acked"),
        ("requeued", "q:q", "m3", 3.4, 4.8, "delivered"),
        ("waiting", "q:q", "m5", 4, 6.6, "delivered"),
        ("redelivered", "c:c1", "m3", 4.8, 6.6, "acked"),
        ("held", "c:c1", "m5", 6.6, 8.4, "acked"),
    ]


def test_the_arrows_of_the_figure() -> None:
    arrows = shapes(figure_11_2()).arrows
    assert [(a.kind, a.source, a.target) for a in arrows if a.m == "m3"] == [
        ("publish", "p:p1", "q:q"),
        ("deliver", "q:q", "c:c2"),
        ("requeue", "c:c2", "q:q"),
        ("redeliver", "q:q", "c:c1"),
    ]
    assert [a.m for a in arrows if a.waited] == ["m3", "m5"]
    (back,) = [a for a in arrows if a.kind == "requeue"]
    assert (back.cause, back.sub, back.t) == ("connection_lost", "eof", 1_360_000)


def test_the_crash_of_the_figure() -> None:
    found = shapes(figure_11_2())
    (crash,) = [mark for mark in found.marks if mark.kind == "crash"]
    assert (crash.lane, crash.t / TICK) == ("c:c2", 3.4)
    (down,) = found.spans
    assert (down.kind, down.why, down.lane, down.start / TICK, down.stop) == (
        *("down", "lost", "c:c2"),
        *(3.4, None),
    )


def test_work_begins_when_what_came_before_is_done() -> None:
    story = one_delivered()
    story.publish(1, "m2")
    story.deliver(1, "m2", "c1")
    story.publish(1, "m3")
    story.deliver(1, "m3", "c1")
    story.ack(3, "m1", "c1")
    story.ack(4, "m2", "c1")
    assert [bar.work for bar in held(story)] == [1 * TICK, 3 * TICK, 4 * TICK]


def test_work_begins_when_the_consumer_says_so() -> None:
    story = one_delivered()
    story.tell(1.5, "started", "m1", "c1")
    story.publish(2, "m2")
    story.deliver(2, "m2", "c1")
    story.ack(3, "m1", "c1")
    assert [bar.work for bar in held(story)] == [1.5 * TICK, None]


def test_an_ack_out_of_turn_makes_work_begin_at_the_one_before() -> None:
    story = one_delivered()
    story.publish(1, "m2")
    story.deliver(1, "m2", "c1")
    story.ack(3, "m2", "c1")
    assert [bar.work for bar in held(story)] == [1 * TICK, 1 * TICK]


def test_auto_ack_is_a_bar_that_takes_no_time() -> None:
    story = one_delivered()
    story.tell(1, "acked", "m1", "c1", auto=True)
    (bar,) = held(story)
    assert (bar.auto, bar.start, bar.stop, bar.end) == (True, TICK, TICK, "acked")


def test_a_nack_is_marked_and_the_attempt_failed() -> None:
    story = one_delivered()
    story.tell(2, "nacked", "m1", "c1", requeue=True)
    story.requeue(2, "m1", "c1", "nack_requeue")
    found = shapes(story)
    (mark,) = [mark for mark in found.marks if mark.kind == "nacked"]
    assert (mark.lane, mark.requeue, mark.bar) == ("c:c1", True, held(story) and found.bars[1])
    assert [told(bar)[0] for bar in found.bars] == ["waiting", "failed", "requeued"]


def test_what_is_fetched_is_held_on_a_lane_of_its_own() -> None:
    story = Story()
    story.publish(0, "m1")
    story.deliver(1, "m1", "")
    assert held(story)[0].lane == "c:basic.get"


def test_what_waits_and_goes_is_marked_on_the_queue() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(3, "expired", "m1", cause="ttl")
    found = shapes(story)
    assert told(found.bars[0]) == ("waiting", "q:q", "m1", 0, 3, "expired")
    assert [(m.kind, m.lane, m.cause) for m in found.marks[1:]] == [("expired", "q:q", "ttl")]


def test_a_dead_letter_goes_to_an_exchange_and_may_come_back() -> None:
    story = one_delivered()
    story.tell(2, "rejected", "m1", "c1")
    story.tell(2, "dead_lettered", "m1", "c1", cause="rejected", exchange="retry")
    story.enqueue(5, "m1", cause="dlx_return")
    found = shapes(story)
    assert [(a.kind, a.source, a.target) for a in found.arrows[2:]] == [
        ("dead_letter", "c:c1", "x:retry"),
        ("return", "x:retry", "q:q"),
    ]
    assert (held(story)[0].kind, held(story)[0].end) == ("failed", "dead_lettered")


def test_nobody_knows_of_a_crash_until_the_connection_is_lost() -> None:
    story = one_delivered()
    story.add(2, "crashed", q="", c="c1")
    story.lose(8, "c1", "heartbeat_timeout")
    story.requeue(8, "m1", "c1", "connection_lost", "heartbeat_timeout", idle=7 * TICK)
    found = shapes(story)
    assert [(s.kind, s.start / TICK, s.stop) for s in found.spans] == [
        ("down", 2, None),
        ("quiet", 2, 8 * TICK),
    ]
    assert [mark.t / TICK for mark in found.marks if mark.kind == "crash"] == [2]


def test_silence_counts_from_the_last_octet_where_nobody_tells_of_a_crash() -> None:
    story = one_delivered()
    story.lose(8, "c1", "heartbeat_timeout")
    story.requeue(8, "m1", "c1", "connection_lost", "heartbeat_timeout", idle=6 * TICK)
    quiet = shapes(story).spans[-1]
    assert (quiet.kind, quiet.start / TICK, quiet.stop) == ("quiet", 2, 8 * TICK)


def test_a_lost_connection_is_noticed_at_once() -> None:
    story = one_delivered()
    story.tell(2, "crashed", "m1", "c1")
    story.add(2, "connection_lost", q="", conn="c1", sub="peer_reset", idle=2 * TICK)
    story.requeue(2, "m1", "c1", "connection_lost", "peer_reset", idle=2 * TICK)
    assert [(span.kind, span.why) for span in shapes(story).spans] == [("down", "crashed")]


def test_what_was_acked_by_being_delivered_is_worked_on_all_the_same() -> None:
    story = one_delivered()
    story.tell(1, "acked", "m1", "c1", auto=True)
    story.tell(1, "started", "m1", "c1")
    story.publish(2, "m2")
    story.deliver(2, "m2", "c1")
    story.tell(2, "acked", "m2", "c1", auto=True)
    story.tell(3, "applied", "m1", "c1")
    story.tell(3, "started", "m2", "c1")
    story.tell(4, "crashed", "m2", "c1")
    work = [told(bar) for bar in held(story) if bar.kind == "work"]
    assert work == [
        ("work", "c:c1", "m1", 1, 3, "applied"),
        ("work", "c:c1", "m2", 3, 4, "crashed"),
    ]


def test_only_what_comes_straight_from_its_publisher_is_fresh() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.requeue(1, "m1", "c1", "nack_requeue")
    story.deliver(1, "m1", "c1")
    story.publish(2, "m2")
    story.deliver(3, "m2", "c1")
    arrows = [a for a in shapes(story).arrows if a.kind in ("deliver", "redeliver")]
    assert [(a.m, a.fresh, a.waited) for a in arrows] == [
        ("m1", True, False),
        ("m1", False, False),
        ("m2", False, True),
    ]


def test_a_consumer_is_back_when_it_registers_again() -> None:
    story = one_delivered()
    story.lose(2, "c1")
    story.consumer(5, "c1")
    (down,) = shapes(story).spans
    assert (down.start / TICK, down.stop) == (2, 5 * TICK)


def test_a_channel_takes_down_its_own_consumers() -> None:
    story = one_delivered("c1", "c2")
    story.add(2, "channel_closed", q="", conn="c1", ch=2)
    story.add(3, "channel_closed", q="", conn="c2", ch=1, cause="ack_timeout")
    found = shapes(story)
    assert [(s.lane, s.why) for s in found.spans] == [("c:c2", "closed")]
    assert [(m.kind, m.lane) for m in found.marks[1:]] == [("crash", "c:c2")]


def test_a_blocked_publisher() -> None:
    story = Story()
    story.publish(0, "m1")
    story.add(1, "blocked", q="", conn="p1")
    story.add(4, "unblocked", q="", conn="p1")
    (span,) = shapes(story).spans
    assert (span.kind, span.lane, span.start / TICK, span.stop) == ("blocked", "p:p1", 1, 4 * TICK)


def test_marks_of_consumers_and_of_publishers() -> None:
    story = one_delivered()
    story.tell(2, "applied", "m1", "c1", by="worker")
    story.add(3, "refused", m="m9", p="p1", cause="maxlen")
    story.add(4, "fault", q="", text="crash c2")
    story.add(5, "gap", q="", lost_from=11, lost_to=20)
    found = shapes(story).marks[1:]
    assert [(mark.kind, mark.lane, mark.count) for mark in found] == [
        ("applied", "c:c1", 0),
        ("refused", "p:p1", 0),
        ("fault", "", 0),
        ("gap", "", 10),
    ]
    assert found[0].bar is not None
    assert (found[0].by, found[2].text) == ("worker", "crash c2")


def test_what_is_told_of_a_message_that_was_never_seen_is_passed_over() -> None:
    story = Story()
    story.add(0, "acked", m="m1", s=1, c="c1")
    story.add(0, "requeued", m="m2", s=2, c="c1")
    story.add(0, "unheard_of")
    found = shapes(story)
    assert [told(bar) for bar in found.bars] == [("requeued", "q:q", "m2", 0, None, "")]


def test_who_comes_after_consumers_holds_back_what_is_not_its_turn() -> None:
    story = Story()
    for m in ("m1", "m2", "m3"):
        story.publish(0, m)
        story.deliver(0, m, "c1")
    story.tell(1, "released", "m1", by="sorter", c="c1")
    story.ack(1, "m1", "c1")
    story.ack(2, "m3", "c1")
    story.tell(3, "released", "m2", by="sorter")
    story.tell(3, "released", "m3", by="sorter")
    story.ack(3, "m2", "c1")
    found = shapes(story)
    kept = [told(bar) for bar in found.bars if bar.kind == "buffered"]
    assert kept == [
        ("buffered", "r:sorter", "m1", 1, 1, "delivered"),
        ("buffered", "r:sorter", "m3", 2, 3, "delivered"),
        ("buffered", "r:sorter", "m2", 3, 3, "delivered"),
    ]
    arrows = [(a.source, a.target, a.m) for a in found.arrows if a.kind == "release"]
    assert arrows == [("c:c1", "r:sorter", m) for m in ("m1", "m3", "m2")]
    assert [m.lane for m in found.marks if m.kind == "released"] == ["r:sorter"] * 3


def test_who_leaves_of_its_own_will_is_not_down() -> None:
    story = one_delivered("c1", "c2")
    story.add(1, "consumer_cancelled", c="c1")
    story.add(2, "connection_closed", q="", conn="c2")
    assert [(s.kind, s.why) for s in shapes(story).spans] == [
        ("left", "cancelled"),
        ("left", "closed"),
    ]

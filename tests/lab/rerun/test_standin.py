"""Connections of a re-run: they come when they came, and end as they ended."""

from amqplite.broker.trace import Event
from amqplite.lab.rerun.policy import Policy
from tests.lab.rerun.recorded import again, recorded, ticks, told, trace_of
from tests.lab.story import Story


def lines(events: list[Event], *types: str) -> list[str]:
    return [line for line in told(events) if line.split()[1] in types]


def held(story: Story, tick: float, *messages: str) -> None:
    for m in messages:
        story.publish(tick, m)
        story.deliver(tick, m, "c1")


def ended(event: Event) -> tuple[float, str, str, int]:
    return (ticks(event.t), event.cause, event.sub, event.held)


def test_a_connection_is_lost_of_what_it_was() -> None:
    for sub in ("eof", "peer_reset", "protocol_error", "lab_fault", "heartbeat_timeout"):
        story = Story()
        story.consumer(0, "c1")
        held(story, 0, "m1")
        told_ = {"cause": "connection_lost", "sub": sub, "idle": 400_000}
        story.add(2, "connection_lost", q="", conn="c1", **told_)
        story.add(2, "consumer_cancelled", c="c1", conn="c1", ch=1)
        story.requeue(2, "m1", "c1", "connection_lost", sub)
        run = again(trace_of(story))
        (lost,) = [event for event in run.trace.events if event.type == "connection_lost"]
        assert ended(lost) == (2, "connection_lost", sub, 1)


def test_a_channel_may_be_lost_alone_and_opened_again() -> None:
    story = Story()
    story.consumer(0, "c1")
    held(story, 0, "m1")
    story.add(1, "bad_ack", q="", conn="c1", ch=1, tag=9)
    closed = {"cause": "channel_closed", "sub": "protocol_error"}
    story.add(1, "channel_closed", q="", conn="c1", ch=1, **closed)
    story.add(1, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.requeue(1, "m1", "c1", "channel_closed", "protocol_error")
    story.consumer(3, "c1")
    story.deliver(3, "m1", "c1")
    story.ack(4, "m1", "c1")
    run = again(trace_of(story))
    (closing,) = [event for event in run.trace.events if event.type == "channel_closed"]
    assert ended(closing) == (1, "channel_closed", "protocol_error", 1)
    assert lines(run.trace.events, "delivered", "requeued", "acked") == [
        *("0 delivered m1 c1", "1 requeued m1 c1", "3 delivered m1 c1", "4 acked m1 c1"),
    ]


def test_a_client_may_close_its_channel() -> None:
    story = Story()
    story.consumer(0, "c1", 2)
    held(story, 0, "m1", "m2")
    story.add(1, "channel_closed", q="", conn="c1", ch=1, cause="channel_closed")
    story.add(1, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.requeue(1, "m1", "c1", "channel_closed")
    story.requeue(1, "m2", "c1", "channel_closed")
    run = again(trace_of(story))
    assert lines(run.trace.events, "channel_closed", "requeued", "consumer_cancelled") == [
        *("1 channel_closed", "1 consumer_cancelled c1", "1 requeued m1 c1", "1 requeued m2 c1"),
    ]


def test_a_goodbye_with_something_in_hand_gives_it_back_at_once() -> None:
    run = again(recorded("sac-cancel", "close"), Policy(prefetch=1))
    closed = [event for event in run.trace.events if event.type == "connection_closed"]
    assert [ended(event) for event in closed] == [(1, "connection_closed", "", 1)]


def test_a_goodbye_with_nothing_in_hand_waits_for_what_is_in_hand_now() -> None:
    story = Story()
    story.consumer(0, "c1")
    held(story, 0, "m1")
    story.publish(1, "m2")
    story.ack(2, "m1", "c1")
    story.add(2.5, "connection_closed", q="", conn="c1", cause="connection_closed")
    story.add(2.5, "consumer_cancelled", c="c1", conn="c1", ch=1)
    run = again(trace_of(story), Policy(prefetch=2))
    assert lines(run.trace.events, "consumer_cancelled", "acked", "connection_closed") == [
        *("2 acked m1 c1", "2.5 consumer_cancelled c1", "4 acked m2 c1", "4 connection_closed"),
    ]


def test_a_cancelled_consumer_finishes_what_it_holds() -> None:
    run = again(recorded("sac-cancel"), Policy(prefetch=2))
    assert lines(run.trace.events, "consumer_cancelled") == ["1 consumer_cancelled c2"]
    assert [line for line in lines(run.trace.events, "acked") if line.endswith("c2")] == [
        *("1.9 acked m1 c2", "3.7 acked m2 c2"),
    ]


def test_who_is_back_after_a_fault_is_so_as_much_later() -> None:
    trace = recorded("fix-queue-per-consumer")  # where c2 is back 3 ticks after it died
    run = again(trace, Policy(ack_timeout=0))
    assert "6.4 recovered c2" in lines(run.trace.events, "recovered")
    mended = again(trace, Policy(no_faults=True))
    assert lines(mended.trace.events, "recovered", "connection_lost") == []


def test_what_was_told_of_an_end_is_told_again() -> None:
    run = again(recorded("lost-ack"))
    assert lines(run.trace.events, "ack_lost", "crashed") == ["3 ack_lost m3 c1", "3 crashed m3 c1"]
    story = Story()
    story.consumer(0, "c1")
    held(story, 0, "m1")
    story.add(1, "fault", c="c1", text="crash", by="admin")
    story.lose(1, "c1", "lab_fault")
    story.add(1, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.requeue(1, "m1", "c1", "connection_lost", "lab_fault")
    for policy in (Policy(), Policy(queue_per_consumer=True)):
        events = again(trace_of(story), policy).trace.events
        (fault,) = [event for event in events if event.type == "fault"]
        assert (fault.c, fault.text, fault.by) == ("c1", "crash", "admin")


def test_a_fault_without_work_strikes_when_it_did() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    story.lose(2, "c1")
    story.add(2, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.publish(3, "m2")
    run = again(trace_of(story))
    assert lines(run.trace.events, "connection_lost", "acked") == [
        "1 acked m1 c1",
        "2 connection_lost",
    ]


def test_messages_are_asked_for_when_they_were() -> None:
    story = Story()
    story.publish(0, "m1")
    told_ = {"m": "m1", "id": 1, "s": 1, "conn": "g -> b", "ch": 3, "tag": 1}
    story.add(2, "delivered", get=True, attempt=1, **told_)
    story.add(5, "acked", **told_)
    run = again(trace_of(story))
    assert lines(run.trace.events, "delivered", "acked") == ["2 delivered m1", "5 acked m1"]
    assert [(e.conn, e.ch, e.get) for e in run.trace.events if e.type == "delivered"] == [
        ("g -> b", 3, True)
    ]
    locked = again(trace_of(story), Policy(single_active=True))
    assert lines(locked.trace.events, "delivered") == []

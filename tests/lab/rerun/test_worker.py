"""Workers, seen from what comes of a re-run."""

from amqplite.broker.trace import Event
from amqplite.lab.rerun.policy import Policy
from tests.lab.rerun.recorded import again, recorded, ticks, told, trace_of
from tests.lab.story import Story


def story_of(prefetch: int, *messages: str) -> Story:
    story = Story()
    story.consumer(0, "c1", prefetch)
    for m in messages:
        story.publish(0, m)
    return story


def lines(events: list[Event], *types: str) -> list[str]:
    return [line for line in told(events) if line.split()[1] in types]


def test_one_thing_at_a_time_is_one_thing_at_a_time_at_any_prefetch() -> None:
    story = story_of(1, "m1", "m2", "m3")
    for tick, m in enumerate(("m1", "m2", "m3")):
        story.deliver(tick, m, "c1")
        story.ack(tick + 1, m, "c1")
    run = again(trace_of(story), Policy(prefetch=0))
    assert lines(run.trace.events, "delivered", "acked") == [
        *("0 delivered m1 c1", "0 delivered m2 c1", "0 delivered m3 c1"),
        *("1 acked m1 c1", "2 acked m2 c1", "3 acked m3 c1"),
    ]


def test_several_at_a_time_stay_several() -> None:
    story = story_of(2, "m1", "m2", "m3")
    story.deliver(0, "m1", "c1")
    story.deliver(0, "m2", "c1")
    story.ack(1, "m2", "c1")
    story.deliver(1, "m3", "c1")
    story.ack(2, "m3", "c1")
    story.ack(3, "m1", "c1")
    run = again(trace_of(story))
    assert lines(run.trace.events, "acked") == ["1 acked m2 c1", "2 acked m3 c1", "3 acked m1 c1"]
    alone = again(trace_of(story), Policy(prefetch=1))
    assert lines(alone.trace.events, "acked") == ["3 acked m1 c1", "4 acked m2 c1", "5 acked m3 c1"]


def test_messages_are_given_back_or_up_as_they_were() -> None:
    for ends in ("nacked", "rejected"):
        story = story_of(1, "m1", "m2")
        story.deliver(0, "m1", "c1")
        cause = "nack_requeue" if ends == "nacked" else "reject_requeue"
        story.tell(1, ends, "m1", "c1", requeue=True)
        story.requeue(1, "m1", "c1", cause)
        story.deliver(1, "m1", "c1")
        story.tell(2, "rejected", "m1", "c1")
        story.tell(2, "discarded", "m1", "c1", cause="rejected")
        story.deliver(2, "m2", "c1")
        story.ack(4, "m2", "c1")
        run = again(trace_of(story))
        assert lines(run.trace.events, ends, "discarded", "acked")[:3] == [
            f"1 {ends} m1 c1",
            *(["2 rejected m1 c1"] if ends == "rejected" else ["2 discarded m1 c1"]),
            "2 discarded m1 c1" if ends == "rejected" else "4 acked m2 c1",
        ]
        spared = again(trace_of(story), Policy(no_faults=True))
        assert lines(spared.trace.events, "acked") == ["1 acked m1 c1", "3 acked m2 c1"]


def test_a_recover_gives_back_all_there_is_in_hand() -> None:
    story = story_of(2, "m1", "m2")
    for tick in (0, 1):
        story.deliver(tick, "m1", "c1")
        story.deliver(tick, "m2", "c1")
        if not tick:
            story.requeue(1, "m1", "c1", "recover")
            story.requeue(1, "m2", "c1", "recover")
    story.ack(2, "m1", "c1")
    story.ack(3, "m2", "c1")
    run = again(trace_of(story))
    assert lines(run.trace.events, "requeued", "acked") == [
        *("1 requeued m1 c1", "1 requeued m2 c1", "2 acked m1 c1", "3 acked m2 c1"),
    ]


def test_a_message_that_was_taken_back_is_worked_on_and_acked_too_late() -> None:
    run = again(recorded("ack-timeout"))
    assert lines(run.trace.events, "late_ack_ignored") == ["8 late_ack_ignored m3 c2"]
    assert lines(run.trace.events, "applied")[-2:] == ["8 applied m3 c2", "8.4 applied m3 c1"]


def test_who_never_acked_never_does() -> None:
    story = story_of(1, "m1", "m2")
    story.deliver(0, "m1", "c1")
    story.requeue(3, "m1", "c1", "ack_timeout")
    story.publish(9, "m3")
    run = again(trace_of(story, consumer_timeout=1200))
    assert lines(run.trace.events, "requeued", "acked") == ["3 requeued m1 c1"]
    patient = again(trace_of(story, consumer_timeout=1200), Policy(ack_timeout=0))
    assert lines(patient.trace.events, "requeued", "acked") == []
    mended = again(trace_of(story), Policy(no_faults=True))
    assert lines(mended.trace.events, "acked")[0] == "3 acked m1 c1"


def test_deliveries_that_need_no_ack_are_worked_on_where_that_is_told() -> None:
    run = again(recorded("auto-ack-loss"), Policy(no_faults=True))
    assert lines(run.trace.events, "applied") == [
        f"{tick:g} applied m{number} c1" for number, tick in enumerate((1.8, 3.6, 5.4, 7.2, 9), 1)
    ]
    assert {ticks(event.t) for event in run.trace.events if event.type == "acked"} == {
        0,
        1,
        2,
        3,
        4,
    }

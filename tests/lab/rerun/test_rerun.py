import pytest

from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.refusal import CannotRerun
from tests.lab.rerun.recorded import again, order, recorded, trace_of
from tests.lab.story import Story


def test_its_header_says_what_is_otherwise() -> None:
    trace = recorded("fig-11-2")
    header = again(trace, Policy(single_active=True), 1).trace.header
    assert (header.mode, header.scenario, header.tick_us, header.started) == (
        *("simulated", "fig-11-2"),
        *(trace.header.tick_us, ""),
    )
    assert header.params == {
        **trace.header.params,
        "what_if": {"single_active": True},
        "since": 1,
    }
    assert again(trace).trace.header.params["what_if"] == {}


def test_what_would_not_end_is_stopped() -> None:
    run = again(recorded("fig-11-2"), Policy(ack_timeout=1))
    assert run.stopped
    assert sum(event.type == "delivered" for event in run.trace.events) == 200 + 20 * 5 + 1
    assert not again(recorded("fig-11-2")).stopped


def test_a_queue_that_can_not_be_is_refused() -> None:
    story = Story()
    story.publish(0, "m1")
    with pytest.raises(CannotRerun, match="Queue q can't be had"):
        again(trace_of(story, max_length="many"))


def test_purges_come_when_they_came() -> None:
    story = Story()
    for tick in (0, 1, 3):
        story.publish(tick, f"m{tick}")
    story.add(2, "purged", cause="purged", text="2")
    story.events.sort(key=lambda event: event.t)
    events = again(trace_of(story)).trace.events
    assert [(event.type, event.text) for event in events if event.type == "purged"] == [
        ("purged", "2")
    ]


def test_dead_letters_come_to_where_they_came() -> None:
    trace = recorded("poison", "limit-2")
    assert order(again(trace).trace, "enqueued", "dead") == "m3"
    split = again(trace, Policy(queue_per_consumer=True)).trace
    assert order(split, "enqueued", "dead") == "m3"
    assert order(split, "acked", "q.c1") == order(trace, "acked")


def test_a_message_of_several_queues_goes_to_each() -> None:
    trace = recorded("late-subscriber")
    split = again(trace, Policy(queue_per_consumer=True)).trace
    assert order(split, "acked", "qA.a") == order(trace, "acked", "qA")
    assert order(split, "acked", "qB.b") == order(trace, "acked", "qB") == "m4 m5"


def test_a_large_trace_takes_its_time_and_no_more_than_that() -> None:
    story = Story()
    story.consumer(0, "c1", prefetch=10)
    for number in range(1, 701):  # all at once: more than a sampled trace would tell
        story.publish(0, f"m{number}")
    run = again(trace_of(story), RECORDED)
    assert sum(event.type == "acked" for event in run.trace.events) == 700

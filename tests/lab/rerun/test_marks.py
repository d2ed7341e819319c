from amqplite.lab.rerun.policy import Policy
from tests.lab.rerun.recorded import again, order, recorded, trace_of
from tests.lab.story import Story


def test_marks_say_what_they_are_about_as_the_recorded_do() -> None:
    trace = recorded("fig-11-2")
    marks = {"started", "applied", "crashed"}
    assert [e for e in again(trace).trace.events if e.type in marks] == [
        e for e in trace.events if e.type in marks
    ]


def test_who_told_nothing_tells_nothing() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    types = {event.type for event in again(trace_of(story)).trace.events}
    assert types == {"consumer_registered", "published", "enqueued", "delivered", "acked"}


def test_who_recognises_what_was_done_does_so_again() -> None:
    twice = recorded("publisher-retry", "idempotent")
    assert order(again(twice).trace, "skipped_duplicate") == "m3"
    assert order(again(recorded("publisher-retry")).trace, "skipped_duplicate") == ""
    once = again(recorded("fix-idempotent"), Policy(no_faults=True)).trace
    assert (order(once, "applied"), order(once, "skipped_duplicate")) == ("m1 m2 m3 m4 m5", "")


def test_a_resequencer_stands_behind_it_still() -> None:
    trace = recorded("resequencer")
    assert order(again(trace, Policy(queue_per_consumer=True)).trace, "released", "q.c2") == "m1"
    assert order(again(trace, Policy(no_faults=True)).trace, "released") == "m1 m2 m3 m4 m5"

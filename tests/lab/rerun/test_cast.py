"""Who consumes in a re-run, and the order in which they do things."""

from amqplite.lab.rerun.policy import Policy
from tests.lab.rerun.recorded import again, inputs_of, order, recorded, ticks, told, trace_of
from tests.lab.story import Story


def test_at_the_same_time_consumers_act_in_the_order_they_came() -> None:
    cast = again(recorded("fig-11-2")).cast
    assert [cast.rank(c) for c in ("c2", "c1")] == [1, 2]
    assert cast.rank("nobody") > 2


def test_whoever_came_before_a_publish_of_the_same_time_is_there_for_it() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    story.publish(2, "m2")
    story.deliver(2, "m2", "c1")
    story.consumer(2, "c2")
    story.ack(3, "m2", "c1")
    assert told(again(trace_of(story)).trace.events) == told(story.events)


def test_partitions_are_shared_whoever_comes_first() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.consumer(1, "c2")
    for number, key in enumerate("ABAB", 1):
        story.publish(1 + number, f"m{number}", key=key)
    run = again(trace_of(story), Policy(partitions=2))
    active = {e.q: e.c for e in run.trace.events if e.type == "consumer_active"}
    assert active == {"q.1": "c1", "q.2": "c2"}


def test_what_waits_for_work_that_never_comes_strikes_when_it_did() -> None:
    story = Story()
    story.consumer(0, "c1")
    for tick, m in ((0, "m1"), (0, "m2"), (0, "m3")):
        story.publish(tick, m)
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    story.deliver(1, "m2", "c1")
    story.lose(1.5, "c1")
    story.add(1.5, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.requeue(1.5, "m2", "c1", "connection_lost", "eof")
    story.consumer(2, "c1")
    story.deliver(2, "m2", "c1")
    story.ack(3, "m2", "c1")
    story.deliver(3, "m3", "c1")
    story.ack(4, "m3", "c1")
    run = again(trace_of(story), Policy(max_length=1))  # so m2 is dropped
    assert order(run.trace, "dropped") == "m2"
    (ending,) = run.cast.endings
    assert (ending.moved, ticks(ending.struck or 0)) == (True, 1.5)
    assert order(run.trace) == "m1 m3"


def test_where_a_queue_is_split_getters_ask_the_first_part_that_has_something() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.consumer(0, "c2")
    for m in ("m1", "m2", "m3", "m4"):
        story.publish(0, m)
    story.deliver(0, "m1", "c1")
    story.deliver(0, "m2", "c2")
    about = {"m": "m3", "id": 3, "s": 3, "conn": "g -> b", "ch": 1, "tag": 1}
    story.add(1, "delivered", get=True, attempt=1, **about)
    story.add(1, "acked", **about)
    run = again(trace_of(story), Policy(queue_per_consumer=True))
    (got,) = [event for event in run.trace.events if event.get]
    assert (got.q, got.m) == ("q.c1", "m3")


def test_a_prefetch_is_everybodys() -> None:
    run = again(recorded("prefetch-blast"), Policy(prefetch=4))
    came = [event for event in run.trace.events if event.type == "consumer_registered"]
    assert {event.prefetch for event in came} == {4}
    assert inputs_of("prefetch-blast").lines[0].takers[0].prefetch == 0

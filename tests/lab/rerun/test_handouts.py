from dataclasses import replace

from amqplite.lab.rerun.inputs import Work
from tests.lab.rerun.recorded import inputs_of, measured
from tests.lab.story import TICK, Story

PLACE = ("/", "q", 1)


def handed_out() -> Story:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    return story


def works(story: Story) -> list[tuple[float, str]]:
    return [(work.us / TICK, work.outcome) for work in measured(story).works[PLACE]]


def test_work_ends_with_an_ack() -> None:
    story = handed_out()
    story.ack(2, "m1", "c1")
    inputs = measured(story)
    assert inputs.works == {PLACE: [Work(us=2 * TICK, outcome="ack", c="c1", line=0)]}
    assert (inputs.done, inputs.open, inputs.end) == ({("/", "q"): [1]}, set(), 2 * TICK)


def test_or_with_a_nack_a_reject_or_a_recover() -> None:
    for cause, outcome in (
        ("nack_requeue", "nack"),
        ("reject_requeue", "reject"),
        ("recover", "recover"),
    ):
        story = handed_out()
        story.requeue(1, "m1", "c1", cause)
        story.deliver(1, "m1", "c1")
        story.ack(4, "m1", "c1")
        assert works(story) == [(1, outcome), (3, "ack")]


def test_or_the_message_is_given_up() -> None:
    story = handed_out()
    story.tell(1, "rejected", "m1", "c1")
    story.tell(1, "discarded", "m1", "c1", cause="rejected")
    assert works(story) == [(1, "discard")]
    assert measured(story).open == set()


def test_or_the_recording_ends() -> None:
    story = handed_out()
    story.publish(3, "m2")
    assert works(story) == [(3, "open")]
    assert measured(story).open == {PLACE, ("/", "q", 2)}


def test_a_connection_that_is_lost_cuts_it_short() -> None:
    story = handed_out()
    story.lose(1, "c1")
    story.add(1, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.requeue(1.001, "m1", "c1", "connection_lost", "eof")  # as clocks go
    assert works(story) == [(1, "cut")]


def test_a_delivery_limit_is_no_nack_of_who_died() -> None:
    story = handed_out()
    story.lose(1, "c1")
    story.add(1, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.tell(1, "dropped", "m1", "c1", cause="delivery_limit")
    assert works(story) == [(1, "cut")]


def test_after_a_timeout_a_late_ack_tells_how_long_it_took() -> None:
    inputs = inputs_of("ack-timeout")
    first, second = inputs.works["/", "q", 3]
    assert (first.us / TICK, first.outcome, second.us / TICK) == (6, "ack", 1.8)


def test_without_one_nobody_knows() -> None:
    story = handed_out()
    story.requeue(3, "m1", "c1", "ack_timeout")
    story.publish(9, "m2")
    assert works(story) == [(3, "cut")]


def test_a_timeout_of_the_brokers_own_is_found_out() -> None:
    story = handed_out()
    story.requeue(3, "m1", "c1", "ack_timeout")
    assert measured(story).queues["/", "q"] == {"x-consumer-timeout": 1200}
    assert measured(story, consumer_timeout=500).queues["/", "q"] == {"x-consumer-timeout": 500}


def test_what_actors_told_is_when_a_message_took_effect() -> None:
    lost = inputs_of("lost-ack")
    assert [work.effects for work in lost.works["/", "q", 3]] == [(TICK,), (TICK,)]
    assert (lost.starting, lost.reporting, lost.skipping) == ({"c1"}, {"c1"}, set())
    assert inputs_of("fix-idempotent").skipping == {"c1"}


def test_programs_tell_by_label_what_took_effect() -> None:
    story = handed_out()
    story.add(1, "applied", m="m1", by="worker-7")
    story.ack(2, "m1", "c1")
    inputs = measured(story)
    assert inputs.works[PLACE][0].effects == (TICK,)
    assert inputs.reporting == set()


def test_who_needs_no_ack_works_only_if_that_is_told() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.events[-1] = replace(story.events[-1], auto=True)
    story.tell(0, "acked", "m1", "c1", auto=True)
    assert measured(story).works == {}
    (first,) = inputs_of("auto-ack-loss").works["/", "q", 1]
    assert (first.us / TICK, first.outcome) == (1.8, "ack")
    (cut,) = inputs_of("auto-ack-loss").works["/", "q", 2]
    assert (cut.us / TICK, cut.outcome) == (1.6, "cut")


def test_several_acks_in_one_are_counted() -> None:
    story = handed_out()
    story.tell(1, "acked", "m1", "c1", multiple=True)
    assert measured(story).batched == 1


def test_a_purge_leaves_nothing_open() -> None:
    story = handed_out()
    story.publish(1, "m2")
    story.add(2, "purged", cause="purged")
    assert measured(story).open == {PLACE}
    story.add(2, "purged", cause="queue_deleted")
    assert measured(story).open == set()

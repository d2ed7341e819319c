from amqplite.lab.rerun.inputs import Anchor
from amqplite.lab.rerun.working import NEAR_US
from tests.lab.rerun.recorded import measured
from tests.lab.story import TICK, Story


def story_of(prefetch: int, *messages: str) -> Story:
    story = Story()
    story.consumer(0, "c1", prefetch)
    for m in messages:
        story.publish(0, m)
    return story


def durations(story: Story) -> list[float]:
    inputs = measured(story)
    return [work.us / TICK for _, works in sorted(inputs.works.items()) for work in works]


def test_what_was_handed_out_ahead_waits_for_the_ack_before() -> None:
    story = story_of(3, "m1", "m2", "m3")
    for m in ("m1", "m2", "m3"):
        story.deliver(0, m, "c1")
    story.ack(1, "m1", "c1")
    story.ack(3, "m2", "c1")
    story.ack(3, "m3", "c1")
    assert durations(story) == [1, 2, 0]
    assert measured(story).lines[0].desks[0].serial


def test_acks_in_another_order_are_of_work_side_by_side() -> None:
    story = story_of(3, "m1", "m2", "m3")
    for m in ("m1", "m2", "m3"):
        story.deliver(0, m, "c1")
    story.ack(2, "m2", "c1")
    story.ack(3, "m1", "c1")
    assert durations(story) == [3, 2, 3]
    assert not measured(story).lines[0].desks[0].serial


def test_so_are_acks_that_pass_over_one_that_never_came() -> None:
    story = story_of(2, "m1", "m2")
    story.deliver(0, "m1", "c1")
    story.deliver(0, "m2", "c1")
    story.ack(2, "m2", "c1")
    assert not measured(story).lines[0].desks[0].serial


def test_one_at_a_time_the_networks_time_counts_as_work() -> None:
    for late, begins in ((NEAR_US, 1), (NEAR_US + 400, 1 + (NEAR_US + 400) / TICK)):
        story = story_of(1, "m1", "m2")
        story.deliver(0, "m1", "c1")
        story.ack(1, "m1", "c1")
        story.deliver(1 + late / TICK, "m2", "c1")
        story.ack(3, "m2", "c1")
        assert durations(story) == [1, 3 - begins]


def test_but_not_what_a_message_took_to_come() -> None:
    story = story_of(1, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    story.publish(1.01, "m2")
    story.deliver(1.01, "m2", "c1")
    story.ack(2.01, "m2", "c1")
    assert durations(story) == [1, 1]


def test_of_what_a_dead_one_held_it_worked_on_the_oldest() -> None:
    story = story_of(3, "m1", "m2", "m3")
    for m in ("m1", "m2", "m3"):
        story.deliver(0, m, "c1")
    story.ack(1, "m1", "c1")
    story.lose(1.5, "c1")
    story.add(1.5, "consumer_cancelled", c="c1", conn="c1", ch=1)
    for m in ("m2", "m3"):
        story.requeue(1.5, m, "c1", "connection_lost", "eof")
    inputs = measured(story)
    end = inputs.lines[0].end
    assert end is not None
    assert end.anchor == Anchor(place=("/", "q", 2), after=TICK // 2)
    assert ("/", "q", 3) not in inputs.works


def test_who_died_before_a_message_came_died_at_the_latest_when_it_came() -> None:
    story = story_of(1, "m1")
    story.publish(2, "m2")
    story.deliver(2, "m2", "c1")
    told = {"cause": "connection_lost", "sub": "heartbeat_timeout", "idle": 8 * TICK}
    story.add(9, "connection_lost", q="", conn="c1", **told)
    story.add(9, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.requeue(9, "m2", "c1", "connection_lost", "heartbeat_timeout")
    end = measured(story).lines[0].end
    assert end is not None
    assert (end.died / TICK, end.detection / TICK) == (2, 7)
    assert end.anchor == Anchor(place=("/", "q", 2), after=0)


def test_one_recover_gives_back_what_was_worked_on_and_what_was_not() -> None:
    story = story_of(2, "m1", "m2")
    for tick in (0, 1):
        for m in ("m1", "m2"):
            story.deliver(tick, m, "c1")
        for m in ("m1", "m2"):
            story.requeue(tick + 1, m, "c1", "recover")
    inputs = measured(story)
    assert [work.outcome for work in inputs.works["/", "q", 1]] == ["recover", "recover"]
    assert ("/", "q", 2) not in inputs.works

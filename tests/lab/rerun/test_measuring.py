import pytest

from amqplite.broker.trace import Event
from amqplite.lab.rerun.inputs import Purge
from amqplite.lab.rerun.measuring import MESSAGES_MAX, measure
from amqplite.lab.rerun.refusal import CannotRerun
from amqplite.lab.trace import Header, Trace
from tests.lab.rerun.recorded import inputs_of, measured, recorded
from tests.lab.story import TICK, Story


def test_a_gap_is_named() -> None:
    trace = recorded("fig-11-2")
    gap = Event(n=9, t=0, type="gap", lost_from=7, lost_to=9)
    with pytest.raises(CannotRerun, match="3 events are missing"):
        measure(Trace(trace.header, [*trace.events[:6], gap, *trace.events[9:]]))


def test_a_sample_is_none_of_the_whole() -> None:
    trace = recorded("fig-11-2")
    without = [event for event in trace.events if event.m != "m3"]
    with pytest.raises(CannotRerun, match="1 message was left out"):
        measure(Trace(trace.header, without))


def test_there_has_to_be_something_published() -> None:
    with pytest.raises(CannotRerun, match="tells of no publish"):
        measure(Trace(Header(), []))


def test_there_may_be_too_much() -> None:
    events = [
        Event(n=n, t=n, type="published", m=f"m{n}", id=n) for n in range(1, MESSAGES_MAX + 2)
    ]
    with pytest.raises(CannotRerun, match="it has 5001 messages, and 5000 is the most"):
        measure(Trace(Header(), events))
    assert len(measure(Trace(Header(), events[:-1])).sent) == MESSAGES_MAX


def test_nothing_hinges_on_who_left_when_all_was_done() -> None:
    inputs = inputs_of("sac-cancel", "prefetch-1")
    assert inputs.lines[0].end is not None  # c1 had still to work
    assert inputs_of("sac-cancel").lines[0].end is None


def test_but_much_on_who_left_when_it_was_not() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    story.add(2, "consumer_cancelled", c="c1", conn="c1", ch=1)
    assert measured(story).lines[0].takers[0].cancelled is None
    story.publish(3, "m2")
    assert measured(story).lines[0].takers[0].cancelled == (2 * TICK, story.events[-3].n)


def test_queues_have_the_arguments_of_the_header_and_others_none() -> None:
    story = Story()
    story.publish(0, "m1", "q", "r")
    assert measured(story, max_length=3).queues == {
        ("/", "q"): {"x-max-length": 3},
        ("/", "r"): {},
    }


def test_purges_and_resequencers_are_remembered() -> None:
    story = Story()
    story.publish(0, "m1")
    story.add(1, "purged", cause="purged", text="1")
    assert measured(story).purges == [Purge(at=TICK, n=3, queue=("/", "q"))]
    assert inputs_of("resequencer").resequenced == ("/", "q")
    assert inputs_of("fig-11-2").resequenced is None

from dataclasses import replace

from amqplite.lab.rerun.selfcheck import check
from amqplite.lab.trace import Trace
from tests.lab.rerun.recorded import inputs_of, recorded

TRACE = recorded("fig-11-2")
INPUTS = inputs_of("fig-11-2")


def done_as(order: str) -> Trace:
    """Return the trace with its messages done in another order."""
    ids = {event.m: event.id for event in TRACE.events if event.id}
    places = iter(order.split())
    acked = [event for event in TRACE.events if event.type == "acked"]
    events = []
    for event, m in zip(acked, places, strict=False):
        events.append(replace(event, m=m, id=ids.get(m, 99)))
    return Trace(TRACE.header, events)


def test_the_same_order_is_no_difference() -> None:
    found = check(INPUTS, TRACE)
    assert (found.messages, found.differ, found.names) == (5, 0, [])
    assert found.text["en"] == (
        "Run again as it was recorded, all 5 messages were done in the order they were."
    )


def test_ranks_that_differ_are_counted() -> None:
    found = check(INPUTS, done_as("m1 m2 m3 m4 m5"))
    assert (found.differ, found.names) == (2, ["m4", "m3"])
    assert found.text["en"] == "The model differs from reality in 2 of 5 messages: m4 and m3."
    assert found.text["zh"] == "模型与实际相比，5 条消息中有 2 条不同：m4 和 m3。"


def test_what_is_missing_differs_and_what_comes_unexpected() -> None:
    assert check(INPUTS, done_as("m1 m2 m4 m3")).names == ["m5"]
    assert check(INPUTS, done_as("m1 m2 m4 m3 m6")).names == ["m5", "m99"]


def test_nobody_knows_the_rank_of_what_was_open_when_the_recording_ended() -> None:
    inputs = inputs_of("fig-11-2")
    inputs.open.add(("/", "q", 99))
    assert check(inputs, done_as("m1 m6 m2 m4 m3")).names == ["m5"]

from amqplite.lab.rerun.assumptions import Assumption, assumptions
from amqplite.lab.rerun.measuring import measure
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.rerun import rerun
from amqplite.lab.trace import Trace
from tests.lab.rerun.recorded import keyed, recorded, trace_of
from tests.lab.story import TICK, Story


def said(trace: Trace, policy: Policy = RECORDED, since: int = 0) -> dict[str, str]:
    """Return what is taken for granted, in English, by what is behind its key's dots."""
    found = all_of(trace, policy, since)
    assert all("{" not in text for one in found for text in one.text.values())
    return {one.key.removeprefix("whatif.assume."): one.text["en"] for one in found}


def all_of(trace: Trace, policy: Policy = RECORDED, since: int = 0) -> list[Assumption]:
    inputs = measure(trace)
    return assumptions(inputs, policy, rerun(inputs, trace.header, policy, since), since)


def test_faults_are_told_with_what_they_are_anchored_to() -> None:
    (fault,) = [one for one in all_of(recorded("fig-11-2")) if one.key.endswith("fault")]
    assert fault.slots == {
        "c": "c2",
        "cause": ["connection_lost", "peer_reset"],
        "m": "m3",
        "after": round(1.4 * TICK),
    }
    assert (
        fault.text["en"] == "c2 fails 1.4 ticks into its work on m3 (connection lost), as it did."
    )


def test_of_many_faults_some_are_told_and_the_others_counted() -> None:
    found = all_of(recorded("poison"))
    faults = [one for one in found if one.key.endswith(".fault")]
    assert len(faults) == 5
    (more,) = [one for one in found if one.key.endswith(".faults")]
    assert more.slots["n"] == 9


def test_what_does_not_come_to_pass_is_told_so() -> None:
    never = said(recorded("fig-11-2"), Policy(ack_timeout=200))
    assert never["fault.never"] == (
        "c2 failed while it worked on m3 (connection lost). Here it does not come to that."
    )
    assert said(recorded("fig-11-2"), Policy(no_faults=True))["no_faults"] == (
        "Nobody dies, and nobody gives a message back."
    )


def test_an_idle_one_fails_at_its_time() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.lose(2, "c1")
    story.add(2, "consumer_cancelled", c="c1", conn="c1", ch=1)
    story.publish(3, "m1")
    assert said(trace_of(story))["fault.at"] == (
        "c1 fails at t=2.0 (connection lost), as it did: it had nothing in hand."
    )


def test_guesses_are_told_with_what_they_go_by() -> None:
    told = said(recorded("fig-11-2"), Policy(no_faults=True))
    assert told["measured"] == "4 hand-outs are worked on as long as they were."
    assert told["guessed"] == (
        "1 hand-out of which the recording knows nothing takes as long as is usual for its "
        "consumer (median): c2 1.8 ticks."
    )


def test_so_is_all_else_that_is_no_more_than_likely() -> None:
    assert said(recorded("lost-ack"))["back"] == "c1 is back 1.0 ticks after it was lost."
    assert said(recorded("sac-cancel", "close"))["goodbyes"] == (
        "Goodbyes are said when they were, whatever is left to do: c2."
    )
    assert said(recorded("nack-one-consumer"))["returned"] == (
        "1 hand-out is given back, or given up, as it was."
    )
    assert "retries" in said(recorded("slow-backpressure"))
    refusing = Policy(max_length=1, overflow="reject-publish")
    assert "refused" in said(recorded("slow-unbounded"), refusing)
    assert "fork" in said(recorded("fig-11-2"), Policy(prefetch=2), TICK)


def test_what_the_recording_does_not_show_is_named() -> None:
    story = Story()
    story.add(0, "enqueued", m="m9", id=9, s=1)
    for m in ("m1", "m2"):
        story.publish(0, m)
    for m in ("m1", "m2"):
        story.deliver(1, m, "c1")
    story.tell(2, "acked", "m2", "c1", multiple=True)
    told_ = {"m": "m9", "id": 9, "s": 1, "conn": "g -> b", "ch": 1, "tag": 1, "attempt": 1}
    story.add(3, "delivered", get=True, **told_)
    told = said(trace_of(story))
    assert told["before"].startswith("1 message was in its queue when the recording began")
    assert told["open"].startswith("2 messages were not done when the recording ended")
    assert told["parallel"].endswith("in another order: c1.")
    assert told["prefetch"].endswith("the most that they held: c1.")
    assert told["gets"].startswith("1 message was asked for")
    assert told["batched"].startswith("1 message was acknowledged with others")


def test_where_messages_go_is_told() -> None:
    each = said(recorded("fig-11-2"), Policy(queue_per_consumer=True))
    assert each["dealt"].startswith("Messages are dealt out in turn: q.c2 and q.c1.")
    assert said(keyed("AB"), Policy(partitions=2))["keys"].startswith("2 keys are dealt out")
    assert "keyless" in said(recorded("fig-11-2"), Policy(partitions=2))

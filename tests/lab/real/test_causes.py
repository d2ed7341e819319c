"""Other ways by which messages of real clients come out of order, each called by its name."""

from typing import Any

from pika.adapters.blocking_connection import BlockingChannel

from tests.lab.real.conftest import Declare, Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.lab_http import Lab, measured

TIMEOUT_MS = 800


def check_explained(told: Any) -> None:
    """See that no fault of the broker's is told, nor of its trace."""
    counts = told["outcome"]["counts"]
    assert (counts["unexplained"], counts["violations"], counts["lost_events"]) == (0, 0, 0)
    assert counts["enqueued"] == (
        counts["acked"] + counts["gone"] + counts["ready"] + counts["unacked"]
    )


def test_one_consumer_that_nacks_overtakes_itself(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    one = consumers.start(queue, "c1", prefetch=3)
    publish(queue, "m1", "m2", "m3")
    assert [one.take() for _ in range(3)] == ["m1", "m2", "m3"]
    one.do("nack", m="m1")
    assert one.take() == "m1↻"
    for label in ("m2", "m3", "m1"):
        one.ack(label)

    told = lab.told(queue)
    check_explained(told)
    done = measured(told, "queue", "completion", queue)
    assert done["completion"] == ["m2", "m3", "m1"]
    assert (done["inversions"], done["moved"], done["buffer"]) == (2, 1, 2)
    assert measured(told, "consumer", "view", "c1")["completion"] == ["m1", "m2", "m3", "m1"]
    counts = told["outcome"]["counts"]
    assert (counts["requeued"], counts["redeliveries"]) == ({"nack_requeue": 1}, 1)
    assert counts["possible_duplicates"] == 0  # it said that nothing came of it
    assert counts["by_cause"]["nack_requeue"]["inversions"] == 2
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["cause"], why["who"]) == ("m1", "nack_requeue", "c1")
    types = [event["type"] for event in lab.events(queue) if event.get("m") == "m1"]
    assert types == (
        ["published", "enqueued", "delivered", "nacked", "requeued", "delivered", "acked"]
    )


def test_with_one_message_at_a_time_it_does_not(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    one = consumers.start(queue, "c1", prefetch=1)
    publish(queue, "m1", "m2", "m3")
    assert one.take() == "m1"
    one.do("reject", m="m1")
    for label in ("m1↻", "m2", "m3"):
        assert one.take() == label
        one.ack(label.rstrip("↻"))
    told = lab.told(queue)
    check_explained(told)
    done = measured(told, "queue", "completion", queue)
    assert (done["completion"], done["inversions"]) == (["m1", "m2", "m3"], 0)
    assert told["outcome"]["counts"]["requeued"] == {"reject_requeue": 1}


def test_an_ack_that_takes_too_long_is_late_and_ignored(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare(x_consumer_timeout=TIMEOUT_MS)
    lab.trace(queue)
    slow = consumers.start(queue, "slow", prefetch=2)
    quick = consumers.start(queue, "quick")
    with lab.follow(queue) as followed:
        publish(queue, "m1")
        assert slow.take() == "m1"
        publish(queue, "m2")
        assert quick.take() == "m2"
        quick.ack("m2")
        assert quick.take() == "m1↻"
        back = followed.until_event(type="requeued")
        assert (back["m"], back["cause"], back["c"]) == ("m1", "ack_timeout", "slow")
        handed = followed.until_event(type="delivered", m="m1")
        assert back["t"] - handed["t"] >= TIMEOUT_MS * 1000 * 0.95
        quick.ack("m1")
        slow.ack("m1")
        late = followed.until_event(type="late_ack_ignored")
        assert (late["c"], late["tag"]) == ("slow", handed["tag"])

    told = lab.told(queue)
    check_explained(told)
    done = measured(told, "queue", "completion", queue)
    assert (done["completion"], done["inversions"], done["moved"]) == (["m2", "m1"], 1, 1)
    counts = told["outcome"]["counts"]
    assert (counts["late_acks"], counts["bad_acks"], counts["acked"]) == (1, 0, 2)
    assert (counts["requeued"], counts["possible_duplicates"]) == ({"ack_timeout": 1}, 1)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["cause"], why["who"]) == ("m1", "ack_timeout", "slow")


def test_acks_of_what_nobody_holds_are_told(
    lab: Lab, channel: BlockingChannel, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    one = consumers.start(queue, "c1", prefetch=2)
    with lab.follow(queue) as followed:
        publish(queue, "m1", "m2")
        assert [one.take(), one.take()] == ["m1", "m2"]
        one.ack("m1")
        assert one.do("ack", m="m1") == {"lost": "ChannelClosedByBroker"}
        bad = followed.until_event(type="bad_ack")
        assert bad["tag"] == 1
        back = followed.until_event(type="requeued")
        assert (back["m"], back["cause"], back["sub"]) == ("m2", "channel_closed", "protocol_error")
    told = lab.told(queue)
    check_explained(told)
    assert told["outcome"]["counts"]["bad_acks"] == 1


def test_parallel_work_reorders_without_any_fault(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    c1, c2 = (consumers.start(queue, tag) for tag in ("c1", "c2"))
    publish(queue, "m1", "m2")
    assert (c1.take(), c2.take()) == ("m1", "m2")
    c2.ack("m2")
    c1.ack("m1")
    told = lab.told(queue)
    check_explained(told)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["rule"], why["cause"]) == ("m1", "B", "parallel_consumers")
    assert told["outcome"]["counts"]["redeliveries"] == 0


def test_one_consumer_may_ack_out_of_order(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    one = consumers.start(queue, "c1", prefetch=2)
    publish(queue, "m1", "m2")
    assert [one.take(), one.take()] == ["m1", "m2"]
    one.ack("m2")
    one.ack("m1")
    told = lab.told(queue)
    check_explained(told)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["rule"], why["cause"]) == ("m1", "B", "out_of_order_ack")


def test_an_active_consumer_that_is_cancelled_still_holds_what_it_has(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare(x_single_active_consumer=True)
    lab.trace(queue)
    c1, c2 = (consumers.start(queue, tag) for tag in ("c1", "c2"))
    publish(queue, "m1", "m2")
    assert c1.take() == "m1"
    c1.do("cancel")
    assert c2.take() == "m2"
    c2.ack("m2")
    c1.ack("m1")
    told = lab.told(queue)
    check_explained(told)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["rule"], why["cause"]) == ("m1", "B", "cancelled_consumer_holding")
    active = [one["c"] for one in lab.events(queue) if one["type"] == "consumer_active"]
    assert active == ["c1", "c2"]


def test_a_goodbye_in_order_is_told_from_a_loss(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    c1, c2 = (consumers.start(queue, tag) for tag in ("c1", "c2"))
    publish(queue, "m1", "m2")
    assert (c1.take(), c2.take()) == ("m1", "m2")
    c2.ack("m2")
    c1.do("close")
    assert c2.take() == "m1↻"
    c2.ack("m1")
    told = lab.told(queue)
    check_explained(told)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["cause"], why["who"]) == ("m1", "channel_closed", "c1")
    back = next(event for event in lab.events(queue) if event["type"] == "requeued")
    assert "sub" not in back  # pika closes its channels, each in order, before the connection


def test_what_need_not_be_acked_is_done_with_when_it_is_handed_out(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    one = consumers.start(queue, "c1", auto=True)
    publish(queue, "m1", "m2", "m3")
    assert [one.take() for _ in range(3)] == ["m1", "m2", "m3"]
    one.kill()
    with lab.follow(queue) as followed:
        followed.until_event(type="connection_lost")
    told = lab.told(queue)
    check_explained(told)
    counts = told["outcome"]["counts"]
    assert (counts["acked"], counts["requeued"], counts["ready"]) == (3, {}, 0)
    events = lab.events(queue)
    handed = [at for at, event in enumerate(events) if event["type"] == "delivered"]
    for at in handed:
        delivered, acked = events[at : at + 2]
        assert (delivered["auto"], acked["auto"], acked["type"]) == (True, True, "acked")
        assert delivered["id"] == acked["id"]
    assert len(handed) == 3


def test_the_trace_of_a_queue_with_a_backlog_begins_in_the_middle(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    publish(queue, "m1", "m2")
    one = consumers.start(queue, "c1", prefetch=1)
    assert one.take() == "m1"
    lab.trace(queue)
    two = consumers.start(queue, "c2", prefetch=1)
    assert two.take() == "m2"
    two.ack("m2")
    one.ack("m1")
    told = lab.told(queue)
    check_explained(told)
    done = measured(told, "queue", "completion", queue)
    assert (done["completion"], done["inversions"]) == (["m2", "m1"], 1)

"""Marks: real consumers tell what came of their work, which no broker can see."""

from collections.abc import Iterator

import pytest

from tests.broker_process import BrokerProcess
from tests.lab.real.conftest import Declare, Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.lab_http import Lab


@pytest.fixture
def worker(broker: BrokerProcess) -> Iterator[Lab]:
    """The lab as a consumer's user, who has no tag at all."""
    lab = Lab(broker.http_port, "worker")
    yield lab
    lab.close()


def test_a_possible_duplicate_becomes_a_reported_one(
    lab: Lab, worker: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    c2, c1 = (consumers.start(queue, tag) for tag in ("c2", "c1"))
    publish(queue, "m1", "m2")
    assert (c2.take(), c1.take()) == ("m1", "m2")
    told = worker.post("/marks", {"queue": queue, "message_id": "m1", "mark": "applied"})
    assert told["recorded"] is True
    c2.kill()
    with lab.follow(queue) as followed:
        followed.until_event(type="requeued", m="m1")
    counts = lab.told(queue)["outcome"]["counts"]
    assert (counts["possible_duplicates"], counts["reported_duplicates"]) == (1, 0)

    applied = {"queue": queue, "mark": "applied", "by": "worker-1"}
    worker.post("/marks", applied | {"message_id": "m2"})
    c1.ack("m2")
    assert c1.take() == "m1↻"
    worker.post("/marks", applied | {"message_id": "m1"})
    c1.ack("m1")
    outcome = lab.told(queue)["outcome"]
    counts = outcome["counts"]
    assert (counts["possible_duplicates"], counts["reported_duplicates"]) == (1, 1)
    assert (counts["effects"], counts["lost"]) == (3, [])
    told = [event for event in lab.events(queue) if event["type"] == "applied"]
    assert [(one["m"], one["c"], one["attempt"]) for one in told] == (
        [("m1", "c2", 1), ("m2", "c1", 1), ("m1", "c1", 2)]
    )
    assert [one.get("by", "") for one in told] == ["", "worker-1", "worker-1"]
    (told_twice,) = [why["text"]["en"] for why in outcome["whys"] if not why["over"]]
    assert told_twice.startswith("m1 took effect 2 times.")


def test_one_that_is_recognised_takes_effect_once(
    lab: Lab, worker: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    c2, c1 = (consumers.start(queue, tag) for tag in ("c2", "c1"))
    publish(queue, "m1")
    assert c2.take() == "m1"
    worker.post("/marks", {"queue": queue, "message_id": "m1", "mark": "applied"})
    c2.kill()
    assert c1.take() == "m1↻"
    worker.post("/marks", {"queue": queue, "message_id": "m1", "mark": "skipped_duplicate"})
    c1.ack("m1")
    counts = lab.told(queue)["outcome"]["counts"]
    assert (counts["effects"], counts["skipped"], counts["reported_duplicates"]) == (1, 1, 0)
    assert counts["possible_duplicates"] == 1


def test_what_was_handed_out_and_never_took_effect_is_lost(
    lab: Lab, worker: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    one = consumers.start(queue, "c1", auto=True)
    publish(queue, "m1", "m2", "m3")
    assert [one.take() for _ in range(3)] == ["m1", "m2", "m3"]
    worker.post("/marks", {"queue": queue, "message_id": "m1", "mark": "applied"})
    one.kill()
    with lab.follow(queue) as followed:
        followed.until_event(type="connection_lost")
    outcome = lab.told(queue)["outcome"]
    assert (outcome["counts"]["lost"], outcome["counts"]["effects"]) == (["m2", "m3"], 1)
    assert lab.freeze(queue)["counts"]["lost"] == ["m2", "m3"]


def test_a_queue_that_nobody_looks_at_records_no_marks(
    worker: Lab, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    publish(queue, "m1")
    told = worker.post("/marks", {"queue": queue, "message_id": "m1", "mark": "applied"})
    assert told == {"recorded": False}

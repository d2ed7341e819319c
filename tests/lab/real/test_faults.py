"""Faults that strike real clients: only where all agree, and told in the trace."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.broker_process import BrokerProcess
from tests.lab.real.conftest import Declare, Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.lab_http import Lab, measured


@pytest.fixture
def teacher(broker: BrokerProcess) -> Iterator[Lab]:
    """The lab as somebody who is no administrator."""
    lab = Lab(broker.http_port, "teacher")
    yield lab
    lab.close()


def strike(lab: Lab, queue: str, **said: Any) -> httpx.Response:
    """Ask for a fault on the consumer `c2` of a queue."""
    wanted = {"q": queue, "target": "c2", "do": "crash", "confirm": True}
    return lab.http.post("/faults", json=wanted | said)


def test_a_fault_takes_an_administrator_a_queue_that_allows_it_and_a_confirmation(
    lab: Lab, teacher: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    allowed, other = declare(x_lab_faults=True), declare()
    for queue, tag in ((allowed, "c2"), (other, "c3")):
        lab.trace(queue)
        consumers.start(queue, tag)

    answer = strike(teacher, allowed)
    assert (answer.status_code, "administrator" in answer.text) == (403, True)
    answer = strike(lab, other, target="c3")
    assert (answer.status_code, "x-lab-faults" in answer.text) == (403, True)
    answer = strike(lab, allowed, confirm=False)
    assert (answer.status_code, "confirm" in answer.text) == (400, True)
    answer = strike(lab, allowed, target="nobody")
    assert (answer.status_code, "nobody" in answer.text) == (404, True)
    assert strike(lab, allowed, do="explode").status_code == 400

    for queue in (allowed, other):
        assert "fault" not in [event["type"] for event in lab.events(queue)]
        publish(queue, "m1")
    with lab.follow(allowed) as followed, lab.follow(other) as others:
        followed.until_event(type="delivered", m="m1", c="c2")  # both are well
        others.until_event(type="delivered", m="m1", c="c3")


def test_a_consumer_whose_connection_is_cut_loses_what_it_holds_to_another(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare(x_lab_faults=True)
    lab.trace(queue)
    c2, c1 = (consumers.start(queue, tag) for tag in ("c2", "c1"))
    publish(queue, "m1", "m2", "m3")
    assert (c2.take(), c1.take()) == ("m1", "m2")
    c1.ack("m2")
    assert c1.take() == "m3"

    answer = strike(lab, queue)
    assert (answer.status_code, answer.json()) == (200, {"done": "crash", "target": "c2"})
    assert "lost" in c2.do("take")
    c1.ack("m3")
    assert c1.take() == "m1↻"
    c1.ack("m1")

    told = lab.told(queue)
    done = measured(told, "queue", "completion", queue)
    assert (done["completion"], done["inversions"]) == (["m2", "m3", "m1"], 2)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["cause"], why["who"]) == ("m1", "connection_lost", "c2")
    events = lab.events(queue)
    (fault,) = [event for event in events if event["type"] == "fault"]
    assert (fault["by"], fault["c"], fault["text"]) == ("guest", "c2", "crash")
    (lost,) = [event for event in events if event["type"] == "connection_lost"]
    (back,) = [event for event in events if event["type"] == "requeued"]
    assert (lost["sub"], lost["held"]) == ("lab_fault", 1)
    assert (back["sub"], back["m"]) == ("lab_fault", "m1")
    assert fault["n"] < lost["n"] < back["n"]
    acked = events[-1]
    assert (acked["type"], acked["m"]) == ("acked", "m1")
    assert (acked["order"]["sub"], acked["order"]["who"]) == ("lab_fault", "c2")


def test_an_ack_that_gets_lost_has_the_work_done_twice(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare(x_lab_faults=True)
    lab.trace(queue)
    c2, c1 = (consumers.start(queue, tag) for tag in ("c2", "c1"))
    publish(queue, "m1")
    assert c2.take() == "m1"
    assert strike(lab, queue, do="lose_ack").status_code == 200
    assert "lost" in c2.do("ack", m="m1")
    assert c1.take() == "m1↻"
    c1.ack("m1")
    counts = lab.told(queue)["outcome"]["counts"]
    assert (counts["redeliveries"], counts["possible_duplicates"], counts["acked"]) == (1, 1, 1)
    events = lab.events(queue)
    types = [one["type"] for one in events if one["type"] in ("fault", "ack_lost", "requeued")]
    assert types == ["fault", "ack_lost", "requeued"]


def test_a_consumer_that_is_cancelled_holds_what_it_has(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare(x_lab_faults=True)
    lab.trace(queue)
    c2, c1 = (consumers.start(queue, tag) for tag in ("c2", "c1"))
    publish(queue, "m1")
    assert c2.take() == "m1"
    assert strike(lab, queue, do="cancel").status_code == 200
    publish(queue, "m2", "m3")
    for label in ("m2", "m3"):
        assert c1.take() == label
        c1.ack(label)
    c2.ack("m1")
    told = lab.told(queue)
    (why,) = [one for one in told["outcome"]["whys"] if one["over"]]
    assert (why["m"], why["cause"], why["over_n"]) == ("m1", "cancelled_consumer_holding", 2)

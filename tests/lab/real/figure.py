"""Figure 11-2, played by clients as people have them: processes of their own, one of them killed.

Nothing here waits for a time: each step begins when the broker has told of the one before.
"""

from typing import Any

from tests.lab.real.conftest import Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.lab_http import Lab, measured

SENTENCE = "m3 was handed to c2 at"


def play(lab: Lab, consumers: Consumers, queue: str, publish: Publish) -> None:
    """Play the figure on a queue that is traced."""
    c2, c1 = (consumers.start(queue, tag) for tag in ("c2", "c1"))
    with lab.follow(queue) as followed:
        publish(queue, "m1", "m2")
        assert (c2.take(), c1.take()) == ("m1", "m2")
        c2.ack("m1")
        publish(queue, "m3")
        assert c2.take() == "m3"
        c1.ack("m2")
        publish(queue, "m4", "m5")
        assert c1.take() == "m4"
        c2.kill()
        followed.until_event(type="requeued", m="m3")
        c1.ack("m4")
        assert c1.take() == "m3↻"
        c1.ack("m3")
        assert c1.take() == "m5"
        c1.ack("m5")
        followed.until_event(type="acked", m="m5")


def check(told: Any) -> None:
    """See that a run, or a traced queue, tells what the figure shows."""
    outcome = told.get("outcome") or told
    queue = measured(told, "queue", "completion", told["header"]["queues"][0]["q"])
    assert queue["completion"] == ["m1", "m2", "m4", "m3", "m5"]
    assert (queue["inversions"], queue["moved"], queue["buffer"]) == (1, 1, 1)
    assert (queue["reordered"], queue["ratio"], queue["extent"], queue["tau"]) == (1, 0.2, 1, 0.8)
    assert queue["late_by"] == "m3"
    assert queue["rd"] == {"-1": 1, "0": 3, "1": 1}
    first = measured(told, "queue", "first", queue["name"])
    assert (first["completion"], first["inversions"]) == (["m1", "m2", "m3", "m4", "m5"], 0)
    views = {name: measured(told, "consumer", "view", name) for name in ("c1", "c2")}
    assert views["c1"]["completion"] == ["m2", "m4", "m3", "m5"]
    assert views["c2"]["completion"] == ["m1", "m3"]
    assert (views["c1"]["backward"], views["c2"]["backward"]) == (1, 0)

    counts = outcome["counts"]
    assert (counts["published"], counts["confirmed"], counts["acked"]) == (5, 5, 5)
    assert (counts["redeliveries"], counts["requeued"]) == (1, {"connection_lost": 1})
    assert (counts["possible_duplicates"], counts["reported_duplicates"]) == (1, 0)
    assert (counts["unexplained"], counts["violations"], counts["lost_events"]) == (0, 0, 0)
    assert counts["ready"] == counts["unacked"] == counts["gone"] == 0
    assert counts["by_cause"]["connection_lost"]["reordered"] == 1

    (why,) = [one for one in outcome["whys"] if one["over"]]
    assert (why["m"], why["rule"], why["cause"], why["who"]) == ("m3", "A", "connection_lost", "c2")
    assert why["over"] == ["m4"]
    assert why["late"] == queue["late"] > 0
    sentence = why["text"]["en"]
    assert sentence.startswith(SENTENCE)
    assert "m4" in sentence
    assert "redelivered to c1" in sentence

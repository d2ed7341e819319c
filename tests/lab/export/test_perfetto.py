"""A run for Perfetto."""

import json
from typing import Any

from amqplite.lab.export.account import Account, account
from amqplite.lab.export.perfetto import perfetto
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import find
from tests.lab.export.pictures import account_of
from tests.lab.story import TICK, Story


def told(run: Account, phase: str) -> list[dict[str, Any]]:
    return [event for event in json.loads(perfetto(run))["traceEvents"] if event["ph"] == phase]


def test_each_lane_is_a_process() -> None:
    names = [e["args"]["name"] for e in told(account_of(), "M") if e["name"] == "process_name"]
    assert names == ["p1 (producer)", "q (queue)", "c1 (consumer)", "c2 (consumer)"]


def test_attempts_are_slices_that_may_overlap() -> None:
    begins, ends = told(account_of(), "b"), told(account_of(), "e")
    assert [(e["id"], e["cat"]) for e in begins] == [(e["id"], e["cat"]) for e in ends]
    assert len({e["id"] for e in begins}) == len(begins) == 8
    (again,) = [e for e in begins if e["name"] == "m3 ↻2" and e["cat"] == "redelivered"]
    assert again["ts"] == 4.8 * TICK
    assert again["args"]["what"] == "c1 holds m3, attempt 2, t=4.8 to 6.6, acknowledged"


def test_instants_and_the_depth_of_queues() -> None:
    run = account(run_exact(find("fig-11-2")))
    assert "crash m3" in [event["name"] for event in told(run, "i")]
    depths = [event["args"]["messages"] for event in told(run, "C")]
    assert max(depths) == 2
    assert depths[-1] == 0


def test_what_has_not_ended_ends_with_the_trace() -> None:
    story = Story()
    story.publish(1, "m1")
    story.publish(5, "m2")
    ends = told(account_of(story), "e")
    assert {event["ts"] for event in ends} == {5 * TICK}


def test_all_messages_are_in_it_and_hostile_names_are_only_names() -> None:
    story = Story("\ud800")
    for k in range(600):
        story.publish(k, f"m{k}\x00")
    assert len(told(account_of(story), "b")) == 600

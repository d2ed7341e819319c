"""Runs as JSON."""

from typing import Any

from amqplite.control.auth import ANONYMOUS
from amqplite.control.call import Call
from amqplite.control.lab.desk import Desk, desk_of
from amqplite.control.lab.shown import listed, outcome, shown
from amqplite.lab.keeping.outcome import outcome_of
from amqplite.lab.keeping.recording import Recording
from amqplite.lab.keeping.runs import Run
from amqplite.lab.trace import Header
from tests.control.sites import make_site
from tests.lab.keeping.test_recording import story

KNOWN = {
    "id",
    *("name", "owner", "header", "state", "reason", "count", "full", "duration", "left"),
}
OUTCOME = {"metrics", "counts", "whys", "verdict", "expect"}


def desk() -> Desk:
    return desk_of(Call(make_site(), ANONYMOUS, {}, {}))


def made(at: Desk, *completion: int) -> Run:
    run = Run(owner="guest", name="a run", recording=Recording(Header()))
    for event in story(*completion):
        run.recording.add(event)
    return at.runs.add(run)


async def test_a_run_that_goes_on_tells_what_has_come_of_it_so_far() -> None:
    at = desk()
    run = made(at, 2, 1)
    told = shown(at, run)
    assert set(told) == KNOWN | OUTCOME
    assert (told["state"], told["count"], told["counts"].acked) == ("running", 6, 2)
    assert [why.m for why in told["whys"]] == ["m1"]
    assert told["expect"] == []


async def test_a_run_that_is_over_tells_what_came_of_it() -> None:
    at = desk()
    run = made(at, 2, 1)
    made_of_it = outcome_of(run.recording.settle())
    run.finish(made_of_it)
    assert outcome(run) is made_of_it
    told = shown(at, run)
    assert (told["state"], told["metrics"]) == ("done", made_of_it.metrics)
    run.fail("nobody came", made_of_it)
    assert (shown(at, run)["state"], shown(at, run)["reason"]) == ("failed", "nobody came")


async def test_a_run_that_failed_before_anything_came_of_it_says_nothing() -> None:
    at = desk()
    run = made(at)
    run.recording.settle()
    run.fail("nobody came")
    told: dict[str, Any] = shown(at, run)
    assert {told[name] for name in OUTCOME} == {None}
    assert listed(at, run)["headline"]["n"] == 0


async def test_a_list_tells_the_main_numbers() -> None:
    at = desk()
    told = listed(at, made(at, 3, 1, 2))
    assert set(told) == KNOWN | {"verdict", "headline"}
    assert told["headline"] == {
        "n": 3,
        "inversions": 2,
        "moved": 1,
        "late": 200,
        "buffer": 1,
        "redeliveries": 0,
    }

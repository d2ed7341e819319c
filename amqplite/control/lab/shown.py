"""Runs as JSON."""

from typing import Any

from amqplite.control.lab.desk import Desk
from amqplite.lab.keeping.outcome import Outcome, outcome_of
from amqplite.lab.keeping.runs import Run

OUTCOME = ("metrics", "counts", "whys", "verdict", "expect")


def outcome(run: Run) -> Outcome | None:
    """Return what came of a run, or what has come of it so far; `None` if nobody knows."""
    analysis = run.recording.analysis
    if run.outcome is None and analysis is not None:
        return outcome_of(analysis)
    return run.outcome


def shown(desk: Desk, run: Run) -> dict[str, Any]:
    """Return a run without its events; times are in microseconds, but `left` in seconds."""
    told = outcome(run)
    come = (
        dict.fromkeys(OUTCOME) if told is None else {name: getattr(told, name) for name in OUTCOME}
    )
    return _known(desk, run) | come


def listed(desk: Desk, run: Run) -> dict[str, Any]:
    """Return what a list tells of a run."""
    told = outcome(run)
    done = [] if told is None else [one for one in told.metrics if _is_headline(one)]
    return _known(desk, run) | {
        "verdict": None if told is None else told.verdict,
        "headline": {
            "n": sum(one.n for one in done),
            "inversions": sum(one.inversions for one in done),
            "moved": sum(one.moved for one in done),
            "late": max((one.late for one in done), default=0),
            "buffer": max((one.buffer for one in done), default=0),
            "redeliveries": 0 if told is None else told.counts.redeliveries,
        },
    }


def _is_headline(one: Any) -> bool:
    return (one.scope, one.at) == ("queue", "completion")


def _known(desk: Desk, run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "name": run.name,
        "owner": run.owner,
        "header": run.recording.header,
        "state": run.state,
        "reason": run.reason,
        "count": len(run.recording),
        "full": run.recording.full,
        "duration": run.recording.duration,
        "left": desk.runs.left_s(run),
    }

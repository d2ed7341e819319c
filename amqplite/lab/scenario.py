"""Scenarios: a lesson and a test of the broker in one file each, under `scenarios/`."""

from functools import cache
from pathlib import Path

import msgspec

from amqplite.lab.scripts.checking import check
from amqplite.lab.scripts.script import Scenario, ScenarioError, placed

__all__ = ["ORDER", "Scenario", "ScenarioError", "catalogue", "find", "read"]

FOLDER = Path(__file__).parent / "scenarios"

ORDER = (
    *("fig-11-2", "no-fault", "fix-queue-per-consumer", "fix-single-active", "sac-cancel"),
    *("fig-11-2-keyed", "fix-partition-by-key", "repartition"),
    *("prefetch-blast", "nack-one-consumer", "parallel-no-fault", "silent-death", "resequencer"),
    *("ack-timeout", "lost-ack", "fix-idempotent", "publisher-retry"),
    *("auto-ack-loss", "poison", "slow-unbounded", "slow-drop", "slow-backpressure"),
    *("destructive-ack", "late-subscriber", "two-publishers", "your-own"),
)
"""The scenarios, as a class meets them."""


@cache
def catalogue() -> tuple[Scenario, ...]:
    """Return all scenarios, in `ORDER`."""
    return tuple(read(FOLDER / f"{name}.toml") for name in ORDER)


def find(name: str) -> Scenario:
    """Return a scenario by its id.

    Raises:
        ScenarioError: there is none.
    """
    if name not in ORDER:
        raise ScenarioError(f"no scenario '{name}'; there are {', '.join(ORDER)}")
    return _read_once(name)


@cache
def _read_once(name: str) -> Scenario:
    return read(FOLDER / f"{name}.toml")


def read(path: Path) -> Scenario:
    """Read a scenario's file, and check that what stands in it goes together.

    Raises:
        ScenarioError: it can't be read, or something in it is wrong.
    """
    try:
        scenario = msgspec.toml.decode(path.read_bytes(), type=Scenario)
        check(scenario)
    except OSError as error:
        raise ScenarioError(f"{path.name}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise ScenarioError(f"{path.name}: {placed(error)}") from None
    except ScenarioError as error:
        raise ScenarioError(f"{path.name}: {error}") from None
    return scenario

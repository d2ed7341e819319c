"""Alarms by what is left of memory and disk."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from amqplite.broker.alarms import Alarms
from amqplite.server import resources
from amqplite.server.resources import Resources, machine_bytes, resident_bytes

Usage = namedtuple("Usage", "total used free")


class Machine:
    """What there is, as the test says."""

    free = 1000
    resident = 1000


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, machine.free))
    monkeypatch.setattr(resources, "resident_bytes", lambda: machine.resident)
    return machine


@pytest.mark.parametrize(
    ("free", "resident", "text"),
    [
        (500, 2000, ""),
        (499, 2000, "low on disk"),
        (500, 2001, "low on memory"),
        (0, 5000, "low on disk & low on memory"),
    ],
)
def test_what_runs_low_is_an_alarm(machine: Machine, free: int, resident: int, text: str) -> None:
    alarms = Alarms()
    machine.free, machine.resident = free, resident
    Resources(alarms, Path("/"), 500, 2000).look()
    assert alarms.text == text


@pytest.mark.parametrize(("folder", "least"), [(None, 500), (Path("/"), 0)])
def test_a_disk_that_nobody_asked_about_is_not_looked_at(
    machine: Machine, folder: Path | None, least: int
) -> None:
    alarms = Alarms()
    machine.free = 0
    Resources(alarms, folder, least, 2000).look()
    assert not alarms.on


async def test_it_looks_again_and_again(machine: Machine, autojump_clock: MockClock) -> None:
    alarms, heard = Alarms(), list[tuple[float, bool]]()
    started = trio.current_time()
    alarms.listeners[lambda: heard.append((trio.current_time() - started, alarms.on))] = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Resources(alarms, Path("/"), 500, 2000).run)
        await trio.sleep(2.5)
        machine.free = 10
        await trio.sleep(2)
        machine.free = 1000
        await trio.sleep(2)
        nursery.cancel_scope.cancel()
    assert heard == [(3, True), (5, False)]


def test_the_process_is_smaller_than_the_machine() -> None:
    assert 1_000_000 < resident_bytes() < machine_bytes()

"""The broker that all of this is done to, and what must be true of it after each test."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.broker_process import BrokerProcess
from tests.hostile.rude import Rude
from tests.wire.conftest import assert_no_fault
from tests.wire.peer import Peer

Connect = Callable[..., Rude]
Start = Callable[..., BrokerProcess]

PROBE_WITHIN_S = 1.0 if "PYTEST_XDIST_WORKER" not in os.environ else 5.0
"""A second; more where other tests have all of the machine's cores at the same time."""

HANDSHAKE_TIMEOUT_S = 1
RESIDENT_MAX = 150 * 1024 * 1024
"""Octets the shared broker may use, whatever was done to it."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    folder = tmp_path_factory.mktemp("hostile")
    with BrokerProcess(folder, handshake_timeout_s=HANDSHAKE_TIMEOUT_S) as broker:
        yield broker
        assert broker.stop() == 0, broker.output


@pytest.fixture
def broker(shared: BrokerProcess) -> Iterator[BrokerProcess]:
    """The broker that most tests share; after each it must be as well as before."""
    pid = shared.pid
    yield shared
    unhurt(shared)
    assert shared.pid == pid
    assert resident(shared) < RESIDENT_MAX


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start brokers of the test's own: `start(window_messages=10)`."""
    started: list[BrokerProcess] = []

    def start(**settings: Any) -> BrokerProcess:
        started.append(BrokerProcess(tmp_path / f"data{len(started)}", **settings))
        return started[-1].start()

    yield start
    for broker in started:
        unhurt(broker)
        broker.kill()


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Open connections: `connect(broker)`, `connect(broker, shake_hands=False)`.

    The test's end drops them.
    """
    opened: list[Rude] = []

    def connect(broker: BrokerProcess, *, shake_hands: bool = True, **how: Any) -> Rude:
        peer = Rude(broker.amqp_port)
        opened.append(peer)
        if shake_hands:
            peer.shake_hands(**how)
        return peer

    yield connect
    for peer in opened:
        with suppress(OSError):
            peer.hang_up()


@pytest.fixture
def queue() -> str:
    """A name that nobody else has."""
    return f"hostile.{secrets.token_hex(8)}"


def unhurt(broker: BrokerProcess) -> None:
    """See that a newcomer is served at once, and that the log tells of no fault."""
    probe(broker)
    assert_no_fault(broker)


def probe(broker: BrokerProcess) -> None:
    """See that a newcomer can declare, publish, get and delete, within `PROBE_WITHIN_S`."""
    began = monotonic()
    peer = Peer.open(broker.amqp_port)
    try:
        channel = peer.channel()
        queue = channel.declare(f"probe.{secrets.token_hex(8)}")
        channel.publish(b"probe", queue)
        assert channel.drain(queue) == [(b"probe", False)]
        channel.delete(queue)
        peer.close()
    finally:
        peer.hang_up()
    took = monotonic() - began
    assert took < PROBE_WITHIN_S, f"a newcomer was served in {took:.2f} s"


def resident(broker: BrokerProcess) -> int:
    """Return the broker's resident memory, in octets."""
    pages = int(Path(f"/proc/{broker.pid}/statm").read_text().split()[1])
    return pages * 4096


def open_files(broker: BrokerProcess) -> int:
    """Return how many files, sockets among them, the broker has open."""
    return len(list(Path(f"/proc/{broker.pid}/fd").iterdir()))

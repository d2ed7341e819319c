"""The broker that most tests share, brokers of a test's own, and peers to talk to them."""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event as Signal
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.broker_process import BrokerProcess
from tests.wire.channel import PATIENCE_S, Channel
from tests.wire.peer import Peer

Connect = Callable[..., Peer]
Start = Callable[..., BrokerProcess]
Name = Callable[[str], str]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "beyond_rabbitmq(reason): RabbitMQ 3.10 does otherwise; skipped against it"
    )


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess | None]:
    """The broker for all tests that need no other; `None` if `AMQPLITE_TEST_BROKER` names one."""
    if os.environ.get("AMQPLITE_TEST_BROKER"):
        yield None
        return
    broker = BrokerProcess(tmp_path_factory.mktemp("shared"))
    with broker:
        yield broker
        assert broker.stop() == 0, broker.output


@pytest.fixture
def port(shared: BrokerProcess | None, request: pytest.FixtureRequest) -> Iterator[int]:
    """Where the shared broker listens; after the test it must be as well as before."""
    if shared is None:
        if mark := request.node.get_closest_marker("beyond_rabbitmq"):
            pytest.skip(f"RabbitMQ: {mark.args[0]}")
        yield urlsplit(os.environ["AMQPLITE_TEST_BROKER"]).port or 5672
        return
    pid = shared.pid
    yield shared.amqp_port
    probe(shared.amqp_port)
    assert shared.pid == pid
    assert_no_fault(shared)


@pytest.fixture
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Open connections: `connect(heartbeat=5)`, or `connect(to=broker)` to one of the test's own.

    The test's end drops them.
    """
    opened: list[Peer] = []

    def connect(*, to: BrokerProcess | None = None, shake_hands: bool = True, **how: Any) -> Peer:
        peer = Peer(to.amqp_port if to else request.getfixturevalue("port"))
        opened.append(peer)
        if shake_hands:
            peer.shake_hands(**how)
        return peer

    yield connect
    for peer in opened:
        with suppress(OSError):
            peer.hang_up()


@pytest.fixture
def channel(connect: Connect) -> Channel:
    """A channel on a connection of its own."""
    return connect().channel()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start brokers of the test's own: `start(heartbeat_s=1)`, each on its own folder."""
    started: list[BrokerProcess] = []

    def start(data_dir: Path | None = None, **settings: Any) -> BrokerProcess:
        settings.setdefault("shutdown_timeout_s", 0.1)  # no peer here answers a close by itself
        broker = BrokerProcess(data_dir or tmp_path / f"data{len(started)}", **settings)
        started.append(broker)
        return broker.start()

    yield start
    for broker in started:
        broker.kill()
        assert_no_fault(broker)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Name:
    """Make a name nobody else uses, short enough to fit reply texts: `name("orders")`."""
    test = re.sub(r"\W+", "-", request.node.name.removeprefix("test_"))[:30]
    run = secrets.token_hex(4)
    return lambda purpose: f"{purpose}.{test}.{run}"


@pytest.fixture
def queue(name: Name) -> str:
    """A name for the queue of a test that needs but one."""
    return name("q")


def probe(port: int) -> None:
    """See that a newcomer can declare, publish, get and delete."""
    queue = f"probe.{secrets.token_hex(8)}"
    began = monotonic()
    peer = Peer.open(port)
    channel = peer.channel()
    channel.declare(queue)
    channel.publish(b"probe", queue)
    assert channel.drain(queue) == [(b"probe", False)]
    channel.delete(queue)
    peer.close()
    assert monotonic() - began < 3


def assert_no_fault(broker: BrokerProcess) -> None:
    """See that the log tells of no fault of the broker's own."""
    assert "Traceback" not in broker.output, broker.output
    assert "fault of the broker" not in broker.output, broker.output


def until(holds: Callable[[], object], within_s: float = PATIENCE_S) -> None:
    """Look again and again until it holds: for what happens without telling us."""
    deadline = monotonic() + within_s
    while not holds():
        assert monotonic() < deadline, f"{holds} does not hold within {within_s} s"
        Signal().wait(0.01)

"""The broker that all clients talk to, and names that are a test's own."""

import os
import re
import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from urllib.parse import urlsplit

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError

from tests.broker_process import BrokerProcess

TEST_WITHIN_S = 60
"""How long one test may take."""

Connect = Callable[..., pika.BlockingConnection]
Name = Callable[[str], str]
Publish = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Broker:
    """The broker under test: ours, unless `AMQPLITE_TEST_BROKER` names another."""

    url: str
    product: str
    http_port: int = 0
    """Where ours listens for HTTP."""

    @property
    def host(self) -> str:
        """The address it listens on."""
        return urlsplit(self.url).hostname or "127.0.0.1"

    @property
    def port(self) -> int:
        """The port it listens on for AMQP."""
        return urlsplit(self.url).port or 5672

    def parameters(self, **changes: object) -> pika.ConnectionParameters:
        """What pika needs to log in here as guest, with `changes`."""
        settings = {"host": self.host, "port": self.port, "blocked_connection_timeout": 30}
        return pika.ConnectionParameters(**{**settings, **changes})


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "beyond_rabbitmq(reason): RabbitMQ 3.10 does otherwise; skipped against it"
    )


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if url := os.environ.get("AMQPLITE_TEST_BROKER"):
        yield Broker(url, _product(url))
        return
    with BrokerProcess(tmp_path_factory.mktemp("broker")) as process:
        yield Broker(process.url, _product(process.url), process.http_port)
        assert process.stop() == 0, process.output


def _product(url: str) -> str:
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        product: str = connection._impl.server_properties["product"]
        return product


@pytest.fixture(autouse=True)
def _skip_what_rabbitmq_cannot(request: pytest.FixtureRequest, broker: Broker) -> None:
    mark = request.node.get_closest_marker("beyond_rabbitmq")
    if mark and broker.product == "RabbitMQ":
        pytest.skip(f"RabbitMQ: {mark.args[0]}")


@pytest.fixture(autouse=True)
def _deadline(broker: Broker) -> Iterator[None]:
    """Fail a test whose client waits for an answer that never comes."""

    def fail(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"the test still ran after {TEST_WITHIN_S} s")

    previous = signal.signal(signal.SIGALRM, fail)
    signal.alarm(TEST_WITHIN_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Name:
    """Make a name that no other test, and no other run, uses: `name("orders")`."""
    test = re.sub(r"\W+", "-", request.node.name)[:80]
    run = secrets.token_hex(4)
    return lambda purpose: f"{purpose}.{test}.{run}"


@pytest.fixture
def connect(broker: Broker) -> Iterator[Connect]:
    """Open a pika connection with changed parameters; the test's end closes it."""
    opened: list[pika.BlockingConnection] = []

    def connect(**changes: object) -> pika.BlockingConnection:
        opened.append(pika.BlockingConnection(broker.parameters(**changes)))
        return opened[-1]

    yield connect
    for connection in opened:
        if connection.is_open:
            with suppress(AMQPError):  # the test may have broken it
                connection.close()


@pytest.fixture
def connection(connect: Connect) -> pika.BlockingConnection:
    return connect()


@pytest.fixture
def channel(connection: pika.BlockingConnection) -> BlockingChannel:
    return connection.channel()


@pytest.fixture
def queue(channel: BlockingChannel, name: Name) -> str:
    """A queue of the connection of `channel`."""
    declared: str = channel.queue_declare(name("q"), exclusive=True).method.queue
    return declared


@pytest.fixture
def publish(connect: Connect) -> Publish:
    """Publish bodies from elsewhere: `publish(queue, b"1", b"2")`; on return all are confirmed.

    Only then is it sure that whoever looks finds them in the queue.
    """
    channels: list[BlockingChannel] = []

    def publish(queue: str, *bodies: bytes, **properties: object) -> None:
        if not channels:
            channels.append(connect().channel())
            channels[0].confirm_delivery()
        for body in bodies:
            channels[0].basic_publish("", queue, body, pika.BasicProperties(**properties))

    return publish

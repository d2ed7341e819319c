"""A broker whose lab is used over HTTP while clients of all kinds are at it."""

import re
import secrets
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.broker_process import BrokerProcess
from tests.lab.real.consumers import Consumers
from tests.lab.real.lab_http import Lab, path_of
from tests.lab.real.users import put_users

TEST_WITHIN_S = 120

Declare = Callable[..., str]
Publish = Callable[..., None]


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    folder = tmp_path_factory.mktemp("broker")
    put_users(folder)
    with BrokerProcess(folder) as process:
        yield process
        assert process.stop() == 0, process.output
        assert "fault" not in process.output


@pytest.fixture(autouse=True)
def _deadline() -> Iterator[None]:
    """Fail a test that waits for what never comes."""

    def fail(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"the test still ran after {TEST_WITHIN_S} s")

    previous = signal.signal(signal.SIGALRM, fail)
    signal.alarm(TEST_WITHIN_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def lab(broker: BrokerProcess) -> Iterator[Lab]:
    """The lab as an administrator; what a test has traced is traced no longer at its end."""
    lab = Lab(broker.http_port)
    yield lab
    for traced in lab.get("/trace"):
        lab.http.delete(path_of(traced["q"], traced["v"]))
    lab.close()


@pytest.fixture
def channel(broker: BrokerProcess) -> Iterator[BlockingChannel]:
    """A channel of a publisher called `publisher`, with confirms."""
    parameters = pika.URLParameters(broker.url)
    parameters.client_properties = {"connection_name": "publisher"}
    parameters.heartbeat = 0
    with pika.BlockingConnection(parameters) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        yield channel


@pytest.fixture
def declare(channel: BlockingChannel, request: pytest.FixtureRequest) -> Iterator[Declare]:
    """Declare a queue with arguments, of a name that no other test has: `declare(x_max_length=1)`.

    It is deleted at the test's end.
    """
    declared: list[str] = []

    def declare(name: str = "", **arguments: Any) -> str:
        test = re.sub(r"\W+", "-", request.node.name)[:60]
        queue = name or f"{test}.{secrets.token_hex(4)}"
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        channel.queue_declare(queue, arguments=named)
        declared.append(queue)
        return queue

    yield declare
    for queue in declared:
        channel.queue_delete(queue)


@pytest.fixture
def publish(channel: BlockingChannel) -> Publish:
    """Publish messages with these ids: `publish(queue, "m1")`; on return they are confirmed."""

    def publish(queue: str, *labels: str, **properties: Any) -> None:
        for label in labels:
            channel.basic_publish(
                "", queue, label.encode(), pika.BasicProperties(message_id=label, **properties)
            )

    return publish


@pytest.fixture(scope="package")
def _pika_consumers(broker: BrokerProcess) -> Iterator[Consumers]:
    consumers = Consumers(broker.url)
    yield consumers
    consumers.end()


@pytest.fixture
def consumers(_pika_consumers: Consumers) -> Iterator[Consumers]:
    """Consumers of pika's."""
    yield _pika_consumers
    _pika_consumers.rest()

"""Debian's amqp-tools (librabbitmq): what a shell script does."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Broker, Name, Publish

TOOLS = ("amqp-declare-queue", "amqp-publish", "amqp-get", "amqp-consume", "amqp-delete-queue")
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


def address(broker: Broker) -> str:
    """The broker's URL without its final slash, which means a vhost without a name here."""
    return broker.url.rstrip("/")


Tool = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def tool(broker: Broker) -> Tool:
    """Run one: `tool("get", "-q", queue)`; `url` and `input` may be given."""

    def run(
        name: str, *arguments: str, url: str = address(broker), **settings: bytes
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [f"amqp-{name}", "--url", url, *arguments],
            capture_output=True,
            timeout=15,
            check=False,
            **settings,
        )

    return run


@pytest.fixture
def queue(tool: Tool, name: Name) -> Iterator[str]:
    declared = tool("declare-queue", "-q", name("q"))
    assert (declared.returncode, declared.stdout.decode()) == (0, f"{name('q')}\n")
    yield name("q")
    tool("delete-queue", "-q", name("q"))


def test_a_message_goes_in_and_comes_out(tool: Tool, queue: str) -> None:
    assert tool("publish", "-r", queue, "-b", "from the shell", "-p").returncode == 0
    got = tool("get", "-q", queue)
    assert (got.returncode, got.stdout) == (0, b"from the shell")
    assert tool("get", "-q", queue).returncode == 2  # empty
    deleted = tool("delete-queue", "-q", queue)
    assert (deleted.returncode, deleted.stdout) == (0, b"0\n")


def test_lines_become_messages(tool: Tool, queue: str) -> None:
    lines = b"".join(b"line %d\n" % number for number in range(50))
    assert tool("publish", "-r", queue, "-l", input=lines).returncode == 0
    got = tool("consume", "-q", queue, "-c", "50", "cat")
    assert (got.returncode, got.stdout) == (0, lines)
    assert tool("delete-queue", "-q", queue).stdout == b"0\n"


def test_a_large_body_from_standard_input(tool: Tool, queue: str) -> None:
    body = bytes(range(256)) * 2000
    assert tool("publish", "-r", queue, "-C", "application/x", input=body).returncode == 0
    assert tool("get", "-q", queue).stdout == body


def test_a_failing_command_leaves_the_message(
    tool: Tool, queue: str, publish: Publish, channel: BlockingChannel
) -> None:
    publish(queue, b"precious")
    tool("consume", "-q", queue, "-c", "1", "false")
    method, _, body = channel.basic_get(queue, auto_ack=True)
    assert (body, method.redelivered) == (b"precious", True)


def test_a_topic_through_a_queue_that_the_broker_names(
    broker: Broker, channel: BlockingChannel, name: Name
) -> None:
    channel.exchange_declare(name("x"), "topic", auto_delete=True)
    channel.confirm_delivery()
    with subprocess.Popen(
        [
            *("amqp-consume", "--url", address(broker), "-e", name("x"), "-r", "a.#"),
            *("-x", "-c", "1", "cat"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as consumer:
        assert consumer.stderr is not None
        assert b"Server provided queue name: amq.gen-" in consumer.stderr.readline()
        # It binds after that line: publish until the binding is there.
        while consumer.poll() is None:
            channel.basic_publish(name("x"), "a.b", b"bound")
            with suppress(subprocess.TimeoutExpired):
                consumer.wait(0.05)
        assert consumer.stdout is not None
        assert (consumer.returncode, consumer.stdout.read()) == (0, b"bound")


def test_a_wrong_password_is_said_so(tool: Tool, broker: Broker) -> None:
    wrong = address(broker).replace("guest:guest@", "guest:wrong@")
    refused = tool("declare-queue", "-q", "never", url=wrong)
    assert refused.returncode == 1
    assert b"ACCESS_REFUSED" in refused.stderr


def test_a_missing_queue_is_said_so(tool: Tool, name: Name) -> None:
    refused = tool("get", "-q", name("absent"))
    assert refused.returncode == 1
    assert b"NOT_FOUND - no queue" in refused.stderr

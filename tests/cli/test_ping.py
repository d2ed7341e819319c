"""`amqplite ping` against a broker, something else, and nothing."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
from click.testing import CliRunner

from amqplite.cli import main
from amqplite.cli.ping import PROTOCOL_HEADER
from tests.broker_process import ROOT, BrokerProcess, free_port


@contextmanager
def peer_that_answers(*answer: bytes) -> Iterator[int]:
    """Listen for one connection, read a protocol header, send each of `answer`, hang up."""
    heard: list[bytes] = []

    def run() -> None:
        connection, _ = listener.accept()
        with connection:
            heard.append(connection.recv(len(PROTOCOL_HEADER)))
            for octets in answer:
                connection.sendall(octets)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=run)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(5)
    assert heard == [PROTOCOL_HEADER]


def ping(port: int, *arguments: str, **environ: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["ping", "--amqp-port", str(port), *arguments], env=environ)
    return result.exit_code, result.output


def test_a_broker_that_runs_answers() -> None:
    with BrokerProcess(":memory:") as broker:
        assert ping(broker.amqp_port) == (0, f"A broker answers at 127.0.0.1:{broker.amqp_port}\n")
        assert broker.stop() == 0


def test_it_asks_where_the_settings_say_that_a_broker_listens() -> None:
    with peer_that_answers(b"\x01\x00", b"\x00\x00\x00") as port:
        environ = {"AMQPLITE_HOST": "0.0.0.0", "RABBITMQ_NODE_PORT": str(port)}
        result = CliRunner().invoke(main, ["ping"], env=environ)
    assert (result.exit_code, result.output) == (0, f"A broker answers at 127.0.0.1:{port}\n")


@pytest.mark.parametrize("answer", [b"AMQP\x00\x01\x00\x00", b"HTTP/1.1 400", b""])
def test_something_else_that_answers_is_no_broker(answer: bytes) -> None:
    with peer_that_answers(answer) as port:
        code, output = ping(port)
    assert code == 1
    assert output == f"Error: what answers at 127.0.0.1:{port} is no AMQP 0-9-1 broker\n"


def test_nobody_there_is_told_in_one_line() -> None:
    port = free_port()
    code, output = ping(port)
    assert code == 1
    (line,) = output.splitlines()
    assert line.startswith(f"Error: no broker answers at 127.0.0.1:{port}: ")


def test_a_broker_that_hangs_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code, output = ping(port, "--timeout", "0.05")
    assert (code, output) == (1, f"Error: no broker answers at 127.0.0.1:{port}: timed out\n")


def test_a_wrong_setting_is_told_in_one_line() -> None:
    code, output = ping(1, AMQPLITE_CHANNEL_MAX="0")
    assert (code, output) == (
        1,
        "Error: AMQPLITE_CHANNEL_MAX must be from 1 to 65535, not '0'\n",
    )


def test_it_imports_nothing_that_only_the_broker_needs() -> None:
    program = (
        "import sys; from amqplite.cli import main;"
        " main(['ping', '--amqp-port', '1'], standalone_mode=False)"
    )
    check = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {program}"
    ended = subprocess.run(
        [sys.executable, "-c", check],
        cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    loaded = set(ended.stdout.split())
    assert "amqplite.config" in loaded
    assert loaded & {"trio", "sqlalchemy", "alembic"} == set()

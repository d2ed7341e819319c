"""`amqplite serve` as whoever runs it sees it: its first lines, its refusals, its end."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pika
import pika.exceptions
import pytest

from tests.broker_process import COMPLETE, ROOT, BrokerProcess

DATABASE_HEADER = b"SQLite format 3\x00"


def serve(*arguments: object, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run `amqplite serve` on free ports where it is expected to refuse."""
    inherited = {
        k: v for k, v in os.environ.items() if not k.startswith(("AMQPLITE_", "RABBITMQ_"))
    }
    return subprocess.run(
        [
            *(sys.executable, "-m", "amqplite", "serve", "--amqp-port", "0", "--http-port", "0"),
            *map(str, arguments),
        ],
        cwd=ROOT,
        env=inherited | environ,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def refusal(*arguments: object, **environ: str) -> str:
    """Return the one line with which `amqplite serve` refuses to start."""
    ended = serve(*arguments, **environ)
    assert ended.returncode == 1, ended
    assert COMPLETE not in ended.stdout
    assert "Traceback" not in ended.stdout + ended.stderr
    (line,) = ended.stderr.splitlines()
    return line


def files(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def database(folder: Path) -> Path:
    """Return the database file in a data folder."""
    (found,) = [f for f in folder.iterdir() if f.read_bytes().startswith(DATABASE_HEADER)]
    return found


def logs_in(url: str) -> bool:
    try:
        pika.BlockingConnection(pika.URLParameters(url)).close()
    except pika.exceptions.AMQPConnectionError:
        return False
    return True


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path, name: str) -> None:
    with BrokerProcess(tmp_path / "data") as broker:
        *before, last = broker.output.splitlines()
        assert COMPLETE in last
        listening = [line for line in before if "listening" in line]
        for port in (broker.amqp_port, broker.http_port):
            assert [line for line in listening if str(port) in line]
        assert logs_in(broker.url)
        os.kill(broker.pid, signal.Signals[name])
        assert broker.wait() == 0
        assert "Traceback" not in broker.output


def test_it_does_not_wait_for_clients_that_never_logged_in(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path) as broker, socket.socket() as silent:
        silent.connect(("127.0.0.1", broker.amqp_port))
        assert logs_in(broker.url)
        began = monotonic()
        assert broker.stop() == 0
        assert monotonic() - began < 5  # half of what a client has to answer


def test_it_starts_again_where_it_stopped(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path) as broker:
        port = broker.amqp_port
        broker.restart()
        assert broker.amqp_port == port
        assert logs_in(broker.url)
        assert broker.stop() == 0


def test_in_memory_it_makes_no_file(tmp_path: Path) -> None:
    homes = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in homes.items():
            patch.setenv(variable, value)
        with BrokerProcess(":memory:") as broker:
            assert logs_in(broker.url)
            assert broker.stop() == 0
    assert files(tmp_path) == {}
    assert not (ROOT / ":memory:").exists()


def test_a_port_in_use_is_refused_and_nothing_made(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for option in ("--amqp-port", "--http-port"):
            line = refusal("--data-dir", folder, option, port)
            assert str(port) in line
            assert "in use" in line
            assert option in line
    assert not folder.exists()


def test_a_data_folder_that_another_broker_holds_is_refused(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path) as broker:
        line = refusal("--data-dir", tmp_path)
        assert str(tmp_path) in line
        assert logs_in(broker.url)
        assert broker.stop() == 0


def test_a_database_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path) as broker:
        assert broker.stop() == 0
    file = database(tmp_path)
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = file.read_bytes()
    line = refusal("--data-dir", tmp_path)
    assert str(file) in line
    assert "newer" in line
    assert file.read_bytes() == before


def test_a_damaged_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path) as broker:
        assert broker.stop() == 0
    file = database(tmp_path)
    file.write_bytes(b"no database" * 1000)
    line = refusal("--data-dir", tmp_path)
    assert str(file) in line
    assert file.read_bytes() == b"no database" * 1000


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    assert str(tmp_path / "data") in refusal("--data-dir", tmp_path / "data")
    assert (tmp_path / "data").read_text() == "mine"


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    assert "192.0.2.1" in refusal("--data-dir", tmp_path / "data", "--host", "192.0.2.1")
    assert not (tmp_path / "data").exists()


def test_a_wrong_setting_is_refused_in_one_line_and_nothing_made(tmp_path: Path) -> None:
    folder, config_file = tmp_path / "data", tmp_path / "broker.toml"
    missing = refusal("--config", config_file, "--data-dir", folder)
    assert missing == f"Error: cannot read config file {config_file}: No such file or directory"
    config_file.write_text("amqp_prot = 5672")
    assert refusal("--config", config_file, "--data-dir", folder) == (
        f"Error: config file {config_file} has an unknown setting amqp_prot;"
        " did you mean amqp_port?"
    )
    assert refusal("--data-dir", folder, AMQPLITE_CHANNEL_MAX="many") == (
        "Error: AMQPLITE_CHANNEL_MAX must be from 1 to 65535, not 'many'"
    )
    assert not folder.exists()


def test_wrong_usage_is_told_from_a_failure_by_its_exit_code() -> None:
    for arguments in (["--amqp-port", "many"], ["--log-format", "xml"], ["--bogus"]):
        ended = serve(*arguments)
        assert ended.returncode == 2
        assert ended.stderr.startswith("Usage: amqplite serve")


class InContainer(BrokerProcess):
    """A broker that is started the way RabbitMQ's image is."""

    def _environment(self) -> dict[str, str]:
        ours = {"USER": "ann", "PASS": "s", "VHOST": "v"}
        return super()._environment() | {f"RABBITMQ_DEFAULT_{k}": v for k, v in ours.items()}


def test_it_honours_the_variables_of_a_rabbitmq_container(tmp_path: Path) -> None:
    with InContainer(tmp_path) as broker:
        address = f"127.0.0.1:{broker.amqp_port}"
        assert logs_in(f"amqp://ann:s@{address}/v")
        assert not logs_in(f"amqp://ann:s@{address}/%2F")
        assert not logs_in(f"amqp://guest:guest@{address}/v")
        assert broker.stop() == 0

"""A broker as its users run it: `python -m amqplite serve` in a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from time import monotonic
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[1]
COMPLETE = "Server startup complete"
START_WITHIN_S = 20.0
STOP_WITHIN_S = 20.0


def free_port() -> int:
    """Return a TCP port of the loopback interface that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def listening_port(output: str, protocol: str) -> int | None:
    """Return where the broker that printed `output` listens for "amqp" or "http"; `None`: nowhere.

    It says so in a line of its own (`--log-format json`) before `COMPLETE`.
    """
    for line in output.splitlines():
        with suppress(ValueError):
            record = json.loads(line)
            if (record.get("event"), record.get("protocol")) == ("listening", protocol):
                return int(record["port"])
    return None


class BrokerProcess:
    """A broker with its own data folder, on free loopback ports.

    It can be started again after `stop` or `kill`: on the same folder and the same ports, so that
    clients find it where it was.

    Args:
        data_dir: the folder of its database, or ":memory:".
        host: the address it listens on.
        settings: settings by their names, such as `consumer_timeout_ms=500`; they reach the
            broker through the environment.

    Attributes:
        amqp_port: where it listens for AMQP; known from the first `start` on.
        http_port: where it listens for HTTP; known from the first `start` on.
    """

    def __init__(
        self, data_dir: Path | str, *, host: str = "127.0.0.1", **settings: object
    ) -> None:
        self.data_dir, self.host, self.settings = data_dir, host, settings
        self.amqp_port = self.http_port = 0
        self._process: subprocess.Popen[str] | None = None
        self._reader: Thread | None = None
        self._lines: list[str] = []
        self._changed = Condition()

    @property
    def pid(self) -> int:
        """The process id of the broker that runs."""
        return self._running().pid

    @property
    def output(self) -> str:
        """All that it printed since its last start."""
        with self._changed:
            return "".join(self._lines)

    @property
    def url(self) -> str:
        """Where clients connect, as guest."""
        return f"amqp://guest:guest@{self.host}:{self.amqp_port}/"

    def start(self) -> Self:
        """Start it and return once it serves.

        Raises:
            RuntimeError: it ended first, or took longer than `START_WITHIN_S`.
        """
        self._launch()
        self.amqp_port = listening_port(self.output, "amqp") or self.amqp_port
        self.http_port = listening_port(self.output, "http") or self.http_port
        return self

    def stop(self) -> int:
        """Ask it to stop, as a service manager does, and return its exit code."""
        self._running().send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self, within_s: float = STOP_WITHIN_S) -> int:
        """Return the exit code of a broker that is about to end; kill one that does not."""
        process = self._running()
        try:
            return process.wait(within_s)
        except subprocess.TimeoutExpired as late:
            raise RuntimeError(f"it still runs after {within_s} s:\n{self.output}") from late
        finally:
            self.kill()

    def kill(self) -> None:
        """Take it away at once (SIGKILL), if it runs."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        if self._reader:
            self._reader.join()
        self._process = None

    def restart(self) -> Self:
        """Stop it in good order and start it again."""
        self.stop()
        return self.start()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def _running(self) -> subprocess.Popen[str]:
        assert self._process is not None, "the broker does not run"
        return self._process

    def _launch(self) -> None:
        assert self._process is None, "the broker runs already"
        with self._changed:
            self._lines.clear()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "amqplite", "serve", "--log-format", "json"),
                *("--data-dir", str(self.data_dir), "--host", self.host),
                *("--amqp-port", str(self.amqp_port), "--http-port", str(self.http_port)),
            ],
            cwd=ROOT,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()
        self._await_startup()

    def _environment(self) -> dict[str, str]:
        """The environment without what would configure a broker, and with `settings`."""
        foreign = ("AMQPLITE_", "RABBITMQ_")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        settings = {f"AMQPLITE_{k.upper()}": str(v) for k, v in self.settings.items()}
        return {**inherited, "PYTHONUNBUFFERED": "1", **settings}

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as stream:
            for line in stream:
                self._add(line)
        self._add("")  # the end of the stream: wakes whoever waits for a line

    def _add(self, line: str) -> None:
        with self._changed:
            self._lines.append(line)
            self._changed.notify_all()

    def _await_startup(self) -> None:
        deadline = monotonic() + START_WITHIN_S
        with self._changed:
            while not any(COMPLETE in line for line in self._lines):
                ended = self._lines[-1:] == [""]
                if ended or not self._changed.wait(max(0, deadline - monotonic())):
                    break
            else:
                return
        output = self.output
        self.kill()
        raise RuntimeError(f"the broker did not start:\n{output}")

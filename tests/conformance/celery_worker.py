"""A Celery worker as its users run it, in processes of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Condition, Thread
from time import monotonic
from typing import Self

ROOT = Path(__file__).parents[2]
READY_WITHIN_S = 20.0
STOP_WITHIN_S = 20.0


class Worker:
    """`celery worker` with one pool process.

    Args:
        url: the broker.
        name: what the application's queues are named after.
        called: the worker's own name, `called@localhost`.
    """

    def __init__(self, url: str, name: str, called: str) -> None:
        self.hostname = f"{called}@localhost"
        self._output = ""
        self._changed = Condition()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "celery", "-A", "tests.conformance.celery_app"),
                *("worker", "-c", "1", "-n", self.hostname, "-l", "INFO"),
            ],
            cwd=ROOT,
            env={**os.environ, "AMQPLITE_TEST_URL": url, "AMQPLITE_TEST_CELERY": name},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # its pool processes are killed with it
        )
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def output(self) -> str:
        """What it has printed."""
        with self._changed:
            return self._output

    def wait_for(self, text: str, within_s: float = READY_WITHIN_S) -> None:
        """Wait until it has printed `text`."""
        deadline = monotonic() + within_s
        with self._changed:
            while text not in self._output:
                ended = self.process.poll() is not None and not self._reader.is_alive()
                if ended or not self._changed.wait(min(1, deadline - monotonic())):
                    assert not ended, self._output
                    assert monotonic() < deadline, self._output

    def stop(self) -> int:
        """Ask for a warm shutdown and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_WITHIN_S)

    def kill(self) -> None:
        """Take it away with its pool processes (SIGKILL)."""
        if self._reader.is_alive():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                with self._changed:
                    self._output += line
                    self._changed.notify_all()

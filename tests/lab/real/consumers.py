"""Consumers as processes of their own, which do what a test tells them, and nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.broker_process import ROOT


class Consumer:
    """A process that consumes, once it is told to; see `pika_consumer`.

    Attributes:
        alive: it wasn't killed.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self.alive = True
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, what: str, **more: Any) -> Any:
        """Have it do something; return its answer, which comes when the broker knows of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the consumer has ended with {self._process.wait()}"
        return json.loads(line)

    def take(self) -> str:
        """Wait for a message, and return what it is called, with ↻ if it was handed out before."""
        told = self.do("take")
        return f"{told['m']}{'↻' if told['redelivered'] else ''}"

    def ack(self, m: str) -> None:
        """Settle a message."""
        assert self.do("ack", m=m) == {}

    def kill(self) -> None:
        """End it where it stands (SIGKILL)."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


class Consumers:
    """Consumers of one client library. Those that live on after a test serve the next.

    Args:
        library: `pika`, `aio_pika` or `amqplib`.
        modules: where node finds amqplib.
        spare: processes that are started ahead, since each takes a while.
    """

    def __init__(
        self, url: str, library: str = "pika", modules: Path | None = None, spare: int = 2
    ) -> None:
        self._url = url
        self._env = {} if modules is None else {"NODE_PATH": str(modules)}
        self._command = [sys.executable, "-m", f"tests.lab.real.{library}_consumer"]
        if library == "amqplib":
            self._command = ["node", str(Path(__file__).with_name("amqplib_consumer.cjs"))]
        self._idle = [self._new() for _ in range(spare)]
        self._busy: list[Consumer] = []

    def start(self, queue: str, tag: str, *, prefetch: int = 1, auto: bool = False) -> Consumer:
        """Return one that consumes from a queue."""
        consumer = self._idle.pop(0) if self._idle else self._new()
        self._busy.append(consumer)
        settings = {"queue": queue, "tag": tag, "prefetch": prefetch, "auto": auto}
        consumer.do("consume", url=self._url, **settings)
        return consumer

    def rest(self) -> None:
        """Hang up on the broker."""
        while self._busy:
            consumer = self._busy.pop()
            if consumer.alive:
                consumer.do("close")
                self._idle.append(consumer)
            else:
                self._idle.append(self._new())

    def end(self) -> None:
        """End them all."""
        for consumer in (*self._idle, *self._busy):
            if consumer.alive:
                consumer.kill()

    def _new(self) -> Consumer:
        return Consumer(self._command, self._env)

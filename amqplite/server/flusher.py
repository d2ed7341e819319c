"""Writes what one piece of work has caused, for every connection it touched, when the work is done.

A read, or a commit, makes output for any number of connections. Waking each one's writer for it
would cost a task's turn apiece; writing at once, where the socket takes it, costs a call.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Writer(Protocol):
    """Whoever has output."""

    def write_now(self) -> None:
        """Write what can be written without waiting, and leave the rest to the writer's task."""
        ...

    def write_soon(self) -> None:
        """Leave it all to the writer's task."""
        ...


class Flusher:
    """Gathers the writers that have output while some work is done."""

    __slots__ = ("_gathering", "_writers")

    def __init__(self) -> None:
        self._gathering = False
        self._writers: list[Writer] = []

    def has_output(self, writer: Writer) -> None:
        """Have `writer` write: when the work is done, or soon if there is none."""
        if self._gathering:
            self._writers.append(writer)
        else:
            writer.write_soon()

    def begin(self) -> None:
        """Begin to gather."""
        self._gathering = True

    def end(self) -> None:
        """Write for all that have been gathered."""
        self._gathering = False
        writers = self._writers
        if writers:
            self._writers = []
            left = iter(writers)
            try:
                for writer in left:
                    writer.write_now()
            finally:
                for writer in left:  # one has failed: that is no fault of those behind it
                    writer.write_soon()

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Gather while the body runs; the hot path calls `begin` and `end` by hand."""
        self.begin()
        try:
            yield
        finally:
            self.end()

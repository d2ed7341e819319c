"""Messages that need not survive a restart, moved out of memory.

They lie in a database of their own, thrown away at every start, so that they cost no fsync. It is
made when the first message comes. What is written here may be written again: where the commit of
the other database fails afterwards, the whole batch is tried again.
"""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.schema import CreateTable

from amqplite.broker.journal import MessageRow
from amqplite.store.engine import MEMORY, UNSYNCED, open_reader, open_sharing, open_writer
from amqplite.store.statements import (
    DELETE_RANGE,
    DELETE_RANGES,
    READ_SPILLED_PAGE,
    insert_spilled,
)
from amqplite.store.tables import messages
from amqplite.store.vacuum import shrink

WIDE = 10_000
"""Keys in a range that are better deleted one after the other than listed first."""


class Spill:
    """A database of `messages` alone, their contents within.

    Args:
        path: of the file; `MEMORY` for none.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path
        self._writer: Connection | None = None
        self._reader: Connection | None = None
        self._remove()

    def write(self, rows: Sequence[MessageRow], forget: Sequence[tuple[int, int]]) -> None:
        """Add `rows`, then remove those with keys in the ranges `forget`, ends included."""
        if not rows and (self._writer is None or not forget):
            return
        writer = self._writer or self._open()
        narrow = [keys for keys in forget if keys[1] - keys[0] < WIDE]
        with writer.begin():
            insert_spilled(writer, rows)
            if narrow:
                writer.exec_driver_sql(DELETE_RANGES, (json.dumps(narrow),))
            for first, last in forget:
                if last - first >= WIDE:
                    writer.exec_driver_sql(DELETE_RANGE, (first, last))

    def page(self, first: int, last: int, limit: int) -> Sequence[tuple[object, ...]]:
        """Read up to `limit` rows with keys from `first` to `last`, in order."""
        if self._writer is None:
            return ()
        if self._reader is None:
            in_memory = self._path == MEMORY
            self._reader = open_sharing(self._writer) if in_memory else open_reader(self._path)
        return self._reader.exec_driver_sql(READ_SPILLED_PAGE, (first, last, limit, 0)).fetchall()

    def tidy(self) -> bool:
        """Give a little disk space back; return whether there is more."""
        return self._writer is not None and shrink(self._writer)

    def close(self) -> None:
        """Close the file and delete it."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._writer = self._reader = None
        self._remove()

    def _open(self) -> Connection:
        with ExitStack() as opened:
            writer = opened.enter_context(open_writer(self._path, UNSYNCED))
            with writer.begin():
                writer.execute(CreateTable(messages, if_not_exists=True))
            opened.pop_all()
        self._writer = writer  # last: the other thread looks here
        return writer

    def _remove(self) -> None:
        if isinstance(self._path, Path):
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

"""Messages that need not survive a restart, moved out of memory.

They lie in a database of their own, thrown away at every start, so that they cost no fsync. It is
made when the first message comes. What is written here may be written again: where the commit of
the other database fails afterwards, the whole batch is tried again.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.schema import CreateTable

from amqplite.broker.journal import MessageRow
from amqplite.store.engine import MEMORY, SPILL_WRITER, open_reader, open_sharing, open_writer
from amqplite.store.statements import (
    DELETE_RANGES,
    READ_SPILLED_PAGE,
    insert_spilled,
)
from amqplite.store.tables import messages


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

    @property
    def in_use(self) -> bool:
        """Whether anything was ever spilled."""
        return self._writer is not None

    def write(
        self,
        rows: Sequence[MessageRow],
        forget: Sequence[tuple[int, int]],
    ) -> None:
        """Add `rows`, then remove those with keys in the ranges `forget`, ends included."""
        if not rows and (self._writer is None or not forget):
            return
        writer = self._writer or self._open()
        with writer.begin():
            if rows:
                insert_spilled(writer, rows)
            if forget:
                writer.exec_driver_sql(DELETE_RANGES, (json.dumps(forget),))

    def page(self, first: int, last: int, limit: int) -> Sequence[tuple[object, ...]]:
        """Read up to `limit` rows with keys from `first` to `last`, in order."""
        if self._writer is None:
            return ()
        if self._reader is None:
            in_memory = self._path == MEMORY
            self._reader = open_sharing(self._writer) if in_memory else open_reader(self._path)
        return self._reader.exec_driver_sql(READ_SPILLED_PAGE, (first, last, limit, 0)).fetchall()

    def close(self) -> None:
        """Close the file and delete it."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._writer = self._reader = None
        self._remove()

    def _open(self) -> Connection:
        writer = open_writer(self._path, SPILL_WRITER)
        with writer.begin():
            writer.execute(CreateTable(messages))
        self._writer = writer  # last: the other thread looks here
        return writer

    def _remove(self) -> None:
        if isinstance(self._path, Path):
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

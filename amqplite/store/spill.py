"""Messages that need not survive a restart, moved out of memory.

They lie in a database of their own, thrown away at every start, so that they cost no fsync. It is
made when the first message comes. What is written here may be written again: where the commit of
the other database fails afterwards, the whole batch is tried again.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.schema import CreateTable

from amqplite.broker.records import MessageRow
from amqplite.store import statements
from amqplite.store.engine import driver_of, if_possible, open_writer
from amqplite.store.opening import MEMORY, UNSYNCED, connect_reader, delete_database
from amqplite.store.purging import delete_some
from amqplite.store.ranges import Range, Ranges, holds, merge
from amqplite.store.reading import READ_SPILLED_PAGE, read_page
from amqplite.store.tables import contents, messages
from amqplite.store.vacuum import shrink

WIDE = 2_000
"""Keys in a range that are not deleted at once, but a step at a time."""


class Spill:
    """A database of `messages` with their contents within.

    Args:
        path: of the file; `MEMORY` for none.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path
        self._writer: Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._forgotten: Ranges = ()
        self._remove()

    def write(self, rows: Sequence[MessageRow], forget: Sequence[Range]) -> None:
        """Add `rows`, then forget those with keys in the ranges `forget`, ends included."""
        if not rows and (self._writer is None or not (forget or self._forgotten)):
            return
        writer = self._writer or self._open()
        narrow = [keys for keys in forget if keys[1] - keys[0] < WIDE]
        wide = [keys for keys in forget if keys[1] - keys[0] >= WIDE]
        left = self._forgotten
        with writer.begin():
            while any(holds(left, row[0]) for row in rows):
                left = delete_some(writer, left)
            statements.insert_spilled(writer, rows)
            if narrow:
                writer.exec_driver_sql(statements.delete_ranges(), (json.dumps(narrow),))
            left = delete_some(writer, merge((*left, *wide)) if wide else left)
        self._forgotten = left

    def page(self, first: int, last: int, limit: int) -> tuple[list[tuple[Any, ...]], bool]:
        """Read rows with keys from `first` to `last`, as `read_page` does."""
        if self._writer is None:
            return [], False
        if self._reader is None:
            in_memory = self._path == MEMORY
            self._reader = driver_of(self._writer) if in_memory else connect_reader(self._path)
        return read_page(self._reader, READ_SPILLED_PAGE, self._forgotten, first, last, limit)

    def purge(self) -> bool:
        """Delete a little of what is forgotten; return whether there is more."""
        if self._writer is None or not self._forgotten:
            return False
        with if_possible():
            with self._writer.begin():
                left = delete_some(self._writer, self._forgotten)
            self._forgotten = left
            return bool(left)
        return False

    def shrink(self) -> bool:
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
                for table in (messages, contents):  # the latter for statements to find it empty
                    writer.execute(CreateTable(table, if_not_exists=True))
            opened.pop_all()
        self._writer = writer  # last: the other thread looks here
        return writer

    def _remove(self) -> None:
        if isinstance(self._path, Path):
            delete_database(self._path)

"""The store: a database file, its log, and beside it what spilled out of memory."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import cache
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from amqplite.broker.records import Batch, Loaded, Stored, StoreFull
from amqplite.imports import uncollected
from amqplite.store import StoreUnusable, reading
from amqplite.store.migrate import EMPTY, find_revision, migrate, unusable
from amqplite.store.names import read_name
from amqplite.store.opening import (
    MEMORY,
    connect_reader,
    connect_writer,
    delete_database,
    must_wait,
)
from amqplite.store.ranges import Ranges

if TYPE_CHECKING:
    from amqplite.store.writing import Writer

SPILL_SUFFIX = "-spill.db"


class Database:
    """A `Store` in SQLite.

    One connection writes, from whichever thread commits; another reads, on the broker's thread, and
    never waits for it. In memory there is but one, and they take turns.

    A start only reads, by SQLite's driver. SQLAlchemy comes with `prepare`, or whoever writes
    first, in that thread: to import it takes as long as all else of a start.

    Args:
        path: of the file, made if it is not there; `MEMORY` for none.

    Raises:
        StoreUnusable: it can't be opened; nothing was changed.
    """

    def __init__(self, path: Path | str) -> None:
        file = None if path == MEMORY else Path(path)
        revision = find_revision(file) if file else EMPTY
        if file and file.exists() and not os.access(file, os.W_OK):
            # SQLite would open it all the same, and find out at the first real write
            raise StoreUnusable(f"{path} can't be opened: it is readonly")
        with ExitStack() as opened, _named(path):
            self._connection = opened.enter_context(closing(connect_writer(path)))
            migrate(self._connection, path, revision)
            self._connection.execute("BEGIN IMMEDIATE")  # a file that can't be written is found now
            self._connection.execute("COMMIT")
            self._reader = (
                opened.enter_context(closing(connect_reader(file))) if file else self._connection
            )
            self._purged_before = reading.read_purges(self._reader)
            opened.pop_all()
        self._path = path
        self._turn: AbstractContextManager[object] = nullcontext() if file else Lock()
        self._spill_path = file.with_name(file.stem + SPILL_SUFFIX) if file else MEMORY
        if isinstance(self._spill_path, Path):
            delete_database(self._spill_path)  # what a crash left
        self._writer: Writer | None = None

    def prepare(self) -> None:
        """Do what takes long before somebody waits for it; called as `commit` is."""
        _import_writer()
        with self._turn:
            self._writing()

    def load(self) -> Loaded:
        """Read all definitions.

        Raises:
            DatabaseDamaged: it can't be read.
        """
        with _named(self._path):
            return reading.load(self._reader, self._purged)

    def page(self, first: int, last: int, limit: int, /) -> list[Stored]:
        """Read up to `limit` messages with keys from `first` to `last`, in order.

        Raises:
            DatabaseDamaged: they can't be read.
        """
        with self._turn, _usable(self._path):
            writer = self._writer
            found, more = reading.read_page(
                self._reader, reading.READ_PAGE, self._purged, first, last, limit
            )
            spilled, more_spilled = writer.spill.page(first, last, limit) if writer else ([], False)
        page = [_stored(row, True) for row in found]
        if spilled:
            page += [_stored(row, False) for row in spilled]
            page.sort(key=_key)
            # what one of them was not read as far as may lie between
            end = min(
                found[-1][0] if more else page[-1][0],
                spilled[-1][0] if more_spilled else page[-1][0],
            )
            page = [row for row in page if row[0] <= end][:limit]
        return page

    def commit(self, batch: Batch, /) -> None:
        """Write `batch`, and return once it is on disk.

        Raises:
            StoreFull: as `Store` says.
            DatabaseDamaged: it can't be written any more.
        """
        _import_writer()  # in nobody's turn
        with self._turn, _usable(self._path):
            writer = self._writing()
            try:
                writer.write(batch)
            except sqlite3.DatabaseError as error:
                if not must_wait(error):
                    raise
                writer.make_room()
                raise StoreFull(str(error)) from error

    def tidy(self) -> bool:
        """Delete a little of what was purged, then give a little disk space back.

        Commits do the same while they come; called instead of one, in the same way.

        Returns:
            Whether there is more, for when there is time.

        Raises:
            DatabaseDamaged: it can't be written any more.
        """
        _import_writer()
        with self._turn, _usable(self._path):
            return self._writing().tidy()

    def close(self) -> None:
        """Release the files."""
        if self._writer is not None:
            self._writer.close()
        self._reader.close()
        self._connection.close()

    @property
    def _purged(self) -> Ranges:
        """What is gone, though its rows may still be there."""
        return self._purged_before if self._writer is None else self._writer.purged

    def _writing(self) -> "Writer":
        if self._writer is None:
            make = _import_writer()
            self._writer = make(self._connection, self._spill_path, self._purged_before)
        return self._writer


@cache
def _import_writer() -> "type[Writer]":
    """Return what writes; the first call takes long."""
    with uncollected():
        from amqplite.store.writing import Writer
    return Writer


@contextmanager
def _named(path: Path | str) -> Iterator[None]:
    """Turn what SQLite says into what is wrong with the file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise unusable(Path(path), error) from error


@contextmanager
def _usable(path: Path | str) -> Iterator[None]:
    """Turn it into one line when the file turns out to be damaged, or its disk does."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _OF_THE_FILE:
            raise  # a fault of ours
        raise unusable(Path(path), error) from error


_OF_THE_FILE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
)

_key = itemgetter(0)


def _stored(row: Sequence[Any], persistent: bool) -> Stored:
    key, deliveries, content_id, exchange, routing_key, properties, body = row
    return (
        key,
        deliveries,
        content_id,
        exchange if type(exchange) is str else read_name(exchange),
        routing_key if type(routing_key) is str else read_name(routing_key),
        properties,
        body,
        persistent,
    )

"""The store: a database file, its log, and beside it what spilled out of memory."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import exc

from amqplite.broker.records import (
    SEQ_BITS,
    Batch,
    Loaded,
    MessageRow,
    Stored,
    StoreFull,
    split_key,
)
from amqplite.store import StoreUnusable, definitions, purging, statements
from amqplite.store.engine import (
    MEMORY,
    if_possible,
    must_wait,
    open_reader,
    open_sharing,
    open_writer,
)
from amqplite.store.migrate import EMPTY, find_revision, migrate, unusable
from amqplite.store.ranges import Range, Ranges, gaps, holds, merge
from amqplite.store.spill import Spill
from amqplite.store.tables import read_name
from amqplite.store.vacuum import checkpoint, shrink

SPILL_SUFFIX = "-spill.db"

VACUUM_AFTER = 256
"""Messages to delete before the next look at what disk space that left."""


class Database:
    """A `Store` in SQLite.

    One connection writes, from whichever thread commits; another reads, on the broker's thread, and
    never waits for it. In memory there is but one, and they take turns.

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
            self._writer = opened.enter_context(open_writer(path))
            migrate(self._writer, revision)
            with self._writer.begin():
                pass  # so that a file that can't be written is found now
            self._reader = opened.enter_context(
                open_reader(file) if file else open_sharing(self._writer)
            )
            self._purged = purging.read(self._reader)
            opened.pop_all()
        self._path = path
        self._turn: AbstractContextManager[object] = nullcontext() if file else Lock()
        self._spill = Spill(file.with_name(file.stem + SPILL_SUFFIX) if file else MEMORY)
        self._deleted = 0

    def load(self) -> Loaded:
        """Read all definitions.

        Raises:
            DatabaseDamaged: it can't be read.
        """
        with _named(self._path):
            return definitions.load(self._reader, self._purged)

    def page(self, first: int, last: int, limit: int, /) -> list[Stored]:
        """Read up to `limit` messages with keys from `first` to `last`, in order.

        Raises:
            DatabaseDamaged: they can't be read.
        """
        with self._turn, _usable(self._path):
            found, more = purging.read_page(
                self._reader, statements.read_page(), self._purged, first, last, limit
            )
            spilled, more_spilled = self._spill.page(first, last, limit)
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
        with self._turn, _usable(self._path):
            try:
                if not self._write(batch, count_first=False):
                    self._write(batch, count_first=True)
            except exc.DatabaseError as error:
                if not must_wait(error.orig):
                    raise
                # The log may have room again for the next try, and so may the file.
                checkpoint(self._writer)
                self._purge()
                raise StoreFull(str(error.orig)) from error
            self._deleted += len(batch.deletes) + len(batch.unspilled)
            if self._purged:
                self._deleted = VACUUM_AFTER  # to begin when all is deleted
            elif self._deleted >= VACUUM_AFTER or batch.definitions:
                self._deleted = VACUUM_AFTER if self._shrink() else 0

    def tidy(self) -> bool:
        """Delete a little of what was purged, then give a little disk space back.

        Commits do the same while they come; called instead of one, in the same way.

        Returns:
            Whether there is more, for when there is time.

        Raises:
            DatabaseDamaged: it can't be written any more.
        """
        with self._turn, _usable(self._path):
            more = self._purge() | self._spill.purge() or self._shrink()
            if not more:
                checkpoint(self._writer)
            return more

    def close(self) -> None:
        """Release the files."""
        self._spill.close()
        self._reader.close()
        self._writer.close()

    def _shrink(self) -> bool:
        return shrink(self._writer) | self._spill.shrink()

    def _purge(self) -> bool:
        """Delete a little of what was purged; return whether there is more."""
        if not self._purged:
            return False
        with if_possible():
            with self._writer.begin():
                left = self._delete_purged(self._purged)
            self._purged = left
            return bool(left)
        return False

    def _delete_purged(self, purged: Ranges) -> Ranges:
        """Delete a little of `purged`; note and return what is left."""
        left = purging.delete_some(self._writer, purged)
        purging.write(self._writer, self._purged, left)
        return left

    def _write(self, batch: Batch, *, count_first: bool) -> bool:
        """Write `batch`; return false, with nothing written, if it must count first."""
        counts: Counter[int] = Counter()
        writer, purged = self._writer, self._purged
        with writer.begin() as transaction:
            purges = definitions.apply(writer, batch.definitions)
            inserts = sorted(batch.inserts, key=_key)
            while any(holds(purged, row[0]) for row in inserts):  # then it can't wait any longer
                purged = purging.delete_some(writer, purged)
            statements.insert_contents(writer, batch.contents)
            statements.insert_messages(writer, inserts)
            if purges:
                purged = merge((*purged, *purges))
            deletes = batch.deletes
            if purged:
                deletes = [key for key in deletes if not holds(purged, key)]
            deleted = self._delete(deletes, count_first)
            if deleted is None:
                transaction.rollback()
                return False
            counts.subtract(deleted)
            if batch.released:
                writer.exec_driver_sql(statements.delete_released(), (json.dumps(batch.released),))
            if batch.deliveries:
                deliveries = json.dumps(batch.deliveries)
                writer.exec_driver_sql(statements.update_deliveries(), (deliveries,))
            self._update_queues(inserts, counts, batch.sent_up_to)
            self._count_rest(purges, purged)
            purged = self._delete_purged(purged)
            # Before the commit: should that fail, the spill is written again with the next try.
            self._spill.write(batch.spilled, batch.unspilled + purges)
        self._purged = purged
        return True

    def _count_rest(self, purges: list[Range], purged: Ranges) -> None:
        """Count what is left in the queues that were purged: little, where the purge was large."""
        for queue_id in {first >> SEQ_BITS for first, _ in purges}:
            if rest := gaps(purged, *definitions.all_keys(queue_id)):
                counts = [
                    self._writer.exec_driver_sql(statements.count_range(), which).scalar_one()
                    for which in rest
                ]
                self._writer.exec_driver_sql(statements.set_count(), (sum(counts), queue_id))

    def _delete(self, keys: list[int], count_first: bool) -> Mapping[int, int] | None:
        """Delete messages; return how many of each queue, `None` if that isn't known.

        It is where only one queue is concerned, or each key was there, as it should be.
        """
        if not keys:
            return {}
        array = json.dumps(keys)
        if count_first:
            found = self._writer.exec_driver_sql(statements.count_keys(), (array,)).fetchall()
            expected = Counter[int](dict(found))
        else:
            expected = Counter([key >> SEQ_BITS for key in keys])
        deleted = self._writer.exec_driver_sql(statements.delete_keys(), (array,)).rowcount
        if len(expected) == 1:
            return dict.fromkeys(expected, deleted)
        return expected if deleted == expected.total() else None

    def _update_queues(
        self, inserts: list[MessageRow], counts: Counter[int], sent_up_to: dict[int, int]
    ) -> None:
        """Keep what the queues' rows say of their messages."""
        last_seq: dict[int, int] = {}
        for row in inserts:  # by key, so the last of each queue stays
            queue_id, last_seq[queue_id] = split_key(row[0])
            counts[queue_id] += 1
        changes = [
            (queue_id, counts[queue_id], last_seq.get(queue_id, 0), sent_up_to.get(queue_id))
            for queue_id in counts.keys() | sent_up_to.keys()
        ]
        if changes:
            self._writer.exec_driver_sql(statements.update_queues(), (json.dumps(changes),))


@contextmanager
def _named(path: Path | str) -> Iterator[None]:
    """Turn what SQLite says into what is wrong with the file."""
    try:
        yield
    except exc.DatabaseError as error:
        raise unusable(Path(path), error.orig) from error


@contextmanager
def _usable(path: Path | str) -> Iterator[None]:
    """Turn it into one line when the file turns out to be damaged, or its disk does."""
    try:
        yield
    except (exc.DatabaseError, sqlite3.DatabaseError) as error:
        cause = error.orig if isinstance(error, exc.DatabaseError) else error
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF not in _OF_THE_FILE:
            raise  # a fault of ours
        raise unusable(Path(path), cause) from error


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

"""The store: a database file, its log, and beside it what spilled out of memory."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import exc

from amqplite.broker.journal import (
    SEQ_BITS,
    Batch,
    Loaded,
    MessageRow,
    Purge,
    Stored,
    StoreFull,
    split_key,
)
from amqplite.store import definitions
from amqplite.store.engine import MEMORY, must_wait, open_reader, open_sharing, open_writer
from amqplite.store.migrate import EMPTY, find_revision, migrate
from amqplite.store.spill import Spill
from amqplite.store.statements import (
    CONTENTS_IN_RANGE,
    COUNT_KEYS,
    DELETE_KEYS,
    DELETE_RANGE,
    DELETE_RELEASED,
    READ_PAGE,
    UPDATE_DELIVERIES,
    UPDATE_QUEUES,
    insert_contents,
    insert_messages,
)
from amqplite.store.tables import read_name

FILE_NAME = "amqplite.db"
SPILL_NAME = "spill.db"


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
        in_memory = path == MEMORY
        revision = EMPTY if in_memory else find_revision(Path(path))
        self._writer = open_writer(path)
        migrate(self._writer, revision)
        self._reader = open_sharing(self._writer) if in_memory else open_reader(path)
        self._turn: AbstractContextManager[object] = Lock() if in_memory else nullcontext()
        self._spill = Spill(MEMORY if in_memory else Path(path).with_name(SPILL_NAME))

    def load(self) -> Loaded:
        """Read all definitions."""
        with self._writer.begin():
            return definitions.load(self._writer)

    def page(self, first: int, last: int, limit: int, /) -> list[Stored]:
        """Read up to `limit` messages with keys from `first` to `last`, in order."""
        with self._turn:
            found = self._reader.exec_driver_sql(READ_PAGE, (first, last, limit, 0)).fetchall()
            spilled = self._spill.page(first, last, limit)
        page = [_stored(row, True) for row in found]
        if spilled:
            page += [_stored(row, False) for row in spilled]
            page.sort(key=_key)
            del page[limit:]
        return page

    def commit(self, batch: Batch, /) -> None:
        """Write `batch`, and return once it is on disk.

        Raises:
            StoreFull: as `Store` says.
        """
        with self._turn:
            try:
                if not self._write(batch, count_first=False):
                    self._write(batch, count_first=True)
            except exc.DatabaseError as error:
                if must_wait(error.orig):
                    raise StoreFull(str(error.orig)) from error
                raise

    def close(self) -> None:
        """Release the files."""
        self._spill.close()
        self._reader.close()
        self._writer.close()

    def _write(self, batch: Batch, *, count_first: bool) -> bool:
        """Write `batch`; return false, with nothing written, if it must count first."""
        counts: Counter[int] = Counter()
        writer = self._writer
        with writer.begin() as transaction:
            purges = definitions.apply(writer, batch.definitions)
            insert_contents(writer, batch.contents)
            inserts = sorted(batch.inserts, key=_key)
            insert_messages(writer, inserts)
            for purge in purges:
                counts[purge.first >> SEQ_BITS] -= self._purge(purge)
            deleted = self._delete(batch.deletes, count_first)
            if deleted is None:
                transaction.rollback()
                return False
            counts.subtract(deleted)
            if batch.released:
                writer.exec_driver_sql(DELETE_RELEASED, (json.dumps(batch.released),))
            if batch.deliveries:
                writer.exec_driver_sql(UPDATE_DELIVERIES, (json.dumps(batch.deliveries),))
            self._update_queues(inserts, counts, batch.sent_up_to)
            # Before the commit: should that fail, the spill is written again with the next try.
            purged = [(purge.first, purge.last) for purge in purges]
            self._spill.write(batch.spilled, batch.unspilled + purged)
        return True

    def _purge(self, purge: Purge) -> int:
        """Delete messages, and contents that nobody else has; return how many messages."""
        which = purge.first, purge.last
        shared = self._writer.exec_driver_sql(CONTENTS_IN_RANGE, which).scalar_one()
        deleted = self._writer.exec_driver_sql(DELETE_RANGE, which).rowcount
        self._writer.exec_driver_sql(DELETE_RELEASED, (shared,))
        return deleted

    def _delete(self, keys: list[int], count_first: bool) -> Mapping[int, int] | None:
        """Delete messages; return how many of each queue, `None` if that isn't known.

        It is where only one queue is concerned, or each key was there, as it should be.
        """
        if not keys:
            return {}
        array = json.dumps(keys)
        if count_first:
            found = self._writer.exec_driver_sql(COUNT_KEYS, (array,)).fetchall()
            expected = Counter[int](dict(found))
        else:
            expected = Counter([key >> SEQ_BITS for key in keys])
        deleted = self._writer.exec_driver_sql(DELETE_KEYS, (array,)).rowcount
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
            self._writer.exec_driver_sql(UPDATE_QUEUES, (json.dumps(changes),))


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

"""Writing: a batch, whole or not at all, and a little tidying beside it. Through SQLAlchemy.

Whoever commits does it, in a thread of its own; errors are SQLite's.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path

from amqplite.broker.records import SEQ_BITS, Batch, MessageRow, split_key
from amqplite.store import definitions, purging, statements
from amqplite.store.engine import if_possible, over, plain_errors
from amqplite.store.ranges import Range, Ranges, gaps, holds, merge
from amqplite.store.spill import Spill
from amqplite.store.vacuum import checkpoint, shrink

VACUUM_AFTER = 256
"""Messages to delete before the next look at what disk space that left."""

_key = itemgetter(0)


class Writer:
    """Writes to a database, and to what spilled out of memory beside it.

    Args:
        driver: a connection that writes; it is closed with this.
        spill: where messages go that need not survive; `MEMORY` for no file.

    Attributes:
        purged: what is gone, though its rows may still be there.
        spill: what spilled out of memory.
    """

    def __init__(self, driver: sqlite3.Connection, spill: Path | str, purged: Ranges) -> None:
        self._writer = over(driver)
        self.purged = purged
        self.spill = Spill(spill)
        self._deleted = 0

    def write(self, batch: Batch) -> None:
        """Write `batch`, and return once it is on disk."""
        with plain_errors():
            if not self._write(batch, count_first=False):
                self._write(batch, count_first=True)
        self._deleted += len(batch.deletes) + len(batch.unspilled)
        if self.purged:
            self._deleted = VACUUM_AFTER  # to begin when all is deleted
        elif self._deleted >= VACUUM_AFTER or batch.definitions:
            self._deleted = VACUUM_AFTER if self._shrink() else 0

    def make_room(self) -> None:
        """Do what may help a batch that found none: the log may have room again, and the file."""
        checkpoint(self._writer)
        self._purge()

    def tidy(self) -> bool:
        """Delete a little of what was purged, then give a little disk space back.

        Returns:
            Whether there is more.
        """
        more = self._purge() | self.spill.purge() or self._shrink()
        if not more:
            checkpoint(self._writer)
        return more

    def close(self) -> None:
        """Release the files."""
        self.spill.close()
        self._writer.close()

    def _shrink(self) -> bool:
        return shrink(self._writer) | self.spill.shrink()

    def _purge(self) -> bool:
        """Delete a little of what was purged; return whether there is more."""
        if not self.purged:
            return False
        with if_possible():
            with self._writer.begin():
                left = self._delete_purged(self.purged)
            self.purged = left
            return bool(left)
        return False

    def _delete_purged(self, purged: Ranges) -> Ranges:
        """Delete a little of `purged`; note and return what is left."""
        left = purging.delete_some(self._writer, purged)
        purging.write(self._writer, self.purged, left)
        return left

    def _write(self, batch: Batch, *, count_first: bool) -> bool:
        """Write `batch`; return false, with nothing written, if it must count first."""
        counts: Counter[int] = Counter()
        writer, purged = self._writer, self.purged
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
            self.spill.write(batch.spilled, batch.unspilled + purges)
        self.purged = purged
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

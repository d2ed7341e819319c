"""Rows as the broker writes them, and what is there of them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from amqplite.broker.records import (
    Batch,
    ContentRow,
    MessageRow,
    Put,
    QueueRow,
    Store,
    Stored,
    message_key,
)
from amqplite.store.database import Database

EVERYTHING = (0, message_key(1 << 20, 0), 100_000)
"""All keys, as arguments of `page`."""


def queue(queue_id: int, name: str = "", vhost: str = "/") -> QueueRow:
    return QueueRow(queue_id, vhost, name or f"queue {queue_id}", False, b"")


def queues(*queue_ids: int) -> Batch:
    return Batch(definitions=[Put(queue(queue_id)) for queue_id in queue_ids])


def message(queue_id: int, seq: int, body: bytes = b"body") -> MessageRow:
    return (message_key(queue_id, seq), 0, None, "", "key", b"\x10\x00\x02", body)


def sharing(queue_id: int, seq: int, content_id: int) -> MessageRow:
    return (message_key(queue_id, seq), 0, content_id, "amq.fanout", "", None, None)


def content(content_id: int) -> ContentRow:
    return (content_id, b"\x00\x00", b"content %d" % content_id)


def keys(queue_id: int, *seqs: int) -> list[int]:
    return [message_key(queue_id, seq) for seq in seqs]


def stored(row: MessageRow, persistent: bool = True) -> Stored:
    """Return what a page gives for `row`, which has a content of its own."""
    key, deliveries, content_id, exchange, routing_key, properties, body = row
    assert properties is not None
    assert body is not None
    return (key, deliveries, content_id, exchange, routing_key, properties, body, persistent)


def page_keys(store: Store) -> list[int]:
    return [row[0] for row in store.page(*EVERYTHING)]


def counts(store: Store) -> dict[int, tuple[int, int, int]]:
    """Return messages, last place and sent-up-to of each queue."""
    return {
        found.row.queue_id: (found.messages, found.last_seq, found.sent_up_to)
        for found in store.load().queues
    }


@contextmanager
def sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database as somebody else would; nothing waits, nothing begins by itself."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def content_ids(path: Path) -> list[int]:
    with sqlite(path) as connection:
        return [row[0] for row in connection.execute("SELECT content_id FROM contents ORDER BY 1")]


def files(folder: Path) -> dict[str, bytes]:
    """Return what is in the files of `folder`, but for SQLite's index of a log and empty logs."""
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if not path.name.endswith("-shm") and path.stat().st_size
    }


def tidied(store: Database) -> Database:
    """Return `store` with nothing left to tidy."""
    while store.tidy():
        pass
    return store


def row_count(store: Database, table: str = "messages") -> int:
    """Return how many rows there are, to be seen or not."""
    count: int = store._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count

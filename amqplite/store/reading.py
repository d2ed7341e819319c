"""Reading, which a start does: definitions, and a page of messages at a time. Plain SQL.

No statement reads messages that are not asked for, and each finds them by their keys.
"""

import sqlite3
from itertools import chain
from typing import Any, TypeVar

from amqplite.broker.records import (
    SEQ_BITS,
    BindingRow,
    ExchangeRow,
    Loaded,
    LoadedQueue,
    PermissionRow,
    QueueRow,
    UserRow,
    VhostRow,
)
from amqplite.store.names import read_name
from amqplite.store.ranges import Range, Ranges, gaps, merge

PAGE_BYTES = 4 * 1024 * 1024
"""Bodies that are read at a time, one at least: memory is bounded however large they are."""

READ_PAGE = """\
SELECT key, deliveries, content_id, exchange, routing_key,
    coalesce(messages.properties, contents.properties), coalesce(messages.body, contents.body)
FROM messages LEFT JOIN contents USING (content_id)
WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?"""
"""Parameters: first key, last key, and how many at most."""

READ_SPILLED_PAGE = """\
SELECT key, deliveries, content_id, exchange, routing_key, properties, body
FROM messages WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?"""
"""The same, where no content is shared."""

_COUNTS = ("messages", "last_seq", "sent_up_to")

AnyRow = TypeVar("AnyRow")


def load(connection: sqlite3.Connection, purged: Ranges) -> Loaded:
    """Read all definitions; `purged` is what is still to be deleted."""
    content_id = "SELECT coalesce(max(content_id), 0) + 1 FROM contents"
    return Loaded(
        vhosts=_read(connection, "vhosts", VhostRow),
        users=_read(connection, "users", UserRow),
        permissions=_read(connection, "permissions", PermissionRow),
        exchanges=_read(connection, "exchanges", ExchangeRow),
        queues=_read_queues(connection),
        bindings=_read(connection, "bindings", BindingRow),
        next_content_id=connection.execute(content_id).fetchone()[0],
        purging=frozenset(chain.from_iterable(map(_queue_ids, purged))),
    )


def read_purges(connection: sqlite3.Connection) -> Ranges:
    """Read what is noted to be gone, though its rows may still be there."""
    return merge(connection.execute("SELECT first, last FROM purges").fetchall())


def read_page(
    connection: sqlite3.Connection,
    statement: str,
    hidden: Ranges,
    first: int,
    last: int,
    limit: int,
) -> tuple[list[tuple[Any, ...]], bool]:
    """Read up to `limit` rows with keys from `first` to `last` that are not hidden, in order.

    Returns:
        The rows, one at least if there are any; and whether reading ended before `limit`, as they
        hold more than `PAGE_BYTES`.
    """
    rows: list[tuple[Any, ...]] = []
    room = PAGE_BYTES
    for start, end in gaps(hidden, first, last):
        found = connection.execute(statement, (start, end, limit - len(rows)))
        while room > 0 and (row := found.fetchone()) is not None:
            rows.append(row)
            room -= len(row[-1])
        found.close()
        if room <= 0 or len(rows) >= limit:
            break
    return rows, room <= 0


def _read(connection: sqlite3.Connection, table: str, kind: type[AnyRow]) -> list[AnyRow]:
    return [_made(kind, row) for row in _select(connection, table, kind)]


def _read_queues(connection: sqlite3.Connection) -> list[LoadedQueue]:
    return [
        LoadedQueue(_made(QueueRow, row[: -len(_COUNTS)]), *row[-len(_COUNTS) :])
        for row in _select(connection, "queues", QueueRow, *_COUNTS)
    ]


def _select(
    connection: sqlite3.Connection, table: str, kind: type[Any], *more: str
) -> sqlite3.Cursor:
    """Read the fields of records, and columns beside them, in the order of the former."""
    columns = ", ".join(f'"{name}"' for name in (*kind.__slots__, *more))
    order = ", ".join(str(place + 1) for place in range(len(kind.__slots__)))
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY {order}")


def _made(kind: type[AnyRow], values: tuple[Any, ...]) -> AnyRow:
    types = kind.__annotations__.values()
    return kind(*(_field(kind, value) for kind, value in zip(types, values, strict=True)))


def _field(kind: type[Any], value: Any) -> Any:
    """Return a field of that type from what SQLite gives."""
    if kind is str:
        return read_name(value)
    return bool(value) if kind is bool else value


def _queue_ids(keys: Range) -> range:
    return range(keys[0] >> SEQ_BITS, (keys[1] >> SEQ_BITS) + 1)

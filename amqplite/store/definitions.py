"""Vhosts, users, topology: rarely written, read once at the start. Plain Core."""

from dataclasses import asdict
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, delete, func, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.sql.elements import ColumnElement

from amqplite.broker.records import (
    SEQ_BITS,
    BindingRow,
    Definition,
    Delete,
    ExchangeRow,
    Loaded,
    LoadedQueue,
    PermissionRow,
    Purge,
    Put,
    QueueRow,
    Row,
    UserRow,
    VhostRow,
    message_key,
)
from amqplite.store.ranges import Range, Ranges
from amqplite.store.tables import (
    bindings,
    contents,
    exchanges,
    permissions,
    queues,
    users,
    vhosts,
)

TABLES: dict[type[Any], Table] = {
    VhostRow: vhosts,
    UserRow: users,
    PermissionRow: permissions,
    ExchangeRow: exchanges,
    QueueRow: queues,
    BindingRow: bindings,
}

AnyRow = TypeVar("AnyRow", bound=Row)


def apply(connection: Connection, definitions: list[Definition]) -> list[Range]:
    """Write `definitions`, in their order.

    Returns:
        What is to be purged, once the batch's own messages are in: a deleted queue wholly.
    """
    purges: list[Range] = []
    for definition in definitions:
        match definition:
            case Put(row):
                _put(connection, row)
            case Delete(row):
                purges += _delete(connection, row)
            case Purge(first, last):
                purges.append((first, last))
    return purges


def load(connection: Connection, purged: Ranges) -> Loaded:
    """Read all definitions; `purged` is what is still to be deleted."""
    next_content_id = select(func.coalesce(func.max(contents.c.content_id), 0) + 1)
    return Loaded(
        vhosts=_read(connection, VhostRow),
        users=_read(connection, UserRow),
        permissions=_read(connection, PermissionRow),
        exchanges=_read(connection, ExchangeRow),
        queues=_read_queues(connection),
        bindings=_read(connection, BindingRow),
        next_content_id=connection.execute(next_content_id).scalar_one(),
        purging=frozenset(chain.from_iterable(map(_queue_ids, purged))),
    )


def all_keys(queue_id: int) -> Range:
    """Return the keys that a queue's messages may have."""
    return message_key(queue_id, 0), message_key(queue_id + 1, 0) - 1


def _queue_ids(keys: Range) -> range:
    return range(keys[0] >> SEQ_BITS, (keys[1] >> SEQ_BITS) + 1)


def _put(connection: Connection, row: Row) -> None:
    table, values = TABLES[type(row)], asdict(row)
    identity = list(table.primary_key.columns)
    others = {
        name: value for name, value in values.items() if name not in table.primary_key.columns
    }
    statement = insert(table).values(values)
    if others:
        statement = statement.on_conflict_do_update(index_elements=identity, set_=others)
    else:
        statement = statement.on_conflict_do_nothing()
    connection.execute(statement)


def _delete(connection: Connection, row: Row) -> list[Range]:
    purges: list[Range] = []
    match row:
        case VhostRow(name):
            for table in (permissions, exchanges, bindings):
                connection.execute(delete(table).where(table.c.vhost == name))
            purges = _delete_queues(connection, queues.c.vhost == name)
        case UserRow(name):
            connection.execute(delete(permissions).where(permissions.c.user == name))
        case QueueRow(queue_id):
            purges = [all_keys(queue_id)]
    table = TABLES[type(row)]
    identity = [column == getattr(row, column.name) for column in table.primary_key.columns]
    connection.execute(delete(table).where(*identity))
    return purges


def _delete_queues(connection: Connection, which: ColumnElement[bool]) -> list[Range]:
    queue_ids = connection.scalars(delete(queues).where(which).returning(queues.c.queue_id))
    return [all_keys(queue_id) for queue_id in queue_ids]


def _read(connection: Connection, kind: type[AnyRow]) -> list[AnyRow]:
    table = TABLES[kind]
    found = connection.execute(select(table).order_by(*table.primary_key.columns))
    return [kind(*row) for row in found]


def _read_queues(connection: Connection) -> list[LoadedQueue]:
    columns = [queues.c[name] for name in QueueRow.__slots__]
    counts = [queues.c.messages, queues.c.last_seq, queues.c.sent_up_to]
    found = connection.execute(select(*columns, *counts).order_by(queues.c.queue_id))
    return [LoadedQueue(QueueRow(*row[:-3]), *row[-3:]) for row in found]

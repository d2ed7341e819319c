"""Vhosts, users, topology, rarely written. Plain Core."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Table, delete
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.sql.elements import ColumnElement

from amqplite.broker.records import (
    BindingRow,
    Definition,
    Delete,
    ExchangeRow,
    PermissionRow,
    Purge,
    Put,
    QueueRow,
    Row,
    UserRow,
    VhostRow,
    message_key,
)
from amqplite.store.ranges import Range
from amqplite.store.tables import (
    bindings,
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


def all_keys(queue_id: int) -> Range:
    """Return the keys that a queue's messages may have."""
    return message_key(queue_id, 0), message_key(queue_id + 1, 0) - 1


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

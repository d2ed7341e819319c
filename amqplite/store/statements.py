"""The hot statements, and why each is one statement.

The broker's thread runs Python while a commit runs in another, so the commit gets the interpreter
back, after each step of SQLite, only when the broker's thread lets go: up to 5 ms later. Against
that a row's own cost is nothing (measured, 500 rows: row by row 1100 ms, in one statement 20 ms).
So rows go many to a statement, and lists of numbers go as one JSON array.

The SQL is compiled from Core once, where it is first wanted: a start is not to wait for all of it
(12 ms). Executing it is left to the driver.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property, wraps
from typing import Any

from sqlalchemy import (
    ClauseElement,
    Connection,
    Integer,
    Table,
    TableValuedAlias,
    Text,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.elements import ColumnElement

from amqplite.store.names import stored_name
from amqplite.store.tables import contents, messages, purges, queues


def _compile(statement: ClauseElement) -> str:
    return str(statement.compile(dialect=sqlite.dialect()))


def _compiled(build: Callable[[], ClauseElement]) -> Callable[[], str]:
    """Turn what builds a statement into what returns its SQL."""

    @cache
    @wraps(build)
    def compiled() -> str:
        return _compile(build())

    return compiled


def _array(name: str) -> TableValuedAlias:
    """Return a JSON array, which is one parameter, as a table of its elements."""
    return func.json_each(bindparam(name, type_=Text)).table_valued("value", name=name)


def _element(array: TableValuedAlias, index: int) -> ColumnElement[int]:
    """Return an element of arrays in an array."""
    return array.c.value.op("->>", return_type=Integer())(literal_column(str(index)))


_ROWS_MAX = 1024
"""Rows to a statement; SQLite takes 32,766 parameters."""


class BulkInsert:
    """Inserts tuples in a table, as many to a statement as there are.

    The sizes of statements are powers of two, so that they are few, and SQLite parses each once;
    what is left of one is filled with NULLs, which LIMIT cuts off (2.7 µs a row, filled or not).

    Args:
        conflict: what to do if a row is there: ROLLBACK, the whole transaction, is cheaper for
            SQLite to provide for than to undo one statement; IGNORE the new one; or REPLACE.
    """

    def __init__(self, table: Table, conflict: str) -> None:
        self._table = table
        self._conflict = conflict
        self._columns = len(table.columns)
        self._statements: dict[int, str] = {}

    def __call__(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert `rows`."""
        for start in range(0, len(rows), _ROWS_MAX):
            chunk = rows[start : start + _ROWS_MAX]
            try:
                self._insert(connection, chunk)
            except UnicodeEncodeError:  # found before anything was done; rarer than a test is cheap
                self._insert(connection, [_with_stored_names(row) for row in chunk])

    def _insert(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        size = 1 << (len(rows) - 1).bit_length()
        values = [value for row in rows for value in row]
        values += [None] * ((size - len(rows)) * self._columns)
        connection.exec_driver_sql(self._statement(size), (*values, len(rows)))

    def _statement(self, size: int) -> str:
        if size not in self._statements:
            head, _, row = self._one.partition(" VALUES ")
            rows = ", ".join([row] * size)
            self._statements[size] = f"{head} SELECT * FROM (VALUES {rows}) LIMIT ?"
        return self._statements[size]

    @cached_property
    def _one(self) -> str:
        return _compile(insert(self._table).prefix_with(f"OR {self._conflict}"))


def _with_stored_names(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(stored_name(value) if isinstance(value, str) else value for value in row)


def _in_range() -> ColumnElement[bool]:
    first, last = bindparam("first", type_=Integer), bindparam("last", type_=Integer)
    return messages.c.key.between(first, last)


@_compiled
def delete_keys() -> ClauseElement:
    """Parameter: `[key, …]`."""
    return delete(messages).where(messages.c.key.in_(select(_array("keys").c.value)))


@_compiled
def delete_ranges() -> ClauseElement:
    """Parameter: `[[first, last], …]`."""
    ranges, other = _array("ranges"), messages.alias("other")
    within = other.c.key.between(_element(ranges, 0), _element(ranges, 1))
    found = select(other.c.key).select_from(ranges.join(other, within))
    return delete(messages).where(messages.c.key.in_(found))


@_compiled
def delete_range() -> ClauseElement:
    """Parameters: first key, last key."""
    return delete(messages).where(_in_range())


@_compiled
def delete_purges() -> ClauseElement:
    """Parameter: `[first key, …]`."""
    return delete(purges).where(purges.c.first.in_(select(_array("keys").c.value)))


@_compiled
def count_range() -> ClauseElement:
    """Parameters: first key, last key."""
    return select(func.count()).select_from(messages).where(_in_range())


@_compiled
def count_keys() -> ClauseElement:
    """Parameter: `[key, …]`. Gives `(queue_id, how many of them are stored)`."""
    queue_id = messages.c.key.op(">>")(literal_column("40")).label("queue_id")
    return (
        select(queue_id, func.count())
        .where(messages.c.key.in_(select(_array("keys").c.value)))
        .group_by(literal_column("1"))
    )


@_compiled
def contents_in_range() -> ClauseElement:
    """Parameters: first key, last key. Gives the shared contents' ids as one JSON array."""
    shared = messages.c.content_id
    return select(func.json_group_array(shared.distinct())).where(_in_range(), shared.is_not(None))


@_compiled
def delete_released() -> ClauseElement:
    """Parameter: `[content_id, …]`. Leaves those that a message still has."""
    holders = select(messages.c.key).where(messages.c.content_id == contents.c.content_id)
    return delete(contents).where(
        contents.c.content_id.in_(select(_array("ids").c.value)), ~holders.exists()
    )


@_compiled
def end_of_step() -> ClauseElement:
    """Parameters: first key, last key, how many at most, 0, and octets.

    Gives the last key of as many messages as these allow, one at least; NULL if there are none. No
    body is read for it.
    """
    size = func.coalesce(
        func.length(messages.c.body), func.length(contents.c.body), literal_column("0")
    )
    sizes = (
        select(messages.c.key, size.label("size"))
        .outerjoin_from(messages, contents, contents.c.content_id == messages.c.content_id)
        .where(_in_range())
        .order_by(messages.c.key)
        .limit(bindparam("limit", type_=Integer))
        .offset(0)
        .subquery("sizes")
    )
    total = func.sum(sizes.c.size).over(order_by=sizes.c.key, rows=(None, 0))
    totals = select(sizes.c.key, (total - sizes.c.size).label("before")).subquery("totals")
    return select(func.max(totals.c.key)).where(
        totals.c.before < bindparam("octets", type_=Integer)
    )


@_compiled
def update_queues() -> ClauseElement:
    """Parameter: `[[queue_id, messages more, highest place, sent up to or null], …]`."""
    changes = _array("changes")
    return (
        update(queues)
        .where(queues.c.queue_id == _element(changes, 0))
        .values(
            messages=queues.c.messages + _element(changes, 1),
            last_seq=func.max(queues.c.last_seq, _element(changes, 2)),
            sent_up_to=func.coalesce(_element(changes, 3), queues.c.sent_up_to),
        )
    )


@_compiled
def set_count() -> ClauseElement:
    """Parameters: how many messages, the queue's id."""
    return (
        update(queues)
        .where(queues.c.queue_id == bindparam("queue", type_=Integer))
        .values(messages=bindparam("count", type_=Integer))
    )


@_compiled
def update_deliveries() -> ClauseElement:
    """Parameter: `[[deliveries, key], …]`."""
    changes = _array("changes")
    return (
        update(messages)
        .where(messages.c.key == _element(changes, 1))
        .values(deliveries=_element(changes, 0))
    )


insert_messages = BulkInsert(messages, "ROLLBACK")
insert_contents = BulkInsert(contents, "IGNORE")
insert_spilled = BulkInsert(messages, "REPLACE")
insert_purges = BulkInsert(purges, "REPLACE")

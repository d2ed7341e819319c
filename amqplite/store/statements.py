"""The hot statements, and why each is one statement.

The broker's thread runs Python while a commit runs in another, so the commit gets the interpreter
back, after each step of SQLite, only when the broker's thread lets go: up to 5 ms later. Against
that a row's own cost is nothing (measured, 500 rows: row by row 1100 ms, in one statement 20 ms).
So rows go many to a statement, and lists of numbers go as one JSON array.

The SQL is compiled from Core once; executing it is left to the driver.
"""

from collections.abc import Sequence
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

from amqplite.store.tables import contents, messages, purges, queues, stored_name


def _compile(statement: ClauseElement) -> str:
    return str(statement.compile(dialect=sqlite.dialect()))


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
        self._columns = len(table.columns)
        first = _compile(insert(table).prefix_with(f"OR {conflict}"))
        self._head, _, self._row = first.partition(" VALUES ")
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
            rows = ", ".join([self._row] * size)
            self._statements[size] = f"{self._head} SELECT * FROM (VALUES {rows}) LIMIT ?"
        return self._statements[size]


def _with_stored_names(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(stored_name(value) if isinstance(value, str) else value for value in row)


insert_messages = BulkInsert(messages, "ROLLBACK")
insert_contents = BulkInsert(contents, "IGNORE")
insert_spilled = BulkInsert(messages, "REPLACE")
insert_purges = BulkInsert(purges, "REPLACE")

_keys, _ranges, _ids, _changes = (_array(name) for name in ("keys", "ranges", "ids", "changes"))
_in_range = messages.c.key.between(
    bindparam("first", type_=Integer), bindparam("last", type_=Integer)
)
_limit = bindparam("limit", type_=Integer)

DELETE_KEYS = _compile(delete(messages).where(messages.c.key.in_(select(_keys.c.value))))
"""Parameter: `[key, …]`."""

_other = messages.alias("other")
DELETE_RANGES = _compile(
    delete(messages).where(
        messages.c.key.in_(
            select(_other.c.key).select_from(
                _ranges.join(
                    _other, _other.c.key.between(_element(_ranges, 0), _element(_ranges, 1))
                )
            )
        )
    )
)
"""Parameter: `[[first, last], …]`."""

DELETE_RANGE = _compile(delete(messages).where(_in_range))
"""Parameters: first key, last key."""

DELETE_PURGES = _compile(delete(purges).where(purges.c.first.in_(select(_keys.c.value))))
"""Parameter: `[first key, …]`."""

COUNT_RANGE = _compile(select(func.count()).select_from(messages).where(_in_range))
"""Parameters: first key, last key."""

COUNT_KEYS = _compile(
    select(messages.c.key.op(">>")(literal_column("40")).label("queue_id"), func.count())
    .where(messages.c.key.in_(select(_keys.c.value)))
    .group_by(literal_column("1"))
)
"""Parameter: `[key, …]`. Gives `(queue_id, how many of them are stored)`."""

CONTENTS_IN_RANGE = _compile(
    select(func.json_group_array(messages.c.content_id.distinct())).where(
        _in_range, messages.c.content_id.is_not(None)
    )
)
"""Parameters: first key, last key. Gives the shared contents' ids as one JSON array."""

DELETE_RELEASED = _compile(
    delete(contents).where(
        contents.c.content_id.in_(select(_ids.c.value)),
        ~select(messages.c.key).where(messages.c.content_id == contents.c.content_id).exists(),
    )
)
"""Parameter: `[content_id, …]`. Leaves those that a message still has."""

_with_contents = messages.outerjoin(contents, contents.c.content_id == messages.c.content_id)
_sizes = (
    select(
        messages.c.key,
        func.coalesce(
            func.length(messages.c.body), func.length(contents.c.body), literal_column("0")
        ).label("size"),
    )
    .select_from(_with_contents)
    .where(_in_range)
    .order_by(messages.c.key)
    .limit(_limit)
    .offset(0)
    .subquery("sizes")
)
_total = func.sum(_sizes.c.size).over(order_by=_sizes.c.key, rows=(None, 0))
_totals = select(_sizes.c.key, (_total - _sizes.c.size).label("before")).subquery("totals")
END_OF_STEP = _compile(
    select(func.max(_totals.c.key)).where(_totals.c.before < bindparam("octets", type_=Integer))
)
"""Parameters: first key, last key, how many at most, 0, and octets. Gives the last key of as many
messages as these allow, one at least; NULL if there are none. No body is read for it."""

UPDATE_QUEUES = _compile(
    update(queues)
    .where(queues.c.queue_id == _element(_changes, 0))
    .values(
        messages=queues.c.messages + _element(_changes, 1),
        last_seq=func.max(queues.c.last_seq, _element(_changes, 2)),
        sent_up_to=func.coalesce(_element(_changes, 3), queues.c.sent_up_to),
    )
)
"""Parameter: `[[queue_id, messages more, highest place, sent up to or null], …]`."""

SET_COUNT = _compile(
    update(queues)
    .where(queues.c.queue_id == bindparam("queue", type_=Integer))
    .values(messages=bindparam("count", type_=Integer))
)
"""Parameters: how many messages, the queue's id."""

UPDATE_DELIVERIES = _compile(
    update(messages)
    .where(messages.c.key == _element(_changes, 1))
    .values(deliveries=_element(_changes, 0))
)
"""Parameter: `[[deliveries, key], …]`."""

READ_PAGE = _compile(
    select(
        messages.c.key,
        messages.c.deliveries,
        messages.c.content_id,
        messages.c.exchange,
        messages.c.routing_key,
        func.coalesce(messages.c.properties, contents.c.properties),
        func.coalesce(messages.c.body, contents.c.body),
    )
    .select_from(_with_contents)
    .where(_in_range)
    .order_by(messages.c.key)
    .limit(_limit)
    .offset(0)
)
"""Parameters: first key, last key, how many at most, and 0."""

READ_SPILLED_PAGE = _compile(
    select(messages).where(_in_range).order_by(messages.c.key).limit(_limit).offset(0)
)
"""The same, where no content is shared."""

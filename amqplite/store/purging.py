"""Purges take no longer for a million messages than for one.

The commit that purges only notes the range of keys. From then on nobody sees what is stored there;
the rows go afterwards, a step at a time, with later commits or while there are none, and after a
restart if need be.
"""

import json
import time

from sqlalchemy import Connection

from amqplite.store import statements
from amqplite.store.ranges import Range, Ranges

STEP_ROWS = 1000
STEP_BYTES = 4 * 1024 * 1024
"""What is deleted without a look at the clock, one message at least: some milliseconds' work."""

PATIENCE_S = 0.01
"""How long one call goes on, so that no commit waits for long."""


def write(connection: Connection, before: Ranges, after: Ranges) -> None:
    """Note `after` in place of `before`."""
    if gone := set(before) - set(after):
        firsts = json.dumps([first for first, _ in gone])
        connection.exec_driver_sql(statements.delete_purges(), (firsts,))
    statements.insert_purges(connection, sorted(set(after) - set(before)))


def delete_some(connection: Connection, ranges: Ranges) -> Ranges:
    """Delete messages in `ranges`, and contents that nobody else has; return what is left to do."""
    left = list(reversed(ranges))
    deadline = time.monotonic() + PATIENCE_S
    while left:
        rest = _delete_first(connection, *left.pop())
        if rest is not None:
            left.append(rest)
        if time.monotonic() >= deadline:
            break
    return tuple(reversed(left))


def _delete_first(connection: Connection, first: int, last: int) -> Range | None:
    """Delete the first messages of a range; return where to go on, `None` if none were left."""
    which = first, last, STEP_ROWS, 0, STEP_BYTES
    end: int | None = connection.exec_driver_sql(statements.end_of_step(), which).scalar()
    if end is None:
        return None
    shared = connection.exec_driver_sql(statements.contents_in_range(), (first, end)).scalar_one()
    connection.exec_driver_sql(statements.delete_range(), (first, end))
    if shared != "[]":
        connection.exec_driver_sql(statements.delete_released(), (shared,))
    return (end + 1, last) if end < last else None

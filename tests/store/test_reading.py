"""What a start reads, and pages: without SQLAlchemy, by keys, and the same that is written.

What comes back of what was written is tested with what writes it.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection

import pytest

from amqplite.broker.records import Batch, Loaded
from amqplite.store import migrate
from amqplite.store.database import Database
from amqplite.store.opening import MEMORY, connect_writer
from amqplite.store.reading import (
    READ_PAGE,
    READ_SPILLED_PAGE,
    load,
    read_page,
    read_purges,
)
from tests.store.rows import message, queues

ALL = (0, 1 << 62)


@pytest.fixture
def connection() -> Iterator[Connection]:
    with closing(connect_writer(MEMORY)) as connection:
        migrate.create(connection)
        yield connection


def insert(connection: Connection, *rows: tuple[int, bytes]) -> None:
    for key, body in rows:
        connection.execute(
            "INSERT INTO messages VALUES (?, 0, NULL, '', 'key', x'', ?)", (key, body)
        )


@pytest.mark.parametrize("statement", [READ_PAGE, READ_SPILLED_PAGE])
def test_a_page_is_found_by_key(connection: Connection, statement: str) -> None:
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", (1, 2, 3))]
    assert any("USING INTEGER PRIMARY KEY" in step for step in plan)
    assert not any("SCAN" in step or "TEMP" in step for step in plan), plan


def test_a_page_reaches_across_what_is_hidden(connection: Connection) -> None:
    insert(connection, *((key, b"") for key in range(1, 11)))
    rows, more = read_page(connection, READ_PAGE, ((2, 4), (7, 8)), 1, 10, 4)
    assert ([row[0] for row in rows], more) == ([1, 5, 6, 9], False)


def test_a_page_ends_where_bodies_are_large(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amqplite.store.reading.PAGE_BYTES", 10)
    insert(connection, (1, b"x" * 100), (2, b"x" * 6), (3, b"x" * 6), (4, b""))
    pages, first = [], 1
    while rows := read_page(connection, READ_PAGE, (), first, 9, 9)[0]:
        pages.append([row[0] for row in rows])
        first = rows[-1][0] + 1
    assert pages == [[1], [2, 3], [4]]


def test_purges_that_touch_are_one(connection: Connection) -> None:
    connection.executemany("INSERT INTO purges VALUES (?, ?)", [(9, 12), (1, 3), (4, 5)])
    assert read_purges(connection) == ((1, 5), (9, 12))


def test_queues_that_are_purged_are_told(connection: Connection) -> None:
    assert load(connection, ()) == Loaded([], [], [], [], [], [], 1)
    assert load(connection, ((1 << 40, 3 << 40),)).purging == {1, 2, 3}


def test_a_start_does_without_sqlalchemy(path: Path) -> None:
    store = Database(path)
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 1)]))
    store.close()
    program = f"""
import sys
from pathlib import Path
import amqplite.app
from amqplite.store.database import Database
store = Database(Path({str(path)!r}))
print(len(store.load().queues), len(store.page({ALL[0]}, {ALL[1]}, 10)))
print(*{{"sqlalchemy", "alembic", "click"}} & sys.modules.keys())
store.prepare()
print(*{{"sqlalchemy", "alembic", "click"}} & sys.modules.keys())
store.close()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.splitlines() == ["1 1", "", "sqlalchemy"]

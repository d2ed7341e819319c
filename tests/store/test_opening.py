"""Pragmas, as they are on a real file, and what errors mean."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from amqplite.store.opening import (
    PAGE_SIZE,
    UNSYNCED,
    WAL_KEPT_BYTES,
    connect_reader,
    connect_writer,
    delete_database,
    must_wait,
)

FULL, OFF, INCREMENTAL = 2, 0, 2


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", FULL),
        ("page_size", PAGE_SIZE),
        ("auto_vacuum", INCREMENTAL),
        ("secure_delete", 0),
    ],
)
def test_a_writers_pragmas(path: Path, pragma: str, value: object) -> None:
    with closing(connect_writer(path)) as writer:
        assert writer.execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_what_is_thrown_away_is_not_synced(path: Path) -> None:
    with closing(connect_writer(path, UNSYNCED)) as writer:
        assert writer.execute("PRAGMA synchronous").fetchone() == (OFF,)


def test_the_log_is_bounded(path: Path) -> None:
    with closing(connect_writer(path)) as writer:
        writer.execute("CREATE TABLE t (a)")
        for _ in range(80):
            writer.execute("INSERT INTO t VALUES (zeroblob(1000000))")
        assert path.with_name(path.name + "-wal").stat().st_size < WAL_KEPT_BYTES


def test_a_reader_sees_what_is_committed_each_time_and_can_not_write(path: Path) -> None:
    with closing(connect_writer(path)) as writer, closing(connect_reader(path)) as reader:
        writer.execute("CREATE TABLE t (a)")
        count = "SELECT count(*) FROM t"
        assert reader.execute(count).fetchone() == (0,)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO t VALUES (1)")
        assert reader.execute(count).fetchone() == (0,)
        writer.execute("COMMIT")
        assert reader.execute(count).fetchone() == (1,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM t")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_BUSY, True),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, True),
        (sqlite3.SQLITE_LOCKED, True),
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_IOERR_SHMSIZE, True),
        (sqlite3.SQLITE_IOERR_WRITE, False),
        (sqlite3.SQLITE_CORRUPT, False),
        (sqlite3.SQLITE_CONSTRAINT, False),
    ],
)
def test_which_faults_may_pass(code: int, expected: bool) -> None:
    error = sqlite3.OperationalError()
    error.sqlite_errorcode = code
    assert must_wait(error) is expected


def test_an_error_of_another_kind_does_not_pass() -> None:
    assert must_wait(None) is False
    assert must_wait(ValueError()) is False


def test_a_file_that_is_no_database_is_closed_again(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        connect_writer(path)


def test_a_database_is_deleted_with_its_log(path: Path) -> None:
    writer = connect_writer(path)
    writer.execute("CREATE TABLE t (a)")
    assert len(list(path.parent.iterdir())) == 3
    delete_database(path)
    assert list(path.parent.iterdir()) == []
    delete_database(path)
    writer.close()

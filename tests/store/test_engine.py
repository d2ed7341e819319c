"""Pragmas and transactions, as they are on a real file."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from amqplite.store.engine import (
    MEMORY,
    PAGE_SIZE,
    UNSYNCED,
    WAL_KEPT_BYTES,
    driver_of,
    must_wait,
    open_reader,
    open_sharing,
    open_writer,
)
from tests.store.rows import sqlite

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
    with open_writer(path) as writer:
        assert driver_of(writer).execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_what_is_thrown_away_is_not_synced(path: Path) -> None:
    with open_writer(path, UNSYNCED) as writer:
        assert driver_of(writer).execute("PRAGMA synchronous").fetchone() == (OFF,)


def test_the_log_is_bounded(path: Path) -> None:
    with open_writer(path) as writer:
        driver_of(writer).execute("CREATE TABLE t (a)")
        for _ in range(80):
            with writer.begin():
                writer.exec_driver_sql("INSERT INTO t VALUES (zeroblob(1000000))")
        assert path.with_name(path.name + "-wal").stat().st_size < WAL_KEPT_BYTES


def test_a_transaction_holds_the_write_lock_from_its_beginning(path: Path) -> None:
    with open_writer(path) as writer, sqlite(path) as other:
        with writer.begin(), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")


def test_tables_are_made_within_a_transaction(path: Path) -> None:
    with open_writer(path) as writer:
        with writer.begin() as transaction:
            writer.execute(text("CREATE TABLE t (a)"))
            transaction.rollback()
        assert driver_of(writer).execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


def test_a_reader_sees_what_is_committed_each_time_and_can_not_write(path: Path) -> None:
    with open_writer(path) as writer, open_reader(path) as reader:
        driver_of(writer).execute("CREATE TABLE t (a)")
        count = "SELECT count(*) FROM t"
        assert reader.exec_driver_sql(count).scalar_one() == 0
        with writer.begin():
            writer.exec_driver_sql("INSERT INTO t VALUES (1)")
            assert reader.exec_driver_sql(count).scalar_one() == 0
        assert reader.exec_driver_sql(count).scalar_one() == 1
        with pytest.raises(OperationalError, match="readonly"):
            reader.exec_driver_sql("DELETE FROM t")


def test_two_faces_of_one_database_in_memory() -> None:
    with open_writer(MEMORY) as writer, open_sharing(writer) as reader:
        with writer.begin():
            writer.exec_driver_sql("CREATE TABLE t (a)")
        assert reader.exec_driver_sql("SELECT count(*) FROM t").scalar_one() == 0
        with writer.begin():
            writer.exec_driver_sql("INSERT INTO t VALUES (1)")
        assert reader.exec_driver_sql("SELECT count(*) FROM t").scalar_one() == 1


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
    with pytest.raises(Exception, match="not a database"):
        open_writer(path)

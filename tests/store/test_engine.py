"""Transactions, as they are on a real file, and errors."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, InvalidRequestError

from amqplite.store.engine import driver_of, if_possible, open_writer, over, plain_errors
from amqplite.store.opening import MEMORY, connect_writer
from tests.store.rows import sqlite


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


def test_a_connection_of_sqlites_is_used_as_it_is_and_closed_in_the_end() -> None:
    driver = connect_writer(MEMORY)
    driver.execute("CREATE TABLE t (a)")
    with over(driver) as connection:
        with connection.begin():
            connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        assert driver_of(connection) is driver
        assert driver.execute("SELECT a FROM t").fetchall() == [(1,)]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        driver.execute("SELECT 1")


def test_errors_of_sqlite_are_raised_bare_and_others_as_they_are() -> None:
    with open_writer(MEMORY) as connection:
        driver_of(connection).execute("CREATE TABLE t (a UNIQUE)")
        twice = "INSERT INTO t VALUES (1), (1)"
        with pytest.raises(IntegrityError), connection.begin():
            connection.exec_driver_sql(twice)
        with pytest.raises(sqlite3.IntegrityError), plain_errors(), connection.begin():
            connection.exec_driver_sql(twice)
        with pytest.raises(InvalidRequestError), plain_errors(), connection.begin():
            connection.begin()


def test_what_need_not_be_now_is_left_where_it_can_not_be(path: Path) -> None:
    with open_writer(path) as one, sqlite(path) as other:
        driver_of(one).execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with if_possible(), one.begin():
            pytest.fail("somebody else has the lock")
        with if_possible():
            driver_of(one).execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="no such table"), if_possible():
            one.exec_driver_sql("SELECT * FROM t")

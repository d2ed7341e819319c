"""SQLAlchemy over SQLite's connections, with transactions that begin and end where we say.

It takes longer to import than all else that a start needs, so only what writes does.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, NullPool, create_engine, event, exc

from amqplite.store.opening import connect_writer, must_wait

_SQLITE = URL.create("sqlite")  # as text it would have to be parsed


def open_writer(path: Path | str, extra: tuple[str, ...] = ()) -> Connection:
    """Return a connection that writes; see `opening.connect_writer`."""
    return over(connect_writer(path, extra))


def over(driver: sqlite3.Connection) -> Connection:
    """Return SQLAlchemy's face of `driver`, which is closed with it.

    Its transactions hold the write lock from their beginning.
    """
    engine = create_engine(
        _SQLITE, creator=lambda: driver, poolclass=NullPool, pool_reset_on_return=None
    )
    event.listen(engine, "begin", _begin_immediate)
    return engine.connect()


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return the driver's connection, for what SQLAlchemy has no part in."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise what SQLite raised, without what SQLAlchemy wraps it in."""
    try:
        yield
    except exc.DBAPIError as error:
        raise (error.orig or error) from error


@contextmanager
def if_possible() -> Iterator[None]:
    """Leave it for another time if there is no room, or somebody else holds the database."""
    try:
        with plain_errors():
            yield
    except sqlite3.OperationalError as error:
        if not must_wait(error):
            raise


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")

"""SQLite as the store wants it: pragmas, and transactions that begin and end where we say."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, exc

MEMORY = ":memory:"

_SQLITE = URL.create("sqlite")  # as text it would have to be parsed

PAGE_SIZE = 8192
"""Octets. Only a new database takes it."""

WAL_PAGES = 2048
"""Pages in the log that make a commit move them into the database: what bounds the log."""

WAL_KEPT_BYTES = 24 * 1024 * 1024  # more than those take, or each round would cut it
"""What a log that had to grow, while somebody read for long, is cut to afterwards."""

NEW = (f"PRAGMA page_size = {PAGE_SIZE}", "PRAGMA auto_vacuum = INCREMENTAL")
"""For a database that is empty: later they would have no effect, but an fsync at each start."""

WRITER = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit survives a power cut
    f"PRAGMA wal_autocheckpoint = {WAL_PAGES}",
    f"PRAGMA journal_size_limit = {WAL_KEPT_BYTES}",
    "PRAGMA cache_size = -2048",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA secure_delete = OFF",  # some systems build it in: every delete would write zeros
)

UNSYNCED = ("PRAGMA synchronous = OFF",)
"""For a database that is thrown away at every start."""

READER = ("PRAGMA query_only = ON", "PRAGMA cache_size = -512", "PRAGMA temp_store = MEMORY")

WRITER_PATIENCE_S = 0.5
"""How long a commit waits for somebody else's transaction before it gives up."""

READER_PATIENCE_S = 0.05
"""The same for a reader, who in WAL mode does not wait for writers at all."""


def open_writer(path: Path | str, extra: tuple[str, ...] = ()) -> Connection:
    """Return a connection whose transactions hold the write lock from their beginning.

    Args:
        path: of the file; `MEMORY` for none.
        extra: pragmas beside those that every writer has.
    """
    engine = _engine(_connect(path, WRITER_PATIENCE_S), (*WRITER, *extra))
    event.listen(engine, "begin", _begin_immediate)
    return engine.connect()


def open_reader(path: Path | str) -> Connection:
    """Return a connection that only reads, each statement seeing what is committed by then."""
    return _engine(_connect(path, READER_PATIENCE_S), READER).connect()


def open_sharing(connection: Connection) -> Connection:
    """Return another face of `connection`, where the database is in memory and can't have two.

    It has no part in the other's transactions. Only one of the two may be used at a time.
    """
    return _engine(lambda: connection.connection.driver_connection, ()).connect()


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return what is under `connection`: no transaction begins there unless it is told to."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def must_wait(error: BaseException | None) -> bool:
    """Tell whether what failed with `error` may succeed later: no room, or held by others."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code in _FULL or code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""The latter: the log's index can't grow."""


@contextmanager
def if_possible() -> Iterator[None]:
    """Leave it for another time if there is no room, or somebody else holds the database."""
    try:
        yield
    except (sqlite3.OperationalError, exc.OperationalError) as error:
        if not must_wait(getattr(error, "orig", error)):
            raise


def _connect(path: Path | str, patience_s: float) -> Callable[[], sqlite3.Connection]:
    # A connection is used by one thread at a time, but not always the same one.
    return lambda: sqlite3.connect(path, timeout=patience_s, check_same_thread=False)


def _engine(connect: Callable[[], Any], pragmas: tuple[str, ...]) -> Engine:
    engine = create_engine(_SQLITE, creator=connect, poolclass=NullPool, pool_reset_on_return=None)
    event.listen(engine, "connect", _set_up(pragmas))
    return engine


def _set_up(pragmas: tuple[str, ...]) -> Callable[[sqlite3.Connection, Any], None]:
    def set_up(connection: sqlite3.Connection, _: Any) -> None:
        # Python's own idea of transactions would commit in the middle of a migration.
        connection.isolation_level = None
        try:
            new = connection.execute("PRAGMA page_count").fetchone() == (0,)
            for pragma in (*NEW, *pragmas) if new else pragmas:
                connection.execute(pragma)
        except sqlite3.Error:
            connection.close()
            raise

    return set_up


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")

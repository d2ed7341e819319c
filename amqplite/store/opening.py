"""SQLite as the store wants it: pragmas, and what an error means."""

import sqlite3
from pathlib import Path

MEMORY = ":memory:"

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


def connect_writer(path: Path | str, extra: tuple[str, ...] = ()) -> sqlite3.Connection:
    """Return a connection that writes; transactions begin where somebody says so, and only there.

    Args:
        path: of the file; `MEMORY` for none.
        extra: pragmas beside those that every writer has.
    """
    return _connect(path, WRITER_PATIENCE_S, (*WRITER, *extra))


def connect_reader(path: Path | str) -> sqlite3.Connection:
    """Return a connection that only reads, each statement seeing what is committed by then."""
    return _connect(path, READER_PATIENCE_S, READER)


def must_wait(error: BaseException | None) -> bool:
    """Tell whether what failed with `error` may succeed later: no room, or held by others."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code in _FULL or code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""The latter: the log's index can't grow."""


def delete_database(path: Path) -> None:
    """Delete a database that nobody has open, as far as it is there."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _connect(path: Path | str, patience_s: float, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    # It is used by one thread at a time, but not always the same one; and Python's own idea of
    # transactions would commit in the middle of a migration.
    connection = sqlite3.connect(
        path, timeout=patience_s, isolation_level=None, check_same_thread=False
    )
    try:
        new = connection.execute("PRAGMA page_count").fetchone() == (0,)
        for pragma in (*NEW, *pragmas) if new else pragmas:
            connection.execute(pragma)
    except sqlite3.Error:
        connection.close()
        raise
    return connection

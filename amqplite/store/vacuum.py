"""Disk space comes back, a little at a time.

Pages that deletes leave free are used again first. Beyond what may be of use, they are cut off the
end of the file, where those in use are first moved to free places further ahead.
"""

import sqlite3
import time

from sqlalchemy import Connection

from amqplite.store.engine import driver_of, if_possible

KEPT_PAGES = 512
"""Free pages that are always kept."""

STEP_PAGES = 128
"""Pages that are moved, at most, in one transaction."""

PATIENCE_S = 0.01
"""How long one call goes on, so that no commit waits for long."""

_COUNT = "SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count"


def shrink(connection: Connection) -> bool:
    """Give back a little of what is free; return whether there is more.

    Where there is no room to do so, or somebody else holds the database, there is nothing to do.

    Args:
        connection: one that writes, in no transaction.
    """
    driver = driver_of(connection)
    deadline = time.monotonic() + PATIENCE_S
    with if_possible():
        while surplus := _surplus(driver):
            # It gives a row for each page: a script skips them without taking the interpreter back.
            driver.executescript(f"PRAGMA incremental_vacuum({min(surplus, STEP_PAGES)})")
            if time.monotonic() >= deadline:
                return True
    return False


def checkpoint(connection: Connection) -> None:
    """Move what is in the log into the file, as far as there is room and nobody reads it."""
    with if_possible():
        driver_of(connection).execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def _surplus(driver: sqlite3.Connection) -> int:
    free: int
    pages: int
    free, pages = driver.execute(_COUNT).fetchone()
    return max(0, free - max(KEPT_PAGES, (pages - free) // 2))

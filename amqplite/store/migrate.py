"""Bring a database to the newest schema, all of it or not at all.

`migrations/versions/` is the one source of the schema. `migrations/head.sql` is written from it, so
that a fresh database, which is what most starts that need one find, costs no import of alembic.
After adding a revision, write it anew::

    python -m amqplite.store.migrate
"""

import sqlite3
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from amqplite.store import DatabaseDamaged, DatabaseTooNew, StoreUnusable

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

_PLACES = [Path(__file__).parents[level] / "migrations" for level in (1, 2)]
MIGRATIONS = next(place for place in _PLACES if (place / "env.py").exists())
"""In the package where it is installed, beside it in a checkout."""

SQLITE_MIN = (3, 38)
"""STRICT tables came with 3.37, `->>` with 3.38."""

EMPTY = "empty"
"""The revision of a database that has no tables yet."""

BASE = "base"
"""The revision of one whose revisions were all undone."""

_HEAD_MARK = "-- head: "


def head_sql() -> str:
    """Return the script that builds the newest schema in an empty database."""
    return (MIGRATIONS / "head.sql").read_text(encoding="utf-8")


def head_revision() -> str:
    """Return the newest revision."""
    return head_sql().partition("\n")[0].removeprefix(_HEAD_MARK)


def find_revision(path: Path) -> str:
    """Return the revision of the database at `path`, `EMPTY` if there is nothing yet.

    Changes nothing: a database that can't be used is left exactly as it is, its log included.

    Raises:
        DatabaseTooNew: a revision we don't have.
        DatabaseDamaged: no database, not ours, or broken.
        StoreUnusable: it may not be read.
    """
    if sqlite3.sqlite_version_info < SQLITE_MIN:
        raise StoreUnusable(
            f"SQLite {'.'.join(map(str, SQLITE_MIN))} or later is needed, "
            f"and this Python has {sqlite3.sqlite_version}"
        )
    wal = path.with_name(path.name + "-wal")
    if not path.exists() or path.stat().st_size == 0:
        if wal.exists() and wal.stat().st_size:
            # SQLite would delete the log, and with it the latest messages.
            raise DatabaseDamaged(f"{path} is missing or empty, but its log {wal.name} is not")
        return EMPTY
    try:
        revision = _read_revision(path)
    except sqlite3.DatabaseError as error:
        raise unusable(path, error) from error
    if revision not in (EMPTY, BASE, head_revision()) and revision not in _known_revisions():
        raise DatabaseTooNew(
            f"{path} is at revision {revision}, which this version of amqplite does not know: "
            f"start it with the version that wrote it, or a later one"
        )
    return revision


def unusable(path: Path, error: BaseException | None) -> StoreUnusable:
    """Return what to raise where opening `path` failed with `error`."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DatabaseDamaged(
            f"{path} is damaged or not a database ({error}): nothing was changed; "
            f"restore it from a backup, or move it away to start empty"
        )
    return StoreUnusable(f"{path} can't be opened: {error}")


def migrate(connection: sqlite3.Connection, path: Path | str, revision: str) -> None:
    """Bring the database at `path` from `revision` to the newest one; `connection` writes there."""
    if revision == EMPTY:
        create(connection)
    elif revision != head_revision():
        from amqplite.store.engine import open_writer, plain_errors

        with plain_errors(), open_writer(path) as other:
            upgrade(other)


def create(connection: sqlite3.Connection) -> None:
    """Build the newest schema in an empty database."""
    try:
        connection.executescript(head_sql())
    except BaseException:
        connection.rollback()
        raise


def upgrade(connection: "Connection") -> None:
    """Run the revisions that the database lacks, in one transaction."""
    from alembic import command

    with connection.begin():
        command.upgrade(configure(connection), "head")


def configure(connection: "Connection | None") -> "Config":
    """Return alembic's configuration for `connection`; offline if there is none."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def write_head_sql() -> str:
    """Return what `head.sql` should be, from the revisions."""
    from alembic import command
    from alembic.script import ScriptDirectory

    config = configure(None)
    config.output_buffer = script = StringIO()
    command.upgrade(config, "head", sql=True)
    head = ScriptDirectory.from_config(config).get_current_head()
    return (
        f"{_HEAD_MARK}{head}\n"
        f"-- Made from versions/ by `python -m amqplite.store.migrate`: don't edit.\n\n"
        f"{script.getvalue().strip()}\n"
    )


def _read_revision(path: Path) -> str:
    # Read-only, since closing the last connection that may write would move the log into the file.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
        if not tables:
            return EMPTY
        if "alembic_version" not in tables:
            raise DatabaseDamaged(f"{path} is a database of something else: move it away")
        revisions = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        return ", ".join(revision for (revision,) in revisions) or BASE
    finally:
        connection.close()


def _known_revisions() -> set[str]:
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}


if __name__ == "__main__":
    (MIGRATIONS / "head.sql").write_text(write_head_sql(), encoding="utf-8")

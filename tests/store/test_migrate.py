"""The schema: made of the revisions, all of them or none, and nothing done to what isn't ours."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from amqplite.broker.records import Batch
from amqplite.store import DatabaseDamaged, DatabaseTooNew, StoreUnusable, migrate
from amqplite.store.database import Database
from amqplite.store.engine import driver_of, open_writer
from amqplite.store.migrate import EMPTY, MIGRATIONS, find_revision
from amqplite.store.tables import metadata
from tests.store.rows import counts, files, message, queues, sqlite

SECOND = """\
from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


def upgrade() -> None:
    op.execute("CREATE TABLE second (a)")
    op.execute("INSERT INTO second VALUES (1)")
    op.execute("UPDATE queues SET sent_up_to = 99")
    {last_step}
"""


@pytest.fixture
def writer(path: Path) -> Iterator[Connection]:
    with open_writer(path) as connection:
        yield connection


@pytest.fixture
def revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the revisions, to add to."""
    folder = tmp_path / "revisions"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    return folder


def add_second(revisions: Path, last_step: str = "pass") -> None:
    second = revisions / "versions" / "0002_second.py"
    second.write_text(SECOND.format(last_step="pass"))
    (revisions / "head.sql").write_text(migrate.write_head_sql())
    second.write_text(SECOND.format(last_step=last_step))


def schema(connection: Connection) -> list[tuple[str, str, str]]:
    """Return what there is, but for alembic's table, without its layout."""
    rows = connection.execute(
        text("SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY type, name")
    )
    return [
        (kind, name, " ".join(sql.split())) for kind, name, sql in rows if name != "alembic_version"
    ]


def compare_type(*args: Any) -> bool | None:
    return False if str(args[4]) == "ANY" else None  # ANY is not known to reflection


def test_the_revisions_build_exactly_the_tables(writer: Connection) -> None:
    migrate.upgrade(writer)
    with writer.begin():
        context = MigrationContext.configure(writer, opts={"compare_type": compare_type})
        assert compare_metadata(context, metadata) == []
        by_revisions = schema(writer)
    with open_writer(":memory:") as other, other.begin():
        metadata.create_all(other)
        assert schema(other) == by_revisions


def test_the_script_builds_what_the_revisions_build(writer: Connection) -> None:
    migrate.create(driver_of(writer))
    with open_writer(":memory:") as other:
        migrate.upgrade(other)
        with writer.begin(), other.begin():
            assert schema(writer) == schema(other)
            version = text("SELECT version_num FROM alembic_version")
            assert writer.execute(version).all() == other.execute(version).all()


def test_the_script_is_what_the_revisions_give() -> None:
    assert migrate.head_sql() == migrate.write_head_sql(), "python -m amqplite.store.migrate"


def test_downgrade_undoes_upgrade(writer: Connection, path: Path) -> None:
    migrate.upgrade(writer)
    with writer.begin():
        command.downgrade(migrate.configure(writer), "base")
        assert inspect(writer).get_table_names() == ["alembic_version"]
        assert schema(writer) == []
    assert find_revision(path) == migrate.BASE
    migrate.migrate(driver_of(writer), path, migrate.BASE)
    assert find_revision(path) == migrate.head_revision()


def test_a_new_database_is_made_without_alembic(path: Path) -> None:
    script = f"""
import sys
from pathlib import Path
from amqplite.store.database import Database
Database(Path({str(path)!r})).close()
Database(Path({str(path)!r})).close()
sys.exit("alembic" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert find_revision(path) == migrate.head_revision()


def test_an_older_database_is_brought_to_head_with_all_that_is_in_it(
    path: Path, revisions: Path
) -> None:
    store = Database(path)
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 1)]))
    store.close()
    add_second(revisions)
    store = Database(path)
    assert counts(store) == {1: (1, 1, 99)}
    store.close()
    assert find_revision(path) == "0002"


def test_a_failed_revision_leaves_nothing_behind(path: Path, revisions: Path) -> None:
    store = Database(path)
    store.commit(queues(1))
    store.close()
    before = files(path.parent)
    add_second(revisions, 'raise RuntimeError("half way")')
    with pytest.raises(RuntimeError, match="half way"):
        Database(path)
    assert files(path.parent) == before
    add_second(revisions)
    store = Database(path)
    assert counts(store) == {1: (0, 0, 99)}
    store.close()


def test_a_failed_first_script_leaves_nothing_behind(
    writer: Connection, path: Path, revisions: Path
) -> None:
    script = migrate.head_sql().replace("COMMIT;", "no SQL;")
    (revisions / "head.sql").write_text(script)
    with pytest.raises(Exception, match="syntax error"):
        migrate.migrate(driver_of(writer), path, EMPTY)
    with writer.begin():
        assert schema(writer) == []


def test_a_newer_database_is_refused_and_left_alone(path: Path) -> None:
    Database(path).close()
    with sqlite(path) as other:
        other.execute("UPDATE alembic_version SET version_num = '9999'")
        # Its log is still there, as after a crash.
        before = files(path.parent)
        assert len(before) == 2
        with pytest.raises(DatabaseTooNew, match=r"amqplite\.db is at revision 9999.* later one"):
            Database(path)
        assert files(path.parent) == before


def test_a_newer_database_is_refused_after_a_crash(path: Path, tmp_path: Path) -> None:
    Database(path).close()
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with sqlite(path) as other:
        other.execute("UPDATE alembic_version SET version_num = '9999'")
        for name, octets in files(path.parent).items():
            (crashed / name).write_bytes(octets)
    before = files(crashed)
    assert len(before) == 2
    with pytest.raises(DatabaseTooNew):
        Database(crashed / path.name)
    assert files(crashed) == before


def damage_nothing(database: bytes) -> bytes:
    return b"this is no database, and never was\n" * 1000


def damage_end(database: bytes) -> bytes:
    return database[: len(database) // 2]


def damage_header(database: bytes) -> bytes:
    return bytes(100) + database[100:]


def damage_schema(database: bytes) -> bytes:
    return database[:100] + b"\xff" * 3000 + database[3100:]


@pytest.mark.parametrize("damage", [damage_nothing, damage_end, damage_header, damage_schema])
def test_a_damaged_file_is_refused_and_left_alone(path: Path, damage: Any) -> None:
    Database(path).close()
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    with pytest.raises(DatabaseDamaged, match=r"amqplite\.db is damaged or not a database"):
        Database(path)
    assert files(path.parent) == {path.name: damaged}


def test_a_database_of_something_else_is_refused_and_left_alone(path: Path) -> None:
    with sqlite(path) as other:
        other.execute("CREATE TABLE theirs (a)")
    before = files(path.parent)
    with pytest.raises(DatabaseDamaged, match="database of something else"):
        Database(path)
    assert files(path.parent) == before


@pytest.mark.parametrize("present", [True, False])
def test_a_log_without_its_database_is_not_thrown_away(path: Path, present: bool) -> None:
    if present:
        path.write_bytes(b"")
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"the latest messages")
    with pytest.raises(DatabaseDamaged, match=r"its log amqplite\.db-wal is not"):
        Database(path)
    assert log.read_bytes() == b"the latest messages"


def test_an_empty_file_is_a_new_database(path: Path) -> None:
    path.write_bytes(b"")
    Database(path).close()
    assert find_revision(path) == migrate.head_revision()


def test_a_database_without_tables_is_a_new_one(path: Path) -> None:
    with sqlite(path) as other:
        other.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size > 0
    Database(path).close()
    assert find_revision(path) == migrate.head_revision()


def test_a_path_that_can_not_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match=f"{tmp_path}/none/amqplite.db can't be opened"):
        Database(tmp_path / "none" / "amqplite.db")
    with pytest.raises(StoreUnusable, match=f"{tmp_path} can't be opened"):
        Database(tmp_path)


def test_a_path_with_odd_characters(tmp_path: Path) -> None:
    folder = tmp_path / "100% ?odd#é"
    folder.mkdir()
    for _ in range(2):
        Database(folder / "amqplite.db").close()
    assert list(files(folder)) == ["amqplite.db"]


def test_a_sqlite_that_is_too_old_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "SQLITE_MIN", (99, 0))
    with pytest.raises(StoreUnusable, match=r"SQLite 99\.0 or later is needed"):
        Database(path)
    assert files(path.parent) == {}

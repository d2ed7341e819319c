"""The hot statements find what they want by its key, and not by looking everywhere."""

import json
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from amqplite.store import migrate, statements
from amqplite.store.engine import driver_of, open_writer
from amqplite.store.opening import MEMORY

PARAMETERS: dict[str, tuple[object, ...]] = {
    "delete_keys": ("[1, 2]",),
    "delete_ranges": ("[[1, 2]]",),
    "delete_range": (1, 2),
    "delete_purges": ("[1, 2]",),
    "count_range": (1, 2),
    "count_keys": ("[1, 2]",),
    "contents_in_range": (1, 2),
    "delete_released": ("[1, 2]",),
    "end_of_step": (1, 2, 3, 0, 4),
    "set_count": (1, 2),
    "update_queues": ("[[1, 2, 3, 4]]",),
    "update_deliveries": ("[[1, 2]]",),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with open_writer(MEMORY) as connection:
        migrate.create(driver_of(connection))
        yield connection


def test_each_statement_has_its_parameters_here() -> None:
    kind = type(statements.delete_keys)
    names = {name for name, value in vars(statements).items() if isinstance(value, kind)}
    assert names == PARAMETERS.keys()


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS.items())
def test_a_statement_searches_by_key(
    connection: Connection, name: str, parameters: tuple[object, ...]
) -> None:
    with connection.begin():
        sql = f"EXPLAIN QUERY PLAN {getattr(statements, name)()}"
        plan = [row[3] for row in connection.exec_driver_sql(sql, parameters)]
    assert any("USING INTEGER PRIMARY KEY" in step for step in plan)
    subqueries = {step.split()[1] for step in plan if step.startswith("CO-ROUTINE")}
    scans = [step for step in plan if step.startswith("SCAN")]
    assert all("VIRTUAL TABLE" in step or step.split()[1] in subqueries for step in scans), plan


def test_a_content_is_looked_up_by_index(connection: Connection) -> None:
    with connection.begin():
        sql = f"EXPLAIN QUERY PLAN {statements.delete_released()}"
        plan = [row[3] for row in connection.exec_driver_sql(sql, (json.dumps([1]),))]
    assert any("ix_messages_content_id (content_id=?)" in step for step in plan)


@pytest.mark.parametrize(("rows", "slots"), [(1, 1), (2, 2), (3, 4), (500, 512), (1024, 1024)])
def test_statements_come_in_few_sizes(rows: int, slots: int) -> None:
    class Recorder:
        statement = ""

        def exec_driver_sql(self, statement: str, parameters: tuple[object, ...]) -> None:
            self.statement = statement
            assert len(parameters) == slots * 3 + 1

    recorder = Recorder()
    statements.insert_contents(recorder, [(n, b"", b"") for n in range(rows)])  # type: ignore[arg-type]
    assert recorder.statement.count("(?, ?, ?)") == slots

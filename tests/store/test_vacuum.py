"""Disk space comes back after a drain, in steps, and not before it is of no use."""

from itertools import pairwise
from pathlib import Path

import pytest

from amqplite.broker.records import Batch
from amqplite.store import vacuum
from amqplite.store.database import Database
from tests.store.rows import keys, message, page_keys, queues, sqlite

BODY = bytes(1000)


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vacuum, "KEPT_PAGES", 20)
    monkeypatch.setattr(vacuum, "STEP_PAGES", 10)
    monkeypatch.setattr(vacuum, "PATIENCE_S", 0)


def fill(store: Database, count: int) -> None:
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, seq, BODY) for seq in range(count)]))


def pages(path: Path) -> tuple[int, int]:
    """Return how many pages there are, and how many of them are free."""
    with sqlite(path) as connection:
        (total,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return total, free


def test_the_file_gets_smaller_in_steps_while_it_drains(file_store: Database, path: Path) -> None:
    fill(file_store, 4000)
    sizes = []
    for start in range(0, 4000, 100):
        file_store.commit(Batch(deletes=keys(1, *range(start, start + 100))))
        sizes.append(pages(path)[0])
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 10
    assert max(before - after for before, after in pairwise(sizes)) <= 10


def test_tidying_goes_on_to_the_end_and_shortens_the_file(file_store: Database, path: Path) -> None:
    fill(file_store, 4000)
    file_store.commit(Batch(deletes=keys(1, *range(4000))))
    steps = 0
    while file_store.tidy():
        steps += 1
    assert steps > 10
    total, free = pages(path)
    assert free == 20
    with sqlite(path) as connection:
        page_size = connection.execute("PRAGMA page_size").fetchone()[0]
    assert path.stat().st_size == total * page_size


def test_free_pages_are_kept_while_there_are_more_in_use(file_store: Database, path: Path) -> None:
    fill(file_store, 4000)
    file_store.commit(Batch(deletes=keys(1, *range(1000))))
    while file_store.tidy():
        pass
    assert pages(path)[1] > 100


def test_what_is_left_is_not_disturbed(file_store: Database) -> None:
    fill(file_store, 1000)
    left = keys(1, *range(950, 1000))
    file_store.commit(Batch(deletes=keys(1, *range(950))))
    while file_store.tidy():
        pass
    assert page_keys(file_store) == left
    assert all(row[6] == BODY for row in file_store.page(0, left[-1], 100))


def test_the_spill_gets_smaller_too(file_store: Database, path: Path) -> None:
    spill = path.with_name("amqplite-spill.db")
    file_store.commit(Batch(spilled=[message(1, seq, BODY) for seq in range(2000)]))
    before = pages(spill)[0]
    first, last = keys(1, 0, 2000)
    file_store.commit(Batch(unspilled=[(first, last)]))
    while file_store.tidy():
        pass
    assert pages(spill)[0] < before / 5


def test_a_database_that_is_held_is_left_for_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amqplite.store.opening.WRITER_PATIENCE_S", 0)
    store = Database(path)
    fill(store, 1000)
    store.commit(Batch(deletes=keys(1, *range(1000))))
    with sqlite(path) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.tidy() is False
    assert store.tidy() is True
    store.close()


def test_a_call_does_several_steps_if_they_are_quick(
    file_store: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(file_store, 1000)
    monkeypatch.setattr(vacuum, "PATIENCE_S", 60)
    file_store.commit(Batch(deletes=keys(1, *range(1000))))
    assert pages(path)[1] == 20
    assert file_store.tidy() is False


def test_in_memory_there_is_nothing_special(store: Database) -> None:
    fill(store, 1000)
    store.commit(Batch(deletes=keys(1, *range(1000))))
    while store.tidy():
        pass
    assert page_keys(store) == []

"""A purge takes effect at once, whatever its size; the rows go in small steps, across restarts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from amqplite.broker.records import Batch, Definition, Delete, Purge, StoreFull, VhostRow
from amqplite.store import opening, purging
from amqplite.store.database import Database
from amqplite.store.opening import MEMORY
from tests.store.rows import (
    EVERYTHING,
    content,
    content_ids,
    counts,
    files,
    keys,
    message,
    page_keys,
    queue,
    queues,
    row_count,
    sharing,
    sqlite,
    tidied,
)

STEP = 10


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purging, "STEP_ROWS", STEP)
    monkeypatch.setattr(purging, "PATIENCE_S", 0)


@pytest.fixture
def reopened(path: Path) -> Iterator[Database]:
    """A store that was closed with a purge of places 11 to 90 of a hundred hardly begun."""
    store = Database(path)
    fill(store, 100)
    store.commit(purge(11, 90))
    store.close()
    store = Database(path)
    yield store
    store.close()


def fill(store: Database, count: int, queue_id: int = 1) -> None:
    store.commit(queues(queue_id))
    store.commit(Batch(inserts=[message(queue_id, seq) for seq in range(1, count + 1)]))


def purge(first: int, last: int, queue_id: int = 1) -> Batch:
    return Batch(definitions=[Purge(*keys(queue_id, first, last))])


def tidy(store: Database) -> int:
    """Tidy to the end; return how many steps deleted something."""
    steps, more = 0, True
    while more:
        before = row_count(store)
        more = store.tidy()
        assert before - row_count(store) <= STEP
        steps += row_count(store) < before
    return steps


WHOLE: dict[str, Definition] = {
    "purge": Purge(*keys(1, 1, 5000)),
    "delete": Delete(queue(1)),
    "vhost": Delete(VhostRow("/")),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_commit_that_purges_deletes_no_more_than_a_step(store: Database, kind: str) -> None:
    fill(store, 1000)
    store.commit(Batch(definitions=[WHOLE[kind]]))
    assert row_count(store) == 990
    assert page_keys(store) == []
    assert counts(store) == ({1: (0, 1000, 0)} if kind == "purge" else {})


@pytest.mark.parametrize("kind", WHOLE)
def test_a_large_purge_takes_as_many_statements_as_a_small_one(kind: str) -> None:
    taken = []
    for size in (20, 3000):
        store = Database(MEMORY)
        fill(store, size)
        statements: list[str] = []
        store._connection.set_trace_callback(statements.append)
        store.commit(Batch(definitions=[WHOLE[kind]]))
        store._connection.set_trace_callback(None)
        taken.append(len(statements))
        store.close()
    assert taken[0] == taken[1] < 30


def test_a_small_purge_is_done_with_its_commit(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "PATIENCE_S", 60)
    fill(store, 100)
    store.commit(purge(11, 90))
    assert (row_count(store), row_count(store, "purges")) == (20, 0)
    assert counts(store) == {1: (20, 100, 0)}


def test_the_rows_go_while_there_is_nothing_to_write(store: Database) -> None:
    fill(store, 100)
    store.commit(purge(1, 100))
    assert tidy(store) == 9
    assert (row_count(store), row_count(store, "purges")) == (0, 0)


def test_the_rows_go_with_each_commit(store: Database) -> None:
    fill(store, 100)
    store.commit(purge(1, 100))
    for seq in range(101, 110):
        store.commit(Batch(inserts=[message(1, seq)]))
        assert row_count(store) <= 100 - STEP
    assert page_keys(store) == keys(1, *range(101, 110))
    assert counts(store) == {1: (9, 109, 0)}
    store.commit(Batch())
    assert row_count(store, "purges") == 0


def test_what_lies_beside_the_range_stays_and_counts(store: Database) -> None:
    fill(store, 100)
    fill(store, 5, queue_id=2)
    store.commit(purge(11, 90))
    beside = [*keys(1, *range(1, 11), *range(91, 101)), *keys(2, *range(1, 6))]
    assert page_keys(store) == beside
    assert counts(store) == {1: (20, 100, 0), 2: (5, 5, 0)}
    tidy(store)
    assert page_keys(store) == beside
    assert counts(store) == {1: (20, 100, 0), 2: (5, 5, 0)}


def test_a_page_reaches_across_a_range_and_keeps_its_limit(store: Database) -> None:
    fill(store, 100)
    store.commit(purge(11, 90))
    first, last = keys(1, 9, 100)
    assert [row[0] for row in store.page(first, last, 5)] == keys(1, 9, 10, 91, 92, 93)
    assert [row[0] for row in store.page(first, last, 2)] == keys(1, 9, 10)
    assert store.page(*keys(1, 20, 80), 5) == []


def test_unacked_messages_below_the_range_are_acked_as_ever(store: Database) -> None:
    fill(store, 100)
    store.commit(purge(11, 100))
    store.commit(Batch(deletes=keys(1, 1, 2, 10)))
    assert counts(store) == {1: (7, 100, 0)}
    assert page_keys(store) == keys(1, *range(3, 10))


def test_what_is_in_the_range_is_not_there_for_a_delete(store: Database) -> None:
    fill(store, 100)
    fill(store, 5, queue_id=2)
    batch = purge(11, 100)
    batch.deletes = [*keys(1, 1, 99), *keys(2, 1)]
    store.commit(batch)
    store.commit(Batch(deletes=keys(1, 2, 98)))
    assert counts(store) == {1: (8, 100, 0), 2: (4, 5, 0)}


def test_ranges_that_meet_are_noted_as_one(store: Database) -> None:
    fill(store, 100)
    store.commit(purge(51, 100))
    store.commit(purge(21, 60))
    assert row_count(store, "purges") == 1
    assert counts(store) == {1: (20, 100, 0)}
    fill(store, 100, queue_id=3)
    store.commit(purge(21, 100, queue_id=3))
    store.commit(Batch(definitions=[Delete(queue(3))]))
    assert row_count(store, "purges") == 2
    assert page_keys(store) == keys(1, *range(1, 21))
    tidy(store)
    assert row_count(store) == 20


def test_a_restart_goes_on(reopened: Database, path: Path) -> None:
    left = keys(1, *range(1, 11), *range(91, 101))
    assert counts(reopened) == {1: (20, 100, 0)}
    assert page_keys(reopened) == left
    assert row_count(reopened) == 90
    assert tidy(reopened) == 7
    assert (row_count(reopened), row_count(reopened, "purges")) == (20, 0)
    assert page_keys(reopened) == left
    assert counts(reopened) == {1: (20, 100, 0)}
    with sqlite(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_queue_can_be_purged_again_after_a_restart(reopened: Database) -> None:
    reopened.commit(purge(1, 100))
    assert counts(reopened) == {1: (0, 100, 0)}
    assert page_keys(reopened) == []
    tidy(reopened)
    assert (row_count(reopened), row_count(reopened, "purges")) == (0, 0)


def test_a_crash_amid_the_steps_loses_none_and_brings_none_back(path: Path, tmp_path: Path) -> None:
    store = Database(path)
    fill(store, 100)
    store.commit(purge(11, 90))
    for crash in range(9):
        folder = tmp_path / f"crash {crash}"
        folder.mkdir()
        for name, octets in files(path.parent).items():
            (folder / name).write_bytes(octets)
        copy = Database(folder / path.name)
        assert counts(copy) == {1: (20, 100, 0)}
        assert page_keys(copy) == keys(1, *range(1, 11), *range(91, 101))
        tidy(copy)
        assert row_count(copy) == 20
        copy.close()
        store.tidy()
    store.close()


def test_the_ids_of_queues_that_are_being_purged_are_told(path: Path) -> None:
    store = Database(path)
    for queue_id in (1, 2, 5, 7):
        fill(store, 20, queue_id)
    assert store.load().purging == frozenset()
    store.commit(Batch(definitions=[Delete(queue(queue_id)) for queue_id in (1, 2, 5)]))
    store.commit(purge(1, 20, queue_id=7))
    store.close()
    store = Database(path)
    assert store.load().purging == {1, 2, 5, 7}
    tidy(store)
    assert store.load().purging == frozenset()
    store.close()


def test_a_message_for_a_place_in_a_range_waits_for_the_purge(store: Database) -> None:
    fill(store, 100)
    store.commit(Batch(definitions=[Delete(queue(1))]))
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 50, b"new")]))
    assert [row[6] for row in store.page(*EVERYTHING)] == [b"new"]
    assert counts(store) == {1: (1, 50, 0)}
    tidy(store)
    assert [row[6] for row in store.page(*EVERYTHING)] == [b"new"]


def test_people_do_not_see_what_was_purged(reopened: Database, path: Path) -> None:
    with sqlite(path) as connection:
        found = connection.execute("SELECT place FROM message_list ORDER BY place").fetchall()
    assert [place for (place,) in found] == [*range(1, 11), *range(91, 101)]


def test_contents_go_with_the_last_that_has_them(file_store: Database, path: Path) -> None:
    file_store.commit(queues(1, 2))
    file_store.commit(
        Batch(
            contents=[content(number) for number in range(1, 101)],
            inserts=[
                *(sharing(1, number, number) for number in range(1, 101)),
                *(sharing(2, number, number) for number in range(1, 101, 2)),
            ],
        )
    )
    file_store.commit(Batch(definitions=[Delete(queue(1))]))
    held = "(SELECT DISTINCT content_id FROM messages)"
    while file_store.tidy():
        assert len(content_ids(path)) == row_count(file_store, held)
    assert content_ids(path) == list(range(1, 101, 2))
    assert len(file_store.page(*EVERYTHING)) == 50
    # An ack of what the other queue has not yet let go of leaves it to the purge.
    file_store.commit(Batch(definitions=[Purge(*keys(2, 11, 100))]))
    file_store.commit(Batch(deletes=keys(2, 1), released=[1]))
    tidy(file_store)
    assert content_ids(path) == [3, 5, 7, 9]


@pytest.mark.parametrize("shared", [False, True])
def test_large_messages_make_steps_of_fewer(
    store: Database, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    monkeypatch.setattr(purging, "STEP_BYTES", 2500)
    store.commit(queues(1))
    places = range(1, 21)
    if shared:
        contents = [(number, b"", bytes(1000)) for number in places]
        store.commit(Batch(contents=contents, inserts=[sharing(1, n, n) for n in places]))
    else:
        store.commit(Batch(inserts=[message(1, n, bytes(1000)) for n in places]))
    store.commit(purge(1, 20))
    assert row_count(store) == 17
    store.tidy()
    assert row_count(store) == 14
    monkeypatch.setattr(purging, "STEP_BYTES", 1)
    store.tidy()
    assert row_count(store) == 13


def test_a_call_does_several_steps_if_they_are_quick(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 100)
    store.commit(purge(1, 100))
    monkeypatch.setattr(purging, "PATIENCE_S", 60)
    assert store.tidy() is False
    assert row_count(store) == 0


def test_a_database_that_is_held_is_left_for_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "WRITER_PATIENCE_S", 0)
    store = Database(path)
    fill(store, 100)
    store.commit(purge(1, 100))
    with sqlite(path) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.tidy() is False
        with pytest.raises(StoreFull):
            store.commit(Batch(inserts=[message(1, 101)]))
        assert row_count(store) == 90
    assert store.tidy() is True
    assert row_count(store) == 80
    store.close()


def test_other_faults_are_not_passed_over(path: Path) -> None:
    store = Database(path)
    fill(store, 100)
    store.commit(purge(1, 100))
    with sqlite(path) as other:
        other.execute("DROP VIEW message_list")
        other.execute("DROP TABLE purges")
    with pytest.raises(Exception, match="no such table: purges"):
        store.tidy()
    store.close()


def test_a_full_disk_gets_room_by_what_is_purged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "WRITER", (*opening.WRITER, "PRAGMA max_page_count = 120"))
    store = Database(path)
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, seq, bytes(16_000)) for seq in range(1, 41)]))
    store.commit(purge(1, 40))
    batch = Batch(inserts=[message(1, 41, bytes(600_000))])
    refused = 0
    while True:
        try:
            store.commit(batch)
            break
        except StoreFull:
            refused += 1
    assert 1 <= refused <= 3
    assert page_keys(store) == keys(1, 41)
    assert counts(store) == {1: (1, 41, 0)}
    store.close()


def test_space_is_given_back_when_all_is_deleted(file_store: Database, path: Path) -> None:
    file_store.commit(queues(1))
    for first in range(0, 20_000, 5000):
        places = range(first, first + 5000)
        file_store.commit(Batch(inserts=[message(1, seq, bytes(1000)) for seq in places]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(purging, "STEP_ROWS", 1000)
        file_store.commit(purge(0, 20_000))
        tidied(file_store)
    assert path.stat().st_size < 6_000_000

"""Messages that need not survive: read among the others, gone at the next start."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.records import Batch, Delete, message_key
from amqplite.store import purging, spill
from amqplite.store.database import Database
from amqplite.store.engine import driver_of
from tests.store.rows import (
    EVERYTHING,
    counts,
    files,
    keys,
    message,
    page_keys,
    queue,
    queues,
    row_count,
    stored,
    tidied,
)


def test_spilled_messages_are_read_among_the_stored(store: Database) -> None:
    store.commit(queues(1))
    odd, even = [message(1, seq) for seq in (1, 3, 5)], [message(1, seq) for seq in (2, 4, 6)]
    store.commit(Batch(inserts=odd, spilled=even))
    page = store.page(*EVERYTHING)
    assert [row[0] for row in page] == keys(1, 1, 2, 3, 4, 5, 6)
    assert [row[7] for row in page] == [True, False] * 3
    assert page[1] == stored(even[0], persistent=False)


def test_a_page_of_both_keeps_its_ends_and_its_limit(store: Database) -> None:
    store.commit(
        Batch(
            inserts=[message(1, seq) for seq in range(0, 20, 2)],
            spilled=[message(1, seq) for seq in range(1, 20, 2)],
        )
    )
    first, last = keys(1, 3, 17)
    assert [row[0] for row in store.page(first, last, 4)] == keys(1, 3, 4, 5, 6)
    assert [row[0] for row in store.page(first, last, 100)] == keys(1, *range(3, 18))


def test_spilled_messages_are_not_counted(store: Database) -> None:
    store.commit(queues(1))
    store.commit(Batch(spilled=[message(1, 1)], inserts=[message(1, 2)]))
    assert counts(store) == {1: (1, 2, 0)}


def test_ranges_are_forgotten_ends_included(store: Database) -> None:
    store.commit(Batch(spilled=[message(1, seq) for seq in range(1, 10)]))
    forget = [keys(1, 2, 3), keys(1, 5, 5), keys(1, 20, 30)]
    store.commit(Batch(unspilled=[(first, last) for first, last in forget]))
    assert page_keys(store) == keys(1, 1, 4, 6, 7, 8, 9)


def test_wide_ranges_are_forgotten_too(store: Database) -> None:
    store.commit(Batch(spilled=[message(1, 1), message(1, 2 * spill.WIDE), message(2, 1)]))
    store.commit(Batch(unspilled=[(keys(1, 1)[0], keys(1, 3 * spill.WIDE)[0])]))
    assert page_keys(store) == keys(2, 1)


def test_forgetting_where_nothing_was_ever_spilled(file_store: Database, path: Path) -> None:
    file_store.commit(Batch(unspilled=[(1, 2)]))
    assert not any("spill" in name for name in files(path.parent))


def test_spilled_and_forgotten_in_one_batch(store: Database) -> None:
    first, last = keys(1, 1, 1)
    store.commit(Batch(spilled=[message(1, 1), message(1, 2)], unspilled=[(first, last)]))
    assert page_keys(store) == keys(1, 2)


def test_the_file_is_deleted_at_the_end(path: Path) -> None:
    store = Database(path)
    store.commit(Batch(spilled=[message(1, 1)]))
    assert page_keys(store) == keys(1, 1)
    assert "amqplite-spill.db" in files(path.parent)
    store.close()
    assert list(files(path.parent)) == ["amqplite.db"]


def test_what_a_crash_left_is_thrown_away(path: Path) -> None:
    for name in ("amqplite-spill.db", "amqplite-spill.db-wal", "amqplite-spill.db-shm"):
        path.with_name(name).write_bytes(b"left over")
    store = Database(path)
    assert page_keys(store) == []
    store.commit(Batch(spilled=[message(1, 1)]))
    assert page_keys(store) == keys(1, 1)
    store.close()


def test_a_batch_may_be_written_twice(store: Database) -> None:
    batch = Batch(spilled=[message(1, 1), message(1, 2)])
    store.commit(batch)
    store.commit(batch)
    assert page_keys(store) == keys(1, 1, 2)


def spilled_count(store: Database) -> int:
    spill = store._writing().spill
    assert spill._writer is not None
    driver = driver_of(spill._writer)
    count: int = driver.execute("SELECT count(*) FROM messages").fetchone()[0]
    return count


@pytest.fixture
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a range of 50 places as wide, and delete ten messages at a time."""
    monkeypatch.setattr(spill, "WIDE", 50)
    monkeypatch.setattr(purging, "STEP_ROWS", 10)
    monkeypatch.setattr(purging, "PATIENCE_S", 0)


@pytest.mark.usefixtures("_small_steps")
def test_spilled_messages_go_in_steps_too(store: Database) -> None:
    store.commit(Batch(spilled=[message(1, seq) for seq in range(1, 101)]))
    store.commit(Batch(unspilled=[tuple(keys(1, 11, 90))]))  # type: ignore[list-item]
    left = keys(1, *range(1, 11), *range(91, 101))
    assert spilled_count(store) == 90
    assert page_keys(store) == left
    store.commit(Batch())
    assert spilled_count(store) == 80
    store.tidy()
    assert spilled_count(store) == 70
    tidied(store)
    assert spilled_count(store) == 20
    assert page_keys(store) == left


@pytest.mark.usefixtures("_small_steps")
def test_spilled_messages_go_in_steps_with_their_queue(store: Database) -> None:
    store.commit(queues(1))
    both = Batch(
        inserts=[message(1, seq) for seq in range(1, 100, 2)],
        spilled=[message(1, seq) for seq in range(2, 101, 2)],
    )
    store.commit(both)
    store.commit(Batch(definitions=[Delete(queue(1))]))
    assert page_keys(store) == []
    assert (row_count(store), spilled_count(store)) == (40, 40)
    tidied(store)
    assert (row_count(store), spilled_count(store)) == (0, 0)


@pytest.mark.usefixtures("_small_steps")
def test_a_spilled_message_for_a_forgotten_place_waits_for_the_purge(store: Database) -> None:
    store.commit(Batch(spilled=[message(1, seq) for seq in range(1, 101)]))
    store.commit(Batch(unspilled=[(message_key(1, 0), message_key(2, 0))]))
    store.commit(Batch(spilled=[message(1, 50, b"new")]))
    tidied(store)
    assert [row[6] for row in store.page(*EVERYTHING)] == [b"new"]


@pytest.mark.usefixtures("_small_steps")
def test_a_commit_that_failed_may_forget_the_same_again(path: Path) -> None:
    store = Database(path)
    store.commit(Batch(spilled=[message(1, seq) for seq in range(1, 101)]))
    batch = Batch(definitions=[Delete(queue(1))], spilled=[message(1, 101), message(2, 1)])
    write = store._writing().spill.write

    def write_and_fail(*args: Any) -> None:
        write(*args)
        raise RuntimeError("too late")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store._writing().spill, "write", write_and_fail)
        with pytest.raises(RuntimeError, match="too late"):
            store.commit(batch)
    store.commit(batch)
    assert page_keys(store) == keys(2, 1)
    tidied(store)
    assert spilled_count(store) == 1
    store.close()


seqs = st.integers(1, 30)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sets(seqs), st.lists(st.tuples(seqs, seqs), max_size=4)), max_size=8))
def test_any_order_of_spilling_and_forgetting(
    shared_store: Database, plan: list[tuple[set[int], list[tuple[int, int]]]]
) -> None:
    store = shared_store
    store.commit(Batch(unspilled=[(0, keys(2, 0)[0])]))
    model: set[int] = set()
    for spilled, forgotten in plan:
        ranges = [(first, last) for first, last in (keys(1, *sorted(ends)) for ends in forgotten)]
        store.commit(Batch(spilled=[message(1, seq) for seq in spilled], unspilled=ranges))
        model |= {key for seq in spilled for key in keys(1, seq)}
        model -= {key for first, last in ranges for key in range(first, last + 1)}
    assert page_keys(store) == sorted(model)

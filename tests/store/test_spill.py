"""Messages that need not survive: read among the others, gone at the next start."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.journal import Batch
from amqplite.store import spill
from amqplite.store.database import Database
from tests.store.rows import EVERYTHING, counts, files, keys, message, page_keys, queues, stored


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

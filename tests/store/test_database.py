"""Messages: written whole or not at all, counted exactly, read back in order."""

import sqlite3
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.records import (
    Batch,
    Delete,
    MessageRow,
    Purge,
    Put,
    QueueRow,
    StoreFull,
    UserRow,
    VhostRow,
    message_key,
    split_key,
)
from amqplite.store import DatabaseDamaged, StoreUnusable, opening, purging
from amqplite.store.database import Database
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
    sharing,
    sqlite,
    stored,
    tidied,
)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "WRITER_PATIENCE_S", 0)


def test_a_page_gives_what_was_inserted(store: Database) -> None:
    row = (keys(1, 1)[0], 3, None, "exchange", "routing.key", b"\x80\x00", b"\x00\xff")
    store.commit(Batch(inserts=[row]))
    assert store.page(*EVERYTHING) == [stored(row)]


def test_a_page_is_in_order_within_its_ends_and_its_limit(store: Database) -> None:
    rows = [message(1, seq, b"%d" % seq) for seq in (5, 3, 1, 4, 2)]
    store.commit(Batch(inserts=[*rows, message(2, 1)]))
    first, last = keys(1, 2, 4)
    assert [row[6] for row in store.page(first, last, 10)] == [b"2", b"3", b"4"]
    assert [row[6] for row in store.page(first, last, 2)] == [b"2", b"3"]
    assert store.page(keys(1, 6)[0], keys(1, 9)[0], 10) == []


def test_shared_contents_are_filled_in(store: Database) -> None:
    store.commit(Batch(contents=[content(9)], inserts=[sharing(1, 1, 9), sharing(2, 1, 9)]))
    expected = (9, "amq.fanout", "", b"\x00\x00", b"content 9", True)
    assert [row[2:] for row in store.page(*EVERYTHING)] == [expected] * 2
    assert store.load().next_content_id == 10


@pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 1023, 1024, 1025, 2500])
def test_batches_of_any_size(store: Database, size: int) -> None:
    store.commit(queues(1))
    rows = [message(1, seq, b"%d" % seq) for seq in range(size)]
    store.commit(Batch(inserts=rows))
    assert store.page(*EVERYTHING) == [stored(row) for row in rows]
    store.commit(Batch(deletes=[row[0] for row in rows[1:]]))
    assert page_keys(store) == [rows[0][0]]
    assert counts(store) == {1: (1, size - 1, 0)}


def test_one_name_that_is_not_utf_8_among_many_that_are(store: Database) -> None:
    names = ["", "ascii", "é", "\udce9", "nul\0", "x" * 255]
    rows: list[MessageRow] = [
        (key, 0, None, name, name, b"", b"") for key, name in enumerate(names)
    ]
    store.commit(Batch(inserts=rows))
    assert store.page(*EVERYTHING) == [stored(row) for row in rows]


def test_deleting_what_is_not_there_is_fine_and_not_counted(store: Database) -> None:
    store.commit(queues(1, 2))
    store.commit(Batch(inserts=[message(1, seq) for seq in (1, 2, 3)] + [message(2, 1)]))
    store.commit(Batch(deletes=keys(1, 3, 9)))
    assert counts(store) == {1: (2, 3, 0), 2: (1, 1, 0)}
    store.commit(Batch(deletes=[*keys(1, 1, 1, 3), *keys(2, 1, 2), *keys(3, 1)]))
    assert counts(store) == {1: (1, 3, 0), 2: (0, 1, 0)}
    assert page_keys(store) == keys(1, 2)


def test_the_last_place_is_remembered_after_its_message(store: Database) -> None:
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 7)]))
    store.commit(Batch(inserts=[message(1, 3)], deletes=keys(1, 7, 3)))
    assert counts(store) == {1: (0, 7, 0)}


def test_the_sent_up_to_mark_is_set_as_it_is_told(store: Database) -> None:
    store.commit(queues(1, 2))
    store.commit(Batch(sent_up_to={1: 50, 3: 1}))
    store.commit(Batch(sent_up_to={2: 60}, inserts=[message(1, 1)]))
    assert counts(store) == {1: (1, 1, 50), 2: (0, 0, 60)}
    store.commit(Batch(sent_up_to={1: 2}))
    assert counts(store) == {1: (1, 1, 2), 2: (0, 0, 60)}


def test_deliveries_are_set_and_nothing_else(store: Database) -> None:
    rows = [message(1, seq) for seq in (1, 2)]
    store.commit(Batch(inserts=rows))
    store.commit(Batch(deliveries=[(4, rows[1][0]), (9, keys(1, 3)[0])]))
    assert [row[:2] for row in store.page(*EVERYTHING)] == [(rows[0][0], 0), (rows[1][0], 4)]
    assert store.page(*EVERYTHING)[1][2:] == stored(rows[1])[2:]


def test_a_shared_content_goes_with_the_last_that_has_it(file_store: Database, path: Path) -> None:
    file_store.commit(
        Batch(
            contents=[content(1), content(2)],
            inserts=[sharing(1, 1, 1), sharing(2, 1, 1), sharing(1, 2, 2)],
        )
    )
    file_store.commit(Batch(deletes=keys(1, 1), released=[1]))
    assert content_ids(path) == [1, 2]
    file_store.commit(Batch(deletes=[*keys(2, 1), *keys(1, 2)], released=[1, 2, 3]))
    assert content_ids(path) == []


def test_a_content_may_be_told_again(store: Database) -> None:
    store.commit(Batch(contents=[content(1)], inserts=[sharing(1, 1, 1)]))
    store.commit(Batch(contents=[content(1)], inserts=[sharing(2, 1, 1)]))
    assert len(store.page(*EVERYTHING)) == 2


def test_an_empty_batch_changes_nothing(store: Database) -> None:
    store.commit(queues(1))
    store.commit(Batch())
    assert counts(store) == {1: (0, 0, 0)}


def test_a_batch_that_fails_leaves_nothing(store: Database) -> None:
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 1)]))
    with pytest.raises(sqlite3.IntegrityError):
        store.commit(
            Batch(
                definitions=[Put(UserRow("u", "", "")), Delete(queue(1))],
                contents=[content(1)],
                inserts=[message(1, 2), message(1, 1)],
            )
        )
    assert store.load().users == []
    assert store.load().next_content_id == 1
    assert page_keys(store) == keys(1, 1)
    store.commit(Batch(inserts=[message(1, 2)]))
    assert counts(store) == {1: (2, 2, 0)}


def test_everything_is_there_after_a_reopening(path: Path) -> None:
    before = Database(path)
    before.commit(queues(1, 2))
    before.commit(Batch(contents=[content(1)], inserts=[message(1, 4), sharing(2, 1, 1)]))
    before.commit(Batch(sent_up_to={1: 4}, deliveries=[(1, keys(1, 4)[0])]))
    loaded, page = before.load(), before.page(*EVERYTHING)
    before.close()
    after = Database(path)
    assert (after.load(), after.page(*EVERYTHING)) == (loaded, page)
    after.close()


def test_a_copy_made_while_it_runs_has_all_that_was_committed(
    file_store: Database, path: Path, tmp_path: Path
) -> None:
    file_store.commit(queues(1))
    file_store.commit(Batch(inserts=[message(1, 1)]))
    after_a_crash = tmp_path / "copy"
    after_a_crash.mkdir()
    for name, octets in files(path.parent).items():
        (after_a_crash / name).write_bytes(octets)
    copy = Database(after_a_crash / path.name)
    assert counts(copy) == {1: (1, 1, 0)}
    assert page_keys(copy) == keys(1, 1)
    copy.close()


def test_people_can_read_while_it_runs(file_store: Database, path: Path) -> None:
    file_store.commit(queues(1))
    file_store.commit(
        Batch(
            contents=[content(1)],
            inserts=[(*message(1, 1)[:3], "x", "a.b", b"", "é".encode()), sharing(1, 2, 1)],
            deliveries=[(2, keys(1, 2)[0])],
        )
    )
    with sqlite(path) as connection:
        assert connection.execute("SELECT * FROM message_list").fetchall() == [
            ("/", "queue 1", 1, "x", "a.b", 2, 0),
            ("/", "queue 1", 2, "amq.fanout", "", len(b"content 1"), 2),
        ]


@pytest.mark.usefixtures("impatient")
def test_a_database_that_is_held_takes_the_same_batch_later(path: Path) -> None:
    store = Database(path)
    store.commit(queues(1))
    batch = Batch(
        definitions=[Put(queue(2))], inserts=[message(1, 1), message(2, 1)], spilled=[message(3, 1)]
    )
    with sqlite(path) as other:
        other.execute("BEGIN IMMEDIATE")
        for _ in range(2):
            with pytest.raises(StoreFull, match="database is locked"):
                store.commit(batch)
        assert page_keys(store) == []
        other.execute("ROLLBACK")
    store.commit(batch)
    assert page_keys(store) == [*keys(1, 1), *keys(2, 1), *keys(3, 1)]
    assert counts(store) == {1: (1, 1, 0), 2: (1, 1, 0)}
    store.close()


@pytest.mark.usefixtures("impatient")
def test_reading_does_not_mind_who_holds_the_database(path: Path) -> None:
    store = Database(path)
    store.commit(Batch(inserts=[message(1, 1)]))
    with sqlite(path) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM messages")
        assert page_keys(store) == keys(1, 1)
    store.close()


def test_a_full_disk_takes_the_same_batch_when_there_is_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = "PRAGMA max_page_count = 60"
    monkeypatch.setattr(opening, "WRITER", (*opening.WRITER, limit))
    store = Database(path)
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 1, bytes(300_000))]))
    batch = Batch(
        contents=[content(1)],
        inserts=[message(1, 2, bytes(100_000)), message(1, 3, bytes(150_000))],
    )
    for _ in range(2):
        with pytest.raises(StoreFull, match="full"):
            store.commit(batch)
    assert page_keys(store) == keys(1, 1)
    store.commit(Batch(deletes=keys(1, 1)))
    store.commit(batch)
    assert page_keys(store) == keys(1, 2, 3)
    assert counts(store) == {1: (2, 3, 0)}
    store.close()


def test_other_faults_of_the_database_are_no_full_store(path: Path) -> None:
    store = Database(path)
    store.commit(Batch(inserts=[message(1, 1)]))
    with sqlite(path) as other:
        other.execute("DROP TABLE contents")
    with pytest.raises(Exception, match="no such table: contents"):
        store.commit(Batch(contents=[content(1)]))
    store.close()


def test_pages_are_read_while_another_thread_commits(store: Database) -> None:
    store.commit(queues(1))
    done = threading.Event()

    def commit() -> None:
        for seq in range(100):
            store.commit(Batch(inserts=[message(1, 2 * seq), message(1, 2 * seq + 1)]))
        done.set()

    thread = threading.Thread(target=commit)
    thread.start()
    seen = 0
    while not done.is_set():
        page = store.page(*EVERYTHING)
        assert [split_key(row[0])[1] for row in page] == list(range(len(page)))
        assert len(page) % 2 == 0
        assert len(page) >= seen
        seen = len(page)
    thread.join()
    assert len(store.page(*EVERYTHING)) == 200


def test_a_store_that_is_prepared_is_as_it_was(path: Path) -> None:
    Database(path).close()
    before = files(path.parent)
    store = Database(path)
    store.prepare()
    store.prepare()
    assert page_keys(store) == []
    store.close()
    assert files(path.parent) == before


def test_a_store_may_be_closed_unused(path: Path) -> None:
    for _ in range(2):
        Database(path).close()
    assert list(files(path.parent)) == [path.name]


def test_a_store_can_be_closed_twice(path: Path) -> None:
    store = Database(path)
    store.commit(Batch(spilled=[message(1, 1)]))
    store.close()
    store.close()
    assert list(files(path.parent)) == [path.name]


def test_a_file_that_may_not_be_written_is_refused_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Database(path).close()
    monkeypatch.setattr(opening, "WRITER", (*opening.WRITER, "PRAGMA query_only = ON"))
    with pytest.raises(StoreUnusable, match=r"amqplite\.db can't be opened: .*readonly"):
        Database(path)


def test_a_database_whose_definitions_are_damaged_is_named(path: Path) -> None:
    store = Database(path)
    store.commit(queues(1))
    store.close()
    with sqlite(path) as other:
        page_size = other.execute("PRAGMA page_size").fetchone()[0]
        root = other.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'queues'")
        offset = (root.fetchone()[0] - 1) * page_size
    damaged = bytearray(path.read_bytes())
    damaged[offset : offset + page_size] = b"\xaa" * page_size
    path.write_bytes(damaged)
    store = Database(path)
    with pytest.raises(DatabaseDamaged, match=r"amqplite\.db is damaged"):
        store.load()
    store.close()
    assert path.read_bytes() == damaged


def test_starting_reads_no_messages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Database(path)
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, seq) for seq in range(1000)]))
    store.close()
    statements: list[str] = []

    def connect(*args: object, **kwargs: object) -> sqlite3.Connection:
        connection = real_connect(*args, **kwargs)  # type: ignore[call-overload]
        connection.set_trace_callback(statements.append)
        return connection  # type: ignore[no-any-return]

    real_connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", connect)
    store = Database(path)
    store.load()
    store.close()
    assert statements
    assert [sql for sql in statements if "FROM messages" in sql] == []


queue_ids = st.integers(1, 3)
seqs = st.integers(1, 12)
message_keys = st.builds(lambda queue_id, seq: keys(queue_id, seq)[0], queue_ids, seqs)
purges = st.builds(
    lambda queue_id, ends: Purge(*keys(queue_id, *sorted(ends))),
    queue_ids,
    st.tuples(seqs, seqs),
)
inserts = st.tuples(queue_ids, st.sampled_from([None, 1, 2]))
steps = st.tuples(
    st.lists(inserts, max_size=5),
    st.lists(purges, max_size=2),
    st.lists(message_keys, max_size=5),
)


Plan = list[tuple[list[tuple[int, int | None]], list[Purge], list[int]]]


@settings(deadline=None)
@given(st.lists(steps, max_size=12))
def test_counts_and_contents_are_exact_whatever_comes(shared_store: Database, plan: Plan) -> None:
    carry_out(plan, shared_store)


@settings(deadline=None)
@given(st.lists(steps, max_size=12))
def test_they_are_exact_while_purges_lag_behind(shared_store: Database, plan: Plan) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(purging, "STEP_ROWS", 1)
        patch.setattr(purging, "PATIENCE_S", 0)
        carry_out(plan, shared_store)


def carry_out(plan: Plan, store: Database) -> None:
    store.commit(Batch(definitions=[Delete(queue(queue_id)) for queue_id in (1, 2, 3)]))
    store.commit(queues(1, 2, 3))
    model: dict[int, int | None] = {}
    places: Counter[int] = Counter()
    for inserts, purges, deletes in plan:
        batch = Batch(definitions=[*purges], deletes=deletes)
        for queue_id, content_id in inserts:
            places[queue_id] += 1
            seq = places[queue_id]
            if content_id:
                batch.contents.append(content(content_id))
                batch.inserts.append(sharing(queue_id, seq, content_id))
            else:
                batch.inserts.append(message(queue_id, seq))
            model[batch.inserts[-1][0]] = content_id
        purged = [key for key in model if any(p.first <= key <= p.last for p in purges)]
        for key in purged:
            del model[key]
        batch.released = [content_id for key in deletes if (content_id := model.pop(key, None))]
        store.commit(batch)
    found = store.page(*EVERYTHING)
    assert [row[:3] for row in found] == [(key, 0, model[key]) for key in sorted(model)]
    expected = Counter(split_key(key)[0] for key in model)
    assert counts(store) == {n: (expected[n], places[n], 0) for n in (1, 2, 3)}
    shared = tidied(store)._reader.execute("SELECT content_id FROM contents").fetchall()
    assert {content_id for (content_id,) in shared} == set(model.values()) - {None}


def test_a_page_of_large_bodies_ends_early_and_leaves_nothing_out(file_store: Database) -> None:
    definitions = [Put(VhostRow("/")), Put(QueueRow(1, "/", "q", False, b""))]
    file_store.commit(Batch(definitions=definitions))
    large = b"x" * 3_000_000
    kept = [message(1, seq, large if seq in (2, 3, 5) else b"small") for seq in (1, 2, 3, 5, 7, 8)]
    spilled = [message(1, seq, large if seq == 6 else b"small") for seq in (4, 6, 9)]
    file_store.commit(Batch(inserts=kept, spilled=spilled))
    seen, first, pages = [], message_key(1, 0), 0
    while page := file_store.page(first, message_key(1, 100), 100):
        seen += [split_key(row[0])[1] for row in page]
        first, pages = page[-1][0] + 1, pages + 1
        assert sum(len(row[6]) for row in page) < 12_000_000
    assert (seen, pages > 1) == (list(range(1, 10)), True)

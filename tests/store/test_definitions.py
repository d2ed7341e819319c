"""What is written as a definition is read back the same."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.records import (
    Batch,
    BindingRow,
    Delete,
    ExchangeRow,
    Loaded,
    LoadedQueue,
    MessageRow,
    PermissionRow,
    Purge,
    Put,
    QueueRow,
    Row,
    UserRow,
    VhostRow,
)
from amqplite.store.database import Database
from tests.store.rows import (
    content,
    content_ids,
    counts,
    keys,
    message,
    page_keys,
    queue,
    queues,
    sharing,
)

EMPTY = Loaded([], [], [], [], [], [], 1)
TO_EXCHANGE = BindingRow("/", "source", "destination", True, "a.#", b"arguments")
TO_QUEUE = BindingRow("/", "source", "destination", False, "a.#", b"arguments")


def put(store: Database, *rows: Row) -> None:
    store.commit(Batch(definitions=[Put(row) for row in rows]))


def delete(store: Database, *rows: Row) -> None:
    store.commit(Batch(definitions=[Delete(row) for row in rows]))


def test_a_new_store_is_empty(store: Database) -> None:
    assert store.load() == EMPTY


def test_every_kind_of_row_comes_back(store: Database) -> None:
    vhosts = [VhostRow("/"), VhostRow("b")]
    users = [UserRow("guest", "sha256:…", "administrator")]
    permissions = [PermissionRow("guest", "/", ".*", "^$", "a|b")]
    exchanges = [ExchangeRow("/", "source", "topic", True, False, b"\x01\x00")]
    row = QueueRow(7, "/", "queue", True, b"\x00\xff")
    put(store, *vhosts, *users, *permissions, *exchanges, row, TO_EXCHANGE, TO_QUEUE)
    loaded = store.load()
    assert loaded == Loaded(
        vhosts,
        users,
        permissions,
        exchanges,
        [LoadedQueue(row, 0, 0, 0)],
        [TO_QUEUE, TO_EXCHANGE],
        1,
    )
    assert loaded.exchanges[0].auto_delete is True
    assert loaded.bindings[0].to_exchange is False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (UserRow("guest", "old", ""), UserRow("guest", "new", "monitoring")),
        (PermissionRow("u", "/", "", "", ""), PermissionRow("u", "/", "a", "b", "c")),
        (
            ExchangeRow("/", "x", "topic", False, False, b""),
            ExchangeRow("/", "x", "topic", False, True, b"1"),
        ),
        (VhostRow("/"), VhostRow("/")),
        (TO_QUEUE, TO_QUEUE),
    ],
)
def test_a_row_takes_the_place_of_the_one_with_its_identity(
    store: Database, before: Row, after: Row
) -> None:
    put(store, before)
    put(store, after)
    loaded = store.load()
    rows = (
        *loaded.vhosts,
        *loaded.users,
        *loaded.permissions,
        *loaded.exchanges,
        *loaded.bindings,
    )
    assert rows == (after,)


def test_a_queue_put_again_keeps_its_messages(store: Database) -> None:
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 5)], sent_up_to={1: 4}))
    put(store, QueueRow(1, "/", "queue 1", True, b"new"))
    (found,) = store.load().queues
    assert found == LoadedQueue(QueueRow(1, "/", "queue 1", True, b"new"), 1, 5, 4)


@pytest.mark.parametrize(
    "row",
    [
        VhostRow("/"),
        UserRow("u", "", ""),
        PermissionRow("u", "/", "", "", ""),
        ExchangeRow("/", "x", "topic", False, False, b""),
        TO_EXCHANGE,
        queue(1),
    ],
    ids=lambda row: type(row).__name__,
)
def test_a_deleted_row_is_gone_and_may_be_deleted_again(store: Database, row: Row) -> None:
    put(store, row)
    delete(store, row)
    delete(store, row)
    assert store.load() == EMPTY


def test_bindings_differ_in_all_their_fields(store: Database) -> None:
    bindings = [
        BindingRow("/", "s", "d", False, "", b""),
        BindingRow("/", "s", "d", False, "", b"1"),
        BindingRow("/", "s", "d", False, "key", b""),
        BindingRow("/", "s", "d", True, "", b""),
        BindingRow("/", "s", "e", False, "", b""),
        BindingRow("/", "t", "d", False, "", b""),
        BindingRow("v", "s", "d", False, "", b""),
    ]
    put(store, *bindings)
    assert store.load().bindings == bindings
    delete(store, bindings[0])
    assert store.load().bindings == bindings[1:]


def test_a_vhost_takes_all_that_is_in_it(store: Database) -> None:
    for vhost, queue_id in (("a", 1), ("b", 2)):
        put(
            store,
            VhostRow(vhost),
            PermissionRow("u", vhost, "", "", ""),
            ExchangeRow(vhost, "x", "topic", False, False, b""),
            BindingRow(vhost, "x", "q", False, "", b""),
            queue(queue_id, vhost=vhost),
        )
    store.commit(Batch(inserts=[message(1, 1), message(2, 1)]))
    delete(store, VhostRow("a"))
    loaded = store.load()
    assert loaded.vhosts == [VhostRow("b")]
    assert {row.vhost for row in loaded.permissions} == {"b"}
    assert {row.vhost for row in loaded.exchanges} == {"b"}
    assert {row.vhost for row in loaded.bindings} == {"b"}
    assert {found.row.vhost for found in loaded.queues} == {"b"}
    assert page_keys(store) == keys(2, 1)


def test_a_user_takes_its_permissions(store: Database) -> None:
    put(store, UserRow("u", "", ""), UserRow("v", "", ""))
    put(store, PermissionRow("u", "/", "", "", ""), PermissionRow("v", "/", "", "", ""))
    delete(store, UserRow("u", "", ""))
    assert store.load().permissions == [PermissionRow("v", "/", "", "", "")]


def test_a_queue_takes_its_messages_stored_spilled_and_new(store: Database) -> None:
    store.commit(queues(1, 2))
    store.commit(Batch(inserts=[message(1, 1), message(2, 1)], spilled=[message(1, 2)]))
    store.commit(
        Batch(
            definitions=[Delete(queue(1))],
            inserts=[message(1, 3), message(2, 2)],
            spilled=[message(1, 4)],
        )
    )
    assert page_keys(store) == keys(2, 1, 2)
    assert counts(store) == {2: (2, 2, 0)}


def test_a_queue_may_be_declared_again_in_the_batch_that_deletes_it(store: Database) -> None:
    store.commit(queues(1))
    store.commit(Batch(inserts=[message(1, 1)]))
    again = Put(queue(2, "queue 1"))
    store.commit(Batch(definitions=[Delete(queue(1)), again], inserts=[message(2, 1)]))
    assert page_keys(store) == keys(2, 1)
    assert counts(store) == {2: (1, 1, 0)}


def test_definitions_apply_in_their_order(store: Database) -> None:
    first, last = UserRow("u", "1", ""), UserRow("u", "2", "")
    store.commit(Batch(definitions=[Put(last), Delete(last), Put(first), Put(last)]))
    assert store.load().users == [last]


def test_a_purge_takes_a_range_stored_and_new(store: Database) -> None:
    store.commit(queues(1, 2))
    store.commit(Batch(inserts=[message(1, seq) for seq in range(1, 6)] + [message(2, 3)]))
    first, last = keys(1, 2, 7)
    store.commit(
        Batch(definitions=[Purge(first, last)], inserts=[message(1, seq) for seq in (6, 7, 8)])
    )
    assert page_keys(store) == [*keys(1, 1, 8), *keys(2, 3)]
    assert counts(store) == {1: (2, 8, 0), 2: (1, 3, 0)}


def test_a_purge_deletes_contents_that_nobody_else_has(file_store: Database, path: Path) -> None:
    file_store.commit(queues(1, 2))
    file_store.commit(
        Batch(
            contents=[content(1), content(2), content(3)],
            inserts=[
                *(sharing(1, seq, seq) for seq in (1, 2, 3)),
                *(sharing(2, seq, seq) for seq in (1, 2)),
            ],
        )
    )
    file_store.commit(Batch(definitions=[Purge(*keys(1, 1, 2))]))
    assert content_ids(path) == [1, 2, 3]
    file_store.commit(Batch(definitions=[Purge(*keys(2, 1, 1))]))
    assert content_ids(path) == [2, 3]
    file_store.commit(Batch(definitions=[Delete(queue(1)), Delete(queue(2))]))
    assert content_ids(path) == []


names = st.binary(max_size=20).map(lambda octets: octets.decode(errors="surrogateescape"))


@settings(deadline=None)
@given(names, names, names)
def test_names_are_octets(shared_store: Database, vhost: str, name: str, key: str) -> None:
    store = shared_store
    rows: list[Row] = [
        VhostRow(vhost),
        UserRow(name, "", key),
        PermissionRow(name, vhost, key, key, key),
        ExchangeRow(vhost, name, key, False, False, b""),
        BindingRow(vhost, name, key, False, key, b""),
        queue(1, name or "q", vhost),
    ]
    row: MessageRow = (keys(1, 1)[0], 0, None, name, key, b"", b"")
    store.commit(Batch(definitions=[Put(each) for each in rows], inserts=[row]))
    loaded = store.load()
    assert [loaded.vhosts, loaded.users, loaded.permissions] == [[rows[0]], [rows[1]], [rows[2]]]
    assert [loaded.exchanges, loaded.bindings] == [[rows[3]], [rows[4]]]
    assert loaded.queues[0].row == rows[5]
    assert store.page(0, keys(2, 0)[0], 10) == [(*row, True)]
    store.commit(Batch(definitions=[Delete(each) for each in rows[1:]]))
    store.commit(Batch(definitions=[Delete(rows[0])]))
    assert store.load() == EMPTY

"""Requeued messages beyond what memory should hold, by the backlog that they are part of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.message import Entry
from amqplite.broker.shelf import NOTHING, Shelf
from tests.broker.test_backlog import Bench

persistent_or_not = pytest.mark.parametrize("persistent", [True, False])


def shelf_of(bench: Bench) -> Shelf:
    assert bench.backlog._shelf is not None
    return bench.backlog._shelf


def returned(bench: Bench, count: int, *, persistent: bool = True) -> list[Entry]:
    """Have so many messages arrive, be handed out, and come back in the order they went."""
    for _ in range(count):
        bench.append(persistent=persistent)
    bench.commit()
    entries = [entry for _ in range(count) if (entry := bench.backlog.pop())]
    for entry in entries:
        entry.deliveries += 1
        bench.backlog.put_back(entry)
    return entries


@persistent_or_not
@pytest.mark.parametrize("commits", [True, False])
def test_what_came_back_comes_out_in_order_and_whole(persistent: bool, commits: bool) -> None:
    bench = Bench(messages=3)
    returned(bench, 2500, persistent=persistent)
    if commits:
        bench.commit()
    for seq in range(1, 2501):
        entry = bench.backlog.pop()
        assert entry is not None
        assert (entry.seq, entry.deliveries, entry.message.body) == (seq, 1, b"x" * 10)
    assert (bench.backlog.count, bench.backlog.octets, len(shelf_of(bench))) == (0, 0, 0)
    bench.commit()
    assert bench.store.spilled == {}


@persistent_or_not
def test_memory_holds_no_contents_beyond_twice_the_window(persistent: bool) -> None:
    bench = Bench(messages=3)
    entries = returned(bench, 1000, persistent=persistent)
    bench.commit()
    assert sum(entry.message.octets is not NOTHING for entry in entries) <= 6
    assert bench.backlog.count == 1000


def test_the_octets_of_what_came_back_are_bounded_too() -> None:
    bench = Bench(messages=1000, octets=100)
    entries = returned(bench, 20)
    assert sum(len(entry.message.octets) for entry in entries) <= 200 + 60


def test_what_has_not_reached_the_store_stays_in_memory_until_it_has() -> None:
    bench = Bench(messages=3)
    entries = returned(bench, 100, persistent=False)
    assert all(entry.message.octets is not NOTHING for entry in entries)
    bench.commit()
    assert entries[50].message.octets is NOTHING


def test_what_is_taken_before_it_reached_the_store_keeps_its_content() -> None:
    bench = Bench(messages=3)
    entries = returned(bench, 100, persistent=False)
    assert bench.drain() == list(range(1, 101))
    bench.commit()
    assert all(entry.message.body == b"x" * 10 for entry in entries)
    assert bench.store.spilled == {}


@persistent_or_not
def test_a_purge_takes_the_shelf_from_memory_and_store(persistent: bool) -> None:
    bench = Bench(messages=3)
    returned(bench, 100, persistent=persistent)
    bench.commit()
    assert bench.backlog.purge() == 100
    bench.commit()
    assert (bench.store.messages, bench.store.spilled, bench.backlog.count) == ({}, {}, 0)
    assert bench.backlog.pop() is None


def test_a_shared_content_is_released_by_a_purge() -> None:
    bench = Bench(messages=1)
    returned(bench, 10)
    for entry in bench.backlog.returned():
        entry.message.content_id = 7
    batch = []
    bench.journal.on_append = lambda: None
    bench.backlog.purge()
    taken, _ = bench.journal.take()
    assert taken is not None
    batch = taken.released
    assert batch == [7] * 10


def test_messages_that_were_handed_out_are_known_without_their_contents() -> None:
    bench = Bench(messages=3)
    returned(bench, 100)
    assert sorted(entry.seq for entry in bench.backlog.handed_out()) == list(range(1, 101))


def test_a_message_that_the_store_has_lost_is_passed_over() -> None:
    bench = Bench(messages=1)
    lost = next(e for e in returned(bench, 10) if e.message.octets is NOTHING)
    del bench.store.messages[lost.key]
    assert bench.drain() == [seq for seq in range(1, 11) if seq != lost.seq]
    assert bench.backlog.count == 0


@given(st.data())
def test_in_whatever_order_messages_go_and_come_back_the_oldest_is_next(
    data: st.DataObject,
) -> None:
    bench = Bench(messages=2)
    ready: set[int] = set()
    held: list[Entry] = []
    for _ in range(data.draw(st.integers(1, 60))):
        what = data.draw(st.sampled_from(["append", "pop", "pop", "back", "commit"]))
        if what == "append":
            entry = bench.append(persistent=data.draw(st.booleans()))
            ready.add(entry.seq)
        elif what == "pop":
            popped = bench.backlog.pop()
            assert (popped and popped.seq) == min(ready, default=None)
            if popped is not None:
                assert popped.message.body == b"x" * 10
                ready.remove(popped.seq)
                held.append(popped)
        elif what == "back" and held:
            for _ in range(data.draw(st.integers(1, len(held)))):
                entry = held.pop(data.draw(st.integers(0, len(held) - 1)))
                bench.backlog.put_back(entry)
                ready.add(entry.seq)
        elif what == "commit":
            bench.commit()
    assert bench.backlog.count == len(ready)
    assert bench.drain() == sorted(ready)

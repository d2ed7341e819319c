"""The backlog: a window in memory, the rest in the store, and in order all the same."""

from collections.abc import Callable

import pytest

from amqplite.broker.backlog import PAGE, Backlog, Window
from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry
from amqplite.broker.records import Put, QueueRow, Stored, VhostRow, message_key
from tests.broker.takers import message_of
from tests.naive_store import NaiveStore


class Bench:
    """A backlog with its journal and its store."""

    def __init__(self, messages: int = 3, octets: int = 100_000, queue_id: int = 1) -> None:
        self.journal, self.store = Journal(), NaiveStore()
        self.journal.define(Put(VhostRow("/")))
        self.journal.define(Put(QueueRow(1, "/", "q", False, b"")))
        self.pages: list[int] = []
        self.ids: list[int] = []
        self.backlog = self.start(messages, octets, queue_id)
        self.seq = 0
        self.commit()

    def start(self, messages: int, octets: int, queue_id: int) -> Backlog:
        return Backlog(self.journal, self.page, Window(messages, octets), queue_id, self.take_id)

    def page(self, first: int, last: int, limit: int) -> list[Stored]:
        self.pages.append(limit)
        return self.store.page(first, last, limit)

    def take_id(self, durable: int) -> int:
        self.ids.append(durable)
        return 7

    def append(self, size: int = 10, *, persistent: bool = True) -> Entry:
        self.seq += 1
        entry = Entry(self.seq, message_of(b"x" * size, persistent=persistent))
        if persistent and self.backlog.queue_id:
            entry.key = message_key(self.backlog.queue_id, self.seq)
            self.journal.insert(entry)
        self.backlog.append(entry)
        return entry

    def commit(self) -> None:
        while self.journal.position > self.journal.taken:
            batch, position = self.journal.take()
            if batch is not None:
                self.store.commit(batch)
            self.journal.committed(position)

    def drain(self) -> list[int]:
        seqs = []
        while (entry := self.backlog.pop()) is not None:
            seqs.append(entry.seq)
        return seqs


def test_it_is_empty_at_first() -> None:
    assert Bench().backlog.pop() is None


@pytest.mark.parametrize("count", [1, 3, 4, 10, 250])
@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("commits", [True, False])
def test_what_goes_in_comes_out_in_order(count: int, persistent: bool, commits: bool) -> None:
    bench = Bench()
    for _ in range(count):
        bench.append(persistent=persistent)
    if commits:
        bench.commit()
    assert bench.backlog.count == count
    assert bench.drain() == list(range(1, count + 1))
    assert (bench.backlog.count, bench.backlog.octets) == (0, 0)


def test_beyond_the_window_it_is_the_store_that_holds_messages() -> None:
    bench = Bench(messages=3)
    for _ in range(10):
        bench.append(persistent=False)
    bench.commit()
    assert len(bench.store.spilled) == 7
    assert bench.drain() == list(range(1, 11))
    bench.commit()
    assert bench.store.spilled == {}


def test_the_window_is_bounded_in_octets_too_and_takes_one_message_of_any_size() -> None:
    bench = Bench(messages=100, octets=1000)
    bench.append(5000, persistent=False)
    bench.append(10, persistent=False)
    bench.commit()
    assert len(bench.store.spilled) == 1
    assert bench.drain() == [1, 2]


def test_who_comes_while_something_is_behind_the_window_joins_at_the_end() -> None:
    bench = Bench(messages=2)
    for _ in range(5):
        bench.append()
    bench.commit()
    first = [bench.backlog.pop(), bench.backlog.pop()]
    bench.append()
    assert [entry.seq for entry in first if entry] + bench.drain() == [1, 2, 3, 4, 5, 6]


def test_what_is_on_its_way_to_the_store_is_taken_from_memory() -> None:
    bench = Bench(messages=2)
    for _ in range(6):
        bench.append(persistent=False)
    assert bench.drain() == [1, 2, 3, 4, 5, 6]
    assert bench.pages == []
    bench.commit()
    assert bench.store.spilled == {}


def test_a_part_may_be_taken_from_memory_and_the_rest_from_the_store() -> None:
    bench = Bench(messages=2)
    for _ in range(8):
        bench.append(persistent=False)
    batch, position = bench.journal.take()
    seqs = [entry.seq for _ in range(4) if (entry := bench.backlog.pop())]
    assert batch is not None
    bench.store.commit(batch)
    bench.journal.committed(position)
    bench.commit()
    assert seqs + bench.drain() == list(range(1, 9))
    bench.commit()
    assert bench.store.spilled == {}


def test_what_is_put_back_comes_first_if_it_is_older() -> None:
    bench = Bench()
    for _ in range(9):
        bench.append()
    bench.commit()
    taken = [entry for _ in range(5) if (entry := bench.backlog.pop())]
    for index in (3, 0, 2):
        bench.backlog.put_back(taken[index])
    assert bench.backlog.count == 7
    assert bench.drain() == [1, 3, 4, 6, 7, 8, 9]


def test_a_queue_that_is_not_durable_takes_a_number_when_it_first_needs_one() -> None:
    bench = Bench(messages=1, queue_id=0)
    bench.append(persistent=False)
    assert (bench.backlog.queue_id, bench.ids) == (0, [])
    bench.append(persistent=False)
    bench.append(persistent=False)
    assert (bench.backlog.queue_id, bench.ids) == (7, [bench.journal.durable])
    bench.commit()
    assert sorted(bench.store.spilled) == [message_key(7, 2), message_key(7, 3)]


# -- after a start -------------------------------------------------------------------------------


def restarted(bench: Bench, sent_up_to: int = 0, *, counts_octets: bool = False) -> Backlog:
    bench.commit()
    bench.store.load()
    bench.pages.clear()
    bench.backlog = bench.start(3, 100_000, 1)
    bench.backlog.sent_up_to = sent_up_to
    bench.backlog.counts_octets = counts_octets
    bench.backlog.found(len(bench.store.messages), bench.seq)
    return bench.backlog


def test_a_start_reads_no_message() -> None:
    bench = Bench()
    for _ in range(50):
        bench.append()
    assert restarted(bench).count == 50
    assert bench.pages == []
    assert bench.drain() == list(range(1, 51))


def test_a_start_counts_octets_if_somebody_asked_for_that() -> None:
    bench = Bench()
    for _ in range(2 * PAGE + 1):
        bench.append(3)
    assert restarted(bench, counts_octets=True).body_octets == 3 * (2 * PAGE + 1)
    assert len(bench.pages) == 4


def test_what_may_have_been_handed_out_is_taken_for_handed_out_once() -> None:
    bench = Bench()
    for _ in range(4):
        bench.append()
    backlog = restarted(bench, sent_up_to=2)
    assert [entry.deliveries for _ in range(4) if (entry := backlog.pop())] == [1, 1, 0, 0]


def test_a_count_that_is_known_is_kept() -> None:
    bench = Bench()
    bench.append().deliveries = 5
    backlog = restarted(bench, sent_up_to=1)
    entry = backlog.pop()
    assert entry is not None
    assert entry.deliveries == 5


def test_a_count_that_was_too_high_is_put_right() -> None:
    """Rather that than wait for what will never come."""
    bench = Bench()
    bench.append()
    backlog = restarted(bench)
    backlog.found(3, 9)
    assert backlog.count == 3
    assert bench.drain() == [1]
    assert (backlog.count, backlog.pop()) == (0, None)


def test_what_is_stored_is_known_by_its_range() -> None:
    bench = Bench(messages=2)
    for _ in range(5):
        bench.append()
    assert not bench.backlog.may_have_stored_below(100)
    bench.commit()
    assert not bench.backlog.may_have_stored_below(2)
    assert bench.backlog.may_have_stored_below(3)


# -- pages ---------------------------------------------------------------------------------------


def page_sizes(bench: Bench) -> list[int]:
    bench.commit()
    bench.drain()
    return bench.pages


def test_a_page_is_about_half_the_window_in_octets() -> None:
    bench = Bench(messages=1, octets=10_000)
    for _ in range(30):
        bench.append(950)
    assert page_sizes(bench)[0] in (4, 5)


def test_a_page_has_no_more_than_so_many_messages_and_at_least_one() -> None:
    bench = Bench(messages=1, octets=1 << 30)
    for _ in range(PAGE + 5):
        bench.append(0)
    assert page_sizes(bench)[0] == PAGE
    bench = Bench(messages=1, octets=10)
    for _ in range(3):
        bench.append(500)
    assert page_sizes(bench)[0] == 1


def test_no_more_is_asked_for_than_there_is() -> None:
    bench = Bench(messages=1)
    for _ in range(3):
        bench.append()
    assert page_sizes(bench) == [2]


# -- purge ---------------------------------------------------------------------------------------


def everything(bench: Bench) -> None:
    """Have messages everywhere: put back, in the window, in the store, on their way there."""
    for _ in range(6):
        bench.append()
        bench.append(persistent=False)
    bench.commit()
    taken = bench.backlog.pop()
    assert taken is not None
    bench.backlog.put_back(taken)
    for _ in range(2):
        bench.append()
        bench.append(persistent=False)


def in_flight(bench: Bench) -> None:
    everything(bench)
    batch, position = bench.journal.take()
    assert batch is not None
    bench.store.commit(batch)
    bench.backlog.purge()
    bench.journal.committed(position)


@pytest.mark.parametrize("before", [everything, in_flight])
def test_a_purge_leaves_nothing_anywhere(before: Callable[[Bench], None]) -> None:
    bench = Bench()
    before(bench)
    bench.backlog.purge()
    bench.commit()
    assert (bench.store.messages, bench.store.spilled) == ({}, {})
    backlog = bench.backlog
    assert (backlog.count, backlog.octets, backlog.body_octets, backlog.pop()) == (0, 0, 0, None)
    bench.append()
    assert bench.drain() == [17]


def test_a_purge_counts_all_of_them() -> None:
    bench = Bench()
    everything(bench)
    assert bench.backlog.purge() == 16
    assert bench.backlog.purge() == 0


def test_bodies_are_counted_if_somebody_asked_for_that() -> None:
    bench = Bench()
    bench.backlog.counts_octets = True
    for size in (1, 2, 3, 4, 5):
        bench.append(size)
    bench.commit()
    assert bench.backlog.body_octets == 15
    taken = bench.backlog.pop()
    assert taken is not None
    assert bench.backlog.body_octets == 14
    bench.backlog.put_back(taken)
    assert bench.backlog.body_octets == 15
    bench.backlog.purge()
    assert bench.backlog.body_octets == 0

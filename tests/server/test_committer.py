"""Group commit: what gathers while a commit runs, what nobody waits for, and a store that can't."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from threading import Event

import pytest
import trio
from trio.testing import MockClock

from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry
from amqplite.broker.records import Batch, Put, StoreFull, VhostRow, message_key
from amqplite.server.committer import (
    IDLE_S,
    PATIENCE_S,
    PAUSES_MAX,
    RETRY_S,
    SKIPS_MAX,
    STEP_S,
    STEPS_MAX,
    Committer,
)
from amqplite.server.flusher import Flusher
from amqplite.server.wakeup import Wakeup
from tests.broker.takers import message_of


@pytest.fixture
def patient_clock() -> MockClock:
    """Virtual time that lets a thread get its work done before it jumps."""
    return MockClock(autojump_threshold=0.03)


class Kept:
    """A store that keeps what it is given, and when.

    Attributes:
        failures: what the next commits raise, in order.
    """

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.batches: list[Batch] = []
        self.times: list[float] = []
        self._tried = Wakeup()

    def commit(self, batch: Batch, /) -> None:
        trio.from_thread.run_sync(self._note)
        if self.failures:
            raise self.failures.pop(0)
        self.batches.append(batch)

    def _note(self) -> None:
        self.times.append(trio.current_time())
        self._tried.set()

    async def tried(self, times: int) -> None:
        """Wait until so many commits were tried."""
        while len(self.times) < times:
            await self._tried.wait()

    @property
    def names(self) -> list[list[str]]:
        """The vhosts that each batch puts."""
        return [[one.row.name for one in batch.definitions] for batch in self.batches]


class Gated(Kept):
    """A store whose commits wait for the test to let them through."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.gate = Event(), Event()

    def commit(self, batch: Batch, /) -> None:
        self.begun.set()
        assert self.gate.wait(timeout=5)
        super().commit(batch)


def put(journal: Journal, *names: str) -> int:
    for name in names:
        journal.define(Put(VhostRow(name)))
    return journal.position


def insert(journal: Journal, seq: int) -> Entry:
    entry = Entry(seq, message_of(b"body"))
    entry.key = message_key(1, seq)
    journal.insert(entry)
    return entry


async def durable(journal: Journal, position: int) -> None:
    """Wait until a position is on disk."""
    written = trio.Event()
    journal.call_when_durable(position, lambda _: written.set())
    journal.hurry()
    await written.wait()


@asynccontextmanager
async def committing(committer: Committer) -> AsyncIterator[None]:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(committer.run)
        yield
        nursery.cancel_scope.cancel()


# -- batches -------------------------------------------------------------------------------------


async def test_what_somebody_waits_for_is_written_at_once() -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        await durable(journal, put(journal, "a", "b"))
    assert (store.names, journal.durable) == ([["a", "b"]], 2)


async def test_changes_gather_while_a_commit_runs() -> None:
    journal, store = Journal(), Gated()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        put(journal, "a")
        journal.hurry()
        await trio.to_thread.run_sync(store.begun.wait)
        last = put(journal, "b", "c", "d")
        assert journal.durable == 0
        store.gate.set()
        await durable(journal, last)
    assert store.names == [["a"], ["b", "c", "d"]]


async def test_what_nobody_waits_for_gathers_a_little_longer(patient_clock: MockClock) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        started = trio.current_time()
        put(journal, "a")
        await trio.sleep(PATIENCE_S / 2)
        put(journal, "b")
        await store.tried(1)
    assert store.names == [["a", "b"]]
    assert store.times[0] - started == pytest.approx(PATIENCE_S)


async def test_somebody_who_comes_to_wait_ends_the_gathering(patient_clock: MockClock) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        started = trio.current_time()
        put(journal, "a")
        await trio.sleep(PATIENCE_S / 4)
        await durable(journal, journal.position)
    assert store.times[0] - started == pytest.approx(PATIENCE_S / 4)


async def test_what_has_cancelled_out_is_not_written_and_yet_done() -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        entry = insert(journal, 1)
        journal.delete(entry)
        await durable(journal, entry.position)
    assert store.batches == []


async def test_what_a_commit_lets_go_is_written_in_one_go() -> None:
    class Writer:
        def __init__(self) -> None:
            self.calls: list[str] = []

        def write_now(self) -> None:
            self.calls.append("now")

        def write_soon(self) -> None:
            self.calls.append("soon")

    journal, flusher, writer = Journal(), Flusher(), Writer()
    journal.call_when_durable(put(journal, "a"), lambda _: flusher.has_output(writer))
    await Committer(journal, Kept(), flusher=flusher).commit()  # type: ignore[arg-type]
    assert writer.calls == ["now"]


# -- messages that are acked before they are written ---------------------------------------------


async def test_a_message_acked_soon_enough_is_never_written(patient_clock: MockClock) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        for seq in range(20):
            entry = insert(journal, seq)
            journal.hurry()
            await trio.sleep(STEP_S / 2)
            journal.delete(entry)
        await trio.sleep(1)
    assert (store.batches, journal.durable) == ([], journal.position)


async def test_a_message_that_nobody_acks_is_written_after_a_step(
    patient_clock: MockClock,
) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        started = trio.current_time()
        insert(journal, 1)
        journal.hurry()
        await store.tried(1)
    assert store.times[0] - started == pytest.approx(STEP_S)


async def test_one_message_waits_no_longer_for_others_to_be_acked(
    patient_clock: MockClock,
) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        started = trio.current_time()
        insert(journal, 0)
        journal.hurry()
        for seq in range(1, 100):
            entry = insert(journal, seq)
            await trio.sleep(STEP_S / 2)
            journal.delete(entry)
            if store.batches:
                break
    assert len(store.batches[0].inserts) >= 1
    assert store.times[0] - started < (STEPS_MAX + 2) * STEP_S


async def test_a_pause_of_the_consumer_is_waited_for_if_its_acks_came_in_time_before(
    patient_clock: MockClock,
) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        for steps in (0.5, PAUSES_MAX + 0.5, PAUSES_MAX + 1.5):
            entry = insert(journal, round(10 * steps))
            journal.hurry()
            await trio.sleep(steps * STEP_S)
            journal.delete(entry)
            await trio.sleep(1)
    assert [[row[0] for row in batch.inserts] for batch in store.batches if batch.inserts] == [
        [message_key(1, round(10 * (PAUSES_MAX + 1.5)))]
    ]


async def test_acks_are_waited_for_ever_more_rarely_where_none_come(
    patient_clock: MockClock,
) -> None:
    journal, store = Journal(), Kept()
    waited = []
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        for seq in range(150):
            before = trio.current_time()
            insert(journal, seq)
            journal.hurry()
            await store.tried(seq + 1)
            waited.append(store.times[-1] - before > STEP_S / 2)
    gaps = [at for at, waits in enumerate(waited) if waits]
    assert gaps[:4] == [0, 2, 6, 14]
    assert all(b - a <= SKIPS_MAX + 1 for a, b in pairwise(gaps))


async def test_who_waits_for_the_disk_itself_is_not_kept_waiting_for_acks(
    patient_clock: MockClock,
) -> None:
    journal, store = Journal(), Kept()
    async with committing(Committer(journal, store)):  # type: ignore[arg-type]
        started = trio.current_time()
        insert(journal, 1)
        await durable(journal, journal.position)
    assert store.times[0] == started


# -- a store that can't --------------------------------------------------------------------------


async def test_a_full_store_is_tried_again_with_the_same_batch(patient_clock: MockClock) -> None:
    journal, store, told = Journal(), Kept(StoreFull(), StoreFull()), list[bool]()
    async with committing(Committer(journal, store, told.append)):  # type: ignore[arg-type]
        put(journal, "a")
        journal.hurry()
        await store.tried(2)
        assert (told, journal.durable) == ([True], 0)
        await durable(journal, put(journal, "b"))
    assert (store.names, told) == ([["a"], ["b"]], [True, False])
    assert store.times[1] - store.times[0] == pytest.approx(RETRY_S)


async def test_a_failing_store_confirms_nothing_and_ends_the_task() -> None:
    journal, done = Journal(), list[int]()
    journal.call_when_durable(put(journal, "a"), done.append)
    journal.hurry()
    with pytest.raises(OSError, match="disk on fire"):
        await Committer(journal, Kept(OSError("disk on fire"))).run()  # type: ignore[arg-type]
    assert (done, journal.durable) == ([], 0)


async def test_a_commit_under_way_is_not_cut_short() -> None:
    journal, store = Journal(), Gated()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Committer(journal, store).run)  # type: ignore[arg-type]
        put(journal, "a")
        journal.hurry()
        await trio.to_thread.run_sync(store.begun.wait)
        nursery.cancel_scope.cancel()
        store.gate.set()
    assert store.names == [["a"]]


async def test_what_a_cancelled_commit_has_left_is_written_at_the_end(
    patient_clock: MockClock,
) -> None:
    journal, store = Journal(), Kept(*[StoreFull()] * 3)
    committer = Committer(journal, store)  # type: ignore[arg-type]
    put(journal, "a")
    journal.hurry()
    with trio.move_on_after(RETRY_S / 2):
        await committer.run()
    put(journal, "b")
    await committer.finish()
    assert (store.names, journal.durable) == ([["a"], ["b"]], 2)


async def test_at_the_end_there_may_be_nothing_left() -> None:
    journal, store = Journal(), Kept()
    await Committer(journal, store).finish()  # type: ignore[arg-type]
    assert store.times == []


# -- tidying -------------------------------------------------------------------------------------


async def test_the_store_is_tidied_while_there_is_nothing_to_write() -> None:
    journal, store, left = Journal(), Kept(), [False, True, True]
    tidied = trio.Event()
    asked = 0

    def tidy() -> bool:
        nonlocal asked
        asked += 1
        more = left.pop()
        if not left:
            trio.from_thread.run_sync(tidied.set)
        return more

    async with committing(Committer(journal, store, tidy=tidy)):  # type: ignore[arg-type]
        await tidied.wait()
        await trio.sleep(3 * IDLE_S)
        assert asked == 3
        left += [False]
        await durable(journal, put(journal, "a"))
        await trio.sleep(3 * IDLE_S)
    assert (asked, store.names) == (4, [["a"]])

"""The journal: what it gathers, what cancels out, and who is told when."""

import pytest

from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry
from amqplite.broker.records import (
    Batch,
    Delete,
    Loaded,
    Purge,
    Put,
    QueueRow,
    VhostRow,
    message_key,
    split_key,
)
from tests.broker.takers import message_of

ROW = QueueRow(3, "/", "q", False, b"")


def entry(seq: int, queue_id: int = 3, body: bytes = b"body") -> Entry:
    made = Entry(seq, message_of(body))
    made.key = message_key(queue_id, seq)
    return made


class Waiter(list[str]):
    """Notes who is called with what."""

    def called(self, name: str) -> object:
        return lambda position: self.append(f"{name} at {position}")


@pytest.fixture
def journal() -> Journal:
    return Journal()


def commit(journal: Journal) -> Batch | None:
    batch, position = journal.take()
    journal.committed(position)
    return batch


# -- keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("queue_id", "seq"), [(0, 0), (1, 1), (8_000_000, (1 << 40) - 1)])
def test_a_key_is_a_queue_and_a_place(queue_id: int, seq: int) -> None:
    key = message_key(queue_id, seq)
    assert split_key(key) == (queue_id, seq)
    assert key < 1 << 63


# -- what is taken -------------------------------------------------------------------------------


def test_an_insert_is_a_row(journal: Journal) -> None:
    one = entry(1)
    one.deliveries = 2
    journal.insert(one)
    batch = commit(journal)
    assert batch == Batch(inserts=[(message_key(3, 1), 2, None, "", "q", b"\x10\x00\x02", b"body")])
    assert one.position == 1


def test_all_kinds_of_changes_go_in_one_batch(journal: Journal) -> None:
    stored, spilled = entry(1), entry(2)
    journal.define(Put(VhostRow("v")))
    journal.delete(stored)
    journal.spill(spilled, message_key(3, 2))
    journal.unspill(5, 9)
    journal.sent_up_to(3, 70)
    journal.sent_up_to(3, 80)
    stored.deliveries = 4
    journal.handed_out(stored)
    assert commit(journal) == Batch(
        definitions=[Put(VhostRow("v"))],
        deletes=[stored.key],
        deliveries=[(4, stored.key)],
        sent_up_to={3: 80},
        spilled=[(message_key(3, 2), 0, None, "", "q", b"\x10\x00\x02", b"body")],
        unspilled=[(5, 9)],
    )


def test_taking_twice_gives_nothing_the_second_time(journal: Journal) -> None:
    journal.insert(entry(1))
    assert commit(journal) is not None
    assert commit(journal) is None


def test_an_insert_and_its_delete_cancel_out(journal: Journal) -> None:
    one = entry(1)
    journal.insert(one)
    assert (journal.inserts, journal.oldest_insert) == (1, one)
    journal.delete(one)
    assert (journal.inserts, journal.oldest_insert, journal.cancelled) == (0, None, 1)
    assert (journal.pending_bytes, commit(journal)) == (0, None)


def test_a_delete_behind_the_take_is_a_delete(journal: Journal) -> None:
    one = entry(1)
    journal.insert(one)
    journal.take()
    journal.delete(one)
    assert commit(journal) == Batch(deletes=[one.key])


def test_a_spill_and_its_return_cancel_out(journal: Journal) -> None:
    one = entry(1)
    journal.spill(one, 99)
    journal.unspill_pending(one, 99)
    assert (journal.pending_bytes, commit(journal)) == (0, None)


def test_a_return_behind_the_take_is_one(journal: Journal) -> None:
    one = entry(1)
    journal.spill(one, 99)
    journal.take()
    journal.unspill_pending(one, 99)
    assert commit(journal) == Batch(unspilled=[(99, 99)])


def test_a_purge_is_of_spilled_messages_too(journal: Journal) -> None:
    journal.purge(5, 9)
    assert commit(journal) == Batch(definitions=[Purge(5, 9)], unspilled=[(5, 9)])


def test_a_deleted_queue_takes_its_inserts_with_it(journal: Journal) -> None:
    journal.insert(entry(1, queue_id=3))
    journal.insert(entry(1, queue_id=4))
    journal.define(Delete(ROW))
    batch = commit(journal)
    assert batch is not None
    assert [row[0] for row in batch.inserts] == [message_key(4, 1)]
    journal.insert(entry(2, queue_id=3))
    batch = commit(journal)
    assert batch is not None
    assert [row[0] for row in batch.inserts] == [message_key(3, 2)]


def test_a_message_that_waits_to_be_inserted_needs_no_count_of_its_own(journal: Journal) -> None:
    one = entry(1)
    journal.insert(one)
    one.deliveries = 1
    journal.handed_out(one)
    batch = commit(journal)
    assert batch is not None
    assert (batch.inserts[0][1], batch.deliveries) == (1, [])


# -- shared contents -----------------------------------------------------------------------------


def test_what_is_shared_is_written_once(journal: Journal) -> None:
    one, two = entry(1, 3), entry(1, 4)
    two.message = one.message
    journal.share(one.message)
    journal.insert(one)
    journal.insert(two)
    batch = commit(journal)
    assert batch is not None
    assert batch.contents == [(1, b"\x10\x00\x02", b"body")]
    assert [row[2:] for row in batch.inserts] == [(1, "", "q", None, None)] * 2


def test_whoever_lets_go_of_what_is_shared_says_so(journal: Journal) -> None:
    one = entry(1)
    journal.share(one.message)
    journal.insert(one)
    commit(journal)
    journal.delete(one)
    assert commit(journal) == Batch(deletes=[one.key], released=[1])


def test_contents_are_numbered_on_from_what_the_store_holds(journal: Journal) -> None:
    journal.start_after(Loaded([], [], [], [], [], [], next_content_id=41))
    message = message_of(b"")
    journal.share(message)
    assert message.content_id == 41


# -- positions -----------------------------------------------------------------------------------


def test_positions_count_changes(journal: Journal) -> None:
    journal.insert(entry(1))
    journal.define(Put(VhostRow("v")))
    assert (journal.position, journal.taken, journal.durable) == (2, 0, 0)
    journal.take()
    journal.insert(entry(2))
    assert (journal.position, journal.taken, journal.durable) == (3, 2, 0)
    journal.committed(2)
    assert (journal.position, journal.taken, journal.durable) == (3, 2, 2)


def test_whoever_waits_is_called_when_it_is_on_disk_and_once(journal: Journal) -> None:
    waiter = Waiter()
    for number in (1, 2, 3):
        journal.insert(entry(number))
        journal.call_when_durable(journal.position, waiter.called(str(number)))
    assert journal.awaited
    journal.committed(2)
    assert waiter == ["1 at 2", "2 at 2"]
    journal.committed(2)
    assert len(waiter) == 2
    journal.committed(3)
    assert waiter[2:] == ["3 at 3"]
    assert not journal.awaited


def test_what_has_cancelled_out_is_as_good_as_on_disk(journal: Journal) -> None:
    waiter, one = Waiter(), entry(1)
    journal.insert(one)
    journal.call_when_durable(one.position, waiter.called("one"))
    journal.delete(one)
    assert commit(journal) is None
    assert waiter == ["one at 1"]


def test_pending_bytes_are_those_that_wait_to_be_taken(journal: Journal) -> None:
    one, two = entry(1), entry(2)
    journal.insert(one)
    journal.spill(two, 99)
    both = len(one.message.octets) + len(two.message.octets)
    assert journal.pending_bytes == both
    journal.take()
    assert journal.pending_bytes == 0


# -- settled -------------------------------------------------------------------------------------


def test_an_ack_settles_as_the_disk_does(journal: Journal) -> None:
    waiter, one, two = Waiter(), entry(1), entry(2)
    for number, each in enumerate((one, two), 1):
        journal.insert(each)
        journal.call_when_settled(each.position, waiter.called(str(number)))
    journal.delete(two)
    journal.look_settled()
    assert (waiter, journal.settled) == ([], 0)
    journal.delete(one)
    journal.look_settled()
    assert (waiter, journal.settled) == (["1 at 2", "2 at 2"], 2)


def test_an_ack_while_it_is_being_written_settles_too(journal: Journal) -> None:
    waiter, one = Waiter(), entry(1)
    journal.insert(one)
    journal.call_when_settled(1, waiter.called("one"))
    _, position = journal.take()
    journal.look_settled()
    assert waiter == []
    journal.delete(one)
    journal.look_settled()
    assert waiter == ["one at 2"]
    journal.committed(position)
    assert (journal.settled, journal.durable) == (2, 1)


def test_what_is_on_disk_is_settled(journal: Journal) -> None:
    waiter = Waiter()
    journal.insert(entry(1))
    journal.call_when_settled(1, waiter.called("one"))
    commit(journal)
    assert (waiter, journal.settled) == (["one at 1"], 1)


def test_looking_costs_nothing_while_nobody_waits(journal: Journal) -> None:
    one = entry(1)
    journal.insert(one)
    journal.delete(one)
    journal.look_settled()
    assert journal.settled == 0


# -- waking --------------------------------------------------------------------------------------


@pytest.fixture
def woken(journal: Journal) -> list[int]:
    """The positions at which the committer was woken."""
    calls = list[int]()
    journal.on_append = lambda: calls.append(journal.position)
    return calls


def test_the_first_change_of_a_batch_wakes(journal: Journal, woken: list[int]) -> None:
    for number in (1, 2):
        journal.insert(entry(number))
    assert len(woken) == 1
    journal.take()
    stored = entry(1)
    journal.delete(stored)
    journal.define(Put(VhostRow("v")))
    assert len(woken) == 2


def test_hurry_wakes_once_a_batch(journal: Journal, woken: list[int]) -> None:
    journal.hurry()
    assert (woken, journal.urgent) == ([], False)
    journal.insert(entry(1))
    journal.hurry()
    journal.hurry()
    assert (len(woken), journal.urgent) == (2, True)
    journal.take()
    assert not journal.urgent
    journal.hurry()
    assert not journal.urgent


def test_nobody_need_listen() -> None:
    Journal().insert(entry(1))

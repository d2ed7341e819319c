import pytest

from amqplite.broker.message import Entry
from amqplite.broker.queue import Pressure, Queue, enqueue
from amqplite.broker.redelivery import Cause, Reason
from tests.broker.takers import Taker, message_of
from tests.rig import Rig, tiny


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def small() -> Rig:
    """A rig whose queues keep three messages in memory, and a thousand octets."""
    return Rig(tiny())


def fill(queue: Queue, *bodies: bytes, persistent: bool = True) -> None:
    for body in bodies:
        assert queue.push(message_of(body, persistent=persistent))


def consume(queue: Queue, taker: Taker) -> Taker:
    queue.add_consumer(taker)
    queue.dispatch()
    return taker


def drain(queue: Queue) -> list[bytes]:
    """Get all there is, unacked."""
    bodies = []
    while got := queue.get():
        bodies.append(got[0].message.body)
    return bodies


# -- order and turns -----------------------------------------------------------------------------


def test_messages_go_to_a_consumer_in_the_order_of_their_arrival(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2")
    taker = consume(queue, Taker())
    fill(queue, b"3")
    assert taker.got == [(b"1", False), (b"2", False), (b"3", False)]
    assert (queue.ready, queue.unacked) == (0, 3)


def test_consumers_take_turns(rig: Rig) -> None:
    queue = rig.queue()
    first, second = consume(queue, Taker()), consume(queue, Taker())
    fill(queue, b"1", b"2", b"3", b"4", b"5")
    assert first.bodies == [b"1", b"3", b"5"]
    assert second.bodies == [b"2", b"4"]


def test_consumers_take_turns_at_a_backlog_too(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2", b"3", b"4")
    first, second = Taker(), Taker()
    queue.add_consumer(first)
    queue.add_consumer(second)
    queue.dispatch()
    assert (first.bodies, second.bodies) == ([b"1", b"3"], [b"2", b"4"])


def test_a_consumer_without_credit_is_passed_over_and_comes_back_with_the_next_ack(
    rig: Rig,
) -> None:
    queue = rig.queue()
    one, many = consume(queue, Taker(prefetch=1)), consume(queue, Taker())
    fill(queue, b"1", b"2", b"3")
    assert (one.bodies, many.bodies) == ([b"1"], [b"2", b"3"])
    queue.settle(one.held.pop())
    queue.enlist(one)
    fill(queue, b"4", b"5")
    assert (one.bodies, many.bodies) == ([b"1", b"5"], [b"2", b"3", b"4"])


def test_a_higher_priority_is_served_until_its_credit_is_used_up(rig: Rig) -> None:
    queue = rig.queue()
    low, high = consume(queue, Taker()), consume(queue, Taker(prefetch=2, priority=5))
    fill(queue, b"1", b"2", b"3")
    assert (high.bodies, low.bodies) == ([b"1", b"2"], [b"3"])
    queue.settle(high.held.pop(0))
    queue.enlist(high)
    fill(queue, b"4", b"5")
    assert (high.bodies, low.bodies) == ([b"1", b"2", b"4"], [b"3", b"5"])


def test_a_consumer_that_can_take_nothing_now_loses_its_turn_and_no_message(rig: Rig) -> None:
    queue = rig.queue()
    full = Taker()
    full.full = True
    consume(queue, full)
    fill(queue, b"1", b"2")
    assert (full.got, queue.ready, full.parked) == ([], 2, True)
    full.full = False
    queue.enlist(full)
    queue.dispatch()
    assert full.got == [(b"1", False), (b"2", False)]


def test_an_outbox_that_fills_up_meanwhile_ends_a_dispatch(rig: Rig) -> None:
    queue = rig.queue()
    taker = consume(queue, Taker())
    taker.full = True  # the queue has not heard of it
    fill(queue, b"1", b"2")
    assert (taker.got, queue.ready) == ([], 2)
    other = consume(queue, Taker())
    assert other.got == [(b"1", False), (b"2", False)]


def test_what_backs_up_behind_a_full_consumer_goes_to_another_in_order(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2")
    full, other = Taker(), Taker()
    queue.add_consumer(full)
    queue.add_consumer(other)
    full.full = True
    queue.dispatch()
    assert (full.got, other.bodies) == ([], [b"1", b"2"])


def test_a_suspended_consumer_gets_nothing_until_it_is_enlisted(rig: Rig) -> None:
    queue = rig.queue()
    taker = consume(queue, Taker())
    queue.suspend(taker)
    fill(queue, b"1")
    assert taker.got == []
    queue.enlist(taker)
    queue.dispatch()
    assert taker.bodies == [b"1"]


def test_a_consumer_that_left_gets_nothing_more_and_leaving_twice_is_leaving_once(
    rig: Rig,
) -> None:
    queue = rig.queue()
    taker = consume(queue, Taker())
    queue.remove_consumer(taker)
    queue.remove_consumer(taker)
    fill(queue, b"1")
    queue.enlist(taker)  # an ack that came late
    queue.dispatch()
    assert (taker.got, queue.ready, list(queue.consumers)) == ([], 1, [])


def test_no_ack_leaves_nothing_behind(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1")
    rig.commit()
    taker = consume(queue, Taker(no_ack=True))
    rig.commit()
    fill(queue, b"2")
    rig.commit()
    assert taker.bodies == [b"1", b"2"]
    assert (queue.unacked, rig.store.messages) == (0, {})


def test_a_single_active_consumer_has_it_all_until_it_leaves(rig: Rig) -> None:
    queue = rig.queue(single_active_consumer=True)
    first, second = consume(queue, Taker(prefetch=1)), consume(queue, Taker(priority=9))
    fill(queue, b"1", b"2")
    assert (first.bodies, second.bodies) == ([b"1"], [])
    queue.remove_consumer(first)
    queue.dispatch()
    assert second.bodies == [b"2"]


# -- requeue -------------------------------------------------------------------------------------


def test_requeued_messages_return_to_their_places_whatever_the_order_they_come_back_in(
    rig: Rig,
) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2", b"3", b"4")
    taker = Taker(prefetch=3)
    consume(queue, taker)
    one, two, three = taker.held
    queue.requeue([three, one, two], Cause.NACK)
    other = consume(queue, Taker())
    assert other.got == [(b"1", True), (b"2", True), (b"3", True), (b"4", False)]
    assert one.cause is Cause.NACK


def test_only_a_redelivery_overtakes(rig: Rig) -> None:
    queue = rig.queue()
    taker = consume(queue, Taker(prefetch=2))
    fill(queue, b"1", b"2", b"3", b"4")
    queue.requeue([taker.held.pop(0)], Cause.REJECT)
    queue.settle(taker.held.pop(0))
    queue.enlist(taker)
    queue.dispatch()
    assert taker.got == [(b"1", False), (b"2", False), (b"1", True), (b"3", False)]


def test_what_is_requeued_joins_in_front_of_what_was_read_back_from_the_store(
    small: Rig,
) -> None:
    queue = small.queue()
    taker = consume(queue, Taker(prefetch=2))
    fill(queue, *(b"%d" % n for n in range(9)))
    small.commit()
    queue.requeue([taker.held.pop()], Cause.NACK)
    queue.requeue([taker.held.pop()], Cause.NACK)
    assert drain(queue) == [b"%d" % n for n in range(9)]


def test_nothing_returns_to_a_queue_that_is_gone(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2")
    taker = consume(queue, Taker())
    rig.vhost.remove_queue(queue)
    assert taker.gone
    queue.requeue([taker.held[0]], Cause.CONNECTION_LOST)
    queue.settle(taker.held[1])
    rig.commit()
    assert (queue.ready, rig.store.messages) == (0, {})


# -- get and purge -------------------------------------------------------------------------------


def test_get_takes_the_oldest_and_none_where_there_is_none(rig: Rig) -> None:
    queue = rig.queue(durable=False)
    assert queue.get() is None
    fill(queue, b"1", b"2")
    entry, position = queue.get() or pytest.fail("nothing to get")
    assert (entry.message.body, entry.deliveries, position) == (b"1", 1, 0)
    assert (queue.ready, queue.unacked) == (1, 1)


def test_a_purge_leaves_the_unacked(small: Rig) -> None:
    queue = small.queue()
    taker = consume(queue, Taker(prefetch=1))
    fill(queue, *(b"%d" % n for n in range(8)))
    small.commit()
    fill(queue, b"8", persistent=False)
    assert queue.purge() == 8
    small.commit()
    assert (queue.ready, queue.unacked, len(small.store.messages)) == (0, 1, 1)
    queue.requeue(taker.held, Cause.NACK)
    assert drain(queue) == [b"0"]


def test_a_purge_forgets_what_is_on_its_way_to_the_store(small: Rig) -> None:
    queue = small.queue(durable=False)
    fill(queue, *(b"%d" % n for n in range(6)))
    small.take()
    assert queue.purge() == 6
    small.commit()
    assert small.store.spilled == {}


# -- the store -----------------------------------------------------------------------------------


def test_persistent_messages_of_a_durable_queue_survive_in_order(small: Rig) -> None:
    queue = small.queue()
    fill(queue, b"1", b"2", b"3", b"4")
    fill(queue, b"transient", persistent=False)
    fill(queue, b"5")
    small.commit()
    small.crash()
    assert small.queue().ready == 5
    assert drain(small.queue()) == [b"1", b"2", b"3", b"4", b"5"]


def test_an_ack_deletes_from_the_store(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1")
    rig.commit()
    taker = consume(queue, Taker())
    rig.commit()
    assert len(rig.store.messages) == 1
    queue.settle(taker.held[0])
    rig.commit()
    assert rig.store.messages == {}


def test_a_message_acked_before_the_next_commit_is_never_written(rig: Rig) -> None:
    queue = rig.queue()
    rig.commit()
    before = len(rig.store.batches)
    taker = consume(queue, Taker())
    fill(queue, b"1")
    queue.settle(taker.held[0])
    rig.commit()
    assert rig.store.batches[before:] == []


def test_a_backlog_is_handed_out_once_the_store_knows_how_far(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2")
    rig.commit()
    taker = consume(queue, Taker())
    assert taker.got == []
    rig.commit()
    assert taker.got == [(b"1", False), (b"2", False)]


def test_the_mark_is_asked_for_once_however_many_consumers_wait_for_it(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2")
    rig.commit()
    consume(queue, Taker())
    position = rig.journal.position
    consume(queue, Taker())
    assert rig.journal.position == position
    assert rig.journal.urgent


def test_a_mark_that_comes_after_the_queues_end_hands_out_nothing(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1")
    rig.commit()
    taker = consume(queue, Taker())
    rig.vhost.remove_queue(queue)
    rig.commit()
    assert (taker.gone, taker.got) == (True, [])


def test_get_tells_what_to_wait_for_before_its_message_may_be_sent(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2")
    rig.commit()
    _, position = queue.get() or pytest.fail("nothing to get")
    assert position == rig.journal.position > rig.journal.durable
    rig.commit()
    assert (queue.get() or pytest.fail("nothing to get"))[1] == 0


def test_what_was_handed_out_comes_back_redelivered_after_a_crash(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1")
    rig.commit()
    consume(queue, Taker())
    rig.commit()
    rig.crash()
    taker = consume(rig.queue(), Taker())
    assert taker.got == [(b"1", True)]


def test_what_was_handed_out_before_it_was_ever_written_comes_back_redelivered(rig: Rig) -> None:
    consume(rig.queue(), Taker())
    fill(rig.queue(), b"1")
    rig.commit()
    rig.crash()
    assert consume(rig.queue(), Taker()).got == [(b"1", True)]


def test_nothing_is_handed_out_unknown_while_its_insert_is_being_written(rig: Rig) -> None:
    queue = rig.queue()
    rig.commit()
    fill(queue, b"1")
    rig.take()
    taker = consume(queue, Taker())
    assert taker.got == []
    rig.commit()
    assert taker.got == [(b"1", False)]
    rig.crash()
    assert consume(rig.queue(), Taker()).got == [(b"1", True)]


def test_a_clean_stop_tells_exactly_what_was_handed_out(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1", b"2", b"3")
    rig.commit()
    taker = consume(queue, Taker(prefetch=1))
    rig.commit()
    queue.remove_consumer(taker)
    queue.requeue(taker.held, Cause.SHUTDOWN)
    rig.stop_and_start()
    taker = consume(rig.queue(), Taker())
    rig.commit()
    assert taker.got == [(b"1", True), (b"2", False), (b"3", False)]


def test_how_often_a_message_was_handed_out_survives_a_clean_stop(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1")
    for _ in range(3):
        entry, _ = queue.get() or pytest.fail("nothing to get")
        queue.requeue([entry], Cause.NACK)
    rig.stop_and_start()
    entry, _ = rig.queue().get() or pytest.fail("nothing to get")
    assert entry.deliveries == 4


def test_a_mark_that_is_still_to_be_written_is_taken_back_at_a_clean_stop(rig: Rig) -> None:
    queue = rig.queue()
    fill(queue, b"1")
    rig.commit()
    taker = consume(queue, Taker())  # asks for the mark, and gets nothing yet
    queue.remove_consumer(taker)
    rig.stop_and_start()
    taker = consume(rig.queue(), Taker())
    rig.commit()
    assert taker.got == [(b"1", False)]


def test_what_stayed_in_the_store_is_not_taken_for_handed_out_at_a_clean_stop(
    small: Rig,
) -> None:
    queue = small.queue()
    fill(queue, *(b"%d" % n for n in range(9)))
    small.commit()
    taker = consume(queue, Taker(prefetch=1))
    small.commit()
    queue.remove_consumer(taker)
    queue.requeue(taker.held, Cause.SHUTDOWN)
    small.stop_and_start()
    taker = consume(small.queue(), Taker())
    small.commit()
    assert taker.got == [(b"0", True), *((b"%d" % n, False) for n in range(1, 9))]


def test_what_may_have_been_handed_out_before_a_crash_still_may_after_a_clean_stop(
    small: Rig,
) -> None:
    queue = small.queue()
    fill(queue, *(b"%d" % n for n in range(9)))
    small.commit()
    consume(queue, Taker(prefetch=5))
    small.commit()
    small.crash()
    small.stop_and_start()
    taker = consume(small.queue(), Taker())
    assert all(redelivered for _, redelivered in taker.got[:5])
    assert len(taker.got) == 9


def test_new_messages_after_a_crash_are_not_taken_for_redelivered(small: Rig) -> None:
    """Their places are above those of transient ones that the mark reached and the crash lost."""
    queue = small.queue()
    fill(queue, b"1")
    fill(queue, *[b"lost"] * 8, persistent=False)
    small.commit()
    consume(queue, Taker(prefetch=1))
    small.commit()
    small.crash()
    fill(small.queue(), b"2", b"3", b"4", b"5")
    small.commit()
    taker = consume(small.queue(), Taker())
    small.commit()
    assert taker.got == [(b"1", True), (b"2", False), (b"3", False), (b"4", False), (b"5", False)]


def test_a_message_in_two_durable_queues_is_stored_once(rig: Rig) -> None:
    one, two = rig.queue("1"), rig.queue("2")
    message = message_of(b"shared")
    assert enqueue(rig.journal, message, [one, two])
    rig.commit()
    assert [row[2] for row in rig.store.messages.values()] == [1, 1]
    assert list(rig.store.contents.values()) == [(1, message.properties, b"shared")]
    for queue in (one, two):
        entry, _ = queue.get() or pytest.fail("nothing to get")
        queue.settle(entry)
        assert len(rig.store.contents) == 1
        rig.commit()
    assert (rig.store.messages, rig.store.contents) == ({}, {})


def test_a_shared_message_is_read_back_whole(small: Rig) -> None:
    one, two = small.queue("1"), small.queue("2")
    for number in range(6):
        enqueue(small.journal, message_of(b"%d" % number), [one, two])
    small.commit()
    small.crash()
    for name in ("1", "2"):
        assert drain(small.queue(name)) == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_enqueue_passes_over_a_queue_deleted_since_it_was_routed(rig: Rig) -> None:
    gone, there = rig.queue("gone"), rig.queue("there")
    rig.vhost.remove_queue(gone)
    assert enqueue(rig.journal, message_of(b"1"), [gone, there])
    assert (gone.ready, there.ready) == (0, 1)


# -- limits --------------------------------------------------------------------------------------


class Letters(list[tuple[bytes, str]]):
    """What a queue gave up, and why."""

    def take(self, _queue: Queue, message: object, reason: Reason) -> None:
        self.append((message.body, reason.value))  # type: ignore[attr-defined]


def watched(queue: Queue) -> Letters:
    letters = Letters()
    queue.dead_letter = letters.take
    return letters


def test_a_full_queue_drops_its_oldest(rig: Rig) -> None:
    queue = rig.queue(max_length=2)
    letters = watched(queue)
    fill(queue, b"1", b"2", b"3")
    rig.commit()
    assert letters == [(b"1", "maxlen")]
    assert len(rig.store.messages) == 2
    assert drain(queue) == [b"2", b"3"]


def test_a_limit_in_octets_counts_bodies_also_after_a_start(small: Rig) -> None:
    queue = small.queue(max_length_bytes=10)
    fill(queue, b"123", b"456", b"789")
    small.commit()
    small.crash()
    queue = small.queue()
    letters = watched(queue)
    fill(queue, b"x")
    assert letters == []
    fill(queue, b"y")
    assert letters == [(b"123", "maxlen")]
    assert drain(queue) == [b"456", b"789", b"x", b"y"]


def test_octets_are_counted_down_by_what_leaves(rig: Rig) -> None:
    queue = rig.queue(max_length_bytes=5)
    letters = watched(queue)
    fill(queue, b"12345")
    assert drain(queue) == [b"12345"]
    fill(queue, b"abcde")
    assert letters == []
    assert queue.purge() == 1
    fill(queue, b"ABCDE")
    assert letters == []


@pytest.mark.parametrize(
    ("overflow", "letters"),
    [("reject-publish", []), ("reject-publish-dlx", [(b"3", "maxlen")])],
)
def test_a_full_queue_refuses(rig: Rig, overflow: str, letters: list[tuple[bytes, str]]) -> None:
    queue = rig.queue(max_length=2, overflow=overflow)
    found = watched(queue)
    fill(queue, b"1", b"2")
    assert queue.push(message_of(b"3")) is False
    assert found == letters
    assert drain(queue) == [b"1", b"2"]


def test_unacked_messages_do_not_count_until_they_are_back(rig: Rig) -> None:
    queue = rig.queue(max_length=1)
    letters = watched(queue)
    taker = consume(queue, Taker(prefetch=1))
    fill(queue, b"1", b"2")
    assert letters == []
    queue.requeue(taker.held, Cause.NACK)
    assert letters == [(b"1", "maxlen")]


def test_a_queue_that_refuses_keeps_what_comes_back(rig: Rig) -> None:
    queue = rig.queue(max_length=1, overflow="reject-publish")
    taker = consume(queue, Taker(prefetch=1))
    fill(queue, b"1", b"2")
    queue.requeue(taker.held, Cause.NACK)
    assert drain(queue) == [b"1", b"2"]


def test_a_message_returned_too_often_is_given_up(rig: Rig) -> None:
    queue = rig.queue(delivery_limit=1)
    letters = watched(queue)
    fill(queue, b"1")
    for _ in range(2):
        assert letters == []
        entry, _ = queue.get() or pytest.fail("nothing to get")
        queue.requeue([entry], Cause.NACK)
    assert letters == [(b"1", "delivery_limit")]
    rig.commit()
    assert (queue.ready, queue.unacked, rig.store.messages) == (0, 0, {})


@pytest.mark.parametrize(
    ("limit", "cause"), [(-1, Cause.NACK), (0, Cause.SHUTDOWN)], ids=["no limit", "a shutdown"]
)
def test_a_message_is_not_given_up_for(rig: Rig, limit: int, cause: Cause) -> None:
    queue = rig.queue(delivery_limit=limit)
    letters = watched(queue)
    fill(queue, b"1")
    entry, _ = queue.get() or pytest.fail("nothing to get")
    queue.requeue([entry], cause)
    assert (letters, queue.ready) == ([], 1)


def test_a_message_rejected_for_good_is_a_dead_letter(rig: Rig) -> None:
    queue = rig.queue()
    letters = watched(queue)
    fill(queue, b"1")
    entry, _ = queue.get() or pytest.fail("nothing to get")
    queue.reject(entry)
    rig.commit()
    assert letters == [(b"1", "rejected")]
    assert (queue.unacked, rig.store.messages) == (0, {})


def test_a_message_rejected_by_who_holds_it_of_a_deleted_queue_is_none(rig: Rig) -> None:
    queue = rig.queue()
    letters = watched(queue)
    fill(queue, b"1")
    entry, _ = queue.get() or pytest.fail("nothing to get")
    rig.vhost.remove_queue(queue)
    queue.reject(entry)
    assert letters == []


# -- a store that holds less than it said -------------------------------------------------------


def test_consumers_do_not_wait_for_what_the_store_has_lost(rig: Rig) -> None:
    queue = rig.queue()
    queue.found(3, 3, 0)
    taker = consume(queue, Taker())
    assert (queue.ready, taker.got) == (0, [])
    fill(queue, b"1")
    assert taker.bodies == [b"1"]


def test_a_full_queue_drops_nothing_that_the_store_has_lost(rig: Rig) -> None:
    queue = rig.queue(max_length=2)
    letters = watched(queue)
    queue.found(3, 3, 0)
    fill(queue, b"1", b"2")
    assert (letters, queue.ready) == ([], 2)


# -- pressure ------------------------------------------------------------------------------------


def test_a_queue_whose_consumer_falls_behind_is_under_pressure_until_it_catches_up(
    rig: Rig,
) -> None:
    pressure: Pressure = rig.broker.pressure
    queue, eased = rig.queue(durable=False), list[str]()
    taker = consume(queue, Taker(prefetch=1))
    fill(queue, *[b""] * 1025)
    assert pressure.take() == []
    fill(queue, b"")
    assert pressure.take() == [queue]
    assert pressure.take() == []
    assert not queue.eased
    queue.on_eased[lambda: eased.append("eased")] = None
    taker.prefetch = 1000
    queue.enlist(taker)
    queue.dispatch()
    assert (eased, queue.eased) == (["eased"], True)


def test_a_queue_without_consumers_is_under_no_pressure(rig: Rig) -> None:
    fill(rig.queue(durable=False), *[b""] * 2000)
    assert rig.broker.pressure.take() == []


def test_large_messages_press_sooner(rig: Rig) -> None:
    queue = rig.queue(durable=False)
    consume(queue, Taker(prefetch=1))
    fill(queue, *[b"x" * 1024 * 1024] * 6)
    assert rig.broker.pressure.take() == [queue]


def test_a_purge_eases(rig: Rig) -> None:
    queue, eased = rig.queue(durable=False), list[str]()
    fill(queue, *[b""] * 2000)
    queue.on_eased[lambda: eased.append("eased")] = None
    queue.purge()
    assert eased == ["eased"]


def test_entries_order_by_their_place() -> None:
    message = message_of(b"")
    assert sorted([Entry(3, message), Entry(1, message)])[0].seq == 1

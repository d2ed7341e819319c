"""The order in which a queue's messages are handed out and done with."""

from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.queue import Queue
from amqplite.broker.queue_order import NONE_EXPECTED, Reordered
from amqplite.broker.redelivery import Cause
from tests.broker.takers import Taker, message_of
from tests.rig import Rig


class Timed:
    """A queue with a clock that goes on by a microsecond whenever it is asked."""

    def __init__(self, **settings: object) -> None:
        self.now = 0
        self.rig = Rig()
        self.queue = self.rig.queue("q", durable=False, **settings)
        self.queue.order.clock = self.clock

    def clock(self) -> int:
        self.now += 1
        return self.now

    def publish(self, count: int) -> None:
        for _ in range(count):
            self.queue.push(message_of(b"m"))


def consume(queue: Queue, *, credit: int = 100, no_ack: bool = False) -> Taker:
    taker = Taker(prefetch=credit, no_ack=no_ack)
    queue.add_consumer(taker)
    queue.dispatch()
    return taker


def test_what_stays_in_order_costs_no_call() -> None:
    timed = Timed()
    taker = consume(timed.queue)
    timed.publish(3)
    for entry in taker.held:
        timed.queue.settle(entry)
    assert timed.now == 0
    meter = timed.queue.order.report()
    assert (meter.watermark, meter.n, meter.inversions) == (3, 3, 0)
    assert timed.queue.order.by_cause == {}


def test_hand_outs_beyond_the_first_are_counted() -> None:
    timed = Timed()
    taker = consume(timed.queue)
    timed.publish(2)
    for n in range(3):
        assert timed.queue.order.redelivered == 2 * n
        timed.queue.remove_consumer(taker)
        timed.queue.requeue(taker.held, Cause.RECOVER)
        taker = consume(timed.queue)


def test_a_requeued_message_is_late_for_its_cause() -> None:
    timed = Timed()
    first, second = consume(timed.queue, credit=1), consume(timed.queue, credit=2)
    timed.publish(3)
    assert [e.seq for e in second.held] == [2, 3]
    timed.queue.settle(second.held[0])
    timed.queue.remove_consumer(first)
    timed.queue.requeue([first.held[0]], Cause.CONNECTION_LOST)
    timed.queue.settle(second.held[1])
    third = consume(timed.queue)
    timed.queue.settle(third.held[0])
    order = timed.queue.order
    assert order.by_cause == {"connection_lost": Reordered(1, 2, 2)}
    assert order.report().idle
    assert order.violations == 0


def test_a_message_that_others_overtake_without_coming_back_was_handled_beside_them() -> None:
    timed = Timed()
    taker = consume(timed.queue)
    timed.publish(2)
    timed.queue.settle(taker.held[1])
    timed.queue.settle(taker.held[0])
    assert timed.queue.order.by_cause == {"parallel_consumers": Reordered(1, 1, 1)}


def test_after_disorder_order_costs_no_call_again() -> None:
    timed = Timed()
    taker = consume(timed.queue)
    timed.publish(2)
    timed.queue.settle(taker.held[1])
    assert timed.queue.order.next_done == NONE_EXPECTED
    timed.queue.settle(taker.held[0])
    assert timed.queue.order.next_done == 3
    assert timed.queue.order.next_out == 3


def test_what_is_gone_is_late_for_nothing() -> None:
    timed = Timed()
    taker = consume(timed.queue)
    timed.publish(3)
    timed.queue.reject(taker.held[0])
    timed.queue.settle(taker.held[1])
    timed.queue.settle(taker.held[2])
    meter = timed.queue.order.report()
    assert (meter.watermark, meter.n, meter.inversions) == (3, 2, 0)


def test_purged_messages_are_passed_over_by_the_next_hand_out() -> None:
    timed = Timed()
    timed.publish(1000)
    timed.queue.purge()
    taker = consume(timed.queue)
    timed.publish(1)
    timed.queue.settle(taker.held[0])
    meter = timed.queue.order.report()
    assert (meter.watermark, meter.n) == (1001, 1)
    assert meter.idle


def test_a_message_that_came_back_and_is_purged_holds_nothing_up() -> None:
    timed = Timed()
    taker = consume(timed.queue, credit=2)
    timed.publish(2)
    timed.queue.remove_consumer(taker)
    timed.queue.settle(taker.held[1])
    timed.queue.requeue([taker.held[0]], Cause.NACK)
    timed.queue.purge()
    assert timed.queue.order.report().idle


def test_a_consumer_that_need_not_ack_is_done_at_once() -> None:
    timed = Timed()
    consume(timed.queue, no_ack=True)
    timed.publish(5)
    assert timed.queue.order.report().watermark == 5
    assert timed.now == 0


def test_messages_from_before_a_start_may_have_gaps() -> None:
    rig = Rig()
    queue = rig.queue("q")
    taker = consume(queue)
    for _ in range(4):
        queue.push(message_of(b"m"))
    queue.settle(taker.held[1])
    rig.commit()
    rig.crash()
    queue = rig.queue("q")
    taker = consume(queue)
    rig.commit()
    assert [entry.seq for entry in taker.held] == [1, 3, 4]
    for entry in taker.held:
        queue.settle(entry)
    meter = queue.order.report()
    assert (meter.watermark, meter.n, meter.inversions, meter.idle) == (4, 3, 0, True)


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_inversions_are_those_of_the_messages_that_were_acked(
    order: list[int], rejected: set[int]
) -> None:
    timed = Timed()
    taker = consume(timed.queue)
    timed.publish(8)
    done = []
    for index in order:
        entry = taker.held[index]
        if index in rejected:
            timed.queue.reject(entry)
        else:
            timed.queue.settle(entry)
            done.append(index)
    inversions = sum(a > b for at, b in enumerate(done) for a in done[:at])
    meter = timed.queue.order.report()
    assert (meter.n, meter.inversions, meter.idle) == (len(done), inversions, True)
    assert sum(r.inversions for r in timed.queue.order.by_cause.values()) == inversions

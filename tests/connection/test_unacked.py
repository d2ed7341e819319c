"""Delivery tags and what stands under them, by a channel's view of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.connection.unacked import Checkout, Unacked
from amqplite.errors import PreconditionFailed
from tests.broker.takers import message_of
from tests.rig import NOW, Rig


class Bench:
    """Unacked messages that were got from a queue, by tags from 1."""

    def __init__(self, count: int, timeout_ms: int = 1000) -> None:
        self.rig = Rig()
        self.queue = self.rig.queue(durable=False, consumer_timeout=timeout_ms)
        self.late: list[list[int]] = []
        self.unacked = Unacked(self.rig.broker, self.take_back)
        for tag in range(1, count + 1):
            self.get(tag)

    def get(self, tag: int) -> None:
        self.queue.push(message_of(b"%d" % tag))
        got = self.queue.get()
        assert got is not None
        self.unacked.watch(self.unacked.timeout_of(self.queue))
        self.unacked[tag] = (got[0], self.queue, None, self.rig.broker.now)
        self.unacked.got += 1

    def take_back(self, tags: list[int]) -> None:
        self.late.append(tags)
        for tag in tags:
            del self.unacked[tag]


def tags(taken: list[tuple[int, Checkout]]) -> list[int]:
    return [tag for tag, _ in taken]


def test_one_is_taken_by_its_tag() -> None:
    unacked = Bench(3).unacked
    taken = unacked.take(2, False)
    assert (tags(taken), list(unacked), unacked.got) == ([2], [1, 3], 3)
    unacked.release([checkout for _, checkout in taken])
    assert (unacked.got, unacked.held) == (2, 0)


@pytest.mark.parametrize(("tag", "taken"), [(2, [1, 2]), (3, [1, 2, 3]), (0, [1, 2, 3])])
def test_many_are_taken_up_to_a_tag_in_order(tag: int, taken: list[int]) -> None:
    assert tags(Bench(3).unacked.take(tag, True)) == taken


@pytest.mark.parametrize(("tag", "multiple"), [(4, False), (4, True), (0, False)])
def test_what_is_not_there_can_not_be_taken_and_nothing_is(tag: int, multiple: bool) -> None:
    unacked = Bench(3).unacked
    with pytest.raises(PreconditionFailed, match=f"unknown delivery tag {tag}"):
        unacked.take(tag, multiple)
    assert list(unacked) == [1, 2, 3]


def test_all_of_none_is_none() -> None:
    assert Bench(0).unacked.take(0, True) == []


@given(st.permutations(range(1, 8)), st.integers(1, 7))
def test_what_is_put_back_stands_where_it_stood(order: list[int], count: int) -> None:
    unacked = Bench(7).unacked
    taken = [unacked.take(tag, False)[0] for tag in order[:count]]
    unacked.put_back(taken)
    assert (list(unacked), unacked.got) == ([1, 2, 3, 4, 5, 6, 7], 7)


def test_an_overdue_tag_is_taken_as_nothing_once() -> None:
    bench = Bench(3)
    del bench.unacked[2]
    bench.unacked.overdue[2] = None
    assert bench.unacked.take(2, False) == []
    with pytest.raises(PreconditionFailed):
        bench.unacked.take(2, False)


@pytest.mark.parametrize(("tag", "left"), [(1, [2, 3]), (2, [3]), (3, []), (0, [])])
def test_overdue_tags_are_forgotten_with_those_before_them(tag: int, left: list[int]) -> None:
    bench = Bench(4)
    for late in (1, 2, 3):
        del bench.unacked[late]
        bench.unacked.overdue[late] = None
    assert tags(bench.unacked.take(tag, True)) == ([4] if tag == 0 else [])
    assert list(bench.unacked.overdue) == left


# -- deadlines -----------------------------------------------------------------------------------


def test_the_late_are_told_in_order_and_the_others_later() -> None:
    bench = Bench(2)
    bench.rig.broker.now = NOW + 400
    bench.get(3)
    assert bench.rig.broker.advance(NOW + 1000) == NOW + 1400
    assert bench.late == [[1, 2]]
    assert bench.rig.broker.advance(NOW + 1400) is None
    assert bench.late == [[1, 2], [3]]


def test_deadlines_close_together_are_looked_at_in_one_go() -> None:
    bench = Bench(1)
    for ms in (10, 20, 30):
        bench.rig.broker.now = NOW + ms
        bench.get(1 + ms)
    assert bench.rig.broker.advance(NOW + 1000) == NOW + 1050
    bench.rig.broker.advance(NOW + 1050)
    assert bench.late == [[1], [11, 21, 31]]


def test_one_look_at_a_time_is_arranged() -> None:
    bench = Bench(1)
    for ms in (1, 2, 3):
        bench.rig.broker.now = NOW + ms
        bench.get(1 + ms)
    assert bench.rig.broker.advance(NOW) == NOW + 1000
    bench.unacked.take(0, True)
    assert bench.rig.broker.advance(NOW + 5000) is None
    assert bench.late == []


def test_an_earlier_deadline_takes_the_place_of_a_later_one() -> None:
    bench = Bench(0)
    bench.unacked.watch(5000)
    bench.unacked.watch(9000)
    bench.unacked.watch(1000)
    assert bench.rig.broker.advance(NOW) == NOW + 1000


def test_nobody_looks_any_more_once_told_to_stop() -> None:
    bench = Bench(2)
    bench.unacked.stop_watching()
    bench.unacked.stop_watching()
    assert bench.rig.broker.advance(NOW + 5000) is None
    assert bench.late == []


def test_what_is_put_back_late_is_late() -> None:
    bench = Bench(1)
    taken = bench.unacked.take(1, False)
    bench.rig.broker.advance(NOW + 3000)
    bench.unacked.put_back(taken)
    bench.rig.broker.advance(NOW + 3000)
    assert bench.late == [[1]]


def test_what_is_put_back_may_have_no_deadline() -> None:
    bench = Bench(1, timeout_ms=0)
    bench.unacked.stop_watching()
    bench.unacked.put_back(bench.unacked.take(1, False))
    assert bench.rig.broker.advance(NOW) is None

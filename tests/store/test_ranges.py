"""Ranges hold the keys they should, and their gaps the others."""

from hypothesis import given
from hypothesis import strategies as st

from amqplite.store.ranges import Range, gaps, holds, merge

keys = st.integers(0, 20)
ranges = st.lists(st.tuples(keys, keys), max_size=6)


def keys_in(found: list[Range]) -> list[int]:
    return [key for first, last in found for key in range(first, last + 1)]


def test_ranges_that_touch_become_one() -> None:
    assert merge([(5, 6), (1, 2), (3, 3), (8, 9)]) == ((1, 3), (5, 6), (8, 9))


def test_a_range_the_wrong_way_round_holds_nothing() -> None:
    assert merge([(5, 4), (9, 1)]) == ()
    assert gaps((), 5, 4) == []


def test_gaps_are_what_lies_between_and_beside() -> None:
    assert gaps(((3, 4), (7, 8)), 1, 9) == [(1, 2), (5, 6), (9, 9)]
    assert gaps(((3, 4), (7, 8)), 4, 7) == [(5, 6)]
    assert gaps(((3, 4), (7, 8)), 7, 8) == []
    assert gaps((), 1, 9) == [(1, 9)]


@given(ranges, keys, keys)
def test_every_key_is_in_a_range_or_in_a_gap(some: list[Range], first: int, last: int) -> None:
    merged = merge(some)
    inside = set(keys_in(some))
    assert keys_in(list(merged)) == sorted(inside)
    assert [key for key in range(30) if holds(merged, key)] == sorted(inside)
    outside = [key for key in range(first, last + 1) if key not in inside]
    assert keys_in(gaps(merged, first, last)) == outside
    assert merge(merged) == merged

from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.intervals import Intervals

numbers = st.integers(1, 30)
changes = st.lists(st.tuples(st.sampled_from(["add", "discard", "take"]), numbers, numbers))


@settings(deadline=None)
@given(changes)
def test_it_is_a_set_of_numbers(steps: list[tuple[str, int, int]]) -> None:
    intervals, model = Intervals(), set[int]()
    for what, first, last in steps:
        if what == "add":
            intervals.add(first, last)
            model.update(range(first, last + 1))
        elif what == "discard":
            intervals.discard(first)
            model.discard(first)
        else:
            end = first - 1
            if first == min(model, default=0):
                while end + 1 in model:
                    end += 1
                    model.discard(end)
            assert intervals.take(first) == end
    assert len(intervals) == sum(n - 1 not in model for n in model)
    rest = list[int]()
    for first in range(1, 31):
        last = intervals.take(first)
        rest += range(first, last + 1)
    assert rest == sorted(model)


def test_a_million_in_a_row_are_one_interval() -> None:
    intervals = Intervals()
    intervals.add(2, 1_000_000)
    intervals.add(1, 1)
    intervals.add(1_000_001, 2_000_000)
    assert len(intervals) == 1
    assert intervals.take(1) == 2_000_000


def test_no_numbers_are_added_if_the_last_is_before_the_first() -> None:
    intervals = Intervals()
    intervals.add(5, 4)
    assert len(intervals) == 0

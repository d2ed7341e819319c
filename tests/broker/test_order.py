from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.order import Arrival, OrderMeter


def measured(sequence: list[int], times: list[int] | None = None, after: int = 0) -> OrderMeter:
    """Take in a sequence; what is missing in it is known to be gone."""
    meter = OrderMeter(after)
    for s in set(range(after + 1, max(sequence, default=after) + 1)) - set(sequence):
        meter.gone(s)
    for i, s in enumerate(sequence):
        meter.arrive(s, times[i] if times else i)
    return meter


def numbers_of(meter: OrderMeter) -> dict[str, Any]:
    names = (
        *("n", "reordered", "inversions", "moved", "extent_max", "late_max", "late_sum"),
        *("n_reordering_max", "buffer_max", "buffer_us", "buffer_us_max"),
    )
    return {
        **{name: getattr(meter, name) for name in names},
        "displacements": meter.displacements().histogram(),
    }


# -- the definitions, by the letter --------------------------------------------------------------


@dataclass
class Definition:
    """What a finished sequence is worth, looked at as a whole; gone numbers are not in it."""

    sequence: list[int]
    times: list[int]

    def overtakers(self, i: int) -> list[int]:
        return [j for j in range(i) if self.sequence[j] > self.sequence[i]]

    def arrival(self, i: int) -> Arrival | None:
        js = self.overtakers(i)
        if not js:
            return None
        n = 0
        while n < i and self.sequence[i - n - 1] > self.sequence[i]:
            n += 1
        return Arrival(
            position=i + 1,
            inversions=len(js),
            extent=i - js[0],
            late=self.times[i] - self.times[js[0]],
            n_reordering=n,
            over=tuple(sorted(self.sequence[j] for j in js)),
            displacement=i - sorted(self.sequence).index(self.sequence[i]),
        )

    def longest_rising(self) -> int:
        ends: list[int] = []
        for s in self.sequence:
            k = bisect_left(ends, s)
            ends[k : k + 1] = [s]
        return len(ends)

    def buffered(self) -> tuple[int, list[int]]:
        """Return the most that an in-order releaser holds, and how long it holds each."""
        order, held, holds, most, released = sorted(self.sequence), dict[int, int](), [], 0, 0
        for s, t in zip(self.sequence, self.times, strict=True):
            held[s] = t
            while released < len(order) and order[released] in held:
                holds.append(t - held.pop(order[released]))
                released += 1
            most = max(most, len(held))
        return most, holds

    def numbers(self) -> dict[str, Any]:
        arrivals = [self.arrival(i) for i in range(len(self.sequence))]
        late = [a for a in arrivals if a]
        most, holds = self.buffered()
        ranks = {s: rank for rank, s in enumerate(sorted(self.sequence))}
        displacements = Counter(i - ranks[s] for i, s in enumerate(self.sequence))
        return {
            "n": len(self.sequence),
            "reordered": len(late),
            "inversions": sum(a.inversions for a in late),
            "moved": len(self.sequence) - self.longest_rising(),
            "extent_max": max((a.extent for a in late), default=0),
            "late_max": max((a.late for a in late), default=0),
            "late_sum": sum(a.late for a in late),
            "n_reordering_max": max((a.n_reordering for a in late), default=0),
            "buffer_max": most,
            "buffer_us": sum(holds),
            "buffer_us_max": max(holds, default=0),
            "displacements": dict(sorted(displacements.items())),
        }


@st.composite
def sequences(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """A nearly sorted or a shuffled sequence with numbers missing, times, and where it starts."""
    after = draw(st.sampled_from([0, 0, 7, 10**12]))
    n = draw(st.integers(0, 14))
    if draw(st.booleans()):
        sequence = draw(st.permutations(range(after + 1, after + n + 1)))
    else:
        sequence = list(range(after + 1, after + n + 1))
        for _ in range(draw(st.integers(0, 4)) if n else 0):
            sequence.insert(draw(st.integers(0, n)), sequence.pop(draw(st.integers(0, n - 1))))
    missing = draw(st.sets(st.sampled_from(sequence), max_size=4)) if n else set()
    sequence = [s for s in sequence if s not in missing]
    steps = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    times = [sum(steps[: i + 1]) for i in range(len(sequence))]
    return sequence, times, after


@settings(deadline=None)
@given(sequences())
def test_what_is_measured_online_is_what_the_definitions_say(
    drawn: tuple[list[int], list[int], int],
) -> None:
    sequence, times, after = drawn
    meter = measured(sequence, times, after)
    assert numbers_of(meter) == Definition(sequence, times).numbers()
    assert not meter.approximate


@settings(deadline=None)
@given(sequences())
def test_each_arrival_is_told_how_it_was_overtaken(
    drawn: tuple[list[int], list[int], int],
) -> None:
    sequence, times, after = drawn
    meter = OrderMeter(after)
    arrivals = [meter.arrive(s, t) for s, t in zip(sequence, times, strict=True)]
    meter.gone_range(after + 1, max(sequence, default=after))
    definition = Definition(sequence, times)
    assert arrivals == [definition.arrival(i) for i in range(len(sequence))]


@settings(deadline=None)
@given(sequences(), st.data())
def test_when_numbers_go_changes_the_buffer_alone(
    drawn: tuple[list[int], list[int], int], data: st.DataObject
) -> None:
    sequence, times, after = drawn
    missing = sorted(set(range(after + 1, max(sequence, default=after) + 1)) - set(sequence))
    when = data.draw(
        st.lists(st.integers(0, len(sequence)), min_size=len(missing), max_size=len(missing))
    )
    meter = OrderMeter(after)
    for i in range(len(sequence) + 1):
        for s in (s for s, j in zip(missing, when, strict=True) if i == j):
            meter.gone(s)
        if i < len(sequence):
            meter.arrive(sequence[i], times[i])
    expected = Definition(sequence, times).numbers()
    for name in ("buffer_max", "buffer_us", "buffer_us_max"):
        assert getattr(meter, name) >= expected.pop(name)
    assert {name: numbers_of(meter)[name] for name in expected} == expected
    assert meter.size == 0
    assert meter.idle


@settings(deadline=None)
@given(sequences(), st.integers(0, 20))
def test_a_range_goes_like_its_numbers_one_by_one(
    drawn: tuple[list[int], list[int], int], first: int
) -> None:
    sequence, times, after = drawn
    first, last = after + first, after + first + 5
    at_once, one_by_one = OrderMeter(after), OrderMeter(after)
    for s, t in zip(sequence, times, strict=True):
        if first <= s <= last:
            continue
        at_once.arrive(s, t)
        one_by_one.arrive(s, t)
    at_once.gone_range(first, last)
    for s in range(first, last + 1):
        one_by_one.gone(s)
    assert numbers_of(at_once) == numbers_of(one_by_one)
    assert at_once.watermark == one_by_one.watermark


@settings(deadline=None)
@given(sequences(), st.lists(st.integers(0, 5), max_size=5))
def test_what_comes_in_order_at_once_is_like_one_by_one(
    drawn: tuple[list[int], list[int], int], runs: list[int]
) -> None:
    sequence, times, after = drawn
    at_once, one_by_one = OrderMeter(after), OrderMeter(after)
    for run in [*runs, None]:
        first = at_once.watermark + 1
        if run is not None:
            at_once.in_order(first, first + run - 1)
            for s in range(first, first + run):
                one_by_one.arrive(s, 0)
        shift = at_once.watermark - after
        for s, t in zip(sequence, times, strict=True):
            at_once.arrive(s + shift, t)
            one_by_one.arrive(s + shift, t)
        for meter in (at_once, one_by_one):
            meter.gone_range(shift + after + 1, shift + max(sequence, default=after))
        assert numbers_of(at_once) == numbers_of(one_by_one)
        assert at_once.idle


# -- the sequences that every measure sees differently -------------------------------------------

WORKED = [
    # sequence            reordered  extent  inversions  moved  buffer     tau  because
    ([1, 2, 4, 3, 5],             1,      1,          1,     1,      1,    0.8, "one redelivered"),
    ([1, 10, 2, 3, 4, 5],         4,      4,          4,     1,      1,  14/30, "one early"),
    ([2, 3, 4, 5, 1],             1,      4,          4,     1,      4,    0.2, "one late"),
    ([5, 4, 3, 2, 1],             4,      4,         10,     4,      4,   -1.0, "reversed"),
    ([1, 2, 3, 4, 5],             0,      0,          0,     0,      0,    1.0, "in order"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sequence", "reordered", "extent", "inversions", "moved", "buffer", "tau"),
    [pytest.param(*row[:-1], id=str(row[-1])) for row in WORKED],
)
def test_worked_sequences(
    sequence: list[int],
    reordered: int,
    extent: int,
    inversions: int,
    moved: int,
    buffer: int,
    tau: float,
) -> None:
    meter = OrderMeter()
    for t, s in enumerate(sequence):
        meter.arrive(s, t)
    assert (meter.reordered, meter.extent_max) == (reordered, extent)
    assert (meter.inversions, meter.moved) == (inversions, moved)
    assert meter.buffer_max == buffer
    assert meter.tau == pytest.approx(tau)
    assert meter.ratio == pytest.approx(reordered / len(sequence))


def test_the_book_s_figure_in_ticks_of_400_ms() -> None:
    meter = OrderMeter()
    times = [720_000, 1_120_000, 1_920_000, 2_640_000, 3_360_000]
    arrivals = [meter.arrive(s, t) for s, t in zip([1, 2, 4, 3, 5], times, strict=True)]
    late = Arrival(
        position=4,
        inversions=1,
        extent=1,
        late=720_000,
        n_reordering=1,
        over=(4,),
        displacement=1,
    )
    assert arrivals == [None, None, None, late, None]
    assert (meter.buffer_max, meter.buffer_us) == (1, 720_000)
    assert meter.displacements().histogram() == {-1: 1, 0: 3, 1: 1}
    assert meter.displacements().mean == 0.4


# -- memory --------------------------------------------------------------------------------------


def test_nothing_is_kept_of_what_came_in_order() -> None:
    meter = OrderMeter()
    for s in range(1, 2_001):
        meter.arrive(s, s)
        assert meter.size == 0
    meter.in_order(2_001, 5_000_000)
    assert (meter.size, meter.n, meter.moved) == (0, 5_000_000, 0)


def test_nothing_is_kept_once_each_pair_is_complete() -> None:
    meter = OrderMeter()
    for s in range(1, 2_001, 2):
        meter.arrive(s + 1, s)
        meter.arrive(s, s + 1)
        assert meter.size == 0
    assert (meter.inversions, meter.moved, meter.buffer_max) == (1_000, 1_000, 1)


def test_a_million_gone_take_no_room() -> None:
    meter = OrderMeter()
    meter.gone_range(2, 1_000_000)
    assert (meter.size, meter.watermark) == (1, 0)
    assert meter.arrive(1_000_001, 5) is None
    assert meter.held == 1
    assert meter.arrive(1, 7) is not None
    assert (meter.size, meter.watermark) == (0, 1_000_001)
    assert meter.displacements().histogram() == {-1: 1, 1: 1}


def test_what_is_held_is_given_up_on_at_the_limit() -> None:
    meter = OrderMeter(held_max=32)
    for s in range(2, 34):  # 1 is a message that nobody gets done with
        meter.arrive(s, s)
    assert (meter.held, meter.approximate, meter.watermark) == (32, False, 0)
    meter.arrive(34, 34)
    assert (meter.held, meter.approximate, meter.watermark) == (0, True, 34)
    assert meter.idle
    late = meter.arrive(1, 50)
    assert late is not None
    assert late.inversions == 1  # at least
    assert late.over == ()
    assert meter.late_beyond_window == 1
    assert meter.arrive(35, 51) is None
    assert (meter.n, meter.reordered, meter.moved) == (35, 1, 1)


def test_only_what_is_before_the_first_held_is_given_up() -> None:
    meter = OrderMeter(held_max=32)
    for s in range(2, 100, 2):  # the odd ones don't come
        meter.arrive(s, s)
    assert meter.held <= 32
    assert meter.arrive(99, 100) is None
    assert meter.late_beyond_window == 0
    given_up = meter.arrive(1, 101)
    assert given_up is not None
    assert given_up.inversions == meter.held == len(given_up.over)
    assert meter.late_beyond_window == 1
    assert meter.size <= 4 * 32


@settings(deadline=None)
@given(st.permutations(range(1, 41)))
def test_given_up_or_not_every_arrival_counts_and_inversions_are_not_overstated(
    sequence: list[int],
) -> None:
    small, large = OrderMeter(held_max=8), OrderMeter()
    for t, s in enumerate(sequence):
        small.arrive(s, t)
        large.arrive(s, t)
        assert small.held <= 8
    assert small.n == large.n == 40
    assert small.inversions <= large.inversions
    assert small.reordered == large.reordered
    assert small.extent_max <= large.extent_max
    assert small.late_max <= large.late_max
    assert small.n_reordering_max <= large.n_reordering_max
    assert (small.late_beyond_window > 0) <= small.approximate
    assert small.idle


# -- what should not happen ----------------------------------------------------------------------


def test_what_was_gone_and_comes_after_all_is_counted_apart() -> None:
    meter = OrderMeter()
    meter.gone(3)
    meter.gone_range(4, 6)
    assert meter.arrive(3, 1) is None  # not passed over yet: as if it had never been gone
    assert meter.late_beyond_window == 0
    meter.gone_range(1, 2)
    assert meter.idle
    late = meter.arrive(2, 5)
    assert late is None  # nothing larger is held: how it was overtaken isn't known any more
    assert (meter.late_beyond_window, meter.approximate, meter.n) == (1, True, 2)


def test_the_same_number_again_is_not_counted() -> None:
    meter = OrderMeter()
    meter.arrive(2, 1)
    assert meter.arrive(2, 2) is None
    assert meter.n == 1


@pytest.mark.parametrize("first", [1, 3])
def test_in_order_has_to_be_next(first: int) -> None:
    meter = OrderMeter()
    meter.in_order(1, 1)
    with pytest.raises(ValueError, match=f"{first} is not next in order after 1"):
        meter.in_order(first, 9)


def test_in_order_has_to_wait_while_anything_is_held() -> None:
    meter = OrderMeter()
    meter.arrive(2, 1)
    with pytest.raises(ValueError, match="1 is not next in order after 0"):
        meter.in_order(1, 1)

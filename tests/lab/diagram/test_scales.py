"""Where an instant lies."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.lab.diagram.scales import Break, Kind, make_scale


def test_time_is_proportional() -> None:
    scale = make_scale("time", [400, 0, 1_000], 200)
    assert [scale(t) for t in (-200, 0, 100, 1_000, 1_200)] == [-1, 0, 0.5, 5, 6]
    assert (scale.end, scale.breaks) == (5, [])


def test_order_gives_each_instant_the_same_step() -> None:
    scale = make_scale("order", [0, 10, 10, 1_000, 5_000], 100, apart_us=1)
    assert [scale(t) for t in (0, 10, 1_000, 3_000, 5_000, 5_100)] == [0, 1, 2, 2.5, 3, 4]


def test_what_is_hardly_apart_is_one_instant() -> None:
    scale = make_scale("order", [0, 2, 100, 103], 100)
    assert [scale(t) for t in (0, 100)] == [0, 1]
    assert scale.end == 2


def test_idle_time_is_cut_out() -> None:
    scale = make_scale("collapse", [0, 100, 200, 300, 5_300, 5_400], 100)
    assert scale.breaks == [Break(300, 5_300)]
    assert [scale(t) for t in (0, 300, 2_800, 5_300, 5_400)] == pytest.approx(
        [0, 3, 3.15, 3.3, 4.3]
    )


def test_a_wait_of_five_times_the_median_is_not_idle() -> None:
    scale = make_scale("collapse", [0, 100, 200, 700], 100)
    assert (scale.breaks, scale.end) == ([], 7)


@pytest.mark.parametrize("kind", ["time", "order", "collapse"])
@pytest.mark.parametrize("times", [[], [7]])
def test_it_takes_next_to_nothing(kind: Kind, times: list[int]) -> None:
    scale = make_scale(kind, times, 10)
    start = times[0] if times else 0
    assert (scale.end, scale(start), scale(start + 10)) == (0, 0, 1)


@given(
    st.sampled_from(["time", "order", "collapse"]),
    st.lists(st.integers(0, 10**9), max_size=30),
    st.lists(st.integers(-10, 10**9 + 10), min_size=2),
)
def test_it_never_goes_back(kind: Kind, times: list[int], asked: list[int]) -> None:
    scale = make_scale(kind, times, 1_000)
    places = [scale(t) for t in sorted(asked)]
    assert all(a <= b + 1e-6 for a, b in pairwise(places))

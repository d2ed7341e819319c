import pytest

from amqplite.lab.analysis import metrics as module
from amqplite.lab.analysis.metrics import LISTED_MAX, Measured


def test_what_comes_is_listed_and_measured() -> None:
    measured = Measured()
    for number, t in [(1, 10), (2, 20), (4, 30), (3, 48), (5, 60)]:
        measured.arrive(number, t, f"m{number}")
    metrics = measured.metrics("queue", "q", "completion", ("/", "q"))
    assert metrics.completion == ["m1", "m2", "m4", "m3", "m5"]
    assert (metrics.n, metrics.reordered, metrics.ratio, metrics.inversions) == (5, 1, 0.2, 1)
    assert (metrics.tau, metrics.moved, metrics.extent, metrics.nreo) == (0.8, 1, 1, 1)
    assert (metrics.late, metrics.late_by) == (18, "m3")
    assert (metrics.disp_max, metrics.disp_mean) == (1, 0.4)
    assert metrics.rd == {"-1": 1, "0": 3, "1": 1}
    assert (metrics.buffer, metrics.buffer_us, metrics.buffer_us_sum) == (1, 18, 18)
    assert (metrics.v, metrics.q, metrics.backward, metrics.approximate) == ("/", "q", 0, False)
    assert not measured.in_order


def test_the_latest_of_several_is_named() -> None:
    measured = Measured()
    for number, t in [(4, 0), (3, 5), (1, 90), (2, 95)]:
        measured.arrive(number, t, f"m{number}")
    assert measured.metrics("queue", "q", "completion").late_by == "m2"


def test_a_long_sequence_is_listed_in_part() -> None:
    measured = Measured()
    for number in range(1, LISTED_MAX + 5):
        measured.arrive(number, number, "m")
    metrics = measured.metrics("queue", "q", "completion")
    assert (metrics.n, len(metrics.completion)) == (LISTED_MAX + 4, LISTED_MAX)


def test_nothing_is_held_for_what_is_missing_unless_it_comes() -> None:
    measured = Measured()
    measured.arrive(1, 0, "m1")
    measured.missing(2, 2, 0)
    measured.arrive(3, 10, "m3")
    measured.arrive(4, 20, "m4")
    before = measured.metrics("queue", "q", "completion")
    assert (before.inversions, before.buffer, before.approximate) == (0, 0, False)
    assert measured.floor == 1

    late = measured.arrive(2, 50, "m2")
    assert late is not None
    assert (late.inversions, late.late) == (2, 40)
    after = measured.metrics("queue", "q", "completion")
    assert (after.inversions, after.moved, after.buffer, after.buffer_us) == (2, 1, 2, 40)
    assert (after.n, after.approximate) == (4, False)
    assert measured.floor == 4


def test_what_is_missing_may_turn_out_to_be_gone() -> None:
    measured = Measured()
    measured.missing(1, 3, 0)
    measured.arrive(4, 10, "m4")
    measured.gone(1, 3, 20)
    assert measured.floor == 4
    assert measured.in_order


def test_what_comes_in_its_turn_was_not_missed() -> None:
    measured = Measured()
    measured.missing(2, 2, 0)
    for number in (1, 2, 3):
        measured.arrive(number, number, "m")
    metrics = measured.metrics("queue", "q", "completion")
    assert (metrics.inversions, metrics.buffer, metrics.n) == (0, 0, 3)


def test_numbers_are_lower_bounds_once_too_much_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HELD_MAX", 4)
    measured = Measured()
    for number in range(2, 9):
        measured.arrive(number, number, "m")
    assert measured.metrics("queue", "q", "completion").approximate

"""Rectangles, lines, and where words go."""

import pytest

from amqplite.lab.export.place import Box, Line, Places

ALL = Box(0, 0, 100, 100)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (Box(5, 5, 10, 10), True),
        (Box(10, 0, 10, 10), False),
        (Box(0, 10, 10, 10), False),
        (Box(2, 2, 1, 1), True),
    ],
)
def test_overlap(other: Box, expected: bool) -> None:
    box = Box(0, 0, 10, 10)
    assert box.overlaps(other) is expected
    assert other.overlaps(box) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (Line(-5, 5, 15, 5), True),
        (Line(5, -5, 5, 15), True),
        (Line(-5, -5, 15, 15), True),
        (Line(-5, 10, 15, 10), False),
        (Line(-5, 8, 8, 21), False),
        (Line(4, 4, 6, 5), True),
        (Line(20, 0, 20, 10), False),
        (Line(-9, 5, -1, 5), False),
    ],
)
def test_a_line_crosses_a_box(line: Line, expected: bool) -> None:
    assert Box(0, 0, 10, 10).crossed_by(line) is expected


def test_the_first_place_that_is_free_is_taken() -> None:
    places = Places([Box(0, 0, 10, 10)], [])
    first, second = Box(5, 5, 10, 10), Box(20, 5, 10, 10)
    assert places.best([first, second], within=ALL) == second
    assert places.best([second], within=ALL) is None


def test_else_the_one_that_covers_the_fewest_lines() -> None:
    lines = [Line(5, -5, 5, 50), Line(8, -5, 8, 50), Line(25, -5, 25, 50)]
    one, two = Box(20, 0, 10, 10), Box(0, 0, 10, 10)
    assert Places([], lines).best([two, one], within=ALL) == one
    assert Places([], lines).best([two, one], within=ALL, over_lines=False) is None


def test_nothing_reaches_out() -> None:
    assert Places([], []).best([Box(95, 0, 10, 10)], within=ALL) is None

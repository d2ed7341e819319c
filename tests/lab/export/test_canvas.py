"""Cells, wide characters, colours."""

import pytest

from amqplite.lab.export.canvas import Canvas, fitted, harmless, styled, to_ascii
from amqplite.lab.export.width import cells


def test_what_is_drawn_last_is_seen() -> None:
    canvas = Canvas(8)
    canvas.put(1, 0, "━━━━━━━━")
    canvas.put(1, 2, "m3")
    assert canvas.lines(colour=False) == ["", "━━m3━━━━"]
    assert canvas.height == 2


def test_what_is_beyond_the_edges_is_left_out() -> None:
    canvas = Canvas(4)
    canvas.put(0, 2, "abcd")
    canvas.put(1, -1, "ab")
    assert canvas.lines(colour=False) == ["  ab", "b"]


def test_wide_characters_take_two_cells_and_are_never_halved() -> None:
    canvas = Canvas(7)
    canvas.put(0, 0, "队列x")
    assert canvas.lines(colour=False) == ["队列x"]
    canvas.put(0, 1, "a")
    assert canvas.lines(colour=False) == [" a列x"]
    canvas.put(0, 2, "b")
    assert canvas.lines(colour=False) == [" ab x"]
    canvas.put(0, 6, "队")
    assert cells(canvas.lines(colour=False)[0]) == 5


def test_colours_end_where_they_should() -> None:
    canvas = Canvas(6)
    canvas.put(0, 1, "m3", "good")
    canvas.put(0, 3, "m4", "muted")
    assert canvas.lines(colour=True) == [" \x1b[38;5;29mm3\x1b[0m\x1b[38;5;244mm4\x1b[0m"]


def test_a_coloured_space_is_drawn_and_others_at_the_end_are_not() -> None:
    canvas = Canvas(6)
    canvas.put(0, 0, "a ", "held")
    assert canvas.lines(colour=True) == ["\x1b[1;38;5;231;48;5;25ma \x1b[0m"]
    assert canvas.lines(colour=False) == ["a"]


def test_without_colours_a_style_says_nothing() -> None:
    assert styled("m3", "good", colour=False) == "m3"
    assert styled("m3", "good", colour=True) == "\x1b[38;5;29mm3\x1b[0m"


def test_what_is_there_can_be_asked() -> None:
    canvas = Canvas(6)
    canvas.put(0, 1, "··")
    assert canvas.has(0, 1, "··")
    assert not canvas.has(0, 0, "··")
    assert not canvas.is_blank(0, 0, 2)
    assert canvas.is_blank(0, 3, 6)
    assert canvas.is_blank(5, 0, 6)


@pytest.mark.parametrize("char", "│┊─┄━╱╲╳↓↑•✓✕↩↻░├┤→…·◆◇–±≥")
def test_what_draws_has_ascii_of_as_many_cells(char: str) -> None:
    plain = to_ascii(char)
    assert plain.isascii()
    assert len(plain) == 1 or char in "≥±"


def test_letters_stay_as_they_are() -> None:
    assert to_ascii("队列 é") == "队列 é"


def test_names_steer_no_terminal() -> None:
    assert harmless("a\x1b[2Jb\x07\u202e\ud800") == "a\ufffd[2Jb\ufffd\ufffd\ufffd"
    assert harmless("队列 m3") == "队列 m3"


@pytest.mark.parametrize(
    ("room", "expected"), [(11, "m3 waits 14"), (10, "m3 14"), (4, "m3"), (2, "m3"), (1, "")]
)
def test_the_first_that_fits_is_taken(room: int, expected: str) -> None:
    assert fitted(["m3 waits 14", "m3 14", "m3"], room) == expected


def test_else_it_is_cut_if_that_says_anything() -> None:
    assert fitted(["orders"], 4) == "ord…"
    assert fitted(["orders"], 2) == ""

"""How wide text is, and where it breaks."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.lab.export.width import cells, cut, is_wide, pixels, wrap

CELLS = [
    ("", 0),
    ("m3", 2),
    ("队列", 4),
    ("ｑ", 2),
    ("é", 1),
    ("e\u0301", 1),
    ("a\u200bb", 2),
    ("↻✕→", 3),
    ("한글", 4),
]


@pytest.mark.parametrize(("text", "expected"), CELLS)
def test_cells(text: str, expected: int) -> None:
    assert cells(text) == expected


def test_pixels_grow_with_size_and_weight_and_letters() -> None:
    assert pixels("", 12) == 0
    assert pixels("mmm", 12) > pixels("iii", 12)
    assert pixels("m3", 24) == 2 * pixels("m3", 12)
    assert pixels("m3", 12, bold=True) > pixels("m3", 12)
    assert pixels("队列", 10) == pytest.approx(20)
    assert pixels("e\u0301", 10) == pixels("e", 10)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [("orders", 6, "orders"), ("orders", 5, "orde…"), ("队列名称", 5, "队列…"), ("a b", 2, "a…")],
)
def test_what_does_not_fit_is_cut(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit, cells) == expected


def test_words_stay_whole() -> None:
    assert wrap("m3 went back to the queue", 10, cells) == ["m3 went", "back to", "the queue"]


def test_chinese_breaks_anywhere_but_before_closing_and_behind_opening_marks() -> None:
    assert wrap("消息退回队列。", 12, cells) == ["消息退回队", "列。"]
    assert wrap("原因（连接断开）", 8, cells) == ["原因（连", "接断开）"]
    assert wrap("原因（连", 6, cells) == ["原因", "（连"]


def test_latin_in_chinese_stays_whole() -> None:
    assert wrap("交给 consumer 之后", 10, cells) == ["交给", "consumer", "之后"]


def test_what_is_too_long_for_a_line_is_broken_anywhere() -> None:
    assert wrap("a" * 7, 3, cells) == ["aaa", "aaa", "a"]


@given(st.text(alphabet="ab m3，。（）队列 \n-", max_size=60), st.integers(2, 20))
def test_nothing_is_lost_and_all_fits(text: str, limit: int) -> None:
    lines = wrap(text, limit, cells)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cells(line) <= limit or len(line) == 1 for line in lines)


def test_it_takes_any_measure() -> None:
    measure = partial(pixels, size=10)
    lines = wrap("one two three four", 60, measure)
    assert len(lines) > 1
    assert all(measure(line) <= 60 for line in lines)


def test_wide() -> None:
    assert [is_wide(char) for char in "a队…"] == [False, True, False]

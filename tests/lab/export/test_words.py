"""Times, causes and bars in words."""

import pytest

from amqplite.lab.diagram.boxes import Bar
from amqplite.lab.export.words import Words, decimal, plain
from tests.lab.export.pictures import account_of
from tests.lab.story import TICK

EN, ZH, LIVE = Words("en", TICK), Words("zh", TICK), Words("en", 1_000_000)


def test_times_are_told_in_ticks_or_in_seconds() -> None:
    assert [EN.at(1_360_000), LIVE.at(3_420_000)] == ["t=3.4", "3.42 s"]
    assert [EN.span(560_000), LIVE.span(560_000)] == ["1.4", "0.56 s"]
    assert [EN.until(800_000), LIVE.until(800_000)] == ["2.0", "0.8 s"]
    assert [EN.unit, LIVE.unit, ZH.unit] == ["ticks", "seconds", "节拍"]


@pytest.mark.parametrize(
    ("value", "expected"), [(2, "2.0"), (3.4, "3.4"), (3.417, "3.42"), (0.001, "0.0")]
)
def test_a_decimal_has_one_place_at_least(value: float, expected: str) -> None:
    assert decimal(value) == expected


@pytest.mark.parametrize(("value", "expected"), [(2, "2"), (3.4, "3.4"), (-0.001, "0"), (10, "10")])
def test_a_plain_number_has_no_more_places_than_it_needs(value: float, expected: str) -> None:
    assert plain(value) == expected


def test_a_silent_death_is_told_from_other_lost_connections() -> None:
    assert EN.cause("connection_lost", "eof") == "connection lost"
    assert EN.cause("connection_lost", "heartbeat_timeout") == "heartbeat timed out"
    assert EN.cause("").startswith("unexplained")


def bars() -> list[Bar]:
    return account_of().layout.bars


def test_bars_have_sentences() -> None:
    told = [EN.bar(bar) for bar in bars() if bar.m == "m3"]
    assert told == [
        "c2 holds m3, attempt 1, t=2.0 to 3.4, lost",
        "m3 is back in q, t=3.4 to 4.8, then handed out",
        "c1 holds m3, attempt 2, t=4.8 to 6.6, acknowledged",
    ]


def test_who_tells_when_work_begins_works() -> None:
    bar = bars()[0]
    bar.told = True
    assert EN.bar(bar) == "c2 works on m1, attempt 1, t=0.0 to 1.8, acknowledged"
    assert ZH.bar(bar) == "c2 处理 m1，第 1 次尝试，t=0.0 至 1.8，已确认"


def test_what_has_not_ended_has_no_end() -> None:
    bar = bars()[0]
    bar.stop = None
    assert EN.bar(bar) == "c2 holds m1, attempt 1, since t=0.0"


def test_what_was_wanted_is_not_lost() -> None:
    bar = next(bar for bar in bars() if bar.kind == "failed")
    bar.cause = "nack_requeue"
    assert EN.end(bar) == "given back"

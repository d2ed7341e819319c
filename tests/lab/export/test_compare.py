"""What differs between two runs, and what it costs."""

from amqplite.lab.export.account import Account, account
from amqplite.lab.export.compare import compare, price
from amqplite.lab.export.width import cells
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import find
from tests.lab.export.pictures import WORDS, account_of
from tests.lab.story import Story


def played(name: str) -> Account:
    return account(run_exact(find(name)))


def test_the_price_of_a_fix_is_named() -> None:
    told = price(played("fig-11-2"), played("fix-single-active"), WORDS)
    assert told.startswith("Inversions fall from 1 to 0; it ends 2.0 later (+24 %)")
    assert len(told) > 60  # and what the scenario says about it


def test_a_run_costs_nothing_over_itself() -> None:
    told = price(account_of(), account_of(), WORDS)
    assert told == "Inversions stay at 1; it takes the same time."


def test_the_table_has_what_differs() -> None:
    lines = compare(account_of(), played("silent-death")).splitlines()
    assert lines[0].split() == ["A", "story", "Nobody", "noticed"]
    rows = {line.split("   ")[0]: line.split()[-3:] for line in lines[1:11]}
    assert rows["Inversions"] == ["1", "2", "+1"]
    assert rows["Latest by"] == ["6.4", "+256", "%"]
    assert rows["Redeliveries"] == ["Redeliveries", "1", "1"]


def test_completion_stands_below() -> None:
    told = compare(account_of(), account_of())
    assert told.count("A story · q · completed: m1 m2 m4 m3 m5\n") == 2


def test_in_chinese_the_columns_stay_in_line() -> None:
    lines = compare(account_of(), account_of(), "zh").splitlines()[:11]
    assert len({cells(line) for line in lines}) == 1


def test_colours_and_ascii() -> None:
    told = compare(account_of(), played("silent-death"), colour=True)
    assert "\x1b[1;38;5;166m+1\x1b[0m" in told
    assert compare(account_of(), account_of(), ascii_only=True).isascii()


def test_nothing_can_be_compared() -> None:
    empty = account_of(Story())
    assert compare(empty, empty)
    assert price(empty, account_of(), WORDS).startswith("Inversions rise from 0 to 1")

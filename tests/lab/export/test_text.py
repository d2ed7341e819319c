"""A run in a terminal, as a whole."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.lab.export.text import metrics_table, text
from amqplite.lab.export.width import cells
from tests.lab.export.pictures import WORDS, account_of
from tests.lab.story import Story, figure_11_2


def test_the_figure_at_80_columns() -> None:
    told = text(account_of(), width=80)
    assert told.startswith(
        """\
A story  [SCENARIO · real broker, virtual clock]

ticks  0       1        2       3        4       5        6       7        8
p1     m1      m2       m3      m4       m5
       ↓       ↓        ↓       ↓        ↓
q      •       •        •       •   [m3 1.4┄┄┄┄]
                                         [m5 waits 2.6────────]
       │       ↓        │       ↓   ↑           ↓              ↓
c1     │       [m2━━━━━━━━━━━✓] [m4━━━━━━━━━━━✓][m3 ↻2░░░░░░░✓][m5━━━━━━━━━━✓]
       │                │           ┊           ├─ late 1.8 ──┤
       ↓                ↓           ┊
c2     [m1━━━━━━━━━━✓]  [m3╱╱╱╱╱╱╱╱]✕··· c2 is down ···························
                                    ✕ connection lost → m3 requeued
"""
    )


def test_what_comes_below_the_diagram() -> None:
    told = text(account_of(), width=80)
    assert "q: 1 crossing   Every crossing is one inversion" in told
    assert "completed  m1  m2  m4  m3  m5" in told
    assert re.search(r"^Inversions +1 +Reported duplicates +0", told, re.MULTILINE)
    assert " ".join(told.split()).endswith("overtaken by 1 message, 1.8 ticks late.")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [60, 80, 100, 133, 200])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_it_fits(lang: str, width: int, ascii_only: bool) -> None:
    told = text(account_of(), lang, width=width, ascii_only=ascii_only)
    assert max(map(cells, told.splitlines())) <= width


@pytest.mark.parametrize(("asked", "used"), [(10, 60), (1_000, 200)])
def test_no_terminal_is_too_small_or_too_large(asked: int, used: int) -> None:
    assert text(account_of(), width=asked) == text(account_of(), width=used)


def test_in_ascii_there_is_nothing_else() -> None:
    assert text(account_of(), ascii_only=True).isascii()


def test_colours_change_nothing_but_colours() -> None:
    plain, coloured = text(account_of()), text(account_of(), colour=True)
    assert "\x1b[" not in plain
    bare = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_chinese_columns_stay_in_line() -> None:
    lines = text(account_of(), "zh", width=80).splitlines()
    rows = [line for line in lines if line.startswith(("逆序对", "移动", "最大", "所需"))]
    assert len({cells(line) for line in rows}) == 1


def test_hostile_names_do_nothing_to_a_terminal() -> None:
    name = "\x1b]0;owned\x07\x1b[2J\u202e"
    story = Story(name)
    story.consumer(0, name)
    story.publish(0, name, p=name)
    story.deliver(1, name, name)
    story.requeue(2, name, name, "connection_lost", "eof")
    told = text(account_of(story, name=name))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", told)


def test_nothing_is_told_of_nothing() -> None:
    assert "Nothing has completed yet." in text(account_of([]))


def test_numbers_stand_in_columns() -> None:
    assert len(metrics_table(account_of(), WORDS, 60)) == 6
    assert len(metrics_table(account_of(), WORDS, 100)) == 4


names = st.text(alphabet="m1队é\u0301 ", min_size=1, max_size=9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(names, st.integers(0, 40), st.integers(0, 9)), max_size=12),
    st.integers(60, 120),
)
def test_any_run_fits(plan: list[tuple[str, int, int]], width: int) -> None:
    story = Story()
    for k, (name, at, took) in enumerate(sorted(plan, key=lambda entry: entry[1])):
        m, c = f"{name}{k}", f"{name}-{k % 3}"
        story.publish(at, m)
        story.deliver(at + k % 2, m, c)
        if took % 3:
            story.ack(at + took, m, c)
        else:
            story.requeue(at + took, m, c, "nack_requeue")
    story.events.sort(key=lambda event: event.t)
    told = text(account_of(figure_11_2() if not plan else story), width=width)
    assert max(map(cells, told.splitlines())) <= width

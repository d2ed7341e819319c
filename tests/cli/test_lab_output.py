"""Colours, columns, letters and languages of what is printed."""

import io
import sys

import pytest

from amqplite.cli import lab_output
from amqplite.cli.lab_output import (
    draws_unicode,
    has_colour,
    language_of,
    print_text,
    width_of,
    wrapped,
)


class Terminal(io.TextIOWrapper):
    """Something to print to."""

    def __init__(self, encoding: str = "utf-8", tty: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.fixture(autouse=True)
def environ(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM", "LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("tty", "environ", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours(
    monkeypatch: pytest.MonkeyPatch, tty: bool, environ: dict[str, str], expected: bool
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal(tty=tty))
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert has_colour() is expected


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", True), ("latin-1", False)])
def test_unicode(monkeypatch: pytest.MonkeyPatch, encoding: str, expected: bool) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal(encoding))
    assert draws_unicode() is expected


def test_what_the_terminal_has_no_letters_for_is_a_question_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal("ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    print_text("m3 等待\n")
    terminal.flush()
    assert terminal.buffer.getvalue() == b"m3 ??\n"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("asked", "environ", "expected"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_TW.UTF-8"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": "de_DE.UTF-8"}, "en"),
        ("zh", {"LANG": "C"}, "zh"),
    ],
)
def test_language(
    monkeypatch: pytest.MonkeyPatch, asked: str | None, environ: dict[str, str], expected: str
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert language_of(asked) == expected


def test_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "77")
    assert (width_of(None), width_of(120)) == (77, 120)


def test_prose_is_not_as_wide_as_a_wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    lines = wrapped("word " * 60, indent=4).splitlines()
    assert max(map(len, lines)) <= lab_output.READ
    assert all(line.startswith("    w") for line in lines)

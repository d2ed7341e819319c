"""What the lab's commands print and write."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from amqplite.lab.export.account import Account
    from amqplite.lab.scripts.expect import Check

FORMATS = {
    "svg": "SVG",
    "html": "a page that replays it, offline,",
    "jsonl": "JSON lines",
    "csv": "CSV, a message a row,",
    "mermaid": "a Mermaid diagram",
    "markdown": "a Markdown report",
    "perfetto": "a trace for Perfetto",
}
"""Files that may be asked for, with what they are."""

READ = 96
"""Columns of a line of prose at most."""


def show_run(told: "Account", checks: "list[Check]", **how: Any) -> None:
    """Write the files that were asked for, and print the rest."""
    language = language_of(how["lang"])
    wanted = [(name, how[name]) for name in FORMATS if how[name] is not None]
    for name, path in wanted:
        _write(path, _made(name, told, language))
    if any(str(path) == "-" for _, path in wanted):
        return
    if how["as_json"]:
        from amqplite.lab.export.numbers import numbers

        print_json(numbers(told, checks))
        return
    from amqplite.lab.export.text import text

    print_text(
        text(
            told,
            language,
            width=width_of(how["width"]),
            colour=has_colour(),
            ascii_only=how["ascii_only"] or not draws_unicode(),
        )
    )
    _report(checks, language)
    for name, path in wanted:
        click.echo(f"{name}: {path}", err=True)


def _made(name: str, told: "Account", language: str) -> str:
    match name:
        case "svg":
            from amqplite.lab.export.svg import svg

            return svg(told, language)
        case "html":
            from amqplite.lab.export.html import html

            return html(told, language)
        case "jsonl":
            from amqplite.lab.trace import write_jsonl

            return write_jsonl(told.trace)
        case "csv":
            from amqplite.lab.export.csv import csv_table

            return csv_table(told)
        case "mermaid":
            from amqplite.lab.export.mermaid import mermaid

            return mermaid(told, language)
        case "perfetto":
            from amqplite.lab.export.perfetto import perfetto

            return perfetto(told, language)
        case _:
            from amqplite.lab.export.markdown import markdown

            return markdown(told, language)


def _write(path: Path, content: str) -> None:
    try:
        if str(path) == "-":
            sys.stdout.buffer.write(content.encode())
            sys.stdout.buffer.flush()
        else:
            path.write_bytes(content.encode())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None


def _report(checks: "list[Check]", language: str) -> None:
    """Say whether what came of a scenario is what had to."""
    from amqplite.lab.texts import text

    if not checks:
        return
    wrong = [check for check in checks if not check.ok]
    key = "out.expected" if not wrong else "out.unexpected"
    print_text("\n" + text(language, key, n=len(checks), wrong=len(wrong)) + "\n")
    for check in wrong:
        print_text(f"  {check.what}: {check.expected} → {check.got}\n")


def print_json(told: Any) -> None:
    """Print records as JSON."""
    from amqplite.lab.export.numbers import as_json

    print_text(as_json(told) + "\n")


def print_text(text: str) -> None:
    """Print text, as far as the terminal has letters for it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding), nl=False, color=True)


def wrapped(text: str, indent: int = 0) -> str:
    """Return text in lines that are good to read."""
    from amqplite.lab.export.width import cells, wrap

    lines = wrap(text, min(width_of(None), READ) - indent, cells)
    return "\n".join(" " * indent + line for line in lines)


def language_of(lang: str | None) -> str:
    """Return the language: as asked for, else as the locale has it."""
    if lang is not None:
        return lang
    spoken = next((v for k in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(k))), "")
    return "zh" if spoken.lower().startswith("zh") else "en"


def width_of(width: int | None) -> int:
    """Return the columns to draw in: as asked for, else the terminal's."""
    from shutil import get_terminal_size

    return width or get_terminal_size((100, 24)).columns


def has_colour() -> bool:
    """Return whether colours are shown: on a terminal, unless told otherwise (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def draws_unicode() -> bool:
    """Return whether what we draw with can be printed."""
    try:
        "━✓↻".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True

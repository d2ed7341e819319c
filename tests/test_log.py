"""The log: a line an event, whatever is in it, and nothing that stops the broker."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Literal

import pytest

from amqplite.log import configure_logging, get_logger


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    loggers = logging.root, logging.getLogger("amqplite")
    levels, handlers = [logger.level for logger in loggers], logging.root.handlers[:]
    yield
    logging.root.handlers[:] = handlers
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_text_is_a_line_with_time_level_event_part_and_facts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = get_logger("amqplite.server")
    configure_logging("text", "info")
    log.info("Server startup complete", port=5672)
    (line,) = lines(capsys)
    time, rest = line.split(" ", 1)
    assert time.endswith("Z")
    assert " ".join(rest.split()) == "[info ] Server startup complete [amqplite.server] port=5672"


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json", "info")
    get_logger("amqplite.server").warning("memory alarm", used_bytes=7, queue="a\nb\udc80")
    (line,) = lines(capsys)
    event = json.loads(line)
    assert event.pop("timestamp").endswith("Z")
    assert event == {
        "event": "memory alarm",
        "level": "warning",
        "logger_name": "amqplite.server",
        "queue": "a\nb\udc80",
        "used_bytes": 7,
    }


def test_less_than_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("text", "warning")
    log = get_logger("amqplite.server")
    log.debug("one")
    log.info("two")
    log.warning("three")
    log.error("four")
    assert [line.split()[3] for line in lines(capsys)] == ["three", "four"]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_traceback_is_logged(
    capsys: pytest.CaptureFixture[str], log_format: Literal["text", "json"]
) -> None:
    configure_logging(log_format, "info")
    try:
        _ = 1 / 0
    except ZeroDivisionError as error:
        get_logger("amqplite.server").error("connection failed", exc_info=error)
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (5672, "5672"),
        (None, "None"),
        ("orders", "orders"),
        ("my orders", "'my orders'"),
        ("a=b", "'a=b'"),
        ("", "''"),
        ("a\nb", r"a\nb"),
        ("a \n", r"'a \n'"),
        (["\x1b"], r"['\x1b']"),
    ],
)
def test_a_fact_ends_where_the_next_begins(
    capsys: pytest.CaptureFixture[str], value: object, shown: str
) -> None:
    configure_logging("text", "info")
    get_logger("amqplite").info("event", a=value, b=1)
    (line,) = lines(capsys)
    assert line.endswith(f" a={shown} b=1")


def test_on_a_terminal_there_are_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdout", terminal)
    configure_logging("text", "info")
    get_logger("amqplite").error("event")
    assert "[\x1b[31merror    \x1b[0m] \x1b[1mevent" in terminal.getvalue()


def test_a_name_cannot_break_the_line_or_drive_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("text", "info")
    get_logger("amqplite.server").info("declared", queue="x\x1b[2J\n2026 [info] forged\udcff")
    (line,) = lines(capsys)
    assert line.isprintable()


def test_what_libraries_log_comes_along_from_warning_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("json", "info")
    logging.getLogger("sqlalchemy.pool").warning("pool of %d", 5)
    logging.getLogger("alembic").info("step")
    logging.getLogger("trio").critical("crash")
    events = [json.loads(line) for line in lines(capsys)]
    assert [(e["logger_name"], e["level"], e["event"]) for e in events] == [
        ("sqlalchemy.pool", "warning", "pool of 5"),
        ("trio", "error", "crash"),
    ]


class FullDisk(io.StringIO):
    def write(self, _: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_log_that_cannot_be_written_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", FullDisk())
    configure_logging("text", "info")
    get_logger("amqplite.server").error("still here")

"""The log: a line an event, whatever is in it, and nothing that stops the broker."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from amqplite.log import configure_logging, get_logger
from tests.broker_process import ROOT


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:], logging.root.level = handlers, level


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_text_is_a_line_with_time_level_event_part_and_facts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = get_logger("server")
    configure_logging("text", "info")
    log.info("Server startup complete", port=5672)
    (line,) = lines(capsys)
    time, rest = line.split(" ", 1)
    assert time.endswith("Z")
    assert " ".join(rest.split()) == "[info ] Server startup complete [server] port=5672"


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json", "info")
    get_logger("server").warning("memory alarm", used_bytes=7, queue="a\nb\udc80")
    (line,) = lines(capsys)
    event = json.loads(line)
    assert event.pop("timestamp").endswith("Z")
    assert event == {
        "event": "memory alarm",
        "level": "warning",
        "logger_name": "server",
        "queue": "a\nb\udc80",
        "used_bytes": 7,
    }


def test_less_than_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("text", "warning")
    log = get_logger("server")
    log.debug("one")
    log.info("two")
    log.warning("three")
    log.error("four")
    assert [line.split()[3] for line in lines(capsys)] == ["three", "four"]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_traceback_is_logged(capsys: pytest.CaptureFixture[str], log_format: str) -> None:
    configure_logging(log_format, "info")  # type: ignore[arg-type]
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        get_logger("server").exception("connection failed")
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().out


def test_a_name_cannot_break_the_line_or_drive_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("text", "info")
    get_logger("server").info("declared", queue="x\x1b[2J\n2026 [info] forged\udcff")
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
    get_logger("server").error("still here")


def test_rich_is_not_imported_and_can_still_be(tmp_path: Path) -> None:
    (tmp_path / "rich.py").write_text("print('rich is imported')")
    program = "import amqplite.log; print('so far not'); import rich"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    assert ended.stdout == "so far not\nrich is imported\n"

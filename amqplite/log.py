"""What the broker tells whoever runs it, on standard output, a line an event.

An event has a fixed text and facts beside it: `log.info("listening", protocol="amqp", port=5672)`.
In format `text` that is a line for people, in `json` an object for machines, where the text is
`event`. Names of connections and queues are facts, never part of the text.

It is the standard library's `logging` underneath, so what libraries log comes along.
"""

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

OURS = "amqplite"
"""The part that all of ours are parts of: only theirs is logged from `info` down."""

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_NAMES = {level: name for name, level in LEVELS.items()}

_COLOURS = {"debug": "32", "info": "32", "warning": "33", "error": "31"}
_QUOTED = frozenset(" \t=\"'")
"""What a text in a line for people must not hold without quotes."""


class Logger:
    """Logs the events of one part of the broker. May be made before `configure_logging`."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **facts: Any) -> None:
        """Log what is of use to those who look for a fault."""
        self._log(logging.DEBUG, event, None, facts)

    def info(self, event: str, **facts: Any) -> None:
        """Log what is as it should be."""
        self._log(logging.INFO, event, None, facts)

    def warning(self, event: str, **facts: Any) -> None:
        """Log what somebody may have to do something about."""
        self._log(logging.WARNING, event, None, facts)

    def error(self, event: str, exc_info: BaseException | None = None, **facts: Any) -> None:
        """Log what went wrong, with the traceback if there is an exception."""
        self._log(logging.ERROR, event, exc_info, facts)

    def _log(
        self, level: int, event: str, exc_info: BaseException | None, facts: dict[str, Any]
    ) -> None:
        self._logger.log(level, event, exc_info=exc_info, extra={"facts": facts})


def get_logger(name: str) -> Logger:
    """Return the logger of the part called `name`: `amqplite`, or `amqplite.…`."""
    return Logger(name)


def configure_logging(
    log_format: Literal["text", "json"], level: Literal["debug", "info", "warning", "error"]
) -> None:
    """Log to standard output from now on, in `log_format`, what is of `level` or above."""
    stream = sys.stdout
    with suppress(AttributeError):  # not a plain file, as in tests
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    lines = _Lines(stream)
    lines.setFormatter(_Json() if log_format == "json" else _Text(colours=stream.isatty()))
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[lines], force=True)
    logging.getLogger(OURS).setLevel(LEVELS[level])


class _Lines(logging.StreamHandler[TextIO]):
    """Writes lines to a stream, and drops them when it can't take them.

    A full disk under the log, or a reader of the pipe who left, must not stop the broker.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Do without the line."""


class _Json(logging.Formatter):
    """An object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return `record` as a JSON object."""
        event = {
            **_facts(record),
            "event": record.getMessage(),
            "level": _level(record),
            "logger_name": record.name,
            "timestamp": _time(record),
        }
        if record.exc_info:
            event["exception"] = self.formatException(record.exc_info)
        return json.dumps(event, default=repr)


class _Text(logging.Formatter):
    """A line for people, and tracebacks below it.

    Args:
        colours: it is read on a terminal.
    """

    def __init__(self, *, colours: bool) -> None:
        super().__init__()
        self._colours = colours

    def format(self, record: logging.LogRecord) -> str:
        """Return `record` as a line."""
        level = _level(record)
        facts = [f"{name}={_shown(value)}" for name, value in sorted(_facts(record).items())]
        line = " ".join(
            [
                _time(record),
                f"[{self._coloured(_COLOURS[level], f'{level:9}')}]",
                self._coloured("1", f"{_printable(record.getMessage()):30}"),
                f"[{_printable(record.name)}]",
                *facts,
            ]
        )
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line

    def _coloured(self, colour: str, text: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colours else text


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    """Return the facts of a record; none if a library's."""
    return getattr(record, "facts", {})


def _level(record: logging.LogRecord) -> str:
    return _NAMES[max(level for level in _NAMES if level <= record.levelno)]


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _shown(value: object) -> str:
    """Return a fact's value, in quotes if it would run into the next one."""
    if not isinstance(value, str):
        return repr(value)
    return _printable(value) if value and _QUOTED.isdisjoint(value) else repr(value)


def _printable(text: str) -> str:
    """Escape what could break the line or drive a terminal: names come from clients."""
    return text if text.isprintable() else repr(text)[1:-1]

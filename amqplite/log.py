"""What the broker tells whoever runs it, on standard output, a line an event.

An event has a fixed text and facts beside it: `log.info("listening", protocol="amqp", port=5672)`.
In format `text` that is a line for people, in `json` an object for machines, where the text is
`event`. Names of connections and queues are facts, never part of the text.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Make imports of `package` fail, unless it is in use already."""
    modules: dict[str, Any] = sys.modules
    if package in modules:
        yield
        return
    modules[package] = None
    try:
        yield
    finally:
        del modules[package]


with _hidden("rich"):  # which structlog imports where it can: 60 ms, for colours in tracebacks
    import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger, Processor

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _Lines:
    """Writes lines to a stream, and drops them when it can't take them.

    A full disk under the log, or a reader of the pipe who left, must not stop the broker.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def msg(self, line: str) -> None:
        """Write `line` at once."""
        with suppress(OSError, ValueError):
            self._stream.write(line + "\n")
            self._stream.flush()

    debug = info = warning = error = critical = msg


def _printable(_: object, __: str, event: "EventDict") -> "EventDict":
    """Escape what could break the line or drive a terminal: names come from clients."""
    return {
        key: repr(value)[1:-1] if isinstance(value, str) and not value.isprintable() else value
        for key, value in event.items()
    }


class _FromLogging(logging.Handler):
    """Passes on what libraries log by the standard library's `logging`."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log `record` as one of our own."""
        level = logging.ERROR if record.levelno > logging.ERROR else record.levelno
        get_logger(record.name).log(level, record.getMessage(), exc_info=record.exc_info)


def configure_logging(
    log_format: Literal["text", "json"], level: Literal["debug", "info", "warning", "error"]
) -> None:
    """Log to standard output from now on, in `log_format`, what is of `level` or above."""
    stream = sys.stdout
    with suppress(AttributeError):  # not a plain file, as in tests
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    processors: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if log_format == "json":
        processors += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        processors += [
            _printable,
            structlog.dev.ConsoleRenderer(
                colors=stream.isatty(),
                exception_formatter=structlog.dev.plain_traceback,
            ),
        ]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: _Lines(stream),
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_FromLogging()], force=True)


def get_logger(name: str) -> "FilteringBoundLogger":
    """Return the logger of the part called `name`; it may be made before `configure_logging`."""
    return cast("FilteringBoundLogger", structlog.get_logger(logger_name=name))

"""A trace as a file: JSON lines, a header and then the events in order.

What is derived from the events (bars, metrics, causes of a reordering) is never stored: whoever
reads a trace derives it anew.
"""

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

from msgspec import DecodeError, Struct, ValidationError, defstruct, field, json, to_builtins

from amqplite import __version__
from amqplite.broker.trace import Event, as_dict, values_of

SCHEMA = "amqplite.trace/1"
"""What this version reads and writes."""

SECOND_US = 1_000_000

NUMBER_MAX = 2**53 - 1
"""The largest number in a trace: the largest that JavaScript knows from its neighbours."""

_NUMBERS = tuple(one.name for one in fields(Event) if one.type in (int, "int"))
_LEAST = {"depth": -1}
"""The least that the numbers of an event may be, where it isn't 0."""

_FAMILY, _, _NUMBER = SCHEMA.partition("/")

_Line = TypeVar("_Line")


class TraceError(Exception):
    """What should have been a trace can't be read; `str()` says where and why.

    Attributes:
        line: number of the line, from 1.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


class TracedQueue(Struct, frozen=True, kw_only=True):
    """A queue that a trace tells of.

    Attributes:
        v: its vhost.
        q: its name.
        arguments: it was declared with.
    """

    v: str = "/"
    q: str
    arguments: dict[str, Any] = field(default_factory=dict)


class Header(Struct, frozen=True, kw_only=True):
    """What a trace is of.

    Attributes:
        schema: which form it has; see `SCHEMA`.
        version: of the amqplite that wrote it.
        name: what people call it.
        scenario: the scenario's id; empty if it is of none.
        mode: `exact` on a virtual clock, `real` with actors over TCP, `live` of real clients,
            `simulated` from a model, or `imported` where nobody knows.
        seed: of what was drawn by lot.
        params: of the scenario, as far as they were set.
        tick_us: microseconds of the unit people see: a tick, or a second.
        started: when, in ISO form; empty where time is virtual.
        queues: those it tells of.
        variant: of the scenario; empty is the scenario itself.
    """

    schema: str = SCHEMA
    version: str = __version__
    name: str = ""
    scenario: str = ""
    mode: str = "imported"
    seed: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    tick_us: int = SECOND_US
    started: str = ""
    queues: list[TracedQueue] = field(default_factory=list)
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """A header, and events in order of their number."""

    header: Header
    events: list[Event]


def write_jsonl(trace: Trace) -> str:
    """Return the trace as lines of JSON, each ended."""
    lines = [_encode(to_builtins(trace.header)), *map(_event_line, trace.events)]
    return b"\n".join([*lines, b""]).decode()


_Attributes = defstruct(
    "_Attributes",
    [
        (one.name, one.type) if one.default is MISSING else (one.name, one.type, one.default)
        for one in fields(Event)
    ],
    omit_defaults=True,
)
"""An event, in the form that is written a few times quicker than its own."""


def encode_event(event: Event) -> bytes:
    """Return an event as JSON: what its attributes say, as `as_dict` tells them.

    Raises:
        UnicodeEncodeError: a name in it isn't UTF-8.
    """
    return json.encode(_Attributes(*values_of(event)))


def _event_line(event: Event) -> bytes:
    try:
        return encode_event(event)
    except UnicodeEncodeError:
        return _encode(as_dict(event))


def read_jsonl(lines: str | bytes | Iterable[str | bytes]) -> Trace:
    """Read a trace from its text, or from its lines; empty ones count but say nothing.

    Raises:
        TraceError: this isn't a trace, or not of a form that this version knows.
    """
    told = _split(lines)
    header: Header | None = None
    events: list[Event] = []
    last = 0
    for number, line in enumerate(told, 1):
        if not line.strip():
            continue
        if header is None:
            header = _read_header(line, number)
            continue
        event = _decode(line, number, Event)
        if event.n <= last:
            raise TraceError(number, f"event {event.n} comes after event {last}")
        _check_numbers(event, number)
        last = event.n
        events.append(event)
    if header is None:
        raise TraceError(1, "nothing is there, not even a header")
    return Trace(header, events)


def _encode(told: dict[str, Any]) -> bytes:
    try:
        return json.encode(told)
    except UnicodeEncodeError:  # a name that a client gave in octets which aren't UTF-8
        return json.encode(_printable(told))


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="surrogateescape").decode(errors="backslashreplace")
    if isinstance(value, dict):
        return {_printable(name): _printable(one) for name, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, list) else value


def _split(lines: str | bytes | Iterable[str | bytes]) -> Iterable[str | bytes]:
    # not splitlines: JSON may hold the other things that Unicode calls ends of a line
    if isinstance(lines, str):
        return lines.split("\n")
    return lines.split(b"\n") if isinstance(lines, bytes) else lines


def _read_header(line: str | bytes, number: int) -> Header:
    form = _decode(line, number, _Form)
    family, _, version = form.schema.partition("/")
    if family != _FAMILY or not version.isdecimal():
        raise TraceError(number, f"the first line is no header of {SCHEMA}")
    if int(version) > int(_NUMBER):
        writer = f", written by amqplite {form.version}" if form.version else ""
        raise TraceError(
            number,
            f"the trace is {form.schema}{writer}: newer than {SCHEMA}, "
            f"which amqplite {__version__} reads",
        )
    header = _decode(line, number, Header)
    if not 1 <= header.tick_us <= NUMBER_MAX:
        raise TraceError(number, f"a tick of {header.tick_us} µs is none")
    return header


def _check_numbers(event: Event, number: int) -> None:
    for name in _NUMBERS:
        value = getattr(event, name)
        if not (_LEAST.get(name, 0) <= value <= NUMBER_MAX):
            raise TraceError(number, f"{name} of event {event.n} is {value}")


class _Form(Struct):
    """What is read of a header first."""

    schema: str = ""
    version: str = ""


def _decode(line: str | bytes, number: int, kind: type[_Line]) -> _Line:
    try:
        return json.decode(line, type=kind)
    except ValidationError as error:
        raise TraceError(number, str(error)) from None
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "; a trace is lines of JSON, its header first, as --jsonl writes it"
        raise TraceError(number, f"not JSON: {error}{hint if kind is _Form else ''}") from None

"""A trace as it grows: kept as the octets that are sent, with what the order meter says of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from amqplite.broker.trace import Event
from amqplite.lab.keeping.bell import Bell
from amqplite.lab.order import Analysis, Annotation
from amqplite.lab.trace import Header, Trace, encode_event

EVENTS_MAX = 20_000
"""Events of one recording: what a page can show."""

OCTETS_MAX = 8 * 1024 * 1024

_OVERHEAD = 80
"""Octets that an event takes beside its line."""

_TEXTS = ("v", "q", "m", "c", "p", "conn", "key", "exchange", "by", "text")


class Recording:
    """Events in order, and their analysis.

    Args:
        rolling: forget the oldest events where there are too many; else nothing more is taken.

    Attributes:
        header: what the trace is of.
        first: number of the last event that was forgotten; 0 while all are there.
        octets: about how much memory the events take.
        full: events were not taken, as there were too many.
        news: rung when there is more to read.
        analysis: of all events, those that are forgotten included; `None` once all is told.
        duration: microseconds from the trace's origin to the last event.
    """

    def __init__(self, header: Header, *, rolling: bool = False) -> None:
        self.header = header
        self.first = 0
        self.octets = 0
        self.full = False
        self.news = Bell()
        self.analysis: Analysis | None = Analysis(header)
        self.duration = 0
        self._rolling = rolling
        self._numbers: list[int] = []
        self._lines: list[bytes] = []

    def __len__(self) -> int:
        """Events that are kept."""
        return len(self._lines)

    @property
    def last(self) -> int:
        """Number of the last event; 0 while there was none."""
        return self._numbers[-1] if self._numbers else self.first

    # -- writing ---------------------------------------------------------------------------------

    def add(self, event: Event) -> None:
        """Take an event that comes behind all others."""
        analysis = self.analysis
        if analysis is None or self._is_full():
            self.full = True
            return
        line = event_line(event)
        if line is None:
            event = printable(event)
            line = event_line(event) or b"{}"
        order = analysis.feed(event)
        if order is not None:
            line = with_order(line, order)
        self._numbers.append(event.n)
        self._lines.append(line)
        self.duration = max(self.duration, event.t)
        self.octets += len(line) + _OVERHEAD
        if self._rolling and (len(self._lines) > EVENTS_MAX or self.octets > OCTETS_MAX):
            self._forget()

    def rest(self) -> None:
        """Wake readers: there are no more events for now."""
        self.news.ring()

    def settle(self) -> Analysis:
        """Tell of each event what could be told only later: no more will come.

        Returns:
            The analysis, which takes more memory than the events, and is kept no longer.
        """
        analysis, self.analysis = self.analysis or Analysis(self.header), None
        for n, order in analysis.annotations.items():
            at = bisect_left(self._numbers, n)
            if at < len(self._numbers) and self._numbers[at] == n:
                line = without_order(self._lines[at])
                self._lines[at] = with_order(line, order)
        return analysis

    def _is_full(self) -> bool:
        if self._rolling:
            return False
        return len(self._lines) >= EVENTS_MAX or self.octets >= OCTETS_MAX

    def _forget(self) -> None:
        forgotten = len(self._lines) // 4
        self.first = self._numbers[forgotten - 1]
        self.octets -= sum(map(len, self._lines[:forgotten])) + forgotten * _OVERHEAD
        del self._numbers[:forgotten], self._lines[:forgotten]

    # -- reading ---------------------------------------------------------------------------------

    def after(self, n: int, limit: int) -> tuple[Sequence[int], Sequence[bytes]]:
        """Return numbers and lines of up to `limit` events behind number `n`."""
        start = bisect_right(self._numbers, n)
        return self._numbers[start : start + limit], self._lines[start : start + limit]

    def joined(self) -> bytes:
        """Return all events as one JSON array."""
        return b"[%s]" % b",".join(self._lines)


def read_joined(header: Header, joined: bytes, since: int = 0) -> Trace:
    """Return a trace of the events that `Recording.joined` told, from `since` µs on."""
    events = _decode(joined)
    return Trace(header, [event for event in events if event.t >= since] if since else events)


_ORDER = b',"order":'


def event_line(event: Event) -> bytes | None:
    """Return an event as JSON; `None` if a name in it isn't UTF-8."""
    try:
        return encode_event(event)
    except UnicodeEncodeError:
        return None


def with_order(line: bytes, order: Annotation) -> bytes:
    """Return an event's line with what the order meter says of it."""
    return b"%s%s%s}" % (line[:-1], _ORDER, _encode(order))


def without_order(line: bytes) -> bytes:
    """Return an event's line alone."""
    alone, found, _ = line.rpartition(_ORDER)
    return alone + b"}" if found else line


def printable(event: Event) -> Event:
    r"""Return an event with its names' octets that aren't UTF-8 written as `\xff`."""
    changes = {field: printable_text(getattr(event, field)) for field in _TEXTS}
    return replace(event, **changes)  # type: ignore[arg-type]


def printable_text(text: str) -> str:
    r"""Return a name with its octets that aren't UTF-8 written as `\xff`."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


_encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[Event]).decode

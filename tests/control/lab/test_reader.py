"""A place in a recording."""

import json
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from amqplite.broker.trace import Event
from amqplite.control.lab.reader import (
    PAGE_EVENTS,
    STATE_EVERY_S,
    STEP_EVENTS,
    RecordingReader,
    gap_behind,
    page_of,
)
from amqplite.lab.keeping import recording
from amqplite.lab.keeping.recording import Recording
from amqplite.lab.trace import Header


class Watched:
    """A recording that somebody reads.

    Attributes:
        over: no more comes.
        viewers: how many read.
    """

    def __init__(self, *, rolling: bool = False) -> None:
        self.recording = Recording(Header(), rolling=rolling)
        self.over = False
        self.viewers = 0

    def add(self, count: int) -> None:
        first = self.recording.last + 1
        for n in range(first, first + count):
            self.recording.add(Event(n=n, t=n, type="purged", q="q"))
        self.recording.rest()

    def reader(self, after: int = 0, *, numbered_end: bool = False) -> RecordingReader:
        return RecordingReader(
            self.recording,
            after,
            over=lambda: self.over,
            state=lambda: {"count": len(self.recording), "over": self.over},
            watch=self.watch,
            numbered_end=numbered_end,
        )

    def watch(self, more: int) -> None:
        self.viewers += more


def taken(reader: RecordingReader) -> list[tuple[str, int]]:
    return [(message.event, message.id) for message in reader.take()]


def trace(first: int, last: int) -> list[tuple[str, int]]:
    return [("trace", n) for n in range(first, last + 1)]


async def test_events_come_first_and_then_how_things_stand() -> None:
    watched = Watched()
    watched.add(3)
    reader = watched.reader()
    assert taken(reader) == trace(1, 3)
    assert taken(reader) == [("state", 0)]
    assert taken(reader) == []
    assert not reader.done


async def test_they_come_some_at_a_time() -> None:
    watched = Watched()
    watched.add(2 * STEP_EVENTS + 1)
    reader = watched.reader(after=1)
    assert taken(reader) == trace(2, STEP_EVENTS + 1)
    assert taken(reader) == trace(STEP_EVENTS + 2, 2 * STEP_EVENTS + 1)


async def test_the_state_is_told_now_and_then(autojump_clock: MockClock) -> None:
    watched = Watched()
    reader = watched.reader()
    assert taken(reader) == [("state", 0)]
    watched.add(1)
    assert taken(reader) == trace(1, 1)
    assert taken(reader) == []  # it was told a moment ago
    started = trio.current_time()
    await reader.wait()  # not for news, but to tell it again
    assert trio.current_time() - started == STATE_EVERY_S
    assert taken(reader) == [("state", 0)]
    with trio.move_on_after(60) as silence:
        await reader.wait()
    assert silence.cancelled_caught


@pytest.mark.parametrize("numbered", [False, True])
async def test_the_end_is_told_once(numbered: bool) -> None:
    watched = Watched()
    watched.add(2)
    reader = watched.reader(numbered_end=numbered)
    assert taken(reader) == trace(1, 2)
    watched.over = True
    (end,) = reader.take()
    assert (end.event, end.id) == ("state", 3 if numbered else 0)
    assert json.loads(end.data) == {"count": 2, "over": True}
    assert reader.done
    assert taken(reader) == []


async def test_who_reads_is_counted() -> None:
    watched = Watched()
    one, two = watched.reader(), watched.reader()
    assert watched.viewers == 2
    one.close()
    two.close()
    assert watched.viewers == 0


async def test_who_has_seen_another_trace_begins_anew() -> None:
    watched = Watched()
    watched.add(2)
    assert taken(watched.reader(after=2)) == [("state", 0)]
    assert taken(watched.reader(after=3)) == trace(1, 2)


async def test_what_is_forgotten_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "EVENTS_MAX", 8)
    watched = Watched(rolling=True)
    watched.add(2)
    reader = watched.reader()
    assert taken(reader) == trace(1, 2)
    watched.add(10)
    first = watched.recording.first
    gap, *rest = reader.take()
    assert (gap.event, gap.id) == ("gap", 0)
    assert json.loads(gap.data) == {"lost_from": 3, "lost_to": first}
    assert [message.id for message in rest] == list(range(first + 1, 13))
    assert taken(watched.reader()) == trace(first + 1, 12)


def page(watched: Watched, after: int) -> Any:
    body = page_of(watched.recording, after).body
    assert isinstance(body, bytes)
    return json.loads(body)


async def test_a_page_tells_where_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    assert page(watched, 0) == {"events": [], "next": 0, "gap": None}
    watched.add(PAGE_EVENTS + 5)
    first = page(watched, 0)
    assert (len(first["events"]), first["next"]) == (PAGE_EVENTS, PAGE_EVENTS)
    rest = page(watched, first["next"])
    assert ([event["n"] for event in rest["events"]], rest["next"]) == (
        list(range(PAGE_EVENTS + 1, PAGE_EVENTS + 6)),
        PAGE_EVENTS + 5,
    )
    assert page(watched, rest["next"]) == {"events": [], "next": PAGE_EVENTS + 5, "gap": None}


def test_nobody_misses_what_came_before() -> None:
    kept = Recording(Header(), rolling=True)
    kept.first = 10
    assert gap_behind(kept, 0) is None
    assert gap_behind(kept, 4) == {"lost_from": 5, "lost_to": 10}
    assert gap_behind(kept, 10) is None

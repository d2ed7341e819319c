"""A run as Chrome's trace events, which Perfetto opens: for long traces.

Each lane is a process. Bars are asynchronous slices, as those of a consumer may overlap; what
happened at an instant is an instant there, and ready messages are a counter.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import json

from amqplite.lab.diagram.boxes import Bar
from amqplite.lab.diagram.lanes import queue_lane
from amqplite.lab.diagram.layout import lay_out
from amqplite.lab.export.account import Account
from amqplite.lab.export.chart import lane_name
from amqplite.lab.export.drawing import harmless
from amqplite.lab.export.words import Words

TraceEvent = dict[str, Any]


def perfetto(account: Account, lang: str = "en") -> str:
    """Return the run as JSON; times are in µs, and all messages are in it."""
    words = Words(lang, account.header.tick_us)
    return json.encode(
        {
            "traceEvents": list(_events(account, words)),
            "displayTimeUnit": "ms",
            "otherData": {
                "title": harmless(account.title(lang)),
                "writer": f"amqplite {harmless(account.header.version)}",
            },
        }
    ).decode()


def _events(account: Account, words: Words) -> Iterator[TraceEvent]:
    layout = lay_out(account.events, {}, messages_max=len(account.events))
    numbers = {lane.id: number for number, lane in enumerate(layout.lanes, 1)}
    for lane in layout.lanes:
        kind = words(f"lane.{lane.kind}")
        name = f"{harmless(lane_name(lane, words))} ({kind})"
        yield _meta(numbers[lane.id], "process_name", name=name)
        yield _meta(numbers[lane.id], "process_sort_index", sort_index=numbers[lane.id])
    for bar in layout.bars:
        yield from _slice(bar, numbers[bar.lane], layout.end, words)
    for mark in layout.marks:
        if mark.kind != "published" and mark.lane in numbers:
            name = f"{mark.kind} {harmless(mark.m)}".rstrip()
            args = {"cause": mark.cause, "n": mark.n}
            yield _event("i", numbers[mark.lane], mark.t, name, s="p", args=args)
    for event in account.events:
        if event.depth >= 0 and queue_lane(event) in numbers:
            number = numbers[queue_lane(event)]
            yield _event("C", number, event.t, "ready", args={"messages": event.depth})


def _slice(bar: Bar, number: int, end: int, words: Words) -> Iterator[TraceEvent]:
    """Yield the beginning and the end of a bar; one that has not ended ends with the trace."""
    name = harmless(bar.m) if bar.attempt < 2 else f"{harmless(bar.m)} ↻{bar.attempt}"
    args = {"what": harmless(words.bar(bar)), "s": bar.s, "end": bar.end, "cause": bar.cause}
    same = {"cat": bar.kind, "id": f"{bar.lane}.{bar.n0}"}
    yield _event("b", number, bar.start, name, args=args, **same)
    yield _event("e", number, end if bar.stop is None else bar.stop, name, **same)


def _meta(number: int, name: str, /, **args: Any) -> TraceEvent:
    return {"ph": "M", "pid": number, "tid": number, "name": name, "args": args}


def _event(phase: str, number: int, t: int, name: str, **more: Any) -> TraceEvent:
    if "id" in more:
        more["id"] = harmless(more["id"])
    return {"ph": phase, "pid": number, "tid": number, "ts": t, "name": name, **more}

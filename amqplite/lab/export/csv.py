"""Messages of a run as a table: one row for each in each queue it went to."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO

from amqplite.broker.trace import Event
from amqplite.lab.diagram.crossings import GONE
from amqplite.lab.export.account import Account

COLUMNS = (
    *("message", "id", "vhost", "queue", "place", "publisher", "key", "priority"),
    *("published_us", "enqueued_us", "first_delivered_us", "last_delivered_us", "ended_us"),
    *("end", "attempts", "consumers", "returns"),
    *("overtaken_by", "overtaken_by_count", "late_us", "cause"),
)
"""Times are µs since the trace's origin; what did not happen is empty."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass(slots=True)
class Row:
    """What became of a message in a queue."""

    message: str
    id: int
    vhost: str
    queue: str
    place: int
    publisher: str = ""
    key: str = ""
    priority: int = 0
    published_us: int | None = None
    enqueued_us: int | None = None
    delivered_us: list[int] = field(default_factory=list)
    consumers: list[str] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)
    ended_us: int | None = None
    end: str = ""
    ended_by: int = 0


def rows_of(events: list[Event]) -> list[Row]:
    """Return the rows, in the order in which messages came into queues."""
    published: dict[int, Event] = {}
    rows: dict[tuple[str, str, int], Row] = {}
    for event in events:
        if event.type == "published":
            published[event.id] = event
        if not event.q or not event.s:
            continue
        place = event.v, event.q, event.s
        if place not in rows:
            rows[place] = _begun(event, published.get(event.id))
        _take(rows[place], event)
    return list(rows.values())


def _begun(event: Event, published: Event | None) -> Row:
    row = Row(event.m, event.id, event.v, event.q, event.s, key=event.key, priority=event.prio)
    row.publisher = event.p
    if published is not None:
        row.published_us = published.t
        row.publisher = row.publisher or published.p
        row.key, row.priority = row.key or published.key, row.priority or published.prio
    return row


def _take(row: Row, event: Event) -> None:
    match event.type:
        case "enqueued":
            row.enqueued_us = event.t
        case "delivered":
            row.delivered_us.append(event.t)
            row.consumers.append(event.c)
        case "requeued":
            row.returns.append(event.sub if event.sub == "heartbeat_timeout" else event.cause)
        case "acked":
            row.ended_us, row.end, row.ended_by = event.t, event.type, event.n
        case gone if gone in GONE and not row.ended_by:
            row.ended_us, row.end, row.ended_by = event.t, gone, event.n


def csv_table(account: Account) -> str:
    """Return the table, its header first, lines ended as RFC 4180 says."""
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for cells in _cells(account):
        writer.writerow([safe(cell) for cell in cells])
    return out.getvalue()


def _cells(account: Account) -> Iterator[list[str | int | None]]:
    annotations = account.annotations
    for row in rows_of(account.events):
        told = annotations.get(row.ended_by)
        delivered: Sequence[int | None] = row.delivered_us or [None]
        yield [
            *(row.message, row.id, row.vhost, row.queue, row.place, row.publisher, row.key),
            *(row.priority, row.published_us, row.enqueued_us, delivered[0], delivered[-1]),
            *(row.ended_us, row.end, len(row.delivered_us), " ".join(row.consumers)),
            " ".join(row.returns),
            " ".join(told.over) if told else "",
            told.over_n if told else 0,
            told.late if told else 0,
            told.cause if told else "",
        ]


def safe(cell: str | int | None) -> str | int | None:
    """Return a cell that no spreadsheet takes for a formula, and that can be written in UTF-8."""
    if not isinstance(cell, str):
        return cell
    cell = cell.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell

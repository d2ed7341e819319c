"""Events in a ring of fixed records: what is remembered has a bound, whatever happens.

A record is 64 octets. What isn't a number stands in tables beside the ring, which forget the oldest
as well: names and keys by number, labels by message, and the few attributes that hardly any event
has by the event itself.
"""

from collections.abc import Hashable
from dataclasses import replace
from struct import Struct
from typing import Any, Generic, TypeVar

from amqplite.broker.trace import TOLD_LATE, Event

_RECORD = Struct("<QQQQIIIIIiIHHBBBB")
"""t, msg, seq, tag | queue, who, key, exchange, size, depth, spare | attempt, held | type, cause,
prio, flags."""

CAPACITY = 65_536
"""Events that are kept: 4 MiB."""

NAMES_MAX = 65_536

REDELIVERED, AUTO, MULTIPLE, REQUEUE, GET, FROM_MEMORY = 1, 2, 4, 8, 16, 32

TYPES = (
    *("published", "unroutable", "returned", "enqueued", "confirmed", "publish_nacked", "refused"),
    *("delivered", "acked", "nacked", "rejected", "requeued", "expired", "dropped"),
    *("dead_lettered", "discarded", "purged", "consumer_registered", "consumer_cancelled"),
    *("consumer_active", "channel_opened", "channel_closed", "connection_opened"),
    *("connection_lost", "connection_closed", "blocked", "unblocked", "bad_ack"),
    *("late_ack_ignored", "started", "applied", "skipped_duplicate", "crashed", "ack_lost"),
    *("recovered", "released", "fault", "gap"),
)
"""Every type an event can have."""

CAUSES = (
    ("", ""),
    ("nack_requeue", ""),
    ("reject_requeue", ""),
    ("recover", ""),
    ("channel_closed", ""),
    ("channel_closed", "protocol_error"),
    ("connection_closed", ""),
    ("connection_lost", "protocol_error"),
    ("connection_lost", "eof"),
    ("connection_lost", "peer_reset"),
    ("connection_lost", "heartbeat_timeout"),
    ("connection_lost", "admin_close"),
    ("connection_lost", "lab_fault"),
    ("ack_timeout", ""),
    ("delivery_failed", ""),
    ("broker_restart", ""),
    ("ttl", ""),
    ("maxlen", ""),
    ("delivery_limit", ""),
    ("rejected", ""),
    ("purged", ""),
    ("queue_deleted", ""),
    ("dlx_return", ""),
    ("delay", ""),
    ("no_route", ""),
)
"""Every cause an event can have, with what it is more closely."""

_TYPE = {name: number for number, name in enumerate(TYPES)}
_CAUSE = {pair: number for number, pair in enumerate(CAUSES)}

Who = tuple[str, str, str, int]
"""`(consumer, publisher, connection, channel)`, empty where nobody is meant."""

NOBODY: Who = ("", "", "", 0)

_Thing = TypeVar("_Thing", bound=Hashable)


class Table(Generic[_Thing]):
    """Things by number; of many the ones that came first are forgotten, and then are `missing`."""

    __slots__ = ("_by_number", "_limit", "_missing", "_next", "_numbers")

    def __init__(self, missing: _Thing, limit: int = NAMES_MAX) -> None:
        self._missing = missing
        self._limit = limit
        self._numbers: dict[_Thing, int] = {missing: 0}
        self._by_number: dict[int, _Thing] = {0: missing}
        self._next = 1

    def number(self, thing: _Thing) -> int:
        """Return the number of `thing`, which may be new."""
        number = self._numbers.get(thing)
        return self._add(thing) if number is None else number

    def _add(self, thing: _Thing) -> int:
        if len(self._numbers) >= self._limit:
            for number in list(self._by_number)[1 : self._limit // 4]:
                del self._numbers[self._by_number.pop(number)]
        number, self._next = self._next, self._next + 1
        self._numbers[thing] = number
        self._by_number[number] = thing
        return number

    def __getitem__(self, number: int) -> _Thing:
        """Return what has `number`."""
        return self._by_number.get(number, self._missing)


class EventLog:
    """The last events, in order.

    Attributes:
        last: number of the last event; 0 while there is none.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.last = 0
        self._capacity = capacity
        self._ring = bytearray(_RECORD.size * capacity)
        self._queues: Table[tuple[str, str]] = Table(("/", ""))
        self._who: Table[Who] = Table(NOBODY)
        self._words: Table[str] = Table("")
        self._labels: dict[int, str] = {}
        self._more: dict[int, dict[str, Any]] = {}

    @property
    def first(self) -> int:
        """Number of the oldest event that is kept."""
        return max(1, self.last - self._capacity + 1)

    def write(
        self,
        t: int,
        type_: str,
        queue: tuple[str, str] = ("/", ""),
        who: Who = NOBODY,
        msg: int = 0,
        seq: int = 0,
        tag: int = 0,
        attempt: int = 0,
        *,
        cause: tuple[str, str] = ("", ""),
        flags: int = 0,
        depth: int = -1,
        size: int = 0,
        key: str = "",
        exchange: str = "",
        prio: int = 0,
        held: int = 0,
    ) -> int:
        """Append an event; return its number."""
        at = self.last % self._capacity * _RECORD.size
        self.last = n = self.last + 1
        words = self._words
        _RECORD.pack_into(
            self._ring,
            at,
            t,
            msg,
            seq,
            tag,
            self._queues.number(queue),
            self._who.number(who),
            words.number(key) if key else 0,
            words.number(exchange) if exchange else 0,
            min(size, 0xFFFF_FFFF),
            min(depth, 0x7FFF_FFFF),
            0,
            min(attempt, 0xFFFF),
            min(held, 0xFFFF),
            _TYPE[type_],
            _CAUSE[cause],
            prio,
            flags,
        )
        return n

    def add(self, n: int, **more: Any) -> None:
        """Give an event attributes that a record has no room for."""
        kept = {name: value for name, value in more.items() if value}
        if not kept:
            return
        self._more[n] = kept
        if len(self._more) > self._capacity // 4:
            del self._more[next(iter(self._more))]

    def label(self, msg: int, label: str) -> None:
        """Remember what a message is called; else it is `m` and its number."""
        self._labels[msg] = label
        if len(self._labels) > self._capacity:
            del self._labels[next(iter(self._labels))]

    def read(self, after: int, limit: int, origin: int = 0) -> list[Event]:
        """Return up to `limit` events behind number `after`, in order, as far as they are kept.

        Where some are lost, a `gap` with the number of the last of them stands in their place.
        Times are counted from `origin`, and what was before it is told as if it were then.
        """
        events = []
        first = self.first
        if after + 1 < first:
            events.append(self._gap(after + 1, first - 1, origin))
            after = first - 1
        last = min(self.last, after + limit)
        return events + [self._event(n, origin) for n in range(after + 1, last + 1)]

    def _gap(self, lost_from: int, lost_to: int, origin: int) -> Event:
        t = self._event(lost_to + 1, origin).t
        return Event(n=lost_to, t=t, type="gap", lost_from=lost_from, lost_to=lost_to)

    def _event(self, n: int, origin: int) -> Event:
        at = (n - 1) % self._capacity * _RECORD.size
        t, msg, seq, tag, queue, who, key, exchange, size, depth, _, *rest = _RECORD.unpack_from(
            self._ring, at
        )
        attempt, held, type_, cause, prio, flags = rest
        v, q = self._queues[queue]
        c, p, conn, ch = self._who[who]
        why, closer = CAUSES[cause]
        event = Event(
            n=n,
            t=max(t - origin, 0),
            type=TYPES[type_],
            v=v,
            q=q,
            m=(self._labels.get(msg) or f"m{msg}") if msg else "",
            id=msg,
            s=seq,
            c=c,
            p=p,
            conn=conn,
            ch=ch,
            tag=tag,
            attempt=attempt,
            prio=prio,
            key=self._words[key] if key else "",
            cause=why,
            sub=closer,
            redelivered=flags & REDELIVERED != 0,
            auto=flags & AUTO != 0,
            multiple=flags & MULTIPLE != 0,
            requeue=flags & REQUEUE != 0,
            get=flags & GET != 0,
            depth=depth,
            size=size,
            exchange=self._words[exchange] if exchange else "",
            held=held,
            text=TOLD_LATE if flags & FROM_MEMORY else "",
        )
        more = self._more.get(n)
        return replace(event, **more) if more else event

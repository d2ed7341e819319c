"""Reading from a trace which connections there were, with which consumers, and how they ended."""

from bisect import bisect_right
from collections.abc import Sequence

from amqplite.broker.redelivery import Cause
from amqplite.broker.trace import Event
from amqplite.lab.rerun.handouts import Handouts
from amqplite.lab.rerun.inputs import Desk, End, Get, Inputs, Line, Taker

_CAUSES = {cause.trace: cause for cause in Cause}
_GOODBYES = {Cause.CONNECTION_CLOSED, Cause.CHANNEL_CLOSED}
_SILENT = "heartbeat_timeout"
_CHANNEL_MAX = 2047
_ADDRESSES = " -> "
"""In the name of a connection that has none of its client's choosing, and so is the only one."""

_WITH_AN_END = {"consumer_cancelled", "consumer_active", "requeued", "delivered"}


class Connections:
    """Follows connections.

    Several may have the same name, if their clients chose it: then consumers tell them apart.

    Args:
        events: of the trace.
        inputs: takes what is found.
        handouts: is told of ends.
    """

    def __init__(self, events: Sequence[Event], inputs: Inputs, handouts: Handouts) -> None:
        self._events = events
        self._numbers = [event.n for event in events]
        self._inputs = inputs
        self._handouts = handouts
        self._alive: dict[str, list[int]] = {}  # lines by name
        self._new: set[str] = set()  # names under which a connection was opened since
        self._takers: dict[str, tuple[int, Desk, Taker]] = {}
        self._lost: dict[tuple[str, str], list[int]] = {}
        self._followed: set[int] = set()
        self._marks: dict[str, list[Event]] = {}

    # -- beginnings ------------------------------------------------------------------------------

    def opened(self, event: Event) -> None:
        """A client has a connection."""
        self._new.add(event.conn)

    def registered(self, event: Event) -> None:
        """A consumer is there."""
        self._add(event, event.text or event.c, event.prefetch, event.t)

    def find(self, event: Event) -> tuple[int, Desk, Taker | None]:
        """Return to whom a message was handed out."""
        if not event.c:
            line, desk = self._desk(event)
            get = Get(at=event.t, n=event.n, queue=(event.v, event.q), auto=event.auto)
            desk.gets.append(get)
            return line, desk, None
        found = self._takers.get(event.c)
        if found is None:  # it was there before the recording
            self._inputs.guessed.add(event.c)
            found = self._add(event, event.c, 0, self._events[0].t)
        line, desk, taker = found
        if event.c in self._inputs.guessed and not event.auto:
            taker.prefetch = max(taker.prefetch, self._handouts.held_by(taker) + 1)
        return found

    def recovered(self, event: Event) -> None:
        """A consumer told that it works again."""
        if event.c in self._takers:
            self._takers[event.c][2].recovered = True

    def marked(self, event: Event) -> None:
        """Somebody told of a consumer's end, or pressed a button for it."""
        self._marks.setdefault(event.c, []).append(event)

    def _add(self, event: Event, tag: str, prefetch: int, at: int) -> tuple[int, Desk, Taker]:
        queue = (event.v, event.q)
        line, desk = self._desk(event, queue)
        taker = Taker(
            c=event.c,
            tag=tag,
            queue=queue,
            at=at,
            n=event.n,
            prefetch=prefetch,
            auto=event.auto,
        )
        desk.takers.append(taker)
        found = self._takers[event.c] = (line, desk, taker)
        return found

    def _desk(self, event: Event, queue: tuple[str, str] | None = None) -> tuple[int, Desk]:
        """Return the channel of an event, which may be new; `queue`: to consume from."""
        number = self._line(event, queue)
        line = self._inputs.lines[number]
        channel = _channel(event)
        for desk in line.desks:
            if desk.ch == channel and desk.end is None:
                return number, desk
        line.desks.append(Desk(ch=channel))
        return number, line.desks[-1]

    def _line(self, event: Event, queue: tuple[str, str] | None) -> int:
        alive = self._alive.setdefault(event.conn, [])
        if alive and not self._is_new(event, queue):
            return alive[-1]
        self._new.discard(event.conn)
        follows = self._lost_before(event)
        self._inputs.lines.append(Line(conn=event.conn, vhost=event.v, follows=follows))
        alive.append(len(self._inputs.lines) - 1)
        return alive[-1]

    def _is_new(self, event: Event, queue: tuple[str, str] | None) -> bool:
        """Return whether it is a connection that we haven't met, with the name of one we have."""
        if _ADDRESSES in event.conn:
            return False
        if event.conn in self._new:
            return True
        if queue is None:
            return False
        line = self._inputs.lines[self._alive[event.conn][-1]]
        there = [
            taker for desk in line.desks if desk.ch == _channel(event) for taker in desk.takers
        ]
        return any(taker.queue == queue and taker.cancelled is None for taker in there)

    def _lose(self, number: int, line: Line) -> None:
        """Remember a connection that was lost, by all that it could be known by again."""
        if line.end is not None and line.end.fault:
            for name in {("conn", line.conn), *(("c", taker.c) for taker in line.takers)}:
                self._lost.setdefault(name, []).append(number)

    def _lost_before(self, event: Event) -> int | None:
        """Return the connection that a new one stands in for, if there is such."""
        for name in (("c", event.c), ("conn", event.conn)):
            lost = self._lost.get(name, [])
            while lost:
                number = lost.pop()
                if number not in self._followed:
                    self._followed.add(number)
                    return number
        return None

    # -- ends ------------------------------------------------------------------------------------

    def cancelled(self, event: Event) -> None:
        """A consumer gets nothing more; or its channel has ended, or its connection."""
        line, desk, taker = self._takers.get(event.c, (0, None, None))
        if taker is not None and desk is not None and taker.cancelled is None:
            ended = desk.end is not None or self._inputs.lines[line].end is not None
            taker.cancelled = None if ended else (event.t, event.n)

    def ended(self, event: Event) -> None:
        """A connection has ended; if what we took for several loses consumers by that, all have."""
        lost = self._lost_with(event)
        for number in list(self._alive.get(event.conn, [])):
            line = self._inputs.lines[number]
            alive = [taker for desk in line.desks if desk.end is None for taker in desk.takers]
            if _is_meant(alive, lost):
                self._alive[event.conn].remove(number)
                line.end = self._end(event, line.takers)
                self._lose(number, line)
                for desk in line.desks:
                    self._handouts.died(desk, event.t)
                if not alive:
                    return

    def channel_closed(self, event: Event) -> None:
        """A channel has ended."""
        lost = self._lost_with(event)
        for number in self._alive.get(event.conn, []):
            for desk in self._inputs.lines[number].desks:
                if desk.ch == _channel(event) and desk.end is None and _is_meant(desk.takers, lost):
                    desk.end = self._end(event, desk.takers)
                    self._handouts.died(desk, event.t)
                    if not lost:
                        return

    def _end(self, event: Event, takers: Sequence[Taker]) -> End:
        cause = _CAUSES.get((event.cause, event.sub), Cause.CONNECTION_LOST)
        began = max((taker.at for taker in takers), default=0)
        died = event.t - event.idle if event.sub == _SILENT else event.t
        died = min(event.t, max(died, began))
        marks = [mark for taker in takers for mark in self._marks.pop(taker.c, ())]
        return End(
            at=event.t,
            n=event.n,
            cause=cause,
            fault=cause not in _GOODBYES,
            died=died,
            marks=tuple(sorted((one for one in marks if one.t >= died), key=lambda one: one.n)),
            held=event.held,
        )

    def _lost_with(self, event: Event) -> set[str]:
        """Return the consumers that are cancelled with what ends now."""
        lost = set()
        for at in range(bisect_right(self._numbers, event.n), len(self._events)):
            following = self._events[at]
            if following.type not in _WITH_AN_END:
                break
            if following.type == "consumer_cancelled" and following.conn == event.conn:
                lost.add(following.c)
        return lost


def _is_meant(takers: Sequence[Taker], lost: set[str]) -> bool:
    """Return whether it is these consumers' end, with which `lost` are cancelled."""
    there = {taker.c for taker in takers if taker.cancelled is None}
    return bool(there & lost) if there else not lost


def _channel(event: Event) -> int:
    """Return the number of an event's channel, or one that there can be."""
    return (event.ch - 1) % _CHANNEL_MAX + 1

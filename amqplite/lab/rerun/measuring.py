"""Reading from a trace all that it takes to run it again."""

from collections.abc import Callable, Mapping

from amqplite.broker.trace import Event
from amqplite.lab.rerun.connections import Connections
from amqplite.lab.rerun.handouts import Handouts
from amqplite.lab.rerun.inputs import End, Inputs, Purge, QueueName
from amqplite.lab.rerun.publishing import Publishing, missing
from amqplite.lab.rerun.refusal import CannotRerun
from amqplite.lab.rerun.working import Working
from amqplite.lab.trace import Trace

MESSAGES_MAX = 5000
"""Messages of a trace that is run again: it takes a while, and other things have to go on."""

_QUIET = {"consumer_registered", "consumer_cancelled", "consumer_active"}


def measure(trace: Trace) -> Inputs:
    """Return what a trace tells.

    Raises:
        CannotRerun: events are missing in it, or nothing was published, or too much.
    """
    return _Measuring(trace).inputs


class _Measuring:
    """One trace, and what is found in it."""

    def __init__(self, trace: Trace) -> None:
        self.inputs = Inputs(
            queues={(one.v, one.q): dict(one.arguments) for one in trace.header.queues}
        )
        self._places: dict[QueueName, set[int]] = {}
        self._unfinished: set[QueueName] = set()
        self._last: dict[QueueName, int] = {}  # number of the last event of a queue's messages
        self._publishing = Publishing(self.inputs, trace.events[0].t if trace.events else 0)
        self._handouts = Handouts(self.inputs)
        self._connections = Connections(trace.events, self.inputs, self._handouts)
        for event in trace.events:
            self._take(event)
        self._check()
        self._publishing.finish()
        Working(self.inputs, self._handouts.all).find()
        self._forget_what_is_behind()

    def _take(self, event: Event) -> None:
        if event.type == "gap":
            lost = max(1, event.lost_to - event.lost_from + 1)
            raise CannotRerun("whatif.err.gap", n=lost)
        self.inputs.end = max(self.inputs.end, event.t)
        if event.q:
            self._take_queue(event)
        handle = _HANDLERS.get(event.type)
        if handle is not None:
            handle(self, event)

    def _take_queue(self, event: Event) -> None:
        queue = (event.v, event.q)
        self.inputs.queues.setdefault(queue, {})
        if event.id and event.s:
            self._publishing.seen(event)
        if event.type not in _QUIET:
            self._last[queue] = event.n

    def _check(self) -> None:
        if not self._publishing.told:
            raise CannotRerun("whatif.err.empty")
        if self._publishing.told > MESSAGES_MAX:
            raise CannotRerun("whatif.err.many", n=self._publishing.told, most=MESSAGES_MAX)
        left_out = sum(missing(places) for places in self._places.values())
        if left_out:
            raise CannotRerun("whatif.err.sampled", n=left_out)

    def _forget_what_is_behind(self) -> None:
        """Nothing hinges on who left when all was done; in another run that may be later."""
        self._unfinished = {place[:2] for place in self.inputs.open}
        for line in self.inputs.lines:
            queues = [taker.queue for taker in line.takers]
            if self._is_behind(line.end, queues):
                line.end = None
            for desk in line.desks:
                if self._is_behind(desk.end, [taker.queue for taker in desk.takers]):
                    desk.end = None
                for taker in desk.takers:
                    if taker.cancelled and self._is_over(taker.queue, taker.cancelled[1]):
                        taker.cancelled = None

    def _is_behind(self, end: End | None, queues: list[QueueName]) -> bool:
        return end is not None and all(self._is_over(queue, end.n) for queue in queues)

    def _is_over(self, queue: QueueName, n: int) -> bool:
        """Return whether nothing was left in a queue, and nothing came any more."""
        return queue not in self._unfinished and self._last.get(queue, 0) < n

    # -- events ----------------------------------------------------------------------------------

    def _published(self, event: Event) -> None:
        self._publishing.published(event)

    def _returned(self, event: Event) -> None:
        self._publishing.returned(event)

    def _refused(self, event: Event) -> None:
        self._publishing.refused(event)

    def _enqueued(self, event: Event) -> None:
        self._publishing.enqueued(event)
        self._handouts.ready(event)
        if not self._publishing.was_there_before(event.id):
            self._places.setdefault((event.v, event.q), set()).add(event.s)

    def _delivered(self, event: Event) -> None:
        self._handouts.delivered(event, *self._connections.find(event))

    def _acked(self, event: Event) -> None:
        self._handouts.acked(event)

    def _rejected(self, event: Event) -> None:
        self._handouts.rejected(event)

    def _requeued(self, event: Event) -> None:
        self._handouts.requeued(event)

    def _gone(self, event: Event) -> None:
        self._handouts.gone(event)

    def _dead_lettered(self, event: Event) -> None:
        self._publishing.given_up(event)
        self._handouts.gone(event)

    def _purged(self, event: Event) -> None:
        queue = (event.v, event.q)
        self.inputs.purges.append(Purge(at=event.t, n=event.n, queue=queue))
        self._handouts.purged(queue, deleted=event.cause == "queue_deleted")

    def _registered(self, event: Event) -> None:
        self._connections.registered(event)

    def _cancelled(self, event: Event) -> None:
        self._connections.cancelled(event)

    def _opened(self, event: Event) -> None:
        self._connections.opened(event)

    def _ended(self, event: Event) -> None:
        self._connections.ended(event)

    def _channel_closed(self, event: Event) -> None:
        self._connections.channel_closed(event)

    def _late_ack(self, event: Event) -> None:
        self._handouts.late_ack(event)

    def _worked(self, event: Event) -> None:
        self._handouts.marked(event)

    def _befell(self, event: Event) -> None:
        self._connections.marked(event)

    def _recovered(self, event: Event) -> None:
        self._connections.recovered(event)

    def _released(self, event: Event) -> None:
        self.inputs.resequenced = (event.v, event.q)


_HANDLERS: Mapping[str, Callable[[_Measuring, Event], None]] = {
    "published": _Measuring._published,
    "returned": _Measuring._returned,
    "refused": _Measuring._refused,
    "enqueued": _Measuring._enqueued,
    "delivered": _Measuring._delivered,
    "acked": _Measuring._acked,
    "rejected": _Measuring._rejected,
    "requeued": _Measuring._requeued,
    "expired": _Measuring._gone,
    "dropped": _Measuring._gone,
    "discarded": _Measuring._gone,
    "dead_lettered": _Measuring._dead_lettered,
    "purged": _Measuring._purged,
    "consumer_registered": _Measuring._registered,
    "consumer_cancelled": _Measuring._cancelled,
    "connection_opened": _Measuring._opened,
    "connection_lost": _Measuring._ended,
    "connection_closed": _Measuring._ended,
    "channel_closed": _Measuring._channel_closed,
    "late_ack_ignored": _Measuring._late_ack,
    "started": _Measuring._worked,
    "applied": _Measuring._worked,
    "skipped_duplicate": _Measuring._worked,
    "crashed": _Measuring._befell,
    "ack_lost": _Measuring._befell,
    "fault": _Measuring._befell,
    "recovered": _Measuring._recovered,
    "released": _Measuring._released,
}

"""In which order a queue's messages are handed out and done with: watched always, for every queue.

What stays in order is counted by comparing two numbers, in the queue itself. Only what doesn't, or
is recorded, comes here: *hot* paths pay for order, not for watching it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from amqplite.broker.order import OrderMeter

if TYPE_CHECKING:
    from amqplite.broker.message import Entry
    from amqplite.broker.tape import Tape

NONE_EXPECTED = -1
"""In place of the place expected next: come and tell of each message."""


@dataclass(slots=True)
class Reordered:
    """What one cause has done to the order so far.

    Attributes:
        messages: completed after one that was behind them.
        inversions: pairs of messages completed in the other order.
        late_us: the latest of them, behind the first that overtook it.
    """

    messages: int = 0
    inversions: int = 0
    late_us: int = 0


@dataclass(slots=True)
class QueueOrder:
    """The order of one queue, by enqueue numbers.

    A message is done with when it is acked, or taken by a consumer that need not ack. One that is
    gone for another reason leaves a gap, and is late for nothing.

    Attributes:
        clock: tells the microseconds since the trace's origin.
        next_out: the enqueue number whose first hand-out comes next; `NONE_EXPECTED` to be told
            of each.
        next_done: the one that is done with next, while all were in order; `NONE_EXPECTED` else.
        meter: what all completions so far come to, but for those up to `next_done`: see `report`.
        redelivered: hand-outs of messages that had been handed out before.
        violations: first hand-outs that were out of order (§4.7): it has to stay 0.
        by_cause: what was reordered, by what made it so, as `trace` calls it.
        tape: where all that happens to the queue is recorded; `None` if it isn't, or it rests.
    """

    clock: Callable[[], int]
    next_out: int = 1
    next_done: int = 1
    meter: OrderMeter = field(default_factory=lambda: OrderMeter(over_max=0))
    redelivered: int = 0
    violations: int = 0
    by_cause: dict[str, Reordered] = field(default_factory=dict)
    tape: "Tape | None" = None
    _resting: "Tape | None" = None
    _rests_from: int = 0  # what `_out` was when it began to
    _out: int = 1  # the two numbers above as they are, recorded or not
    _done: int = 1

    # -- what the queue tells --------------------------------------------------------------------

    def handed_out(self, entry: "Entry", taker: Any) -> None:
        """A message was handed out that wasn't expected next; its delivery is counted already."""
        tape = self.tape or self.wake()
        if tape is not None and entry.seq == self._out:
            self._out += 1
            tape.delivered(entry, taker)
            return
        self._catch_up()
        seq, out = entry.seq, self._out
        if entry.deliveries > 1:
            self.redelivered += 1
        if seq >= out:
            if seq > out:  # those between are gone: nothing is ever handed out past them
                self.meter.gone_range(out, seq - 1)
            self._out = seq + 1
        elif entry.deliveries == 1 and entry.cause is None:
            self.violations += 1
        if tape is not None:
            tape.delivered(entry, taker)
        self._expect()

    def done(self, entry: "Entry") -> None:
        """A message is done with that wasn't expected next."""
        tape = self.tape or self.wake()
        if tape is not None and entry.seq == self._done:
            self._done += 1
            if entry.untold is None:
                tape.acked(entry, reordered=False)
            return
        meter, in_disorder = self.meter, tape is None and self.next_done == NONE_EXPECTED
        if not in_disorder:
            self._catch_up()
        arrival = meter.arrive(entry.seq, self.clock())
        if arrival is not None:
            self._count(entry, arrival.inversions, arrival.late)
        if tape is not None:
            early = entry.seq > meter.watermark
            tape.acked(entry, reordered=arrival is not None or early)
        if not in_disorder or meter.idle:
            self._expect()

    def gone(self, entries: "Iterable[Entry]") -> None:
        """Messages are gone without having been done with."""
        self._catch_up()
        for entry in entries:
            if entry.seq < self._out:  # else the next hand-out passes over it
                self.meter.gone(entry.seq)
        self._expect()

    # -- recording -------------------------------------------------------------------------------

    def record(self, tape: "Tape | None") -> None:
        """Tell `tape` of everything from now on; `None`: nobody any more."""
        self._catch_up()
        self.tape, self._resting = tape, None
        self._expect()

    def rest(self) -> None:
        """Tell the tape nothing for a while, unless something comes that isn't expected."""
        tape = self.tape
        self.record(None)
        self._resting, self._rests_from = tape, self._out

    @property
    def passed(self) -> int:
        """How many messages were handed out while the tape rests; 0 if it doesn't."""
        return self.next_out - self._rests_from if self._resting is not None else 0

    def wake(self) -> "Tape | None":
        """Tell the tape again, if it rests; return it."""
        if self._resting is not None:
            self.record(self._resting)
        return self.tape

    def report(self) -> OrderMeter:
        """Return the meter, up to now."""
        self._catch_up()
        self._expect()
        return self.meter

    # -- the numbers in the queue ----------------------------------------------------------------

    def _catch_up(self) -> None:
        """Tell the meter what was in order since it was asked last."""
        if self.next_out != NONE_EXPECTED:
            self._out = self.next_out
        if self.next_done != NONE_EXPECTED:
            self._done = self.next_done
        if self._done > self.meter.watermark + 1:
            self.meter.in_order(self.meter.watermark + 1, self._done - 1)

    def _expect(self) -> None:
        self._done = self.meter.watermark + 1 if self.meter.idle else NONE_EXPECTED
        recorded = self.tape is not None
        self.next_out = NONE_EXPECTED if recorded else self._out
        self.next_done = NONE_EXPECTED if recorded else self._done

    def _count(self, entry: "Entry", inversions: int, late_us: int) -> None:
        name = cause_of(entry)
        reordered = self.by_cause.get(name)
        if reordered is None:
            reordered = self.by_cause[name] = Reordered()
        reordered.messages += 1
        reordered.inversions += inversions
        if late_us > reordered.late_us:
            reordered.late_us = late_us


def cause_of(entry: "Entry") -> str:
    """Return what made a message late, from what the queue itself knows."""
    if entry.cause is not None:
        return entry.cause.trace[0]
    return "parallel_consumers" if entry.deliveries <= 1 else "broker_restart"

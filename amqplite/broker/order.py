"""How much a sequence is out of order, measured while it comes, in the memory of what waits.

The terms are those of RFC 4737 (reordered, extent, late time, n-reordering) and RFC 5236
(displacement, reorder buffer), beside the count of inversions and the fewest that would have to be
moved to restore the order.
"""

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass

from amqplite.broker.displacement import Displacements
from amqplite.broker.intervals import Intervals

HELD_MAX = 65_536
"""Arrivals held back at most: what is awaited before them all is then given up."""

OVER_MAX = 64
"""Of those that overtook a message, how many are named."""


@dataclass(slots=True)
class Arrival:
    """One that arrived after a larger number: it was overtaken.

    Attributes:
        position: its place among all arrivals, from 1.
        inversions: how many larger numbers arrived before it.
        extent: how many arrivals after the first of these.
        late: how long after that, in microseconds.
        n_reordering: how many arrivals right before it were all larger.
        over: the smallest of the larger numbers that arrived before it, so many as the meter names.
        displacement: places that it arrived after its rank; `None` until all smaller numbers have
            arrived or are gone.
    """

    position: int
    inversions: int
    extent: int
    late: int
    n_reordering: int
    over: tuple[int, ...]
    displacement: int | None = None


class OrderMeter:
    """Measures one sequence of distinct numbers, which should have come in rising order.

    A number takes O(log k) and the state O(k), where k of them are held: those that an in-order
    releaser would hold back at the moment, since a smaller one has not come yet.

    Args:
        after: the number before the first; those up to it are never told.
        held_max: how many may be held, before what is missing is given up.
        over_max: how many are named of those that overtook one.

    Attributes:
        watermark: every number up to this one has arrived or is gone.
        n: arrivals.
        reordered: of these, how many came after a larger number.
        inversions: pairs that came the wrong way round; the least it can be, if `approximate`.
        extent_max: the largest extent of one.
        late_max: the longest late time of one, in microseconds.
        late_sum: of all.
        n_reordering_max: the largest n-reordering of one.
        buffer_max: most arrivals held at a time.
        buffer_us: how long arrivals were held, all together, in microseconds.
        buffer_us_max: the longest that one was held.
        late_beyond_window: arrivals of what had been given up, or was said to be gone.
        approximate: whether something had to be given up, so that not all of it could be measured.
    """

    __slots__ = (
        "_after",
        "_arrivals",
        "_displaced",
        "_given_up",
        "_gone",
        "_held",
        "_held_max",
        "_last_low",
        "_last_t",
        "_lis",
        "_maxima",
        "_minima",
        "_over_max",
        "_skipped",
        "_tails",
        "approximate",
        "buffer_max",
        "buffer_us",
        "buffer_us_max",
        "extent_max",
        "inversions",
        "late_beyond_window",
        "late_max",
        "late_sum",
        "n",
        "n_reordering_max",
        "reordered",
        "watermark",
    )

    def __init__(
        self, after: int = 0, *, held_max: int = HELD_MAX, over_max: int = OVER_MAX
    ) -> None:
        self.watermark = after
        self.n = self.reordered = self.inversions = 0
        self.extent_max = self.late_max = self.late_sum = 0
        self.n_reordering_max = self.buffer_max = self.buffer_us = self.buffer_us_max = 0
        self.late_beyond_window = 0
        self.approximate = False
        self._after, self._held_max, self._over_max = after, held_max, over_max
        self._held: list[int] = []  # arrived, above the watermark, sorted
        self._arrivals: dict[int, tuple[int, int, Arrival | None]] = {}  # of these: position, t
        self._gone = Intervals()  # never to arrive, above the watermark
        self._skipped = 0  # gone or given up, up to the watermark
        self._given_up = after  # the last number given up
        self._maxima: list[tuple[int, int, int]] = []  # number, position, t of each largest so far
        self._minima: list[tuple[int, int]] = []  # number, position of each smallest from there on
        self._last_low = 0  # position of the last arrival that is not above the watermark
        self._tails: list[int] = []  # least ends of rising subsequences, above the watermark
        self._lis = 0  # length of the longest one up to the watermark
        self._displaced = Displacements()  # those that were held
        self._last_t = 0

    # -- what happens ----------------------------------------------------------------------------

    def arrive(self, s: int, t: int) -> Arrival | None:
        """Take the number `s` in, at `t` microseconds; return how it was overtaken, if it was."""
        held = self._held
        if s == self.watermark + 1 and not held and not self._gone.first:
            self.watermark = s
            self._lis += 1
            self._last_low = self.n = self.n + 1
            return None
        if s in self._arrivals:
            return None  # twice: not a sequence of distinct numbers
        self.n += 1
        self._last_t = t
        overtaken = self._place(s, t)
        if s > self.watermark:
            if self._gone.first:
                self._gone.discard(s)
            insort(held, s)
            self._arrivals[s] = (self.n, t, overtaken)
            if held[0] == self.watermark + 1:
                self._advance()
            if len(held) > self.buffer_max:
                if len(held) > self._held_max:
                    self._give_up()
                self.buffer_max = max(self.buffer_max, len(held))
        else:
            self.late_beyond_window += 1
            self.approximate = True
            self._skipped -= 1
        return overtaken

    def in_order(self, first: int, last: int) -> None:
        """Take in all numbers from `first` to `last`, each in its turn, in O(1).

        Raises:
            ValueError: the meter is not `idle`, or `first` is not the next number.
        """
        if first != self.watermark + 1 or not self.idle:
            raise ValueError(f"{first} is not next in order after {self.watermark}")
        arrived = last - self.watermark
        if arrived > 0:
            self.watermark = last
            self._lis += arrived
            self._last_low = self.n = self.n + arrived

    def gone(self, s: int, t: int | None = None) -> None:
        """Say that `s` will never arrive: nothing waits for it any more."""
        self.gone_range(s, s, t)

    def gone_range(self, first: int, last: int, t: int | None = None) -> None:
        """Say that the numbers from `first` to `last` will never arrive, but for those held.

        Args:
            first: one before the watermark is done with already.
            last: none are gone, if it is before `first`.
            t: when, in microseconds; `None` is at the last arrival.
        """
        if t is not None:
            self._last_t = t
        first = max(first, self.watermark + 1)
        if first > last:
            return
        if first == self.watermark + 1 and self.idle:
            self._skipped += last - self.watermark
            self.watermark = last
            return
        for s in self._held[bisect_left(self._held, first) : bisect_right(self._held, last)]:
            self._gone.add(first, s - 1)
            first = s + 1
        self._gone.add(first, last)
        self._advance()

    # -- what it comes to ------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Nothing is held, and nothing is gone ahead of its turn: what comes may be `in_order`."""
        return not self._held and not self._gone.first

    @property
    def held(self) -> int:
        """Arrivals held at the moment."""
        return len(self._held)

    @property
    def size(self) -> int:
        """Entries of the state, 0 if all came in order."""
        return (
            2 * len(self._held)
            + len(self._gone)
            + len(self._maxima)
            + len(self._minima)
            + len(self._tails)
        )

    @property
    def ratio(self) -> float:
        """Share of the arrivals that were reordered."""
        return self.reordered / self.n if self.n else 0.0

    @property
    def tau(self) -> float:
        """Kendall's rank correlation: 1 in order, -1 the other way round."""
        return 1 - 4 * self.inversions / (self.n * (self.n - 1)) if self.n > 1 else 1.0

    @property
    def moved(self) -> int:
        """The fewest to lift out so that the rest is in order (Ulam's distance)."""
        return self.n - self._lis - len(self._tails)

    def displacements(self) -> Displacements:
        """Return where all arrived, as if nothing that is missing should come any more."""
        below = self.n - len(self._held)
        displaced = self._displaced.with_more(
            self._arrivals[s][0] - below - k for k, s in enumerate(self._held, 1)
        )
        in_place = self.n - self.late_beyond_window - displaced.n
        if in_place:
            displaced.add(0, in_place)
        return displaced

    # -- how -------------------------------------------------------------------------------------

    def _place(self, s: int, t: int) -> Arrival | None:
        """See what came before `s`, which has just arrived."""
        position, held, minima = self.n, self._held, self._minima
        while minima and minima[-1][0] > s:
            minima.pop()
        before = minima[-1][1] if minima else self._last_low
        if s > self.watermark:
            minima.append((s, position))
            tails = self._tails
            if not tails or s > tails[-1]:
                tails.append(s)
            else:
                tails[bisect_left(tails, s)] = s
        else:
            self._last_low = position
        larger = bisect_right(held, s) if held and held[-1] > s else len(held)
        inversions = len(held) - larger or int(s <= self._given_up)
        if not inversions:
            if s > self.watermark:
                self._maxima.append((s, position, t))
            return None
        maxima = self._maxima
        k = bisect_right(maxima, (s + 1,))
        _, first, since = maxima[k] if k < len(maxima) else (0, position - 1, t)
        over = tuple(held[larger : larger + self._over_max]) if self._over_max else ()
        arrival = Arrival(
            position, inversions, position - first, t - since, position - before - 1, over
        )
        self._count(arrival)
        return arrival

    def _count(self, arrival: Arrival) -> None:
        # comparisons, since max() is a call, and this is done for every other message in places
        late = arrival.late
        self.reordered += 1
        self.inversions += arrival.inversions
        self.late_sum += late
        if arrival.extent > self.extent_max:
            self.extent_max = arrival.extent
        if late > self.late_max:
            self.late_max = late
        if arrival.n_reordering > self.n_reordering_max:
            self.n_reordering_max = arrival.n_reordering

    def _give_up(self) -> None:
        """Don't wait any longer for what is before the first of those held."""
        # a sixteenth of them at once, since to shift the rest takes its time
        last = self._held[len(self._held) - self._held_max + self._held_max // 16 - 1]
        self.approximate = True
        self._given_up = last
        self.gone_range(self.watermark + 1, last)

    def _advance(self) -> None:
        """Release what is next in order, and forget what it took to measure it."""
        held, gone, mark, released = self._held, self._gone, self.watermark, 0
        while True:
            if released < len(held) and held[released] == mark + 1:
                mark += 1
                released += 1
                self._release(mark)
            elif gone.first and (last := gone.take(mark + 1)) > mark:
                self._skipped += last - mark
                mark = last
            else:
                break
        if mark != self.watermark:
            self.watermark = mark
            del held[:released]
            self._forget(mark)

    def _release(self, s: int) -> None:
        position, since, overtaken = self._arrivals.pop(s)
        displacement = position - (s - self._after - self._skipped)
        self._displaced.add(displacement)
        waited = self._last_t - since
        self.buffer_us += waited
        if waited > self.buffer_us_max:
            self.buffer_us_max = waited
        if overtaken is not None:
            overtaken.displacement = displacement

    def _forget(self, mark: int) -> None:
        maxima, minima, tails = self._maxima, self._minima, self._tails
        above = (mark + 1,)
        if maxima and maxima[0] < above:
            del maxima[: bisect_left(maxima, above)]
        if minima and minima[0] < above:
            low = bisect_left(minima, above)
            self._last_low = minima[low - 1][1]
            del minima[:low]
        if tails and tails[0] <= mark:
            risen = bisect_right(tails, mark)
            self._lis += risen
            del tails[:risen]

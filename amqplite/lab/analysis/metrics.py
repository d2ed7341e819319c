"""What a sequence of messages comes to, in numbers."""

from copy import deepcopy

from msgspec import Struct

from amqplite.broker.order import Arrival, OrderMeter

HELD_MAX = 16_384
"""Messages that a scope remembers while it waits for one that was published before them."""

LISTED_MAX = 1000
"""Messages of a sequence that are listed."""


class Metrics(Struct, frozen=True, kw_only=True):
    """The order of one scope's messages.

    Attributes:
        scope: `queue`, `consumer`, `key`, `publisher` or `publish`.
        name: of the member: the queue, consumer, key or publisher.
        at: `completion`, `first` (the first hand-out), or `view` (what a consumer saw).
        v: the vhost; empty if several may be meant.
        q: the queue; empty if several may be meant.
        n: messages that have come.
        completion: what they are called, in the order in which they came, `LISTED_MAX` at most; of
            a view with those that came again.
        reordered: how many came after one that was published later.
        ratio: their share.
        inversions: pairs that came the wrong way round.
        tau: Kendall's rank correlation.
        moved: the fewest to lift out so that the rest is in order.
        extent: most messages from the first that overtook one to that one.
        late: longest time from the first that overtook one to that one, in microseconds.
        late_by: which message that was.
        nreo: most messages right before one that were all published later.
        disp_max: most places that one came from where it belongs.
        disp_mean: places that they came from there, in the mean.
        rd: how many came how many places too late (too early, if negative).
        buffer: most messages that an in-order releaser would have had to hold; 0 of a view, since a
            consumer can't know which messages others get.
        buffer_us: longest that it would have held one.
        buffer_us_sum: how long it would have held them, all together.
        backward: hand-outs of a message that was published before one the same consumer had seen;
            of a publisher, those that AMQP (§4.7) forbids.
        approximate: some numbers are lower bounds.
    """

    scope: str
    name: str
    at: str
    v: str = ""
    q: str = ""
    n: int
    completion: list[str]
    reordered: int
    ratio: float
    inversions: int
    tau: float
    moved: int
    extent: int
    late: int
    late_by: str
    nreo: int
    disp_max: int
    disp_mean: float
    rd: dict[str, int]
    buffer: int
    buffer_us: int
    buffer_us_sum: int
    backward: int
    approximate: bool


class Measured:
    """A sequence that is measured, some numbers of which may come though nobody counts on them.

    Nothing waits for a message that was dead-lettered, and yet it may come back; nor for one that a
    sampled trace leaves out, and yet it is told of when something befalls it. So there are two
    meters as soon as there are such: for one of them the number is gone, which tells what has to
    be held back; for the other it is not, which tells how late it is if it comes after all.

    Attributes:
        sampled: numbers were left out.
    """

    def __init__(self, after: int = 0) -> None:
        self.sampled = False
        self._meter = OrderMeter(after, held_max=HELD_MAX)
        self._patient: OrderMeter | None = None
        self._came_back = False
        self._listed: list[str] = []
        self._late = 0
        self._late_by = ""

    @property
    def floor(self) -> int:
        """Whatever is up to this number will not come any more."""
        return (self._patient or self._meter).watermark

    @property
    def in_order(self) -> bool:
        """Nothing has been overtaken so far."""
        return (self._patient or self._meter).reordered == 0

    def arrive(self, number: int, t: int, label: str) -> Arrival | None:
        """Take a message in; return how it was overtaken, if it was."""
        if len(self._listed) < LISTED_MAX:
            self._listed.append(label)
        given_up = self._meter.late_beyond_window
        arrival = self._meter.arrive(number, t)
        if self._patient is not None:
            arrival = self._patient.arrive(number, t)
            if arrival is not None:
                self._came_back |= self._meter.late_beyond_window > given_up
        if arrival is not None and (arrival.late > self._late or not self._late_by):
            self._late, self._late_by = arrival.late, label
        return arrival

    def gone(self, first: int, last: int, t: int) -> None:
        """These will never come."""
        self._meter.gone_range(first, last, t)
        if self._patient is not None:
            self._patient.gone_range(first, last, t)

    def missing(self, first: int, last: int, t: int) -> None:
        """These are not counted on, and may come nevertheless."""
        if self._patient is None:
            self._patient = deepcopy(self._meter)
        self._meter.gone_range(first, last, t)

    def metrics(
        self,
        scope: str,
        name: str,
        at: str,
        where: tuple[str, str] = ("", ""),
        *,
        backward: int = 0,
        listed: list[str] | None = None,
    ) -> Metrics:
        """Return what it has come to so far."""
        meter = self._patient or self._meter
        holder = meter if self._came_back else self._meter
        is_view = listed is not None
        displaced = meter.displacements()
        return Metrics(
            scope=scope,
            name=name,
            at=at,
            v=where[0],
            q=where[1],
            n=meter.n,
            completion=list(self._listed if listed is None else listed),
            reordered=meter.reordered,
            ratio=round(meter.ratio, 4),
            inversions=meter.inversions,
            tau=round(meter.tau, 4),
            moved=meter.moved,
            extent=meter.extent_max,
            late=meter.late_max,
            late_by=self._late_by,
            nreo=meter.n_reordering_max,
            disp_max=displaced.largest,
            disp_mean=round(displaced.mean, 4),
            rd={str(places): times for places, times in displaced.histogram().items()},
            buffer=0 if is_view else holder.buffer_max,
            buffer_us=0 if is_view else holder.buffer_us_max,
            buffer_us_sum=0 if is_view else holder.buffer_us,
            backward=backward,
            approximate=self.sampled
            or meter.late_beyond_window > 0
            or self._meter.buffer_max >= HELD_MAX,
        )

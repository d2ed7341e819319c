"""From time to place: lengths that tell how long, equal steps, or idle times cut out."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10
from statistics import median_low
from typing import Literal

Kind = Literal["time", "order", "collapse"]

IDLE = 5
"""A wait over this many times the median wait is idle time."""

INSTANT = 50
"""Parts of a unit: what is no further apart than one happens at one instant, for people."""


@dataclass(frozen=True, slots=True)
class Break:
    """Idle time that was cut out, from `start` to `end` (µs)."""

    start: int
    end: int


class Scale:
    """A rising map from µs to units, straight between the instants that it knows.

    Attributes:
        unit_us: µs of a unit, where time runs as it did.
        breaks: idle times that were cut out.
        end: units of the last instant.
    """

    def __init__(
        self, times: list[int], places: list[float], unit_us: int, breaks: list[Break]
    ) -> None:
        self._times, self._places = times, places
        self.unit_us = unit_us
        self.breaks = breaks
        self.end = places[-1]

    def __call__(self, t: float) -> float:
        """Return the place of an instant, in units; beyond the ends a unit is `unit_us`."""
        times, places = self._times, self._places
        after = bisect_right(times, t)
        if after == 0:
            return places[0] + (t - times[0]) / self.unit_us
        if after == len(times):
            return places[-1] + (t - times[-1]) / self.unit_us
        start, end = times[after - 1], times[after]
        share = (t - start) / (end - start)
        return places[after - 1] + share * (places[after] - places[after - 1])


def make_scale(
    kind: Kind, times: Iterable[int], unit_us: int, *, apart_us: int = 0, cut: float = 0.3
) -> Scale:
    """Return the scale of a diagram.

    Args:
        kind: `time`: a unit is `unit_us`. `order`: a unit is the step from one instant to the next.
            `collapse`: as `time`, but idle times take `cut` units.
        times: at which something happens, in µs, in any order.
        unit_us: what people count time in.
        apart_us: what is no further from an instant belongs to it; a fiftieth of a unit by default.
        cut: units of an idle time; shorter ones stay as they are.
    """
    instants = instants_of(times, apart_us or unit_us // INSTANT)
    first, last = instants[0], instants[-1]
    if kind == "order":
        return Scale(instants, [float(k) for k in range(len(instants))], unit_us, [])
    if kind == "collapse":
        return _collapsed(instants, unit_us, cut)
    ends = [first, last] if last > first else [first]
    return Scale(ends, [(t - first) / unit_us for t in ends], unit_us, [])


def instants_of(times: Iterable[int], apart_us: int) -> list[int]:
    """Return the instants at which something happens, in order; there is one at least.

    Args:
        times: in µs, in any order.
        apart_us: what is no further from an instant belongs to it.
    """
    instants = list[int]()
    for t in sorted(times):
        if not instants or t - instants[-1] > apart_us:
            instants.append(t)
    return instants or [0]


def _collapsed(instants: list[int], unit_us: int, cut: float) -> Scale:
    waits = [after - before for before, after in pairwise(instants)]
    most = IDLE * median_low(waits) if len(waits) > 1 else float("inf")
    places, breaks = [0.0], list[Break]()
    for start, wait in zip(instants, waits, strict=False):
        width = wait / unit_us
        if wait > most and width > cut:
            breaks.append(Break(start, start + wait))
            width = cut
        places.append(places[-1] + width)
    return Scale(instants, places, unit_us, breaks)


def even_instants(scale: Scale, start: int, end: int, apart: float) -> list[int]:
    """Return instants at even distances, in µs, that are round numbers of the scale's unit.

    Args:
        scale: what they are labelled on; in idle time that it cut out there are none.
        start: none is before it, in µs.
        end: none is after it.
        apart: units between them at least.
    """
    step = max(1, round(round_step(apart) * scale.unit_us))
    instants, breaks = list[int](), iter(scale.breaks)
    gap = next(breaks, None)
    t = -(-start // step) * step
    while t <= end:
        while gap is not None and gap.end <= t:
            gap = next(breaks, None)
        if gap is not None and gap.start < t:
            t = -(-gap.end // step) * step
            continue
        instants.append(t)
        t += step
    return instants


def round_step(least: float) -> float:
    """Return what is at least as large of 0.1, 0.2, 0.5, 1, 2, 5, 10 and so on, up and down."""
    power = 10.0 ** floor(log10(least))
    return power * next((step for step in (1, 2, 5) if step * power >= least * 0.999_999), 10)

"""Ranges of keys, and what is in none of them."""

from bisect import bisect_left
from collections.abc import Iterable

Range = tuple[int, int]
"""The first and the last key, both within; nothing if they are the wrong way round."""

Ranges = tuple[Range, ...]
"""In order, none touching another: what `merge` gives."""


def merge(ranges: Iterable[Range]) -> Ranges:
    """Return what any of `ranges` holds."""
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        elif first <= last:
            merged.append((first, last))
    return tuple(merged)


def holds(ranges: Ranges, key: int) -> bool:
    """Tell whether `key` is in one of `ranges`."""
    index = bisect_left(ranges, (key + 1, 0))
    return index > 0 and key <= ranges[index - 1][1]


def gaps(ranges: Ranges, first: int, last: int) -> list[Range]:
    """Return what there is from `first` to `last` beside `ranges`, in order."""
    found: list[Range] = []
    for start, end in ranges[max(0, bisect_left(ranges, (first, 0)) - 1) :]:
        if start > last:
            break
        if first < start:
            found.append((first, start - 1))
        first = max(first, end + 1)
    if first <= last:
        found.append((first, last))
    return found

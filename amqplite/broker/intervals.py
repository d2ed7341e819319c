"""Sets of whole numbers that lie together, kept as intervals: a million in a row take no room."""

from bisect import bisect_left, bisect_right


class Intervals:
    """A set of whole numbers; what touches is joined.

    To find a place takes O(log k), with k intervals.

    Attributes:
        first: the first number of each interval, rising.
    """

    __slots__ = ("_last", "first")

    def __init__(self) -> None:
        self.first: list[int] = []
        self._last: list[int] = []

    def __len__(self) -> int:
        """Intervals, not numbers."""
        return len(self.first)

    def add(self, first: int, last: int) -> None:
        """Add the numbers from `first` to `last`: none, if `last` is before `first`."""
        if first > last:
            return
        i = bisect_left(self._last, first - 1)
        j = bisect_right(self.first, last + 1)
        if i < j:
            first = min(first, self.first[i])
            last = max(last, self._last[j - 1])
        self.first[i:j] = [first]
        self._last[i:j] = [last]

    def discard(self, number: int) -> None:
        """Take one number out, if it is in."""
        i = bisect_right(self.first, number) - 1
        if i < 0 or self._last[i] < number:
            return
        first, last = self.first.pop(i), self._last.pop(i)
        self.add(first, number - 1)
        self.add(number + 1, last)

    def take(self, first: int) -> int:
        """Take the first interval out, if it begins at `first`; return its last number.

        If it doesn't, or there is none: `first - 1`.
        """
        if not self.first or self.first[0] != first:
            return first - 1
        del self.first[0]
        return self._last.pop(0)

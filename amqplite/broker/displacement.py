"""How far things arrive from where they belong: the reorder density of RFC 5236."""

from collections.abc import Iterable

TOLD_APART = 256
"""Displacements are told apart up to here, early or late; those beyond are counted as this."""


class Displacements:
    """A histogram of displacements: places that one arrived after its rank, negative if before.

    Attributes:
        n: how many there are.
        largest: the largest, early or late.
        total: the sum of all, early or late.
    """

    __slots__ = ("_counts", "largest", "n", "total")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self.n = self.largest = self.total = 0

    def add(self, displacement: int, times: int = 1) -> None:
        """Count one displacement, or several of the same."""
        counts, far = self._counts, abs(displacement)
        if far > TOLD_APART:
            displacement = TOLD_APART if displacement > 0 else -TOLD_APART
        counts[displacement] = counts.get(displacement, 0) + times
        self.n += times
        self.total += times * far
        if far > self.largest:
            self.largest = far

    def with_more(self, more: Iterable[int]) -> "Displacements":
        """Return a copy with these as well."""
        copy = Displacements()
        copy._counts = self._counts.copy()
        copy.n, copy.largest, copy.total = self.n, self.largest, self.total
        for displacement in more:
            copy.add(displacement)
        return copy

    @property
    def mean(self) -> float:
        """How far one is displaced, early or late."""
        return self.total / self.n if self.n else 0.0

    def histogram(self) -> dict[int, int]:
        """Return how many there are of each, the earliest first."""
        return dict(sorted(self._counts.items()))

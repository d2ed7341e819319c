"""Places for text where nothing else is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle; `y` grows downwards."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: "Box") -> bool:
        """Return whether they share more than an edge."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def crossed_by(self, line: "Line") -> bool:
        """Return whether any part of a line is inside."""
        start, end = 0.0, 1.0
        sides = (
            (line.x1, line.x2 - line.x1, self.x, self.x + self.width),
            (line.y1, line.y2 - line.y1, self.y, self.y + self.height),
        )
        for origin, step, low, high in sides:
            if step == 0:
                if not low < origin < high:
                    return False
                continue
            a, b = (low - origin) / step, (high - origin) / step
            start, end = max(start, min(a, b)), min(end, max(a, b))
        return start < end


class Line(NamedTuple):
    """A straight line between two points."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(slots=True)
class Places:
    """What is taken of a drawing.

    Attributes:
        boxes: where nothing may be put any more.
        lines: what text should rather not cover.
    """

    boxes: list[Box]
    lines: list[Line]

    def best(
        self, candidates: Iterable[Box], *, within: Box, over_lines: bool = True
    ) -> Box | None:
        """Take the first candidate that nothing is at, or else the one over the fewest lines.

        Args:
            candidates: in order of preference.
            within: what a candidate must not reach out of.
            over_lines: whether lines may be covered at all.

        Returns:
            The candidate, which is taken now; `None` where each covers a box.
        """
        found: tuple[int, Box] | None = None
        for box in candidates:
            if not _inside(box, within) or any(box.overlaps(other) for other in self.boxes):
                continue
            covered = sum(box.crossed_by(line) for line in self.lines)
            if found is None or covered < found[0]:
                found = covered, box
            if not covered:
                break
        if found is None or (found[0] and not over_lines):
            return None
        self.boxes.append(found[1])
        return found[1]


def _inside(box: Box, outer: Box) -> bool:
    return (
        outer.x <= box.x
        and box.x + box.width <= outer.x + outer.width
        and outer.y <= box.y
        and box.y + box.height <= outer.y + outer.height
    )

"""Order lines of a picture: what was published above, what completed below, crossings ringed."""

from amqplite.lab.diagram.crossings import Crossing, Line, OrderLines
from amqplite.lab.export import palette as colour
from amqplite.lab.export.drawing import Drawing, number
from amqplite.lab.export.place import Box, Places
from amqplite.lab.export.place import Line as Segment
from amqplite.lab.export.width import pixels
from amqplite.lab.export.words import Words

LINES_MAX = 60
"""Messages of which lines are drawn; of more a strip tells how far each was displaced."""

NAMED_MAX = 10
"""Crossings that are told in words, if no more there are."""

RINGED_MAX = 80
TALL, APART = 28, 62
"""Height of a message's box, and between the two rows."""

STEP = 104
SIZE, SMALL = 12.5, 10
TITLE = 26
STRIP = 70

Point = tuple[float, float]


class OrderBlock:
    """The order lines of one queue, under a title.

    Args:
        found: the lines.
        title: what stands above them.
        labels: width of what stands before the rows.
        words: for what is written.

    Attributes:
        width: how wide it would like to be; a strip takes what it gets.
    """

    def __init__(self, found: OrderLines, title: str, labels: float, words: Words) -> None:
        self.found, self.title, self.labels, self.words = found, title, labels, words
        count = words("order.count", n=found.inversions)
        self._count, self._ink = count, colour.MUTED
        if not found.inversions:
            self._count, self._ink = words("order.none", n=len(found.completed)), colour.GREEN_INK
        self._title_width = pixels(title, 14, bold=True) + 14
        wanted = labels + 18 + STEP * len(found.lines)
        self.width = max(wanted, self._title_width + pixels(self._count, 13))
        if len(found.lines) > LINES_MAX:
            self.width = 1e9

    def draw(self, drawing: Drawing, x: float, right: float, y: float) -> float:
        """Draw it between `x` and `right`, from `y` down; return its lower edge."""
        drawing.text(self.title, x=x, y=y + 14, font_size=14, font_weight="600", fill=colour.INK)
        at = x + self._title_width
        drawing.text(self._count, x=at, y=y + 14, font_size=13, fill=self._ink)
        left = x + self.labels
        if len(self.found.lines) > LINES_MAX:
            return _strip(drawing, self.found, left, right, y + TITLE, self.words)
        return _Lines(self.found, left, right, y + TITLE, self.words).draw(drawing)


class _Lines:
    def __init__(
        self, found: OrderLines, left: float, right: float, y: float, words: Words
    ) -> None:
        self.found, self.words = found, words
        self.left, self.right = left, right
        self.upper, self.lower = y + TALL / 2, y + TALL * 1.5 + APART
        widest = max(pixels(line.m, SIZE, bold=True) for line in found.lines) + 16
        self.step = min(STEP, (right - left - 18) / len(found.lines))
        self.boxed = widest + 4 <= self.step
        self.width = max(40.0, widest) if self.step >= 46 else widest
        self.half = TALL / 2 if self.boxed else 5.0
        self.small = max(pixels(line.m, SMALL, bold=True) for line in found.lines) + 6

    def x(self, place: int) -> float:
        return self.left + 18 + (self.width / 2 if self.boxed else 6) + place * self.step

    def draw(self, drawing: Drawing) -> float:
        words = self.words
        for y, key in ((self.upper, "order.published"), (self.lower, "order.completion")):
            drawing.text(
                words(key),
                x=self.left - 28,
                y=y + 4.5,
                text_anchor="end",
                font_size=13,
                fill=colour.MUTED,
            )
        name = words(
            "order.name",
            a=", ".join(line.m for line in self.found.lines),
            b=", ".join(line.m for line in self.found.completed),
            what=words("order.completion"),
            count=words("order.count", n=self.found.inversions),
        )
        with drawing.named(name):
            self._lines(drawing)
            self._crossings(drawing)
            self._ends(drawing)
        return self.lower + TALL / 2 + (0 if self.boxed else 12)

    def _segment(self, line: Line) -> Segment:
        end = line.completed if line.completed is not None else line.published
        top, bottom = self.upper + self.half, self.lower - self.half
        return Segment(self.x(line.published), top, self.x(end), bottom)

    def _lines(self, drawing: Drawing) -> None:
        ordered = sorted(self.found.lines, key=_is_crossing)
        for line in ordered:
            x1, y1, x2, y2 = self._segment(line)
            if line.completed is None:
                self._stub(drawing, line, x1, y1)
                continue
            crossing = _is_crossing(line)
            path = f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"
            if crossing:
                drawing.put("path", d=path, stroke=colour.PAPER, stroke_width=5.5, fill="none")
            drawing.put(
                "path",
                d=path,
                stroke=colour.VERMILION if crossing else "#8b8e93",
                stroke_width=2.6 if crossing else 1.5,
                fill="none",
            )

    def _stub(self, drawing: Drawing, line: Line, x: float, y: float) -> None:
        """A line that leads nowhere: gone, or not completed yet."""
        drawing.put(
            "path",
            d=f"M{number(x)} {number(y)}v9",
            stroke="#8b8e93",
            stroke_width=1.5,
            stroke_dasharray="2 3",
            fill="none",
        )
        if line.gone:
            cross = f"M{number(x - 3.5)} {number(y + 9)}l7 7m0 -7l-7 7"
            drawing.put("path", d=cross, stroke=colour.VERMILION, stroke_width=2.4, fill="none")

    def _meeting(self, crossing: Crossing) -> Point:
        late, early = self._segment(crossing.late), self._segment(crossing.early)
        ahead, behind = early.x1 - late.x1, late.x2 - early.x2
        share = ahead / (ahead + behind)
        return late.x1 + share * (late.x2 - late.x1), late.y1 + share * (late.y2 - late.y1)

    def _crossings(self, drawing: Drawing) -> None:
        if self.found.inversions > RINGED_MAX:
            return
        crossings = [(one, self._meeting(one)) for one in self.found.crossings()]
        r = 7.0 if len(crossings) <= NAMED_MAX and self.step > 50 else 4.5
        for _, (x, y) in crossings:
            drawing.put(
                "circle",
                cx=x,
                cy=y,
                r=r,
                fill=colour.PAPER,
                stroke=colour.VERMILION,
                stroke_width=2.2,
            )
        if len(crossings) <= NAMED_MAX:
            self._names(drawing, crossings, r)

    def _names(self, drawing: Drawing, crossings: list[tuple[Crossing, Point]], r: float) -> None:
        rings = [Box(x - r - 2, y - r - 2, 2 * r + 4, 2 * r + 4) for _, (x, y) in crossings]
        lines = [self._segment(x) for x in self.found.lines if x.completed is not None]
        places = Places(rings, lines)
        top, bottom = self.upper + self.half + 1, self.lower - self.half - 1
        within = Box(self.left - 10, top, self.right - self.left + 26, bottom - top)
        for crossing, (x, y) in crossings:
            text = self.words("order.cross", y=crossing.early.m, x=crossing.late.m)
            width = pixels(text, 12) + 4
            found = places.best(_around(x, y, r, width), within=within)
            if found is not None:
                drawing.text(
                    text,
                    x=found.x + 2,
                    y=found.y + 12,
                    font_size=12,
                    fill=colour.VERMILION_INK,
                    stroke=colour.PAPER,
                    stroke_width=4,
                    stroke_linejoin="round",
                    paint_order="stroke",
                )

    def _ends(self, drawing: Drawing) -> None:
        for line in self.found.lines:
            self._end(drawing, line, self.x(line.published), self.upper)
            if line.completed is not None:
                self._end(drawing, line, self.x(line.completed), self.lower)

    def _end(self, drawing: Drawing, line: Line, x: float, y: float) -> None:
        crossing = _is_crossing(line)
        stroke = colour.VERMILION if crossing else colour.INK
        if not self.boxed:
            self._small(drawing, line, x, y, stroke)
            return
        drawing.put(
            "rect",
            x=x - self.width / 2,
            y=y - TALL / 2,
            width=self.width,
            height=TALL,
            rx=6,
            fill=colour.VERMILION_WASH if crossing else colour.PAPER,
            stroke=stroke if line.completed is not None else colour.GREY,
            stroke_width=2.2 if crossing else 1.2,
            stroke_dasharray="3 3" if line.completed is None else None,
        )
        _middle(drawing, line.m, x, y + 4.5, SIZE)

    def _small(self, drawing: Drawing, line: Line, x: float, y: float, stroke: str) -> None:
        drawing.put("circle", cx=x, cy=y, r=4, fill=stroke)
        above = y < (self.upper + self.lower) / 2
        every = -(-self.small // self.step)
        place = line.published if above or line.completed is None else line.completed
        if place % every == 0:
            _middle(drawing, line.m, x, y - 9 if above else y + 18, SMALL)


def _middle(drawing: Drawing, text: str, x: float, y: float, size: float) -> None:
    drawing.text(
        text, x=x, y=y, text_anchor="middle", font_size=size, font_weight="600", fill=colour.INK
    )


def _is_crossing(line: Line) -> bool:
    return line.overtook or line.over > 0


def _around(x: float, y: float, r: float, width: float) -> list[Box]:
    """Return places for words beside a ring: right, left, and a bit higher or lower."""
    gap = r + 7
    beside = [
        Box(start, y - 8 + dy, width, 16)
        for out in (0, 12, 26)
        for dy in (0, -12, 12, -22, 22)
        for start in (x + gap + out, x - gap - out - width)
    ]
    over = [Box(x - width / 2, top, width, 16) for top in (y - r - 20, y + r + 4)]
    return [*beside, *over]


def _strip(
    drawing: Drawing, found: OrderLines, left: float, right: float, y: float, words: Words
) -> float:
    """Draw how far each message was displaced: late ones up, early ones down."""
    done = [line for line in found.lines if line.completed is not None]
    most = max((abs(line.displaced) for line in done), default=0) or 1
    middle, step = y + STRIP / 2 + 6, (right - left) / max(1, len(done))
    for key, at in (("order.late", middle - 18), ("order.early", middle + 26)):
        drawing.text(
            words(key), x=left - 28, y=at, text_anchor="end", font_size=13, fill=colour.MUTED
        )
    name = words("order.strip")
    with drawing.named(name):
        for k, line in enumerate(done):
            if not line.displaced:
                continue
            height = max(2.0, abs(line.displaced) / most * STRIP / 2)
            late = line.displaced > 0
            drawing.put(
                "rect",
                x=left + k * step,
                y=middle - height if late else middle,
                width=max(1.0, step * 0.86),
                height=height,
                fill=colour.VERMILION if late else colour.BLUE,
            )
        drawing.put(
            "path",
            d=f"M{number(left)} {number(middle)}H{number(right)}",
            stroke=colour.GREY,
            stroke_width=1.2,
        )
    label = f"{name} (±{most})"
    bottom = middle + STRIP / 2 + 18
    drawing.text(label, x=left, y=bottom, font_size=12, fill=colour.MUTED)
    return bottom + 4

"""The space-time diagram in characters."""

from collections import defaultdict
from collections.abc import Callable

from amqplite.lab.diagram.boxes import WAITS, Arrow, Bar, Mark
from amqplite.lab.diagram.layout import Layout
from amqplite.lab.diagram.scales import even_instants, make_scale
from amqplite.lab.export.canvas import Canvas, fitted, harmless
from amqplite.lab.export.chart import lane_name, times_of
from amqplite.lab.export.text_notes import TextNote, notes_below
from amqplite.lab.export.width import cells, cut
from amqplite.lab.export.words import GIVEN_BACK, Words, plain

LABEL_MAX = 16
NAME_MAX = 10
DOT = "·"
TICK_APART = 7

_FILLS = {
    **{"held": "━", "work": "━", "redelivered": "░", "failed": "╱"},
    **{"waiting": "─", "requeued": "┄", "buffered": "─"},
}


def draw_chart(layout: Layout, words: Words, width: int, *, colour: bool) -> list[str]:
    """Return the diagram of a run, each line no wider than `width` cells."""
    return _Chart(layout, words, width).draw().lines(colour=colour)


class _Chart:
    def __init__(self, layout: Layout, words: Words, width: int) -> None:
        self.layout, self.words = layout, words
        names = [harmless(lane_name(lane, words)) for lane in layout.lanes]
        self.names = [cut(name, LABEL_MAX, cells) for name in names]
        self.left = max([cells(name) for name in self.names] + [cells(words.unit)]) + 2
        instants = times_of(layout)
        times = make_scale("time", instants, words.tick_us)
        collapsed = make_scale("collapse", instants, words.tick_us)
        self.scale = collapsed if collapsed.end < times.end / 2 else times
        self.room = width - self.left - 2
        self.canvas = Canvas(width)
        self.rows: dict[str, int] = {}

    def x(self, t: int) -> int:
        return self.left + round(self.scale(t) / (self.scale.end or 1) * self.room)

    def draw(self) -> Canvas:
        self._stack()
        self._axis()
        self._arrows()
        for lane, name in zip(self.layout.lanes, self.names, strict=True):
            self.canvas.put(self.rows[lane.id] + (lane.rows - 1) // 2, 0, name, "bold")
        self._downs()
        for bar in self.layout.bars:
            if bar.row >= 0:
                self._bar(bar)
        self._published()
        self._marks()
        self._away()
        self._notes()
        return self.canvas

    def _stack(self) -> None:
        """Give each lane its rows, with one between lanes for arrows and some for notes."""
        row = 1
        for lane in self.layout.lanes:
            row += 1 if row > 1 else 0
            self.rows[lane.id] = row
            row += (
                lane.rows
                + (1 if lane.more else 0)
                + len(notes_below(self.layout, lane, self.words))
            )

    def _axis(self) -> None:
        self.canvas.put(0, 0, self.words.unit, "muted")
        apart, last = TICK_APART * (self.scale.end or 1) / max(1, self.room), -9
        for t in even_instants(self.scale, self.layout.start, self.layout.end, apart):
            label, column = plain(t / self.words.tick_us), self.x(t)
            if column > last and column + cells(label) <= self.canvas.width:
                self.canvas.put(0, column, label, "muted")
                last = column + cells(label)

    def _arrows(self) -> None:
        draws: dict[str, Callable[[Arrow], None]] = defaultdict(lambda: self._down)
        draws |= {"requeue": self._up, "return": self._up}
        for arrow in self.layout.arrows:
            if arrow.kind != "requeue":
                draws[arrow.kind](arrow)
        for arrow in self.layout.arrows:
            if arrow.kind == "requeue":
                self._up(arrow)

    def _edge(self, lane: str) -> tuple[int, int]:
        """Return the rows right above and right below a lane's bars."""
        rows = next(one.rows for one in self.layout.lanes if one.id == lane)
        return self.rows[lane] - 1, self.rows[lane] + rows

    def _down(self, arrow: Arrow) -> None:
        x = self.x(arrow.t)
        above, below = self._edge(arrow.target)[0], self._edge(arrow.source)[1]
        style = "trouble" if arrow.kind in ("redeliver", "dead_letter") else "muted"
        row = arrow.bar.row if arrow.bar and arrow.bar.row > 0 else 0
        for k in range(below, above + row + 1):
            self.canvas.put(k, x, "│", style)
        self.canvas.put(above, x, "↓", style)
        if arrow.kind == "publish":
            self.canvas.put(self.rows[arrow.target], x, "•", "muted")

    def _up(self, arrow: Arrow) -> None:
        x = self.x(arrow.t)
        bottom = self.rows[arrow.source] + (max(0, arrow.bar.row) if arrow.bar else 0)
        top = self._edge(arrow.target)[1]
        for k in range(top, bottom):
            self.canvas.put(k, x, "┊", "trouble")
        self.canvas.put(top, x, "↑", "trouble")

    def _downs(self) -> None:
        for span in self.layout.spans:
            if span.kind not in ("down", "left"):
                continue
            row = self.rows[span.lane]
            start = self.x(span.start)
            end = self.x(self.layout.end if span.stop is None else span.stop)
            self.canvas.put(row, start, DOT * (end - start + (span.stop is None)), "muted")

    def _away(self) -> None:
        """Say who is away, where that is still to be seen."""
        for span in self.layout.spans:
            if span.kind not in ("down", "left"):
                continue
            gone = span.kind == "down"
            name = harmless(span.lane[2:])
            words = self.words("dia.down" if gone else "dia.left", c=name)
            row, size = self.rows[span.lane], cells(words) + 8
            end = self.x(self.layout.end if span.stop is None else span.stop)
            for x in range(self.x(span.start) + 1, end - size + 1):
                if self.canvas.has(row, x, DOT * size):
                    self.canvas.put(row, x + 3, f" {words} ", "muted")
                    break

    def _bar(self, bar: Bar) -> None:
        if bar.kind == "buffered" and bar.stop == bar.start:
            return
        row = self.rows[bar.lane] + bar.row
        start = self.x(max(bar.start, bar.shown))
        end = self.x(self.layout.end if bar.stop is None else bar.stop)
        if bar.auto and bar.kind != "work":
            self.canvas.put(row, start, "•", "trouble" if bar.kind == "failed" else "bold")
            return
        style = "failed" if bar.end == "crashed" else bar.kind
        fill = _FILLS[style]
        work = start
        if bar.kind not in WAITS:
            work = end if bar.work is None else min(end, max(start, self.x(bar.work)))
        self.canvas.put(row, start, "┄" * (work - start), style if style == "failed" else "waiting")
        if work == end and end > start:
            work, fill = start, "┄"
        length = max(1, end - work)
        sign, labels = _sign(bar), self._labels(bar)
        if cells(labels[-1]) + len(sign) > length - 2 >= cells(labels[-1]):
            sign = ""  # who it is says more than that it went well
        inner = length - 2 - len(sign)
        label = fitted(labels, inner)
        body = label + fill * max(0, inner - cells(label)) + sign if inner >= 0 else label
        drawn = f"[{body}]" if length >= 2 else "│"
        self.canvas.put(row, work, drawn[:length] if inner < 0 else drawn, style)

    def _labels(self, bar: Bar) -> list[str]:
        name = harmless(bar.m)
        if bar.kind == "redelivered":
            return [f"{name} ↻{bar.attempt}", name]
        if bar.kind not in WAITS or bar.stop is None:
            return [name]
        waited = self.words.span(bar.stop - bar.start)
        return [self.words("dia.waits", m=name, d=waited), f"{name} {waited}", name]

    def _marks(self) -> None:
        """Draw what happened to whom at an instant."""
        for mark in self.layout.marks:
            if mark.lane not in self.rows:
                continue
            row, x = self.rows[mark.lane], self.x(mark.t)
            if mark.kind == "crash":
                self.canvas.put(row + self._worked(mark.lane, mark.t), x, "✕", "trouble")
            elif mark.kind == "released":
                self._released(row, x, mark)
            elif mark.kind in _SIGNS and (mark.bar is None or mark.kind == "skipped_duplicate"):
                sign, style = _SIGNS[mark.kind]
                row += mark.bar.row if mark.bar is not None and mark.bar.row > 0 else 0
                self.canvas.put(row, x, sign, style)

    def _released(self, row: int, x: int, mark: Mark) -> None:
        name = f"◆{cut(harmless(mark.m), NAME_MAX, cells)}"
        last = self.canvas.width - cells(name)
        for at in range(min(x, last), min(x + 4 * NAME_MAX, last + 1)):
            if self.canvas.is_blank(row, at, at + cells(name) + 1):
                self.canvas.put(row, at, name, "bold")
                return

    def _published(self) -> None:
        """Name what is published; of what would be written over each other, the first and last."""
        groups: dict[str, list[tuple[int, int, list[str]]]] = defaultdict(list)
        for mark in self.layout.marks:
            if mark.kind == "published":
                x, name = self.x(mark.t), cut(harmless(mark.m), NAME_MAX, cells)
                known = groups[mark.lane]
                if known and x < known[-1][1]:
                    known[-1][2].append(name)
                else:
                    known.append((x, x + cells(name) + 1, [name]))
        for lane, known in groups.items():
            edges = [start for start, _, _ in known[1:]] + [self.canvas.width]
            for (x, _, names), edge in zip(known, edges, strict=True):
                several = [f"{names[0]}–{names[-1]}", f"{names[0]}…"] if len(names) > 1 else []
                label = fitted([*several, names[0]], max(edge - x - 1, cells(names[0])))
                start = min(x, self.canvas.width - cells(label))
                self.canvas.put(self.rows[lane], start, label)

    def _worked(self, lane: str, t: int) -> int:
        """Return the row of what a consumer worked on."""
        for bar in self.layout.bars:
            stop = self.layout.end if bar.stop is None else bar.stop
            on = bar.lane == lane and bar.row >= 0 and bar.start <= t <= stop
            if on and bar.work is not None and bar.end != "acked":
                return bar.row
        return 0

    def _notes(self) -> None:
        for lane in self.layout.lanes:
            row = self.rows[lane.id] + lane.rows
            for more in lane.more:
                middle = (self.x(more.start) + self.x(more.end)) // 2
                self.canvas.put(row, middle, f"+{more.count}", "muted")
            row += 1 if lane.more else 0
            for note in notes_below(self.layout, lane, self.words):
                self._note(row, note)
                row += 1

    def _note(self, row: int, note: TextNote) -> None:
        x, size = self.x(note.start), cells(note.text)
        if note.stop is not None:
            length = self.x(note.stop) - x
            fill = length - size - 4
            if fill >= 0:
                line = f"├{'─' * (fill // 2)} {note.text} {'─' * (fill - fill // 2)}┤"
                self.canvas.put(row, x, line, "trouble")
                return
        text = cut(note.text, self.canvas.width - self.left, cells)
        start = max(self.left, min(x, self.canvas.width - cells(text)))
        self.canvas.put(row, start, text, "trouble")


_SIGNS = {
    **dict.fromkeys(
        ("expired", "dropped", "dead_lettered", "discarded", "purged"), ("✕", "trouble")
    ),
    **dict.fromkeys(("refused", "unroutable", "publish_nacked"), ("↩", "trouble")),
    "applied": ("◆", "bold"),
    "skipped_duplicate": ("◇", "bold"),
}


def _sign(bar: Bar) -> str:
    if bar.end == "acked":
        return "✓"
    if bar.cause in GIVEN_BACK or bar.end in ("dead_lettered", "discarded"):
        return "↩"
    return ""

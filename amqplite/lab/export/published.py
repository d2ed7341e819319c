"""What is published, and what goes through a queue without waiting."""

from collections.abc import Iterator
from dataclasses import dataclass

from amqplite.lab.diagram.boxes import Mark
from amqplite.lab.export import palette as colour
from amqplite.lab.export.arrows import through
from amqplite.lab.export.chart import DISC, SLANT, Chart, lane_name
from amqplite.lab.export.drawing import Drawing
from amqplite.lab.export.lettering import write
from amqplite.lab.export.width import cut, pixels
from amqplite.lab.export.words import Words


def draw_published(drawing: Drawing, chart: Chart, words: Words) -> None:
    """Draw what is published: a disc each, or one pill for what would lie on each other."""
    for lane, marks in _of_producers(chart).items():
        strip = chart.strips[lane]
        for pill in _pills(marks, chart):
            name = words(
                "name.publishes" if len(pill.marks) == 1 else "name.publishes.many",
                p=lane_name(strip.lane, words),
                m=pill.text,
                n=len(pill.marks),
                a=words.at(pill.marks[0].t),
            )
            with drawing.named(name):
                _pill(drawing, pill, strip.middle)


def draw_through(drawing: Drawing, chart: Chart) -> None:
    """Draw a dot in a queue for each message that went through it without waiting."""
    waited = {(b.lane, b.s) for b in chart.layout.bars if b.lane == b.queue and b.kind == "waiting"}
    seen: set[tuple[str, int]] = set()
    for arrow in chart.layout.arrows:
        if arrow.kind == "publish" and (arrow.target, arrow.s) not in waited:
            x = chart.x(arrow.t) + SLANT / 2 + chart.aside(arrow)
            if (arrow.target, round(x)) not in seen:
                seen.add((arrow.target, round(x)))
                y = through(chart, chart.strips[arrow.target], arrow.t)
                drawing.put("circle", cx=x, cy=y, r=3.4, fill=colour.INK)


@dataclass(slots=True)
class Pill:
    """Messages that were published so close to each other that they share a shape."""

    marks: list[Mark]
    x: float
    width: float
    text: str


def _of_producers(chart: Chart) -> dict[str, list[Mark]]:
    found: dict[str, list[Mark]] = {}
    for mark in chart.layout.marks:
        if mark.kind == "published":
            found.setdefault(mark.lane, []).append(mark)
    return found


def _pills(marks: list[Mark], chart: Chart) -> Iterator[Pill]:
    pill: Pill | None = None
    for mark in marks:
        x = chart.x(mark.t)
        if pill is not None and x - _width(mark.m) / 2 < pill.x + pill.width + 3:
            pill.marks.append(mark)
            pill.text = f"{pill.marks[0].m}–{mark.m}"
            needed = max(_width(pill.text), x - chart.x(pill.marks[0].t) + 2 * DISC)
            pill.width = needed
            continue
        if pill is not None:
            yield pill
        width = _width(mark.m)
        pill = Pill([mark], max(x - width / 2, chart.left - 20), width, mark.m)
    if pill is not None:
        yield pill


def _width(text: str) -> float:
    return max(2.0 * DISC, pixels(text, 11.5, bold=True) + 13)


def _pill(drawing: Drawing, pill: Pill, y: float) -> None:
    drawing.put(
        "rect",
        x=pill.x,
        y=y - DISC,
        width=pill.width,
        height=2 * DISC,
        rx=DISC,
        fill=colour.PAPER,
        stroke=colour.INK,
        stroke_width=1.5,
    )
    text = cut(pill.text, pill.width - 8, lambda one: pixels(one, 11.5, bold=True))
    x = pill.x + pill.width / 2
    write(drawing, text, x, y + 4, colour.INK, anchor="middle", size=11.5, bold=True)

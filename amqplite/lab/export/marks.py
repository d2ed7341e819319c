"""What happened at an instant, drawn above all else."""

from amqplite.lab.diagram.boxes import Mark
from amqplite.lab.diagram.scales import INSTANT
from amqplite.lab.export import glyphs
from amqplite.lab.export import palette as colour
from amqplite.lab.export.chart import DISC, Chart, Strip
from amqplite.lab.export.drawing import Drawing, number
from amqplite.lab.export.lettering import write
from amqplite.lab.export.words import Words

NAMED_MAX = 3
"""Messages that are named where they are let go at once; of more, the first and the last."""


def draw_marks(drawing: Drawing, chart: Chart, words: Words) -> None:
    """Draw what happened at an instant."""
    for mark in chart.layout.marks:
        draw = None if goes_without_saying(mark, words.tick_us) else _MARKS.get(mark.kind)
        strip = chart.strips.get(mark.lane)
        if draw is not None and strip is not None:
            with drawing.named(_said(mark, words)):
                draw(drawing, chart, mark, strip)
        elif mark.kind == "gap":
            with drawing.named(words("dia.gap", n=mark.count)):
                _gap(drawing, chart, mark)
    _released(drawing, chart, words)


def goes_without_saying(mark: Mark, tick_us: int) -> bool:
    """Return whether a consumer that took effect acked in the same instant, as it should."""
    bar = mark.bar
    if mark.kind != "applied" or bar is None or bar.stop is None:
        return False
    return bar.end == "acked" and bar.stop - mark.t <= tick_us // INSTANT


def _said(mark: Mark, words: Words) -> str:
    key = "crashed" if mark.kind == "crash" else mark.kind
    place = mark.lane[2:]
    slots = {"m": mark.m, "c": mark.c or place, "q": place, "p": place}
    slots |= {"cause": words.cause(mark.cause, mark.sub) if mark.cause else "", "what": mark.text}
    return f"{words.at(mark.t)}: {words(f'say.{key}', **slots)}"


def _row(mark: Mark, strip: Strip) -> float:
    return strip.row(mark.bar.row if mark.bar is not None and mark.bar.lane == strip.lane.id else 0)


def _crash(drawing: Drawing, chart: Chart, mark: Mark, strip: Strip) -> None:
    worked = [
        bar
        for bar in chart.layout.bars
        if bar.lane == mark.lane
        and bar.row >= 0
        and bar.start <= mark.t
        and bar.work is not None
        and (bar.stop is None or bar.stop >= mark.t)
        and bar.end != "acked"
    ]
    y = strip.row(worked[0].row if worked else 0)
    glyphs.cross(drawing, chart.x(mark.t), y)


def _gone(drawing: Drawing, chart: Chart, mark: Mark, strip: Strip) -> None:
    """A message leaves its queue otherwise than by an ack."""
    if mark.bar is not None:
        return  # the bar of who held it shows it
    waited = next(
        (b for b in chart.layout.bars if b.lane == mark.lane and b.n1 == mark.n and b.row >= 0),
        None,
    )
    y = strip.row(waited.row) if waited else strip.middle
    x = chart.x(mark.t) - (12 if waited else 0)
    if mark.kind == "expired":
        glyphs.hourglass(drawing, x, y, 4.6)
    elif mark.kind == "dead_lettered":
        glyphs.turn_plain(drawing, x, y, 5)
    else:
        glyphs.cross(drawing, x, y, 5)


def _bounce(drawing: Drawing, chart: Chart, mark: Mark, strip: Strip) -> None:
    """A message that no queue took comes back to its publisher."""
    x, y = chart.x(mark.t), strip.middle + DISC
    path = f"M{number(x)} {number(y)}q1 13 7 13t7 -12"
    drawing.put("path", d=path, fill="none", stroke=colour.VERMILION, stroke_width=2)
    tip = f"M{number(x + 14)} {number(y - 1)}l-4 5.4h7.4z"
    drawing.put("path", d=tip, fill=colour.VERMILION)


def _diamond(drawing: Drawing, chart: Chart, mark: Mark, strip: Strip) -> None:
    x, y = chart.x(mark.t), _row(mark, strip) + strip.size / 2
    glyphs.diamond(drawing, x, y, 5, filled=mark.kind != "skipped_duplicate")
    if mark.bar is None:
        write(drawing, mark.m, x + 9, y + 4, colour.INK, size=11, bold=True)


def _released(drawing: Drawing, chart: Chart, words: Words) -> None:
    """Draw what is let go downstream, one sign for what goes at one instant."""
    groups: dict[tuple[str, int], list[Mark]] = {}
    for mark in chart.layout.marks:
        if mark.kind == "released":
            groups.setdefault((mark.lane, mark.t), []).append(mark)
    for (lane, t), marks in groups.items():
        name = ", ".join(mark.m for mark in marks)
        with drawing.named(f"{words.at(t)}: {words('say.released', m=name)}"):
            x, y = chart.x(t), chart.strips[lane].first
            glyphs.diamond(drawing, x, y, 5.5, filled=True)
            short = name if len(marks) <= NAMED_MAX else f"{marks[0].m}–{marks[-1].m}"
            write(drawing, short, x + 10, y + 4, colour.INK, size=11.5, bold=True)


def _gap(drawing: Drawing, chart: Chart, mark: Mark) -> None:
    """A torn band: events are missing."""
    x, y = chart.x(mark.t), chart.y + 24
    left = [(x - 6, y)]
    while y < chart.bottom:
        y = min(y + 7, chart.bottom)
        left.append((x - 6 + (4 if len(left) % 2 else 0), y))
    right = [(a + 12, b) for a, b in reversed(left)]
    points = " ".join(f"{number(a)},{number(b)}" for a, b in [*left, *right])
    drawing.put(
        "polygon", points=points, fill=colour.PAPER, stroke=colour.VERMILION, stroke_width=1.4
    )


_MARKS = {
    "crash": _crash,
    **dict.fromkeys(("expired", "dropped", "dead_lettered", "discarded", "purged"), _gone),
    **dict.fromkeys(("refused", "unroutable", "publish_nacked"), _bounce),
    **dict.fromkeys(("applied", "skipped_duplicate"), _diamond),
}

"""What is written below the bars of a lane in characters, and what the bars are made of."""

from collections import defaultdict
from dataclasses import dataclass

from amqplite.lab.diagram.boxes import Arrow
from amqplite.lab.diagram.lanes import Lane
from amqplite.lab.diagram.layout import Layout
from amqplite.lab.export.canvas import harmless, styled
from amqplite.lab.export.width import cells
from amqplite.lab.export.words import GIVEN_BACK, Words

NOTES_MAX = 4
"""Of each kind, on a lane."""


@dataclass(slots=True)
class TextNote:
    """Words at an instant, or about the time from `start` to `stop` (µs)."""

    text: str
    start: int
    stop: int | None = None


def notes_below(layout: Layout, lane: Lane, words: Words) -> list[TextNote]:
    """Return the notes of a lane, one a row: what went back and why, and how late what is."""
    backs = _backs(layout, lane, words)[:NOTES_MAX]
    quiets = [s for s in layout.spans if s.kind == "quiet" and s.lane == lane.id][:NOTES_MAX]
    lates = [late for late in layout.lates if late.bar.lane == lane.id]
    latest = sorted(lates, key=lambda late: late.start - late.stop)[:NOTES_MAX]
    told = [
        TextNote(words("dia.quiet", d=words.span((s.stop or s.start) - s.start)), s.start, s.stop)
        for s in quiets
    ]
    told += [
        TextNote(words("dia.late", d=words.span(late.stop - late.start)), late.start, late.stop)
        for late in sorted(latest, key=lambda late: late.stop)
    ]
    return [*backs, *told]


def _backs(layout: Layout, lane: Lane, words: Words) -> list[TextNote]:
    groups: dict[tuple[int, str], list[Arrow]] = defaultdict(list)
    for arrow in layout.arrows:
        if arrow.kind == "requeue" and arrow.source == lane.id:
            groups[arrow.t, arrow.cause].append(arrow)
    found = []
    for (t, cause), arrows in groups.items():
        told = words.cause(cause, arrows[0].sub)
        text = words("dia.back", cause=told, m=harmless(arrows[0].m), n=len(arrows))
        found.append(TextNote(f"{'↩' if cause in GIVEN_BACK else '✕'} {text}", t))
    return found


_LEGEND = {
    "waiting": "─",
    "buffered": "─",
    "requeued": "┄",
    "held": "━",
    "failed": "╱",
    "redelivered": "░",
    "work": "━",
}


def legend(layout: Layout, words: Words, width: int, *, colour: bool) -> list[str]:
    """Return what the bars that are there are made of means, behind an empty line."""
    kinds = {"failed" if bar.end == "crashed" else bar.kind for bar in layout.bars if not bar.auto}
    parts = [(sign, words(f"out.legend.{kind}")) for kind, sign in _LEGEND.items() if kind in kinds]
    if any(bar.end == "acked" and not bar.auto for bar in layout.bars):
        parts.append(("✓", words("out.legend.acked")))
    lines: list[str] = []
    for sign, told in parts:
        entry = f"{sign} {told}"
        if lines and cells(lines[-1]) + 3 + cells(entry) <= width:
            lines[-1] += f"   {entry}"
        else:
            lines.append(entry)
    return ["", *(styled(one, "muted", colour=colour) for one in lines)] if lines else []

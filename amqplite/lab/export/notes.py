"""What is written beside the bars of a lane, each note where no other and few arrows are."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from amqplite.lab.diagram.boxes import Arrow, Mark
from amqplite.lab.diagram.layout import Layout
from amqplite.lab.export.width import cut, pixels
from amqplite.lab.export.words import GIVEN_BACK, Words

HEAD, FOOT = 25, 22
"""Heights of a row of notes above the bars of a lane, and below."""

SIZE = 12
PAD = 8
"""Room on either side of a note's words."""

ICON = 15
LATES_MAX = 6
"""Messages of which it is drawn how late they are: the latest."""

WIDEST = 420

Place = Callable[[float], float]


@dataclass(slots=True, kw_only=True)
class Note:
    """Words on a lane.

    Attributes:
        kind: `back` (messages went back to their queue), `down`, `left`, `late`, `quiet`, `said`.
        at: where what it is about happens; where it begins, of `late` and `quiet`.
        to: where it ends, of these.
        x: where the note begins.
        width: of the note.
        row: -1 is the row right above the bars, 1 right below; 0 is among them.
        icon: the sign before the words; empty is none.
    """

    kind: str
    text: str
    at: float
    to: float = 0.0
    x: float = 0.0
    width: float = 0.0
    row: int = 0
    icon: str = ""


def notes_of(
    layout: Layout, x: Place, left: float, right: float, words: Words
) -> dict[str, list[Note]]:
    """Return the notes of each lane, by its id.

    Args:
        layout: what they are about.
        x: where an instant is, in pixels.
        left: what they must not reach beyond.
        right: likewise.
        words: for what they say.
    """
    wanted: dict[str, list[Note]] = defaultdict(list)
    for lane, note in (*_backs(layout, x, words), *_said(layout, x, words)):
        wanted[lane].append(note)
    order = {lane.id: k for k, lane in enumerate(layout.lanes)}
    for lane, notes in wanted.items():
        arrows = [x(a.t) + _beside(a) for a in layout.arrows if _reaches(a, lane, order)]
        _above(notes, arrows, left, right)
    for lane, note in (*_lates(layout, x, words), *_quiets(layout, x, words)):
        _below(note, wanted[lane], right)
    for lane, note in _downs(layout, x, words):
        through = [x(a.t) for a in layout.arrows if _passes(a, lane, order)]
        _among(note, through, _bars_on(layout, lane, x, right), right)
        if note.width:
            wanted[lane].append(note)
    return wanted


def _backs(layout: Layout, x: Place, words: Words) -> Iterator[tuple[str, Note]]:
    """Yield what came of each release of deliveries: the cause, and what went back."""
    groups: dict[tuple[str, int, str], list[Arrow]] = defaultdict(list)
    for arrow in layout.arrows:
        if arrow.kind == "requeue":
            groups[arrow.source, arrow.t, arrow.cause].append(arrow)
    for (lane, t, cause), arrows in groups.items():
        cause_words = words.cause(cause, arrows[0].sub)
        text = words("dia.back", cause=cause_words, m=arrows[0].m, n=len(arrows))
        icon = "back" if cause in GIVEN_BACK else "cross"
        yield lane, Note(kind="back", text=text, at=x(t), icon=icon)


_SAID = {
    "consumer_active": ("dia.active", "key"),
    "ack_lost": ("dia.ack_lost", "ack_lost"),
    "bad_ack": ("dia.bad_ack", "warning"),
}


def _said(layout: Layout, x: Place, words: Words) -> Iterator[tuple[str, Note]]:
    for mark in layout.marks:
        if mark.kind in _SAID:
            key, icon = _SAID[mark.kind]
            yield mark.lane, Note(kind="said", text=words(key, c=mark.c), at=x(mark.t), icon=icon)
        elif mark.kind == "fault" and mark.lane:
            text = _fault(mark, words)
            yield mark.lane, Note(kind="said", text=text, at=x(mark.t), icon="flag")


def _fault(mark: Mark, words: Words) -> str:
    return mark.text or mark.cause.replace("_", " ") or words("out.fault")


def _lates(layout: Layout, x: Place, words: Words) -> Iterator[tuple[str, Note]]:
    latest = sorted(layout.lates, key=lambda late: late.start - late.stop)[:LATES_MAX]
    for late in sorted(latest, key=lambda one: one.stop):
        if late.bar.row >= 0:
            text = words("dia.late", d=words.span(late.stop - late.start))
            yield late.bar.lane, Note(kind="late", text=text, at=x(late.start), to=x(late.stop))


def _quiets(layout: Layout, x: Place, words: Words) -> Iterator[tuple[str, Note]]:
    for span in layout.spans:
        if span.kind == "quiet" and span.stop is not None:
            text = words("dia.quiet", d=words.span(span.stop - span.start))
            yield span.lane, Note(kind="quiet", text=text, at=x(span.start), to=x(span.stop))


def _downs(layout: Layout, x: Place, words: Words) -> Iterator[tuple[str, Note]]:
    names = {lane.id: lane.name for lane in layout.lanes}
    for span in layout.spans:
        if span.kind not in ("down", "left"):
            continue
        gone = span.kind == "down"
        text = words("dia.down" if gone else "dia.left", c=names[span.lane])
        end = x(layout.end if span.stop is None else span.stop)
        yield span.lane, Note(kind="down" if gone else "left", text=text, at=x(span.start), to=end)


def _beside(arrow: Arrow) -> float:
    """Return how far beside its instant an arrow is drawn: it came back at the same."""
    back = arrow.kind in ("deliver", "redeliver") and not arrow.waited and not arrow.fresh
    return 12.0 if back else 0.0


def _reaches(arrow: Arrow, lane: str, order: dict[str, int]) -> bool:
    """Return whether an arrow passes the rows above the bars of a lane."""
    ends = order[arrow.source], order[arrow.target]
    return min(ends) < order[lane] <= max(ends)


def _passes(arrow: Arrow, lane: str, order: dict[str, int]) -> bool:
    ends = order[arrow.source], order[arrow.target]
    return min(ends) < order[lane] < max(ends)


def _above(notes: list[Note], arrows: list[float], left: float, right: float) -> None:
    """Put notes into rows above the bars: beside what they are about, over the fewest arrows."""
    taken: list[Note] = []
    for note in sorted(notes, key=lambda one: one.at):
        room = ICON + 2 * PAD
        note.text = cut(note.text, WIDEST, _measure)
        note.width = _measure(note.text) + room
        candidates = []
        for depth in range(8):
            near = max((a for a in arrows if note.at < a < note.at + 20), default=note.at)
            starts = (note.at + 11, near + 11, note.at - 9 - note.width)
            for preference, start in enumerate(starts):
                start = min(start, right - note.width)
                crossed = sum(start - 7 < a < start + note.width + 2 for a in arrows)
                if start >= left and _is_free(taken, -1 - depth, start, start + note.width):
                    candidates.append((4 * crossed + 3 * depth + preference, depth, start))
        if candidates:
            _, depth, note.x = min(candidates)
            note.row = -1 - depth
            taken.append(note)
    notes[:] = taken


def _below(note: Note, notes: list[Note], right: float) -> None:
    """Put a stretch of time into the first row below the bars where there is room."""
    words = _measure(note.text) + 2 * PAD
    room = max(note.to - note.at, words)
    note.x = min(note.at, right - room) if words > note.to - note.at else note.at
    note.width = room
    below = [one for one in notes if one.row > 0]
    note.row = next(k for k in range(1, 99) if _is_free(below, k, note.x, note.x + room))
    notes.append(note)


def _bars_on(layout: Layout, lane: str, x: Place, right: float) -> list[tuple[float, float]]:
    """Return from where to where the bars in a lane's first row reach."""
    return [
        (x(bar.shown), right if bar.stop is None else x(bar.stop))
        for bar in layout.bars
        if bar.lane == lane and bar.row == 0
    ]


def _among(note: Note, arrows: list[float], bars: list[tuple[float, float]], right: float) -> None:
    """Put words on the line of a consumer that is away: where no arrow passes, if anywhere."""
    width = _measure(note.text) + 2 * PAD
    start, end = note.at + 16, min(note.to, right) - 4
    edges = [*arrows, *(stop for _, stop in bars)]
    candidates = [start, *sorted(edge + 10 for edge in edges if edge + 10 > start)]
    fitting = [
        c
        for c in candidates
        if c + width <= end and not any(a - 6 < c + width and c < b + 6 for a, b in bars)
    ]
    clear = [c for c in fitting if not any(c - 7 < a < c + width + 2 for a in arrows)]
    if fitting:
        note.x, note.width = (clear or fitting)[0], width


def _is_free(taken: list[Note], row: int, start: float, end: float) -> bool:
    return not any(
        one.row == row and start < one.x + one.width + 6 and one.x < end + 6 for one in taken
    )


def _measure(text: str) -> float:
    return pixels(text, SIZE, bold=True)

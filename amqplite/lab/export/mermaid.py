"""A run as a Mermaid sequence diagram: text that GitHub and others draw."""

from collections.abc import Iterator

from amqplite.lab.diagram.boxes import Arrow, Bar, Mark
from amqplite.lab.diagram.lanes import Lane
from amqplite.lab.diagram.layout import Layout
from amqplite.lab.export.account import Account
from amqplite.lab.export.chart import lane_name
from amqplite.lab.export.drawing import harmless
from amqplite.lab.export.words import GIVEN_BACK, Words

ARROWS_MAX = 60
"""Arrows of a diagram: longer ones nobody reads, and some places refuse them."""

_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .:,-_=+()/'?!→·✓")


def mermaid(account: Account, lang: str = "en") -> str:
    """Return the diagram. Where it would be too long, it tells of what was out of order alone."""
    words = Words(lang, account.header.tick_us)
    layout = account.layout
    names = {lane.id: f"{lane.kind[0]}{k}" for k, lane in enumerate(layout.lanes, 1)}
    chosen: set[str] | None = None
    steps = list(_steps(layout, names, words, None))
    if len(steps) > ARROWS_MAX:
        chosen = _out_of_order(layout)
        steps = list(_steps(layout, names, words, chosen)) if chosen else steps
    lines = ["sequenceDiagram"]
    if not layout.lanes:
        return "sequenceDiagram\n    Note over nobody: -\n"
    lines += [_participant(names[lane.id], lane, words) for lane in layout.lanes]
    first, last = names[layout.lanes[0].id], names[layout.lanes[-1].id]
    if chosen is not None:
        lines.append(f"    Note over {first},{last}: {quoted(words('out.only'))}")
    for _, step in steps[:ARROWS_MAX]:
        lines += step
    if len(steps) > ARROWS_MAX:
        more = words("out.arrows", n=len(steps) - ARROWS_MAX)
        lines.append(f"    Note over {first},{last}: {quoted(more)}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Return text that means nothing to Mermaid, whatever is in it."""
    return "".join(
        char if char in _PLAIN or (ord(char) > 0x2FF and char.isprintable()) else f"#{ord(char)};"
        for char in harmless(text)
    )


def _participant(name: str, lane: Lane, words: Words) -> str:
    title, kind = lane_name(lane, words), words(f"lane.{lane.kind}")
    told = title if lane.count > 1 or not lane.name else f"{title} ({kind})"
    return f"    participant {name} as {quoted(told)}"


Step = tuple[int, list[str]]


def _steps(
    layout: Layout, names: dict[str, str], words: Words, chosen: set[str] | None
) -> Iterator[Step]:
    """Yield what happened, in order: each an arrow, and the notes that belong to it."""
    steps: list[Step] = [
        (arrow.n, [_arrow(arrow, names, words)])
        for arrow in layout.arrows
        if arrow.kind != "requeue" and (chosen is None or arrow.m in chosen)
    ]
    steps += [
        (bar.n1, list(_ack(bar, layout, names, words)))
        for bar in layout.bars
        if bar.end == "acked" and (chosen is None or bar.m in chosen)
    ]
    steps += _kept(layout, names, words)
    steps += _backs(layout, names, words)
    for mark in layout.marks:
        if mark.kind in _TOLD and mark.lane in names:
            note = quoted(f"{mark.m} {words(f'end.{mark.kind}')} · {words.at(mark.t)}")
            steps.append((mark.n, [f"    Note over {names[mark.lane]}: {note}"]))
    yield from sorted(steps, key=lambda step: step[0])


_TOLD = {"expired", "dropped", "discarded", "purged"}


def _arrow(arrow: Arrow, names: dict[str, str], words: Words) -> str:
    text = f"{arrow.m} · {words.at(arrow.t)}"
    if arrow.kind == "redeliver" and arrow.bar is not None:
        text = f"{words('state.redelivered', n=arrow.bar.attempt)}: {text}"
    sign = "--)" if arrow.kind in ("dead_letter", "return") else "->>"
    return f"    {names[arrow.source]}{sign}{names[arrow.target]}: {quoted(text)}"


def _ack(bar: Bar, layout: Layout, names: dict[str, str], words: Words) -> Iterator[str]:
    t = bar.stop if bar.stop is not None else bar.start
    text = f"✓ {bar.m} · {words.at(t)}"
    yield f"    {names[bar.lane]}-->>{names[bar.queue]}: {quoted(text)}"
    for late in layout.lates:
        if late.bar is bar:
            told = words("dia.late", d=words.span(late.stop - late.start))
            yield f"    Note over {names[bar.lane]}: {quoted(f'{bar.m}: {told}')}"


def _kept(layout: Layout, names: dict[str, str], words: Words) -> Iterator[Step]:
    """Yield what was held back downstream, when it was let go."""
    for bar in layout.bars:
        if bar.kind == "buffered" and bar.stop is not None and bar.stop > bar.start:
            waited = words("dia.waits", m=bar.m, d=words.span(bar.stop - bar.start))
            note = quoted(f"{waited} · {words.at(bar.stop)}")
            yield bar.n1, [f"    Note over {names[bar.lane]}: {note}"]


def _backs(layout: Layout, names: dict[str, str], words: Words) -> Iterator[Step]:
    """Yield each return of deliveries, as one arrow, and who is gone with it."""
    groups: dict[tuple[str, str, int, str], list[Arrow]] = {}
    for arrow in layout.arrows:
        if arrow.kind == "requeue":
            groups.setdefault((arrow.source, arrow.target, arrow.t, arrow.cause), []).append(arrow)
    gone = {(span.lane, span.start) for span in layout.spans if span.kind == "down"}
    crashes = {mark.lane: mark for mark in layout.marks if mark.kind == "crash"}
    for (lane, queue, t, cause), arrows in groups.items():
        told = words(
            "dia.back", cause=words.cause(cause, arrows[0].sub), m=arrows[0].m, n=len(arrows)
        )
        sign = "-->>" if cause in GIVEN_BACK else "--x"
        lines = [f"    {names[lane]}{sign}{names[queue]}: {quoted(f'{told} · {words.at(t)}')}"]
        if (lane, t) in gone or _is_of(crashes.get(lane), t):
            note = quoted(words("dia.down", c=lane[2:]))
            lines.append(f"    Note over {names[lane]}: {note}")
        yield arrows[0].n, lines


def _is_of(crash: Mark | None, t: int) -> bool:
    return crash is not None and crash.t <= t


def _out_of_order(layout: Layout) -> set[str]:
    """Return what was overtaken, who overtook it, and what came back."""
    found = {bar.m for bar in layout.bars if bar.ring}
    return found | {arrow.m for arrow in layout.arrows if arrow.kind == "requeue"}

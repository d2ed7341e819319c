"""What comes of policies as text for a terminal: a table, a sentence, and what is assumed."""

from collections.abc import Callable, Sequence

from amqplite.lab.explaining.teller import Teller
from amqplite.lab.export.canvas import harmless, to_ascii
from amqplite.lab.export.width import cells, wrap
from amqplite.lab.rerun.assumptions import Assumption
from amqplite.lab.rerun.rows import Row
from amqplite.lab.rerun.selfcheck import SelfCheck

PROSE = 96
"""Columns of a line of prose at most."""

_GAP = "   "

_COLUMNS: tuple[tuple[str, Callable[[Row, Teller], str]], ...] = (
    ("policy", lambda row, tell: row.label[tell.language]),
    ("inversions", lambda row, _: str(row.inversions)),
    ("moved", lambda row, _: str(row.moved)),
    ("redeliveries", lambda row, _: str(row.redeliveries)),
    ("wait", lambda row, tell: tell.span(row.wait_p95)),
    ("end", lambda row, tell: "∞" if row.endless else tell.at(row.end)),
    ("buffer", lambda row, _: str(row.buffer)),
    ("open", lambda row, _: str(row.open)),
)
"""Each column's name, and what stands there."""


def whatif_text(
    check: SelfCheck,
    rows: Sequence[Row],
    sentence: str,
    assumed: Sequence[Assumption],
    tell: Teller,
    width: int = 100,
    *,
    ascii_only: bool = False,
) -> str:
    """Return all that is to be said, in lines of `width` columns where it is prose."""
    prose = min(width, PROSE)
    blocks = [
        wrap(harmless(check.text[tell.language]), prose, cells),
        table(rows, tell),
        wrap(harmless(sentence), prose, cells),
    ]
    if assumed:
        lines = [tell("whatif.granted")]
        for one in assumed:
            first, *more = wrap(harmless(one.text[tell.language]), prose - 2, cells)
            lines += [f"- {first}", *(f"  {line}" for line in more)]
        blocks.append(lines)
    written = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    return to_ascii(written) if ascii_only else written


def table(rows: Sequence[Row], tell: Teller) -> list[str]:
    """Return the numbers, a line each policy, under a line with their names."""
    names = [tell(f"whatif.col.{name}") for name, _ in _COLUMNS]
    lines = [names, *([harmless(show(row, tell)) for _, show in _COLUMNS] for row in rows)]
    widths = [max(cells(line[at]) for line in lines) for at in range(len(_COLUMNS))]
    return [
        _GAP.join(_padded(text, widths[at], left=at == 0) for at, text in enumerate(line))
        for line in lines
    ]


def _padded(text: str, width: int, *, left: bool) -> str:
    room = " " * (width - cells(text))
    return text + room if left else room + text

"""A run in a terminal: the diagram in characters, the numbers, and what it means in words."""

from amqplite.lab.export.account import Account
from amqplite.lab.export.canvas import harmless, styled, to_ascii
from amqplite.lab.export.text_chart import draw_chart
from amqplite.lab.export.text_notes import legend
from amqplite.lab.export.text_order import draw_order
from amqplite.lab.export.width import cells, cut, wrap
from amqplite.lab.export.words import Words

WIDTH = 60, 100, 200
"""Least width, that where nobody says, and the most that is used."""

SENTENCES_MAX = 6
READ = 96
"""Cells of a line of prose at most: longer ones are hard to read."""


def text(
    account: Account,
    lang: str = "en",
    *,
    width: int = WIDTH[1],
    colour: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return a run for a terminal.

    Args:
        account: the run, and what came of it.
        lang: `en` or `zh`.
        width: cells of a line.
        colour: whether the terminal shows colours.
        ascii_only: draw with ASCII; words stay as they are.
    """
    words = Words(lang, account.header.tick_us)
    width = min(max(width, WIDTH[0]), WIDTH[2])
    blocks = [
        _title(account, words, width, colour=colour),
        [
            *draw_chart(account.layout, words, width, colour=colour),
            *legend(account.layout, words, width, colour=colour),
        ],
        *(draw_order(found, words, width, colour=colour) for found in account.layout.orders[:4]),
        metrics_table(account, words, width),
        _sentences(account, words, width),
    ]
    written = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    return to_ascii(written) if ascii_only else written


def _title(account: Account, words: Words, width: int, *, colour: bool) -> list[str]:
    title = cut(harmless(account.title(words.lang)), width, cells)
    badge = f"[{words(f'out.badge.{account.header.mode}')}]"
    styled_title = styled(title, "bold", colour=colour)
    if cells(title) + 2 + cells(badge) > width:
        return [styled_title, cut(badge, width, cells)]
    return [f"{styled_title}  {badge}"]


def metrics_table(account: Account, words: Words, width: int) -> list[str]:
    """Return the numbers that say most, in as many columns as fit."""
    rows = account.numbers(words)
    if not rows:
        return []
    label = max(cells(name) for name, _ in rows)
    value = max(cells(number) for _, number in rows)
    entry = label + 2 + value + 4
    columns = max(1, min(3, width // entry))
    height = -(-len(rows) // columns)
    lines = []
    for k in range(height):
        parts = [
            name + " " * (label - cells(name) + 2 + value - cells(number)) + number
            for name, number in rows[k::height]
        ]
        lines.append("    ".join(parts))
    return lines


def _sentences(account: Account, words: Words, width: int) -> list[str]:
    lines: list[str] = []
    for paragraph in account.sentences(words.lang, SENTENCES_MAX):
        lines += wrap(harmless(paragraph), min(width, READ), cells)
    return lines

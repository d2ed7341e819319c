"""Two runs side by side in a terminal: what differs, and what the better one costs."""

from collections.abc import Callable

from amqplite.lab.export.account import Account
from amqplite.lab.export.canvas import harmless, styled, to_ascii
from amqplite.lab.export.width import cells, cut, wrap
from amqplite.lab.export.words import Words, decimal

NAME_MAX = 28
LISTED_MAX = 20

Measure = Callable[[Account], int]

MEASURES: tuple[tuple[str, Measure, bool], ...] = (
    ("m.inv", lambda run: sum(one.inversions for one in run.orders), False),
    ("m.moved", lambda run: sum(one.moved for one in run.orders), False),
    ("m.buf", lambda run: max((one.buffer for one in run.orders), default=0), False),
    ("m.late", lambda run: max((one.late for one in run.orders), default=0), True),
    ("m.redel", lambda run: run.counts.redeliveries, False),
    ("m.dup", lambda run: run.counts.reported_duplicates, False),
    ("m.lost", lambda run: len(run.counts.lost), False),
    ("m.dropped", lambda run: run.counts.dropped, False),
    ("out.wasted", lambda run: run.counts.wasted, True),
    ("out.end", lambda run: run.counts.end, True),
)
"""What is measured of a run: the key of its name, how, and whether it is a time. Less is better."""


def compare(
    a: Account,
    b: Account,
    lang: str = "en",
    *,
    width: int = 100,
    colour: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return what differs between two runs; see `text.text` for the rest."""
    words = Words(lang, b.header.tick_us)
    blocks = [
        _table(a, b, words, colour=colour),
        _orders(a, b, words, width),
        wrap(price(a, b, words), min(width, 96), cells),
    ]
    written = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    return to_ascii(written) if ascii_only else written


def _table(a: Account, b: Account, words: Words, *, colour: bool) -> list[str]:
    heads = [cut(harmless(run.title(words.lang)), NAME_MAX, cells) for run in (a, b)]
    rows: list[tuple[str, list[str], str]] = []
    for key, measure, is_time in MEASURES:
        values = [measure(run) for run in (a, b)]
        if is_time:
            values_shown = [
                Words(words.lang, run.header.tick_us).span(v) for run, v in _pairs(a, b, values)
            ]
        else:
            values_shown = [str(value) for value in values]
        change = _change(values) if is_time else f"{values[1] - values[0]:+d}"
        rows.append((words(key), values_shown, "" if values[0] == values[1] else change))
    label = max(cells(name) for name, _, _ in rows)
    widths = [max(cells(heads[k]), *(cells(shown[k]) for _, shown, _ in rows)) for k in (0, 1)]
    lines = [" " * label + "".join(f"   {_right(heads[k], widths[k])}" for k in (0, 1))]
    for name, shown, change in rows:
        line = name + " " * (label - cells(name))
        line += "".join(f"   {_right(shown[k], widths[k])}" for k in (0, 1))
        style = "" if not change else "good" if change.startswith("-") else "trouble"
        lines.append(f"{line}   {styled(change, style, colour=colour)}".rstrip())
    return lines


def _pairs(a: Account, b: Account, values: list[int]) -> list[tuple[Account, int]]:
    return list(zip((a, b), values, strict=True))


def _right(text: str, width: int) -> str:
    return " " * (width - cells(text)) + text


def _change(values: list[int]) -> str:
    before, after = values
    if not before:
        return "+" if after else ""
    return f"{(after / before - 1) * 100:+.0f} %"


def _orders(a: Account, b: Account, words: Words, width: int) -> list[str]:
    """Return in what order messages completed, of each queue of either run."""
    told = []
    for run in (a, b):
        title = cut(harmless(run.title(words.lang)), NAME_MAX, cells)
        for one in run.orders:
            names = [harmless(name) for name in one.completion[:LISTED_MAX]]
            more = " …" if one.n > LISTED_MAX else ""
            line = f"{title} · {harmless(one.name)} · {words('order.completion')}: "
            told.append(cut(line + " ".join(names) + more, width, cells))
    return told


def price(a: Account, b: Account, words: Words) -> str:
    """Return in a sentence what the second run gives over the first one, and what that costs."""
    before, after = (MEASURES[0][1](run) for run in (a, b))
    sooner, later = (run.counts.end / run.header.tick_us for run in (a, b))
    change = "same" if before == after else "better" if after < before else "worse"
    time = "even" if sooner == later else "slower" if later > sooner else "faster"
    percent = f"{(later / sooner - 1) * 100:+.0f} %" if sooner else "—"
    told = [
        words(f"cmp.order.{change}", a=before, b=after),
        words(f"cmp.time.{time}", by=decimal(abs(later - sooner)), percent=percent),
    ]
    more = b.counts.redeliveries - a.counts.redeliveries
    if more:
        told.append(words("cmp.redel.more" if more > 0 else "cmp.redel.less", n=abs(more)))
    sentence = words("cmp.join").join(told) + words("cmp.stop")
    return f"{sentence} {b.price(words.lang)}".rstrip()

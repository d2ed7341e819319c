"""A run as a report in Markdown, for an issue, a wiki or homework."""

from amqplite.lab.export.account import Account
from amqplite.lab.export.drawing import harmless
from amqplite.lab.export.mermaid import mermaid
from amqplite.lab.export.words import Words

SENTENCES_MAX = 10
LISTED_MAX = 60

_SPECIAL = set("\\`*_{}[]|~$")


def markdown(account: Account, lang: str = "en", link: str = "") -> str:
    """Return the report.

    Args:
        account: the run, and what came of it.
        lang: `en` or `zh`.
        link: where the run can be looked at; empty leaves it out.
    """
    words = Words(lang, account.header.tick_us)
    parts = [
        f"# {escaped(account.title(lang))}",
        *(escaped(sentence) for sentence in account.sentences(lang, SENTENCES_MAX)),
        _numbers(account, words),
        *_orders(account, words),
        f"## {words('out.diagram')}",
        f"```mermaid\n{mermaid(account, lang)}```",
        _origin(account, words, link),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """Return text that is only text in Markdown: no link, no mention, no markup, no list."""
    written = ""
    for char in harmless(text).strip():
        begins = char in "-+=" and not written
        numbers = char in ".)" and written.isdigit()
        if char in "<>&@#":
            written += f"&#{ord(char)};"
        elif char in _SPECIAL or begins or numbers:
            written += f"\\{char}"
        else:
            written += " " if char.isspace() else char
    return written


def _numbers(account: Account, words: Words) -> str:
    rows = [f"| {escaped(name)} | {escaped(value)} |" for name, value in account.numbers(words)]
    head = [f"| {words('out.metric')} | {words('out.value')} |", "|---|---:|"]
    return "\n".join([*head, *rows]) if rows else ""


def _orders(account: Account, words: Words) -> list[str]:
    """Return what was published and what completed, of each queue in which it differs."""
    told = []
    for found in account.layout.orders:
        if not found.inversions:
            continue
        done = found.completed
        published = sorted(done, key=lambda line: line.published)
        told.append(
            f"| {escaped(found.queue[2:])} | |\n|---|---|\n"
            f"| {words('order.published')} | {_listed([line.m for line in published], set())} |\n"
            f"| {words('order.completion')} | "
            f"{_listed([line.m for line in done], {line.m for line in done if line.over})} |"
        )
    return told


def _listed(names: list[str], late: set[str]) -> str:
    shown = [
        f"**{escaped(name)}**" if name in late else escaped(name) for name in names[:LISTED_MAX]
    ]
    return " ".join(shown) + (" …" if len(names) > LISTED_MAX else "")


def _origin(account: Account, words: Words, link: str) -> str:
    header = account.header
    parts = [words(f"out.badge.{header.mode}"), f"amqplite {escaped(header.version)}"]
    if header.mode == "exact" and header.scenario:
        parts.append(f"`{_command(account)}`")
    if link:
        parts.append(f"<{link}>")
    return "*" + "* · *".join(parts[:2]) + "*" + "".join(f" · {part}" for part in parts[2:])


def _command(account: Account) -> str:
    """Return what brings the same trace again."""
    header = account.header
    parts = ["amqplite lab run", header.scenario]
    if header.variant:
        parts.append(f"--variant {header.variant}")
    if header.seed:
        parts.append(f"--seed {header.seed}")
    return "".join(char for char in " ".join(parts) if char.isprintable() and char != "`")

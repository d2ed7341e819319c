"""How wide text is, in a picture and on a terminal, and how it breaks into lines."""

from collections.abc import Callable, Iterator
from unicodedata import category, combining, east_asian_width

_HELVETICA = (
    (" ", (278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278)),
    ("0", (556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556)),
    ("@", (1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778)),
    ("P", (667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556)),
    ("`", (333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556)),
    ("p", (556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0)),
)
"""Advance widths of ASCII, in thousandths of the size, from a character on."""

_ADVANCE = {chr(ord(first) + k): w for first, widths in _HELVETICA for k, w in enumerate(widths)}

_ROOM = 1.14
"""Fonts differ: the widest of the usual ones takes about this much more."""

_BOLD = 1.07

_NOT_FIRST = set("，。、；：！？）】」』》〉”’…·％%,.;:!?)]}")
_NOT_LAST = set("（【「『《〈“‘([{")


def is_wide(char: str) -> bool:
    """Return whether a character takes the square of a Chinese one."""
    return east_asian_width(char) in "WF"


def pixels(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide text is at most, in an ordinary sans-serif font of `size` pixels."""
    total = 0.0
    for char in text:
        if is_wide(char):
            total += 1000 / _ROOM
        elif not combining(char):
            total += _ADVANCE.get(char, 620)
    return total * size / 1000 * _ROOM * (_BOLD if bold else 1)


def cells(text: str) -> int:
    """Return how many cells of a terminal text takes."""
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if combining(char) or category(char) in ("Cf", "Me", "Mn", "Cc"):
        return 0
    return 2 if is_wide(char) else 1


def cut(text: str, limit: float, measure: Callable[[str], float]) -> str:
    """Return text that fits, with an ellipsis in the place of what does not."""
    if measure(text) <= limit:
        return text
    kept = text
    while kept and measure(kept + "…") > limit:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def wrap(text: str, limit: float, measure: Callable[[str], float]) -> list[str]:
    """Break text into lines that fit, between words and between Chinese characters.

    A line neither begins with a closing mark nor ends with an opening one. What is too long for a
    line by itself is broken anywhere.
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if not line or measure((line + piece).rstrip()) <= limit:
            line += piece
        else:
            lines.append(line.rstrip())
            line = piece.lstrip()
        while len(line) > 1 and measure(line.rstrip()) > limit:
            fits = max(
                1, next(k for k in range(len(line), 0, -1) if _fits(line[:k], limit, measure))
            )
            lines.append(line[:fits])
            line = line[fits:].lstrip()
    if line.strip():
        lines.append(line.rstrip())
    return lines


def _fits(text: str, limit: float, measure: Callable[[str], float]) -> bool:
    return len(text) == 1 or measure(text) <= limit


def _pieces(text: str) -> Iterator[str]:
    """Yield what must not be broken, each with the space behind it."""
    piece = ""
    for char in text:
        if piece and _may_break(piece[-1], char):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def _may_break(before: str, after: str) -> bool:
    if after.isspace() or after in _NOT_FIRST or before in _NOT_LAST:
        return False
    return before.isspace() or is_wide(before) or is_wide(after)

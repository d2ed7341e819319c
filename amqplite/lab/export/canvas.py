"""A terminal's cells to draw on, with styles, and what may be drawn where Unicode may not."""

from amqplite.lab.export.width import cells, cut

PLAIN = ""

STYLES = {
    "held": "1;38;5;231;48;5;25",
    "work": "38;5;16;48;5;153",
    "failed": "38;5;244",
    "redelivered": "1;38;5;16;48;5;178",
    "waiting": "38;5;32",
    "buffered": "38;5;32",
    "requeued": "38;5;166",
    "trouble": "1;38;5;166",
    "good": "38;5;29",
    "muted": "38;5;244",
    "bold": "1",
}
"""Styles by what they are for, as in ECMA-48's SGR: near to the colours of the pictures."""

_ASCII = str.maketrans(
    {
        **{"│": "|", "┊": ":", "─": "-", "┄": ".", "━": "=", "╱": "/", "╲": "\\", "╳": "X"},
        **{"↓": "v", "↑": "^", "•": "o", "✓": "+", "✕": "X", "↩": "<", "↻": "r", "░": "%"},
        **{"├": "|", "┤": "|", "→": ">", "…": "~", "·": ".", "◆": "*", "◇": "o", "–": "-"},
        **{"“": '"', "”": '"', "’": "'", "—": "-", "≥": ">=", "±": "+-", "§": "S", "×": "x"},
        **{"−": "-", "∞": "inf"},
    }
)


def to_ascii(text: str) -> str:
    """Return text with ASCII for what is drawn; letters of other scripts stay."""
    return text.translate(_ASCII)


def harmless(text: str) -> str:
    """Return text without what would steer a terminal, or not be seen."""
    return "".join(
        char
        if char.isprintable() and not 0xD800 <= ord(char) < 0xE000
        else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )


class Canvas:
    """Rows of cells, as many as are drawn on.

    Args:
        width: cells of a row; what is beyond them is not drawn.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._rows: list[list[tuple[str, str]]] = []

    @property
    def height(self) -> int:
        """Rows so far."""
        return len(self._rows)

    def put(self, row: int, column: int, text: str, style: str = PLAIN) -> None:
        """Draw text; a wide character whose half would be overdrawn is replaced by a space."""
        while len(self._rows) <= row:
            self._rows.append([(" ", PLAIN)] * self.width)
        line = self._rows[row]
        for char in text:
            size = cells(char)
            if size == 0:
                continue
            if column >= 0 and column + size <= self.width:
                self._clear(line, column, size)
                line[column] = (char, style)
                if size == 2:
                    line[column + 1] = ("", style)
            column += size

    def _clear(self, line: list[tuple[str, str]], column: int, size: int) -> None:
        """Leave no half of a wide character at the edges of what is drawn next."""
        if line[column][0] == "" and column > 0:
            line[column - 1] = (" ", line[column - 1][1])
        after = column + size
        if after < self.width and line[after][0] == "":
            line[after] = (" ", line[after][1])

    def is_blank(self, row: int, start: int, end: int) -> bool:
        """Return whether nothing is drawn from `start` up to `end`."""
        if row >= self.height:
            return True
        return all(char == " " for char, _ in self._rows[row][max(0, start) : end])

    def has(self, row: int, start: int, text: str) -> bool:
        """Return whether it is just this that is drawn there."""
        found = "".join(char for char, _ in self._rows[row][start : start + len(text)])
        return row < self.height and found == text

    def lines(self, *, colour: bool) -> list[str]:
        """Return the rows as text, without spaces at their ends."""
        return [_line(row, colour=colour) for row in self._rows]


def _line(row: list[tuple[str, str]], *, colour: bool) -> str:
    if not colour:
        return "".join(char for char, _ in row).rstrip()
    end = max((k + 1 for k, (char, style) in enumerate(row) if char != " " or style), default=0)
    written, current = "", PLAIN
    for char, style in row[:end]:
        if style != current:
            written += sgr(style, since=current)
            current = style
        written += char
    return written + (sgr(PLAIN, since=current) if current else "")


def sgr(style: str, since: str = PLAIN) -> str:
    """Return what makes a terminal go on in a style."""
    reset = "\x1b[0m" if since else ""
    return reset + (f"\x1b[{STYLES[style]}m" if style else "")


def styled(text: str, style: str, *, colour: bool) -> str:
    """Return text in a style, if colours are wanted."""
    return f"{sgr(style)}{text}{sgr(PLAIN, since=style)}" if colour and style else text


def fitted(texts: list[str], room: int) -> str:
    """Return the first of some texts that fits, else what fits of the last; it may be nothing."""
    for text in texts:
        if cells(text) <= room:
            return text
    return cut(texts[-1], room, cells) if room >= 3 else ""

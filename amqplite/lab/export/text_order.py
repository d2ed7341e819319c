"""Order lines in characters."""

from amqplite.lab.diagram.crossings import Line, OrderLines
from amqplite.lab.export.canvas import Canvas, harmless, styled
from amqplite.lab.export.width import cells, cut, wrap
from amqplite.lab.export.words import Words

NAME_MAX = 6
BETWEEN = 2
NAMED_MAX = 6
APART_MAX = 3
"""Most places that a line may lead aside so that it can still be followed."""


def draw_order(found: OrderLines, words: Words, width: int, *, colour: bool) -> list[str]:
    """Return the order lines of a queue; where lines don't fit, what was displaced how far."""
    title = words("order.title")
    queue = harmless(found.queue[2:])
    if found.inversions:
        count = words("order.count", n=found.inversions)
        style = "trouble"
    else:
        count, style = words("order.none", n=len(found.completed)), "good"
    head = f"{cut(queue, 24, cells)}: {styled(count, style, colour=colour)}"
    if not found.inversions:
        return [head]
    names = [words("order.published"), words("order.completion")]
    left = max(map(cells, names)) + 2
    step = max(4, min(NAME_MAX, max(cells(line.m) for line in found.lines)) + BETWEEN)
    far = max(abs(line.displaced) for line in found.lines)
    if left + step * len(found.lines) > width or far > APART_MAX:
        return [head, *_displaced(found, words, width)]
    lines = _lines(found, names, left, step, width).lines(colour=colour)
    return [f"{head}   {title}", *lines, *_named(found, words, width)]


def _lines(found: OrderLines, names: list[str], left: int, step: int, width: int) -> Canvas:
    canvas = Canvas(width)
    far = max(abs(line.displaced) for line in found.lines)
    rows = max(3, 2 * far + 1)
    for row, name in ((0, names[0]), (rows + 1, names[1])):
        canvas.put(row, left - 2 - cells(name), name, "muted")
    for line in sorted(found.lines, key=_is_crossing):
        style = "trouble" if _is_crossing(line) else "muted"
        start = left + line.published * step
        name = cut(harmless(line.m), step - 1, cells)
        canvas.put(0, start, name, style if _is_crossing(line) else "")
        if line.completed is None:
            canvas.put(1, start, "✕" if line.gone else "┊", "trouble" if line.gone else "muted")
            continue
        end = left + line.completed * step
        canvas.put(rows + 1, end, name, style if _is_crossing(line) else "")
        for row in range(1, rows + 1):
            share = row / (rows + 1)
            char = "│" if end == start else "╲" if end > start else "╱"
            column = round(start + share * (end - start))
            if char != "│" and not canvas.is_blank(row, column, column + 1):
                char = "╳"
            canvas.put(row, column, char, style)
    return canvas


def _is_crossing(line: Line) -> bool:
    return line.over > 0 or line.overtook


def _named(found: OrderLines, words: Words, width: int) -> list[str]:
    if found.inversions > NAMED_MAX:
        return []
    told = [
        words("order.cross", y=harmless(x.early.m), x=harmless(x.late.m)) for x in found.crossings()
    ]
    return wrap(" · ".join(told), width, cells)


def _displaced(found: OrderLines, words: Words, width: int) -> list[str]:
    late = [line for line in found.completed if line.over]
    told = [f"{harmless(line.m)} {line.displaced:+d}" for line in late[:40]]
    more = f" … (+{len(late) - 40})" if len(late) > 40 else ""
    return wrap(f"{words('order.late')}: " + ", ".join(told) + more, width, cells)

"""A picture of a run as SVG: the space-time diagram, the order lines, and what they mean."""

from functools import partial

from amqplite import __version__
from amqplite.lab.diagram.layout import Layout
from amqplite.lab.diagram.scales import Kind, make_scale
from amqplite.lab.export import glyphs
from amqplite.lab.export import palette as colour
from amqplite.lab.export.account import Account
from amqplite.lab.export.arrows import draw_arrows
from amqplite.lab.export.bars import draw_bars
from amqplite.lab.export.chart import MARGIN, Chart
from amqplite.lab.export.drawing import Drawing, number
from amqplite.lab.export.ground import draw_ground
from amqplite.lab.export.lane_notes import draw_notes
from amqplite.lab.export.legend import draw_legend
from amqplite.lab.export.marks import draw_marks
from amqplite.lab.export.order import OrderBlock
from amqplite.lab.export.published import draw_published, draw_through
from amqplite.lab.export.width import cut, pixels, wrap
from amqplite.lab.export.words import Words

FONTS = (
    "'Helvetica Neue', 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, 'PingFang SC', "
    "'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
)

HEADER = 96
LEADING = 21
SENTENCES_MAX = 4
ORDERS_MAX = 4
"""Queues of which the order lines are drawn."""

LEAST = 880
"""Least width of a picture."""


def svg(account: Account, lang: str = "en", scale: Kind | None = None) -> str:
    """Return the picture of a run, complete in itself, on white.

    Args:
        account: the run, and what came of it.
        lang: `en` or `zh`.
        scale: how time becomes place; by default as it went, but long idle times are cut out.
    """
    words = Words(lang, account.header.tick_us)
    layout = account.layout
    chart = Chart(layout, scale or _natural(layout, words.tick_us), words, HEADER)
    width = max(chart.right + MARGIN, LEAST)
    drawing = Drawing()
    _header(drawing, account, words, width)
    draw_ground(drawing, chart, words)
    draw_arrows(drawing, chart)
    draw_through(drawing, chart)
    draw_published(drawing, chart, words)
    draw_bars(drawing, chart, words)
    draw_notes(drawing, chart)
    draw_marks(drawing, chart, words)
    y = draw_legend(drawing, chart, words, chart.bottom + 26, width)
    y = _orders(drawing, account, chart, words, width, y + 26)
    y = _sentences(drawing, account, words, width, y + 22)
    height = _footer(drawing, account, words, width, y + 12)
    return _document(drawing, account, words, lang, width, height)


def _natural(layout: Layout, tick_us: int) -> Kind:
    """Return `collapse` where idle times would take most of the picture."""
    times = [bar.start for bar in layout.bars] + [mark.t for mark in layout.marks]
    times += [bar.stop for bar in layout.bars if bar.stop is not None]
    cut_out = make_scale("collapse", times, tick_us)
    whole = make_scale("time", times, tick_us)
    return "collapse" if cut_out.end < whole.end / 2 else "time"


def _header(drawing: Drawing, account: Account, words: Words, width: float) -> None:
    badge = words(f"out.badge.{account.header.mode}")
    badge_width = pixels(badge, 11, bold=True) + 20
    room = width - 2 * MARGIN
    title = cut(account.title(words.lang), room, lambda text: pixels(text, 21, bold=True))
    drawing.text(title, x=MARGIN, y=44, font_size=21, font_weight="600", fill=colour.INK)
    simulated = account.header.mode == "simulated"
    drawing.put(
        "rect",
        x=MARGIN,
        y=58,
        width=badge_width,
        height=20,
        rx=10,
        fill=colour.PAPER if simulated else colour.INK,
        stroke=colour.INK,
        stroke_width=1.2,
        stroke_dasharray="4 3" if simulated else None,
    )
    ink = colour.INK if simulated else colour.PAPER
    drawing.text(
        badge,
        x=MARGIN + badge_width / 2,
        y=72,
        text_anchor="middle",
        font_size=11,
        font_weight="600",
        letter_spacing=0.3,
        fill=ink,
    )
    _headline(drawing, account, words, MARGIN + badge_width + 16, width)


def _headline(drawing: Drawing, account: Account, words: Words, x: float, width: float) -> None:
    """Write the four numbers that say most, one after the other."""
    for label, value, alarming in account.headline(words):
        size = pixels(value, 13, bold=True) + pixels(label, 13) + 6
        if x + size > width - MARGIN:
            return
        ink = colour.VERMILION_INK if alarming else colour.INK
        drawing.text(label, x=x, y=73, font_size=13, fill=colour.MUTED)
        x += pixels(label, 13) + 5
        drawing.text(value, x=x, y=73, font_size=13, font_weight="600", fill=ink)
        x += pixels(value, 13, bold=True) + 18


def _orders(
    drawing: Drawing, account: Account, chart: Chart, words: Words, width: float, y: float
) -> float:
    """Draw the order lines of each queue, side by side where they fit; return the lower edge."""
    orders = account.layout.orders
    x = right = float(MARGIN)
    bottom = y
    for found in orders[:ORDERS_MAX]:
        title = words("order.title")
        if len(orders) > 1:
            title = f"{found.queue[2:]} — {title}"
        title = cut(title, width - 2 * MARGIN - 160, lambda text: pixels(text, 14, bold=True))
        block = OrderBlock(found, title, chart.left - MARGIN, words)
        if x > MARGIN and x + block.width > width - MARGIN:
            x, y = float(MARGIN), bottom + 26
        right = min(x + block.width, width - MARGIN)
        bottom = max(bottom, block.draw(drawing, x, right, y))
        x = right + 40
    return bottom


def _sentences(drawing: Drawing, account: Account, words: Words, width: float, y: float) -> float:
    """Write what happened, in paragraphs; return the lower edge."""
    room = min(width - 2 * MARGIN, 1080)
    for k, paragraph in enumerate(account.sentences(words.lang, SENTENCES_MAX)):
        bold = k == 0
        for line in wrap(paragraph, room, partial(pixels, size=14.5, bold=bold)):
            y += LEADING
            weight = "600" if bold else None
            drawing.text(line, x=MARGIN, y=y, font_size=14.5, font_weight=weight, fill=colour.INK)
        y += 9
    return y


def _footer(drawing: Drawing, account: Account, words: Words, width: float, y: float) -> float:
    layout, header = account.layout, account.header
    parts = [f"amqplite {header.version or __version__}"]
    if header.scenario:
        parts.append(header.scenario)
    if header.mode in ("exact", "simulated"):
        parts.append(words("out.seed", n=header.seed))
    if header.started:
        parts.append(header.started)
    if layout.left_out:
        shown = layout.messages - layout.left_out
        notice = words("out.cut", shown=shown, n=layout.messages)
        y += 8
        drawing.text(notice, x=MARGIN, y=y, font_size=13, font_weight="600", fill=colour.INK)
        y += 22
    path = f"M{number(MARGIN)} {number(y)}H{number(width - MARGIN)}"
    drawing.put("path", d=path, stroke=colour.EDGE, stroke_width=1)
    text = cut("  ·  ".join(parts), width - 2 * MARGIN, lambda one: pixels(one, 12))
    drawing.text(text, x=MARGIN, y=y + 20, font_size=12, fill=colour.MUTED)
    return y + 36


def _document(
    drawing: Drawing, account: Account, words: Words, lang: str, width: float, height: float
) -> str:
    whole = Drawing()
    size = f"{number(width)} {number(height)}"
    with whole.group(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {size}",
        width=width,
        height=height,
        role="graphics-document document",
        aria_labelledby="amq-title amq-desc",
        lang="zh-CN" if lang == "zh" else "en",
        font_family=FONTS,
    ):
        whole.told("title", account.title(lang), id="amq-title")
        whole.told("desc", " ".join(account.sentences(lang, SENTENCES_MAX)), id="amq-desc")
        whole.raw(glyphs.DEFINITIONS)
        whole.put("rect", width=width, height=height, fill=colour.PAPER)
        if account.header.mode == "simulated":
            _watermark(whole, words, width, height)
        whole.raw(str(drawing))
    return f"{whole}\n"


def _watermark(whole: Drawing, words: Words, width: float, height: float) -> None:
    """Say all over it that this did not happen, and frame it in dashes."""
    whole.put(
        "rect",
        x=6,
        y=6,
        width=width - 12,
        height=height - 12,
        rx=10,
        fill="none",
        stroke=colour.GREY,
        stroke_width=2,
        stroke_dasharray="10 8",
    )
    whole.text(
        words("out.badge.simulated"),
        x=width / 2,
        y=height / 2,
        text_anchor="middle",
        font_size=min(110.0, width / 9),
        font_weight="700",
        fill="#f1f1ef",
        transform=f"rotate(-18 {number(width / 2)} {number(height / 2)})",
    )

"""The notes of lanes, drawn: words above the bars, among them, and brackets below."""

from amqplite.lab.export import glyphs
from amqplite.lab.export import palette as colour
from amqplite.lab.export.chart import Chart, Strip
from amqplite.lab.export.drawing import Drawing, number
from amqplite.lab.export.lettering import write
from amqplite.lab.export.notes import FOOT, HEAD, ICON, PAD, SIZE, Note
from amqplite.lab.export.width import pixels


def draw_notes(drawing: Drawing, chart: Chart) -> None:
    """Write the notes of all lanes."""
    for strip in chart.strips.values():
        for more in strip.lane.more:
            x = (chart.x(more.start) + chart.x(more.end)) / 2
            label = f"+{more.count}"
            y = strip.bottom + 14
            width = pixels(label, 12, bold=True) + 8
            drawing.put("rect", x=x - width / 2, y=y - 12, width=width, height=15, fill=colour.WASH)
            write(drawing, label, x, y, colour.MUTED, anchor="middle", size=12, bold=True)
        for note in strip.notes:
            if note.row < 0:
                _tag(drawing, note, strip)
            elif note.row == 0:
                y = strip.row(0)
                _plain(drawing, note, y)
            else:
                _bracket(drawing, note, strip)


def _tag(drawing: Drawing, note: Note, strip: Strip) -> None:
    """Words right above the bars, with a sign."""
    y = strip.top - 4 + note.row * HEAD + HEAD / 2 - 3
    back = note.kind == "back"
    drawing.put(
        "rect",
        x=note.x,
        y=y - 10,
        width=note.width,
        height=20,
        rx=4,
        fill=colour.VERMILION_WASH if back else colour.PAPER,
        stroke=colour.VERMILION if back else colour.GREY,
        stroke_width=1,
    )
    x = note.x + PAD + 4
    match note.icon:
        case "cross":
            glyphs.cross_plain(drawing, x, y, 4)
        case "back":
            glyphs.turn_plain(drawing, x, y, 4.4)
        case "key":
            glyphs.key(drawing, x - 1, y, 4.6)
        case "flag":
            glyphs.flag(drawing, x - 4, y + 7, 13)
        case "warning":
            glyphs.warning(drawing, x, y - 0.5, 6)
        case "ack_lost":
            glyphs.lost_ack(drawing, x, y, 6.5)
    ink = colour.VERMILION_INK if back else colour.INK
    write(drawing, note.text, note.x + PAD + ICON, y + 4.2, ink, size=SIZE, bold=True)


def _plain(drawing: Drawing, note: Note, y: float) -> None:
    drawing.put("rect", x=note.x, y=y - 9, width=note.width, height=18, rx=3, fill=colour.PAPER)
    x = note.x + note.width / 2
    write(drawing, note.text, x, y + 4, colour.MUTED, anchor="middle", size=SIZE)


def _bracket(drawing: Drawing, note: Note, strip: Strip) -> None:
    """How long something took, under the bars."""
    y = strip.bottom + (16 if strip.lane.more else 0) + 6 + (note.row - 1) * FOOT + FOOT / 2
    path = f"M{number(note.at)} {number(y - 5)}v10M{number(note.to)} {number(y - 5)}v10"
    path += f"M{number(note.at)} {number(y)}H{number(note.to)}"
    drawing.put("path", d=path, stroke=colour.VERMILION, stroke_width=1.6, fill="none")
    width = pixels(note.text, SIZE, bold=True) + PAD
    middle = (note.at + note.to) / 2
    x = min(max(middle, note.x + width / 2), note.x + note.width - width / 2)
    drawing.put("rect", x=x - width / 2, y=y - 8, width=width, height=16, fill=colour.PAPER)
    ink = colour.VERMILION_INK
    write(drawing, note.text, x, y + 4.2, ink, anchor="middle", size=SIZE, bold=True)

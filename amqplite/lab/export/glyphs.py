"""Small signs, drawn as paths around a point: fonts need not have them."""

from amqplite.lab.export import palette as colour
from amqplite.lab.export.drawing import Drawing, number

DEFINITIONS = f"""<defs>
<pattern id="amq-hatch" width="7" height="7" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><path fill="#f6f6f4" d="M0 0h7v7H0z"/>\
<path stroke="#8d8d8a" stroke-width="2.4" d="M0 0v7"/></pattern>
<pattern id="amq-dots" width="8" height="8" patternUnits="userSpaceOnUse">\
<path fill="{colour.ORANGE}" d="M0 0h8v8H0z"/><circle cx="2" cy="2" r="1.15" \
fill="{colour.ORANGE_DOT}"/><circle cx="6" cy="6" r="1.15" fill="{colour.ORANGE_DOT}"/></pattern>
<pattern id="amq-quiet" width="9" height="9" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><path stroke="#f0c9ad" stroke-width="2" d="M0 0v9"/></pattern>
</defs>"""
"""Patterns, so that a state is told without its colour, too."""


def tick(drawing: Drawing, x: float, y: float, r: float = 9) -> None:
    """A check mark in a disc: acknowledged."""
    drawing.put("circle", cx=x, cy=y, r=r, fill=colour.PAPER, stroke=colour.GREEN, stroke_width=1.8)
    path = f"M{number(x - r * 0.42)} {number(y + r * 0.06)}"
    path += f"l{number(r * 0.32)} {number(r * 0.36)} {number(r * 0.56)} {number(-r * 0.76)}"
    _stroke(drawing, path, colour.GREEN_INK, 2.2)


def cross(drawing: Drawing, x: float, y: float, r: float = 9) -> None:
    """A bold cross in a casing: dead."""
    _stroke(drawing, _crossed(x, y, r), colour.PAPER, 8)
    _stroke(drawing, _crossed(x, y, r), colour.VERMILION, 4.4)


def cross_plain(drawing: Drawing, x: float, y: float, r: float) -> None:
    """A cross beside words."""
    _stroke(drawing, _crossed(x, y, r), colour.VERMILION_INK, 2.4)


def _crossed(x: float, y: float, r: float) -> str:
    path = f"M{number(x - r)} {number(y - r)}l{number(2 * r)} {number(2 * r)}"
    return path + f"M{number(x + r)} {number(y - r)}l{number(-2 * r)} {number(2 * r)}"


def turn(drawing: Drawing, x: float, y: float, r: float = 9) -> None:
    """An arrow that turns round, in a disc: given back."""
    drawing.put(
        "circle", cx=x, cy=y, r=r, fill=colour.PAPER, stroke=colour.VERMILION, stroke_width=1.8
    )
    turn_plain(drawing, x, y, r * 0.62)


def turn_plain(drawing: Drawing, x: float, y: float, r: float) -> None:
    """An arrow that turns round."""
    path = f"M{number(x + r)} {number(y + r * 0.9)}v{number(-r * 0.9)}"
    path += f"q0 {number(-r * 0.8)} {number(-r * 0.8)} {number(-r * 0.8)}h{number(-r)}"
    path += f"m{number(r * 0.7)} {number(-r * 0.7)}l{number(-r * 0.8)} {number(r * 0.7)} "
    path += f"{number(r * 0.8)} {number(r * 0.7)}"
    _stroke(drawing, path, colour.VERMILION_INK, 1.8)


def again(drawing: Drawing, x: float, y: float, r: float, ink: str) -> None:
    """A circling arrow: handed out once more."""
    path = f"M{number(x + r * 0.94)} {number(y + r * 0.34)}"
    path += f"A{number(r)} {number(r)} 0 1 1 {number(x + r * 0.5)} {number(y - r * 0.87)}"
    _stroke(drawing, path, ink, 1.6)
    tip = f"M{number(x + r * 0.2)} {number(y - r * 1.55)}l{number(r * 1.15)} {number(r * 0.85)} "
    drawing.put("path", d=f"{tip}{number(-r * 1.25)} {number(r * 0.55)}z", fill=ink)


def diamond(drawing: Drawing, x: float, y: float, r: float, *, filled: bool) -> None:
    """The application did its work; hollow: it had done it before."""
    path = f"M{number(x)} {number(y - r)}l{number(r)} {number(r)} {number(-r)} {number(r)} "
    path += f"{number(-r)} {number(-r)}z"
    fill = colour.INK if filled else colour.PAPER
    drawing.put("path", d=path, fill=fill, stroke=colour.INK if not filled else colour.PAPER)


def hourglass(drawing: Drawing, x: float, y: float, r: float) -> None:
    """Its time was over."""
    drawing.put(
        "circle",
        cx=x,
        cy=y,
        r=r * 1.7,
        fill=colour.PAPER,
        stroke=colour.VERMILION,
        stroke_width=1.8,
    )
    path = f"M{number(x - r)} {number(y - r)}h{number(2 * r)}l{number(-2 * r)} {number(2 * r)}"
    drawing.put("path", d=f"{path}h{number(2 * r)}z", fill=colour.VERMILION_INK)


def key(drawing: Drawing, x: float, y: float, r: float) -> None:
    """It is its turn now, of a single active consumer."""
    drawing.put(
        "circle", cx=x - r * 0.6, cy=y, r=r * 0.6, fill="none", stroke=colour.INK, stroke_width=1.8
    )
    path = f"M{number(x)} {number(y)}h{number(r * 1.5)}v{number(r * 0.7)}"
    path += f"m{number(-r * 0.6)} {number(-r * 0.7)}v{number(r * 0.5)}"
    _stroke(drawing, path, colour.INK, 1.8)


def flag(drawing: Drawing, x: float, y: float, height: float) -> None:
    """Somebody pressed a button. `y` is the foot of its pole."""
    _stroke(drawing, f"M{number(x)} {number(y)}v{number(-height)}", colour.INK, 1.6)
    path = f"M{number(x)} {number(y - height)}l11 4.5 -11 4.5z"
    drawing.put("path", d=path, fill=colour.VERMILION, stroke=colour.INK, stroke_width=1)


def warning(drawing: Drawing, x: float, y: float, r: float) -> None:
    """Something was refused."""
    path = f"M{number(x)} {number(y - r)}l{number(r * 1.05)} {number(r * 1.85)}h{number(-r * 2.1)}z"
    drawing.put(
        "path",
        d=path,
        fill=colour.PAPER,
        stroke=colour.VERMILION,
        stroke_width=1.8,
        stroke_linejoin="round",
    )
    sign = f"M{number(x)} {number(y - r * 0.3)}v{number(r * 0.55)}m0 {number(r * 0.22)}v1"
    _stroke(drawing, sign, colour.VERMILION_INK, 1.8)


def lost_ack(drawing: Drawing, x: float, y: float, r: float) -> None:
    """An arrow that breaks off half-way: an ack that never arrived."""
    path = f"M{number(x)} {number(y + r)}V{number(y + r * 0.25)}M{number(x)} {number(y - r * 0.3)}V"
    path += (
        f"{number(y - r)}M{number(x - r * 0.5)} {number(y - r * 0.5)}L{number(x)} {number(y - r)}"
    )
    path += (
        f"L{number(x + r * 0.5)} {number(y - r * 0.5)}M{number(x - r * 0.6)} {number(y + r * 0.15)}"
    )
    path += f"l{number(r * 1.2)} {number(-r * 0.35)}"
    _stroke(drawing, path, colour.VERMILION_INK, 1.8)


def _stroke(drawing: Drawing, path: str, stroke: str, width: float) -> None:
    drawing.put(
        "path",
        d=path,
        fill="none",
        stroke=stroke,
        stroke_width=width,
        stroke_linecap="round",
        stroke_linejoin="round",
    )

"""Colours of pictures, on white: those of Okabe and Ito, who chose them for all eyes.

Colour tells what became of a message and nothing else, and never alone: each state has a shape or a
pattern of its own too. Orange and sky are too pale on white, so they always have an outline.
"""

PAPER = "#ffffff"
INK = "#1c1e21"
MUTED = "#5a5e65"
GREY = "#6b6b6b"
GRID = "#e6e3dc"
WASH = "#f5f4f0"
EDGE = "#d8d4ca"

BLUE = "#0072b2"
ORANGE = "#e69f00"
VERMILION = "#d55e00"
GREEN = "#009e73"
SKY = "#56b4e9"

BLUE_INK = "#00507d"
VERMILION_INK = "#8f3f00"
GREEN_INK = "#00664b"
ORANGE_DOT = "#7a5200"
VERMILION_WASH = "#fdf1e8"
BLUE_WASH = "#bcd9ec"
OUTLINE = "#1a1a1a"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2, §1.4.3)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

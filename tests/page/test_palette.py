"""The palette in lab.css: enough contrast in both themes, computed from the file (WCAG 2)."""

import re
from pathlib import Path

import pytest

CSS = (Path(__file__).parents[2] / "amqplite/control/page/lab/lab.css").read_text()
COLOUR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")

GROUNDS = ("paper", "panel", "wash")
TEXT = ("ink", "muted", "grey", "vermilion-ink", "green-ink")
GRAPHICS = ("blue", "vermilion", "green", "line", "outline", "focus")
PALE = ("orange", "sky")
"""Too pale on white: they have an outline, which has the contrast in their place."""


def palette(name: str) -> dict[str, tuple[str, str]]:
    """Return the colours of a palette, light and dark, on top of the usual ones."""
    blocks = re.findall(r":root(?:\[data-palette=\"(\w+)\"\])? \{(.*?)\n\}", CSS, re.DOTALL)
    found: dict[str, tuple[str, str]] = {}
    for palette_name, block in blocks:
        if palette_name in ("", name):
            found |= {token: (light, dark) for token, light, dark in COLOUR.findall(block)}
    return found


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_computed_as_the_standard_has_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#0072b2", "#ffffff") == pytest.approx(5.19, abs=0.01)
    assert contrast("#e69f00", "#ffffff") == pytest.approx(2.25, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["", "tol", "mono"])
def test_text_can_be_read(name: str, theme: int) -> None:
    colours = palette(name)
    for ground in GROUNDS:
        for token in TEXT:
            measured = contrast(colours[token][theme], colours[ground][theme])
            assert measured >= 4.5, f"{token} on {ground}: {measured:.2f}"
    assert contrast(colours["on-blue"][theme], colours["blue"][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["", "tol", "mono"])
def test_marks_can_be_told_from_the_ground(name: str, theme: int) -> None:
    colours = palette(name)
    for ground in GROUNDS:
        for token in GRAPHICS:
            measured = contrast(colours[token][theme], colours[ground][theme])
            assert measured >= 3, f"{token} on {ground}: {measured:.2f}"
    for token in PALE:
        outlined = contrast(colours["outline"][theme], colours[token][theme])
        alone = contrast(colours[token][theme], colours["paper"][theme])
        assert max(outlined, alone) >= 3, token

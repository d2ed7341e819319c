"""Contrast of every colour that tells something."""

import pytest

from amqplite.lab.export import palette
from amqplite.lab.export.palette import contrast


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#0072B2", "#ffffff") == pytest.approx(5.19, abs=0.01)


@pytest.mark.parametrize("name", ["INK", "MUTED", "VERMILION_INK", "GREEN_INK", "BLUE_INK"])
def test_text_can_be_read(name: str) -> None:
    for ground in (palette.PAPER, palette.WASH, palette.VERMILION_WASH):
        assert contrast(getattr(palette, name), ground) >= 4.5


def test_text_on_bars_can_be_read() -> None:
    assert contrast(palette.PAPER, palette.BLUE) >= 4.5
    assert contrast(palette.INK, palette.BLUE_WASH) >= 4.5


@pytest.mark.parametrize("name", ["BLUE", "VERMILION", "GREEN", "GREY", "OUTLINE"])
def test_shapes_can_be_told_from_the_paper(name: str) -> None:
    assert contrast(getattr(palette, name), palette.PAPER) >= 3


def test_pale_colours_can_be_told_from_their_outline() -> None:
    for pale in (palette.ORANGE, palette.BLUE_WASH):
        assert contrast(pale, palette.OUTLINE) >= 3
    assert contrast(palette.ORANGE, palette.ORANGE_DOT) >= 3

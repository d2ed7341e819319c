"""The lab on every screen: narrow, magnified, dark, without motion, with hostile names."""

import pytest

from tests.broker_process import BrokerProcess
from tests.browser.conftest import Open
from tests.browser.traffic import HOSTILE, declare

PLACES = (
    *("", "#/s/fig-11-2", "#/s/fig-11-2?step=run", "#/s/fig-11-2?step=why&guess=1.2.3.4.5"),
    *("#/s/fig-11-2?step=fix", "#/s/prefetch-blast?step=run", "#/s/your-own?step=run"),
    *("#/live", "#/runs", "#/compare", "#/r/none"),
)


SMALL = """[...document.querySelectorAll("button, a, input, select, summary")]
  .filter((one) => one.checkVisibility() && !one.matches(".unseen, .skip, p a, td a"))
  .map((one) => [one.textContent || one.id, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
  .map(([name, box]) => `${name}: ${box.width} × ${box.height}`)"""


@pytest.mark.parametrize("place", PLACES)
def test_a_phone_scrolls_in_one_direction_and_what_is_pressed_is_large_enough(
    place: str, open_lab: Open
) -> None:
    lab = open_lab(place, width=320, height=640)
    assert lab.ask("document.documentElement.scrollWidth") == 320
    assert lab.ask(SMALL) == []


def test_a_hostile_name_is_only_a_name(broker: BrokerProcess, open_lab: Open) -> None:
    declare(broker, HOSTILE)
    lab = open_lab("#/live")
    lab.page.wait_for_selector("tbody a")
    lab.page.get_by_text(HOSTILE, exact=True).click()
    lab.page.wait_for_selector(".dia svg")
    assert lab.text("h1") == HOSTILE
    assert lab.ask("document.querySelectorAll('img').length") == 0
    assert lab.ask("window.hacked") is None


def test_the_theme_is_changed_and_kept(open_lab: Open) -> None:
    lab = open_lab()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = lab.ask(ground)
    lab.page.click("#tool-theme")  # to light
    lab.page.click("#tool-theme")  # to dark
    dark = lab.ask(ground)
    assert dark != light
    lab.page.reload()
    lab.settle()
    assert lab.ask(ground) == dark


def test_the_dark_theme_is_the_systems(open_lab: Open) -> None:
    lab = open_lab(theme="dark")
    assert lab.ask("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"


def test_nothing_moves_by_itself_where_that_is_unwanted(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run", motion="reduce")
    assert lab.ask("document.getAnimations().length") == 0
    assert "Before the first event" in lab.text(".narrator")

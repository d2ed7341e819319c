"""The whole way through figure 11-2, with the keyboard alone."""

import re

from tests.browser.conftest import Open


def test_from_the_gallery_to_the_fix(open_lab: Open) -> None:
    lab = open_lab()
    lab.focus_on("Begin with figure 11-2")
    lab.keys("Enter")
    lab.page.wait_for_selector(".boxes")
    assert lab.focused() == "Load balancing + redelivery"

    # predict: m4 before m3, and an answer
    lab.focus_on("m3, place 3 of 5")
    lab.keys("ArrowRight")
    assert lab.focused() == "m3, place 4 of 5"
    assert lab.ask("[...document.querySelectorAll('.box')].map((box) => box.textContent)") == [
        *("m1", "m2", "m4", "m3", "m5"),
    ]
    lab.until("document.getElementById('said').textContent.includes('4 of 5')")
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Tab")
    lab.keys("Space")
    lab.focus_on("Run it")
    lab.keys("Enter")

    # run: step through it
    lab.page.wait_for_selector(".dia svg")
    lab.settle()
    assert lab.focused() == "2Run"
    assert "guess=1.2.4.3.5" in lab.address()
    lab.keys("Home", "ArrowRight", "ArrowRight")
    lab.keys("n")
    lab.until("document.querySelector('.narrator').textContent.includes('m3 goes back into q')")
    lab.keys("End")
    assert lab.text(".headline").startswith("Inversions 1")

    # the event list, and a search in it
    lab.keys("l")
    lab.page.wait_for_selector(".eventlist:not([hidden])")
    lab.keys("/")
    assert lab.focused() == "Search events"
    lab.page.keyboard.type("m3")
    rows = lab.page.locator(".events tbody tr")
    assert rows.count() >= 8
    assert all("m3" in row for row in rows.all_inner_texts())

    # why: a clause leads to its event
    lab.page.keyboard.press("Tab")
    lab.keys("w")
    lab.page.wait_for_selector(".clause")
    first = lab.page.locator(".clause").first.inner_text().strip()
    lab.focus_on(first, most=150)
    lab.keys("Enter")
    assert re.search(r"sel=n%3A\d+", lab.address())
    assert "Exactly the order that you predicted." in lab.text(".outcome")

    # fix it: a knob, and the comparison
    lab.keys("Escape")
    lab.page.locator(".steps a").last.focus()
    lab.keys("Enter")
    lab.page.wait_for_selector(".hints")
    lab.focus_on("More: Prefetch of both consumers", most=150)
    lab.keys("Enter")
    lab.until("location.hash.includes('prefetch=2')")
    lab.settle()
    assert lab.focused() == "More: Prefetch of both consumers"
    assert lab.text(".headline").startswith("Inversions 1")
    lab.keys("c")
    lab.page.wait_for_selector(".deltas")
    assert lab.page.locator(".dia-space").count() == 2


def test_single_letters_can_be_switched_off(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run")
    lab.keys("?")
    lab.page.wait_for_selector("dialog[open]")
    lab.focus_on("Single letters, digits and signs do something")
    lab.keys("Space", "Escape")
    lab.page.wait_for_selector("dialog", state="detached")
    lab.keys("l")
    assert lab.page.locator(".eventlist").is_hidden()
    lab.keys("?")
    assert lab.page.locator("dialog").count() == 0
    lab.keys("Home")
    assert "Before the first event" in lab.text(".narrator")


def test_what_has_the_focus_can_be_seen(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2")
    without = []
    for _ in range(25):
        lab.keys("Tab")
        style = lab.ask("getComputedStyle(document.activeElement).outlineStyle")
        if style != "solid" and lab.ask("document.activeElement !== document.body"):
            without.append(lab.focused())
    assert without == []


def test_marks_say_what_they_are(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=8.4")
    names = lab.ask(
        "[...document.querySelectorAll('.dia-space [aria-label]')]"
        ".map((mark) => mark.getAttribute('aria-label'))"
    )
    assert "c2 works on m3, attempt 1, t=2.0 to 3.4, lost" in names
    assert any(name.startswith("c1 works on m3, attempt 2, t=4.8 to 6.6") for name in names)

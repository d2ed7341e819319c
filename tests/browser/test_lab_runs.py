"""Runs: handed out, brought back, named, compared, dropped."""

import json
from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.browser.lab import Lab

FORMATS = {
    "HTML replay": ("html", "<!doctype html"),
    "SVG": ("svg", "<?xml"),
    "JSONL": ("jsonl", '{"schema":"amqplite.trace/1"'),
    "CSV": ("csv", ""),
    "Mermaid": ("mmd", "sequenceDiagram"),
    "Markdown report": ("md", "#"),
}


def handed_out(lab: Lab, name: str) -> Path:
    """Return the file that a button of the menu gives."""
    if lab.page.locator(".menu").is_hidden():
        lab.page.get_by_role("button", name="Share", exact=True).click()
    with lab.page.expect_download() as download:
        lab.page.get_by_role("button", name=name, exact=True).click()
    path = lab.folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_is_handed_out(name: str, open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=8.4")
    suffix, begin = FORMATS[name]
    path = handed_out(lab, name)
    assert path.name == f"fig-11-2.{suffix}"
    text = path.read_text("utf-8")
    assert text.startswith(begin)
    assert "m3" in text


def test_a_picture_is_a_picture(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=8.4")
    octets = handed_out(lab, "PNG").read_bytes()
    assert octets.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(octets[16:20]) > 1000  # pixels wide


def test_the_html_replay_opens_without_a_network(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=8.4")
    path = handed_out(lab, "HTML replay")
    page = lab.page.context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("svg")
    assert "m3" in page.inner_text("body")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_link_holds_the_whole_run(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=8.4")
    lab.page.evaluate("navigator.clipboard.writeText = async (words) => { window.copied = words; }")
    lab.page.get_by_role("button", name="Share", exact=True).click()
    lab.page.get_by_role("button", name="Link with data").click()
    lab.until("Boolean(window.copied)")
    link = lab.ask("window.copied")
    assert len(link) < 1000
    other = open_lab(link[link.index("#") :])
    assert other.text(".headline").startswith("Inversions 1")
    assert other.page.locator("text=m4 overtook m3").count() >= 1


def test_a_file_comes_back_and_is_named_and_dropped(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?step=run&t=8.4")
    path = handed_out(lab, "JSONL")
    lab.page.evaluate("location.hash = '#/runs'")
    lab.page.wait_for_selector("#import", state="attached")
    lab.page.set_input_files("#import", path)
    lab.until("location.hash.startsWith('#/r/')")
    lab.page.wait_for_selector(".headline")

    lab.page.get_by_role("button", name="Rename").click()
    lab.page.keyboard.type("Lesson of Monday")
    lab.keys("Enter")
    lab.until("document.querySelector('h1').textContent.includes('Lesson of Monday')")
    lab.page.reload()
    lab.page.wait_for_selector(".headline")
    assert "Lesson of Monday" in lab.text("h1")

    lab.page.evaluate("location.hash = '#/runs'")
    lab.page.wait_for_selector(".entry.run")
    lab.page.get_by_role("button", name="Delete Lesson of Monday").click()
    lab.until("!document.querySelector('.runs').textContent.includes('Lesson of Monday')")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("no trace\n", "line 1"),
        (json.dumps({"schema": "amqplite.trace/9", "version": "9.0"}) + "\n", "amqplite.trace/9"),
    ],
)
def test_junk_is_told(content: str, reason: str, open_lab: Open) -> None:
    lab = open_lab("#/runs")
    path = lab.folder / "junk.jsonl"
    path.write_text(content)
    lab.page.set_input_files("#import", path)
    lab.until("document.querySelector('.told').textContent.includes('junk.jsonl can')")
    assert reason in lab.text(".told")


def test_two_kept_runs_are_compared(open_lab: Open) -> None:
    open_lab("#/s/fig-11-2?step=run")
    open_lab("#/s/fix-single-active?step=run")
    lab = open_lab("#/runs")
    boxes = lab.page.locator(".entry.run input")
    boxes.nth(0).check()
    boxes.nth(1).check()
    lab.page.get_by_role("link", name="Compare these two").click()
    lab.page.wait_for_selector(".deltas")
    assert lab.page.locator(".dia-space").count() == 2


def test_the_price_of_a_fix_is_told(open_lab: Open) -> None:
    lab = open_lab("#/compare?a=s/fig-11-2&b=s/fix-single-active")
    lab.page.wait_for_selector(".deltas")
    assert "Inversions fall from 1 to 0; it ends 2 ticks later (+24%)" in lab.text(".difference")
    assert lab.text(".deltas").endswith("8.4 ticks → 10.4 ticks +24%")


def test_a_run_that_is_gone_says_so(open_lab: Open) -> None:
    lab = open_lab("#/r/nowhere")
    assert lab.text("h1") == "There is no such thing here"


def test_a_damaged_link_says_so(open_lab: Open) -> None:
    lab = open_lab("#/d/AAAA")
    assert lab.page.locator(".problem").count() == 1

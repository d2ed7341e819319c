"""The whole picture: well-formed, named, harmless; and in a browser, no words on others."""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from shutil import which
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from amqplite.lab.diagram.scales import Kind
from amqplite.lab.export.account import account
from amqplite.lab.export.svg import svg
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import find
from tests.lab.export.pictures import account_of
from tests.lab.story import Story, figure_11_2

SVG = "{http://www.w3.org/2000/svg}"


def picture(text: str) -> Element:
    return ElementTree.fromstring(text)


def written(root: Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_it_says_what_it_is_without_being_seen() -> None:
    root = picture(svg(account_of()))
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("role") == "graphics-document document"
    assert title is not None
    assert desc is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text == "A story"
    assert (desc.text or "").startswith("1 of 5 messages completed out of order")
    names = [e.get("aria-label") for e in root.iter() if e.get("role") == "img"]
    assert len(names) == 5 + 8 + 1 + 1  # published, bars, the crash, the order lines
    assert all(names)


def test_all_that_is_written_of_the_figure() -> None:
    texts = written(picture(svg(account_of())))
    for expected in (
        *("A story", "SCENARIO · real broker, virtual clock", "Inversions", "1.8"),
        *("m3 waits 1.4", "m5 waits 2.6", "late 1.8", "c2 is down"),
        *("connection lost → m3 requeued", "Every crossing is one inversion", "m4 overtook m3"),
        *("published", "completed", "out of order", "waits again"),
    ):
        assert expected in texts


def test_in_chinese() -> None:
    root = picture(svg(account_of(scenario="fig-11-2", name="Load balancing + redelivery"), "zh"))
    texts = written(root)
    assert root.get("lang") == "zh-CN"
    for expected in ("负载均衡加重新投递", "m3 等待 1.4", "连接断开 → m3 重新入队", "m4 超过了 m3"):
        assert expected in texts
    assert not [text for text in texts if re.search(r"[a-z]+\.[a-z_]+|\{\w+\}", text)]


def test_it_is_the_same_every_time() -> None:
    assert svg(account_of()) == svg(account_of())


def test_nothing_is_fetched_or_run() -> None:
    text = svg(account_of())
    assert not re.search(r"<script|<style|<foreignObject|href|\bon\w+=", text)
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {"#amq-hatch", "#amq-dots", "#amq-quiet"}
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


HOSTILE = '"><script>alert(1)</script>\x00&amp;\ud800'


def test_hostile_names_are_only_names() -> None:
    story = Story(HOSTILE)
    story.consumer(0, HOSTILE)
    story.publish(0, HOSTILE, p=HOSTILE)
    story.deliver(1, HOSTILE, HOSTILE)
    story.requeue(2, HOSTILE, HOSTILE, "connection_lost", "eof")
    root = picture(svg(account_of(story, name=HOSTILE)))
    assert not list(root.iter(f"{SVG}script"))
    assert any("<script>alert(1)</script>" in text for text in written(root))


def test_what_did_not_happen_says_so_all_over_it() -> None:
    texts = written(picture(svg(account_of(mode="simulated"))))
    assert texts.count("SIMULATED") == 2


def test_many_messages_are_cut_short_and_it_says_so() -> None:
    story = Story()
    for k in range(600):
        story.publish(k / 10, f"m{k}")
    text = svg(account_of(story))
    assert "500 of 600 messages are drawn; the numbers are of all." in written(picture(text))
    assert len(text) < 600_000


def shuffled(count: int) -> Story:
    """Deliver messages so that every other one overtakes the one before."""
    story = Story()
    for k in range(count):
        story.publish(0, f"m{k}")
    for k in range(0, count, 2):
        for m in (f"m{k + 1}", f"m{k}"):
            story.deliver(k, m, "c1")
            story.ack(k + 1, m, "c1")
    return story


@pytest.mark.parametrize(("count", "strip"), [(60, False), (62, True)])
def test_of_many_messages_it_shows_how_far_each_was_displaced(count: int, strip: bool) -> None:
    texts = written(picture(svg(account_of(shuffled(count)))))
    assert any(text.startswith("Displacement of each message") for text in texts) is strip


@pytest.mark.parametrize("kind", ["time", "order", "collapse"])
@pytest.mark.parametrize("events", [[], figure_11_2().events[:1], figure_11_2().events[:12]])
def test_an_unfinished_trace_is_no_trouble(kind: Kind, events: list[Any]) -> None:
    assert picture(svg(account_of(events), scale=kind)).get("viewBox")


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = which("chromium")
    if chromium is None:
        pytest.skip("no chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


BOXES = """() => [...document.querySelectorAll("text")].map((text) => {
  const { left, top, right, bottom } = text.getBoundingClientRect();
  return { text: text.textContent, left, top: top + 2, right, bottom: bottom - 2 };
})"""
"""Where text is drawn; its box reaches a bit beyond the letters, above and below."""


def overlaps(page: Any, path: Path, text: str) -> list[tuple[str, str]]:
    path.write_text(text, encoding="utf-8")
    page.goto(path.as_uri())
    boxes = page.evaluate(BOXES)
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)[0])
    assert min(box["left"] for box in boxes) >= 0
    assert max(box["right"] for box in boxes) <= width
    assert max(box["bottom"] for box in boxes) <= height
    return [
        (one["text"], other["text"])
        for one, other in combinations(boxes, 2)
        if one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    ]


SCENARIOS = [
    *("fig-11-2", "prefetch-blast", "fix-queue-per-consumer", "nack-one-consumer", "sac-cancel"),
    *("silent-death", "ack-timeout", "lost-ack", "auto-ack-loss", "slow-unbounded", "resequencer"),
    *("publisher-retry", "two-publishers", "late-subscriber", "fix-idempotent"),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_words_lie_on_others(page: Any, tmp_path: Path, name: str, lang: str) -> None:
    told = account(run_exact(find(name)))
    assert overlaps(page, tmp_path / "picture.svg", svg(told, lang)) == []


def test_not_in_equal_steps_either(page: Any, tmp_path: Path) -> None:
    assert overlaps(page, tmp_path / "picture.svg", svg(account_of(), scale="order")) == []

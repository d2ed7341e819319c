"""A run in one file, in a browser that reaches nobody."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from amqplite.lab.export.account import Account, account
from amqplite.lab.export.html import FOLDER, html, in_script
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import find
from amqplite.lab.trace import read_jsonl
from tests.lab.export.pictures import account_of
from tests.lab.story import Story

WAIT_MS = 20_000


@pytest.fixture(scope="module")
def figure() -> Account:
    return account(run_exact(find("fig-11-2")))


def held(text: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="held">(.*?)</script>', text, re.S)
    told: dict[str, Any] = json.loads(found)
    return told


def test_it_holds_the_run_in_both_languages(figure: Account) -> None:
    told = held(html(figure, "zh"))
    assert told["lang"] == "zh"
    assert told["titles"] == {"en": "Load balancing + redelivery", "zh": "负载均衡加重新投递"}
    assert set(told["texts"]) == {"en", "zh-CN"}
    assert set(told["run"]["whys"][0]["text"]) == {"en", "zh"}
    assert [e["order"]["over"] for e in told["events"] if "order" in e] == [["m4"]]
    assert read_jsonl(told["jsonl"]) == figure.trace


def test_it_is_the_same_every_time(figure: Account) -> None:
    assert html(figure) == html(account(figure.trace))


def test_it_has_all_styles_of_the_page(figure: Account) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", html(figure), re.DOTALL)
    for path in Path(str(FOLDER)).glob("*.css"):
        assert path.read_text(encoding="utf-8") in style, path.name


def test_it_is_no_larger_than_a_mail_may_be(figure: Account) -> None:
    assert len(html(figure).encode()) < 600_000


HOSTILE = "</script><script>window.hurt=1</script><!-- <img src=x onerror=window.hurt=1> \u2028&"


@pytest.mark.parametrize("value", [HOSTILE, "\ud800", "\x00\x1b", "</SCRIPT >", "]]>"])
def test_what_stands_in_a_script_ends_none(value: str) -> None:
    written = in_script({"name": value})
    assert not set(written) & set("<>&\u2028\u2029")
    written.encode()
    assert json.loads(written) == {"name": value}


def hostile() -> Account:
    story = Story(HOSTILE)
    story.consumer(0, HOSTILE)
    for m in (HOSTILE, "m2"):
        story.publish(0, m, p=HOSTILE, key=HOSTILE)
        story.deliver(0, m, HOSTILE)
    story.requeue(1, HOSTILE, HOSTILE, "nack_requeue")
    story.ack(2, "m2", HOSTILE)
    story.deliver(2, HOSTILE, HOSTILE)
    story.ack(3, HOSTILE, HOSTILE)
    return account_of(story, name=HOSTILE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = which("chromium")
    if chromium is None:
        pytest.skip("no chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A file that is open in a browser without a network, and what went wrong there."""

    def __init__(self, browser: Any, path: Path, text: str, **options: Any) -> None:
        path.write_text(text, encoding="utf-8")
        self.context = browser.new_context(offline=True, locale="en-GB", **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda said: self.wrong.append(said.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


def test_it_replays_from_a_disk(browser: Any, figure: Account, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    with Opened(browser, path, html(figure)) as opened:
        page = opened.page
        page.get_by_role("heading", name="Load balancing + redelivery").wait_for()
        page.get_by_text("connection lost → m3 requeued").first.wait_for()
        page.get_by_text("The broker handed everything out in order").wait_for()
        assert page.title() == "Load balancing + redelivery · amqplite lab"
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        page.get_by_text("c2 consumes from q.").first.wait_for()
        page.keyboard.press("End")
        page.keyboard.press("l")
        page.get_by_role("table").first.wait_for()
        assert opened.wrong == []
        assert [url for url in opened.asked if not url.startswith("data:")] == [path.as_uri()]


def test_the_language_can_be_changed(browser: Any, figure: Account, tmp_path: Path) -> None:
    with Opened(browser, tmp_path / "run.html", html(figure)) as opened:
        page = opened.page
        page.get_by_role("button", name="中文").click()
        page.get_by_role("heading", name="负载均衡加重新投递").wait_for()
        page.get_by_text("连接断开 → m3 重新入队").first.wait_for()
        assert page.evaluate("document.documentElement.lang") == "zh-CN"
        assert page.get_by_role("button", name="English").evaluate(
            "e => e === document.activeElement"
        )
        assert opened.wrong == []


def test_it_gives_back_what_it_was_made_of(browser: Any, figure: Account, tmp_path: Path) -> None:
    with Opened(browser, tmp_path / "run.html", html(figure)) as opened:
        with opened.page.expect_download() as download:
            opened.page.get_by_role("button", name="JSONL").click()
        assert download.value.suggested_filename == "fig-11-2.jsonl"
        content = Path(download.value.path()).read_text(encoding="utf-8")
        assert read_jsonl(content) == figure.trace
        with opened.page.expect_download() as download:
            opened.page.get_by_role("button", name="SVG").click()
        picture = Path(download.value.path()).read_text(encoding="utf-8")
        assert "connection lost → m3 requeued" in picture


def test_a_link_leads_to_a_message(browser: Any, figure: Account, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    with Opened(browser, path, html(figure)) as opened:
        opened.page.goto(f"{path.as_uri()}#/?lang=zh&sel=m3")
        opened.page.reload()
        opened.page.get_by_role("heading", name="负载均衡加重新投递").wait_for()
        opened.page.locator(".inspector").get_by_text("m3").first.wait_for()


def test_hostile_names_are_only_names(browser: Any, tmp_path: Path) -> None:
    with Opened(browser, tmp_path / "run.html", html(hostile())) as opened:
        page = opened.page
        page.get_by_role("heading", level=1).filter(has_text="window.hurt=1").wait_for()
        page.keyboard.press("l")
        assert page.evaluate("window.hurt") is None
        assert page.locator("img").count() == 0
        assert opened.wrong == []


def test_without_scripts_there_is_the_picture(
    browser: Any, figure: Account, tmp_path: Path
) -> None:
    text = html(figure)
    with Opened(browser, tmp_path / "run.html", text, java_script_enabled=False) as opened:
        assert "connection lost → m3 requeued" in opened.page.locator("text").all_text_contents()
        assert opened.page.locator("noscript svg").bounding_box()["width"] > 800

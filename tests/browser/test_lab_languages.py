"""The lab in Chinese: all of it."""

import re

import pytest

from tests.browser.conftest import Open

PLACES = (
    *("", "#/s/fig-11-2", "#/s/fig-11-2?step=run&sel=m3", "#/s/fig-11-2?step=run&sel=c:c1"),
    *("#/s/fig-11-2?step=why&guess=1.2.3.4.5&answer=none", "#/s/fig-11-2?step=fix"),
    *("#/s/lost-ack?step=why", "#/s/auto-ack-loss?step=run", "#/s/silent-death?step=why"),
    *(
        "#/s/your-own?step=run",
        "#/s/prefetch-blast?step=run",
        "#/live",
        "#/live/%2F/q1",
        "#/runs",
        "#/compare",
    ),
    *("#/r/none", "#/s/none"),
)

SAME_EVERYWHERE = re.compile(
    r"""
    lab\.your-own | lab\.you | amqplite | lab | AMQP | RabbitMQ | TCP | HTML | SVG | PNG | JSONL?
  | CSV | Mermaid | Markdown | Kendall
  | EN | English | SCENARIO | issue | id | API | pika | python3? | pip | amqplib | node
  | nack | reject | recover | ack | requeue | basic\.\w+ | redelivered | message-id | x-[\w-]+
  | TTL | DLX | FIFO | prefetch | true | false | eof | guest | npm | Go | go | Python | JavaScript
  | amqp091-go | administrator | Perfetto | Space | Shift | Home | End | Enter | Esc
    """,
    re.VERBOSE,
)
NAMES = re.compile(r"\b[a-z]{1,2}\d*\b|\b[a-zA-Z]\b|\bt=|\d")


def english_in(words: str) -> list[str]:
    """Return words in Latin letters that aren't names, or the same in all languages."""
    left = NAMES.sub(" ", SAME_EVERYWHERE.sub(" ", words))
    return re.findall(r"[A-Za-z]{3,}", left)


@pytest.mark.parametrize("place", PLACES)
def test_no_english_is_left_and_a_phone_scrolls_in_one_direction(
    place: str, open_lab: Open
) -> None:
    lab = open_lab(place, language="zh-CN")
    assert lab.ask("document.documentElement.lang") == "zh-CN"
    told = lab.ask(
        """() => {
          const names = [...document.querySelectorAll("[aria-label], [title]")].flatMap((element) =>
            [element.getAttribute("aria-label"), element.getAttribute("title")]);
          const skipped = "pre, code, .mono";
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const texts = [];
          while (walker.nextNode()) {
            const { parentElement: parent, data } = walker.currentNode;
            if (!parent.closest(`script, noscript, ${skipped}`)) texts.push(data);
          }
          return [...texts, ...names].filter(Boolean);
        }"""
    )
    assert {text: english_in(text) for text in told if english_in(text)} == {}
    missing = lab.ask("import('/lab/i18n.js').then(({ missing }) => [...missing])")
    assert missing == []
    lab.widen(320)
    assert lab.ask("document.documentElement.scrollWidth") == 320


def test_the_language_is_changed_and_kept(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2")
    lab.page.click("#tool-language")
    lab.until("document.documentElement.lang === 'zh-CN'")
    assert "负载均衡" in lab.text("h1")
    lab.page.reload()
    lab.settle()
    assert "负载均衡" in lab.text("h1")
    assert lab.focused() != ""


def test_a_link_brings_its_language(open_lab: Open) -> None:
    lab = open_lab("#/s/fig-11-2?lang=zh")
    assert "负载均衡" in lab.text("h1")

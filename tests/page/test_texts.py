"""The page's words: complete in both languages, and asked for by the names they have."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "amqplite/lab/texts"
PAGE = ROOT / "amqplite/control/page/lab"
SLOT = re.compile(r"\{\w+\}")
ASKED = re.compile(r"""\btext\(\s*(?:\w+ \? )?["`]([^"`]+)["`]""")


def read(name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((TEXTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


ENGLISH, CHINESE = read("page.en"), read("page.zh-CN")


def test_both_languages_have_the_same_keys() -> None:
    assert list(ENGLISH) == list(CHINESE)


@pytest.mark.parametrize("key", ENGLISH)
def test_both_languages_have_the_same_slots(key: str) -> None:
    assert sorted(SLOT.findall(ENGLISH[key])) == sorted(SLOT.findall(CHINESE[key]))


def test_what_is_counted_has_texts_for_one_and_for_many() -> None:
    singular = {key.removesuffix(".one") for key in ENGLISH if key.endswith(".one")}
    plural = {key.removesuffix(".other") for key in ENGLISH if key.endswith(".other")}
    assert singular == plural - {"err"}


def test_chinese_is_chinese() -> None:
    """What has no Han character is a name that is the same everywhere."""
    same = {key for key, words in CHINESE.items() if not re.search(r"[\u4e00-\u9fff]", words)}
    assert same == {
        *("exp.svg", "exp.png", "exp.jsonl", "exp.csv", "exp.mermaid", "exp.perfetto"),
        *("metric.tau",),
        *("cmp.join", "cmp.stop", "cmp.space", "fault.done", "cmp.set"),
    }


def asked_for() -> set[str]:
    return {key for path in PAGE.glob("*.js") for key in ASKED.findall(path.read_text("utf-8"))}


def test_what_is_asked_for_is_there() -> None:
    have = {key for path in TEXTS.glob("*en.json") for key in read(path.stem)}
    have |= {key.rpartition(".")[0] for key in have if key.endswith(".other")}
    for key in asked_for():
        pattern = re.sub(r"\\\$\\\{.*?(\\\}|$)", ".+", re.escape(key))
        assert any(re.fullmatch(pattern, one) for one in have), key

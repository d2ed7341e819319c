import json
import re
from collections import Counter
from pathlib import Path

import pytest

from amqplite.broker.event_log import CAUSES
from amqplite.lab.texts import FOLDER, LANGUAGES, language_of, read_texts, text, texts

FILES = sorted(path.name.removesuffix("en.json") for path in FOLDER.glob("*en.json"))


def slots_of(template: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", template))


def read(prefix: str, language: str) -> dict[str, str]:
    pairs = json.loads(
        (FOLDER / f"{prefix}{language}.json").read_text(encoding="utf-8"), object_pairs_hook=list
    )
    twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
    assert twice == []
    return dict(pairs)


@pytest.mark.parametrize("prefix", FILES)
def test_both_languages_say_the_same_things_with_the_same_slots(prefix: str) -> None:
    english, chinese = (read(prefix, language) for language in LANGUAGES)
    assert list(english) == list(chinese)
    for key, template in english.items():
        assert slots_of(template) == slots_of(chinese[key]), key


def test_no_key_is_said_in_two_files() -> None:
    files: Counter[str] = Counter()
    for prefix in FILES:
        files.update(list(read(prefix, "en")))
    assert [key for key, times in files.items() if times > 1] == []
    assert len(files) == len(texts("en"))


def test_what_counts_has_a_form_for_one_and_one_for_more() -> None:
    counted = texts("en")
    for key, template in counted.items():
        stem, _, form = key.rpartition(".")
        if form == "one":
            assert f"{stem}.other" in counted
        elif form == "other" and "{n}" in template:
            assert f"{stem}.one" in counted


def test_every_cause_of_a_trace_has_its_words() -> None:
    for cause, _ in CAUSES:
        assert not cause or f"cause.{cause}" in texts("en")


@pytest.mark.parametrize(
    ("tag", "language"),
    [("en", "en"), ("zh", "zh-CN"), ("zh-CN", "zh-CN"), ("ZH-hans", "zh-CN"), ("fr", "en")],
)
def test_a_language_is_found_by_its_tag(tag: str, language: str) -> None:
    assert language_of(tag) == language


def test_slots_are_filled_and_those_without_a_value_stay() -> None:
    assert text("en", "why.first", x="m3", c="{t}") == "m3 was handed to {t} at {t}."
    assert text("zh", "why.first", x="m3", c="c2", t="t=2.0") == "m3 在 t=2.0 交给 c2。"


def test_the_slot_n_chooses_between_one_and_more() -> None:
    assert text("en", "verdict.open", n=1) == "1 message is not done yet."
    assert text("en", "verdict.open", n=2) == "2 messages are not done yet."
    assert text("zh", "verdict.open", n=2) == "2 条消息尚未完成。"


def test_a_text_may_be_empty() -> None:
    assert (text("en", "why.join"), text("zh", "why.join")) == (" ", "")


def test_what_nobody_has_words_for_is_its_key() -> None:
    assert text("zh", "no.such.key", n=1) == "no.such.key"


def test_files_of_a_folder_are_merged_by_language(tmp_path: Path) -> None:
    for name, told in [("en", "a"), ("page.en", "b"), ("zh-CN", "c")]:
        (tmp_path / f"{name}.json").write_text(json.dumps({f"key.{told}": told}))
    assert read_texts("en", tmp_path) == {"key.a": "a", "key.b": "b"}
    assert read_texts("zh-CN", tmp_path) == {"key.c": "c"}

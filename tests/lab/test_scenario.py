"""The scenarios' files: all of them good, and what is said of one that isn't."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from amqplite.lab.scenario import FOLDER, ORDER, ScenarioError, catalogue, find, read
from amqplite.lab.scripts.lesson import Words
from amqplite.lab.scripts.script import Scenario

FIG = (FOLDER / "fig-11-2.toml").read_text()


def words_in(thing: object, path: str = "") -> Iterator[tuple[str, Words]]:
    """Yield all texts of a scenario, with where they stand."""
    if isinstance(thing, Words):
        yield path, thing
    if isinstance(thing, msgspec.Struct):
        for name in thing.__struct_fields__:
            yield from words_in(getattr(thing, name), f"{path}.{name}")
    elif isinstance(thing, tuple):
        for index, one in enumerate(thing):
            yield from words_in(one, f"{path}.{index}")


def test_the_catalogue_has_each_file_once_in_a_fixed_order() -> None:
    assert sorted(ORDER) == sorted(path.stem for path in FOLDER.glob("*.toml"))
    assert [scenario.id for scenario in catalogue()] == list(ORDER)


def test_a_scenario_is_found_by_its_id() -> None:
    assert find("no-fault").title.en == "The quiet case"
    with pytest.raises(ScenarioError, match="no scenario 'fig'; there are fig-11-2, no-fault"):
        find("fig")


@pytest.mark.parametrize("scenario", catalogue(), ids=lambda scenario: scenario.id)
def test_what_a_scenario_points_to_is_there(scenario: Scenario) -> None:
    if scenario.compare_with:
        assert scenario.compare_with != scenario.id
        find(scenario.compare_with)
    for hint in scenario.next:
        assert hint.scenario or hint.variant
        target = find(hint.scenario) if hint.scenario else scenario
        if hint.variant:
            target.variant(hint.variant)


@pytest.mark.parametrize("scenario", catalogue(), ids=lambda scenario: scenario.id)
def test_a_scenario_speaks_both_languages_throughout(scenario: Scenario) -> None:
    texts = list(words_in(scenario))
    assert len(texts) > 10
    for path, words in texts:
        assert words.en.strip() == words.en, path
        assert words.zh.strip() == words.zh, path
        assert words.en, path
        assert words.zh, path
        chinese = re.search("[\u4e00-\u9fff]", words.zh) is not None
        labels = re.fullmatch(r"[abcm0-9 ]+", words.en) is not None
        assert chinese is not labels, path
        assert not re.search(r"[\u4e00-\u9fff] [\u4e00-\u9fff]", words.zh), path


@pytest.mark.parametrize("scenario", catalogue(), ids=lambda scenario: scenario.id)
def test_a_question_has_some_answers_to_choose_from(scenario: Scenario) -> None:
    assert 2 <= len(scenario.question.answers) <= 4
    assert scenario.next


WRONG = [
    ("syntax", ('id = "fig-11-2"', "id = "), "Invalid value (at line 1, column 6)"),
    ("group", ('group = "order"', 'group = "odd"'), "group: invalid enum value 'odd'"),
    ("no text", ('zh = "没有崩溃"', ""), "variants[3]: missing required field `zh`"),
    ("type", ("after = 1.4", 'after = "soon"'), "faults[0].after: expected `float`, got `str`"),
    ("field", ("after = 1.4", "afterwards = 1.4"), "faults[0]: unknown field"),
    ("right", ('right = "one"', 'right = "three"'), "question.right: there is no answer 'three'"),
    ("answer", ('id = "two"', 'id = "one"'), "question.answers: there are two 'one'"),
    ("hint", ('variant = "unlimited"', 'variant = "3"'), "next.variant: there is no variant '3'"),
    ("target", ('target = "c2"', 'target = "c3"'), "faults.crash.target: there is no consumer"),
    ("anchor", ('when = "started"', 'when = "soon"'), "faults.crash.when: there is no event to"),
    ("queue", ('name = "q"\n', 'name = "Q"\n'), "consumers.c2.queue: there is no queue 'q'"),
    ("path", ("consumers.*.prefetch", "consumers.x.prefetch"), "params.prefetch: 'consumers.x.pre"),
    (
        "leaf",
        ("consumers.*.prefetch", "consumers.*.window"),
        "the parameters do not fit: consumers[0]: unknown",
    ),
    ("kind", ("default = 1.4", 'default = "x"'), "params.crash_after.default: 'x' is no float"),
    ("range", ("default = 1.4", "default = 11"), "params.crash_after.default: it is out of its"),
    ("variant", ("{ detect = 6 }", "{ detect = 60 }"), "variants.late-detection.set: detect: 60"),
    ("setting", ("{ detect = 6 }", "{ late = 6 }"), "variants.late-detection.set: fig-11-2 has no"),
    ("expect", ("rework = 1.8", "reworked = 1.8"), "expect: unknown field `reworked`"),
    ("timed", ("rework = 1.8", 'timed = ["work"]'), "expect.timed: there is no field 'work'"),
    ("twice", ('tag = "c1"', 'tag = "c2"'), "consumers: there are two 'c2'"),
]


@pytest.mark.parametrize(("change", "said"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_what_is_wrong_in_a_file_is_said_with_file_and_field(
    change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    assert change[0] in FIG
    path = tmp_path / "mine.toml"
    path.write_text(FIG.replace(*change))
    with pytest.raises(ScenarioError, match=re.escape(f"mine.toml: {said}")):
        read(path)


def test_bindings_and_routes_have_to_lead_somewhere(tmp_path: Path) -> None:
    text = (FOLDER / "late-subscriber.toml").read_text()
    path = tmp_path / "mine.toml"
    for change, said in [
        (('name = "news"', 'name = "old"'), "bindings.exchange: there is no exchange 'news'"),
        (('queue = "qA"\n[[b', 'queue = "q"\n[[b'), "bindings.queue: there is no queue 'q'"),
        (('exchange = "news"\nr', 'exchange = "n"\nr'), "producers.p1.plan.m1.exchange: there is"),
        (('exchange = "news"\nr', "r"), "producers.p1.plan.m1.routing_key: there is no queue ''"),
        (('group = "not', 'resequence = "q"\ngroup = "not'), "resequence: there is no queue 'q'"),
    ]:
        assert change[0] in text
        path.write_text(text.replace(*change))
        with pytest.raises(ScenarioError, match=re.escape(f"mine.toml: {said}")):
            read(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"gone.toml: No such file or directory"):
        read(tmp_path / "gone.toml")

"""Parameters: what may be said for their values, and where these go."""

import re

import pytest

from amqplite.lab.scenario import find
from amqplite.lab.scripts.script import ScenarioError
from amqplite.lab.scripts.settings import put_in, settle, split, variant_of

FIG = find("fig-11-2")


def test_settings_are_split_at_the_first_equals_sign() -> None:
    assert split(["prefetch=5", " crash = off", "x=a=b"]) == {
        "prefetch": "5",
        "crash": "off",
        "x": "a=b",
    }
    with pytest.raises(ScenarioError, match="'prefetch' is no setting: write it as name=value"):
        split(["prefetch"])


def test_what_is_not_set_has_its_default() -> None:
    assert settle(FIG, {}) == {
        "prefetch": 1,
        "crash": True,
        "crash_after": 1.4,
        "detect": 0,
        "service": 1.8,
    }


def test_a_variant_sets_several_and_what_is_said_comes_on_top() -> None:
    assert settle(FIG, {}, "late-detection")["detect"] == 6
    assert settle(FIG, {"detect": 7}, "late-detection")["detect"] == 7


GOOD = [
    ("prefetch", "5", 5),
    ("prefetch", 5, 5),
    ("prefetch", "unlimited", 0),
    ("prefetch", 0, 0),
    ("crash", "off", False),
    ("crash", "no", False),
    ("crash", False, False),
    ("crash", "true", True),
    ("detect", "2.5", 2.5),
    ("detect", 0, 0.0),
]


@pytest.mark.parametrize(("name", "given", "value"), GOOD)
def test_a_value_may_come_as_a_text(name: str, given: object, value: object) -> None:
    assert settle(FIG, {name: given})[name] == value


BAD = [
    ("prefetch", "21", "prefetch: 21 is not in 1…20"),
    ("prefetch", -1, "prefetch: -1 is not in 1…20"),
    ("prefetch", "1.5", "prefetch: '1.5' is not a whole number"),
    ("prefetch", "many", "prefetch: 'many' is not a whole number"),
    ("detect", "0.1", "detect: 0.1 is not in 0.5…20"),
    ("detect", "nan", "detect: nan is not in 0.5…20"),
    ("detect", "late", "detect: 'late' is not a number"),
    ("service", 0, "service: 0 is not in 0.2…10"),
    ("crash", "maybe", "crash: 'maybe' is neither on nor off"),
    ("speed", 1, "fig-11-2 has no parameter 'speed'; there are prefetch, crash, crash_after"),
]


@pytest.mark.parametrize(("name", "given", "said"), BAD)
def test_what_a_value_can_not_be_is_said(name: str, given: object, said: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(said)):
        settle(FIG, {name: given})


def test_a_choice_is_one_of_its_answers() -> None:
    sac = find("sac-cancel")
    assert settle(sac, {"how": "close"})["how"] == "close"
    with pytest.raises(ScenarioError, match="how: 'run' is none of cancel, close"):
        settle(sac, {"how": "run"})
    keyed = find("fig-11-2-keyed")
    assert settle(keyed, {"m4_account": "b"})["m4_account"] == "B"


def test_a_variant_that_is_not_there_is_named() -> None:
    with pytest.raises(ScenarioError, match="fig-11-2 has no variant 'x'; there are prefetch-2"):
        settle(FIG, {}, "x")
    with pytest.raises(ScenarioError, match="lost-ack has no variant 'x'; there are none"):
        settle(find("lost-ack"), {}, "x")


def test_values_that_are_just_those_of_a_variant_are_that_variant() -> None:
    assert variant_of(FIG, settle(FIG, {})) == ""
    assert variant_of(FIG, settle(FIG, {"prefetch": "unlimited"})) == "unlimited"
    assert variant_of(FIG, settle(FIG, {"prefetch": 7})) is None


def test_values_go_where_they_belong_and_nowhere_else() -> None:
    told = put_in(FIG, settle(FIG, {"prefetch": 7, "crash": "off", "detect": 3}))
    assert [consumer.prefetch for consumer in told.consumers] == [7, 7]
    assert (told.faults[0].on, told.faults[0].detect) == (False, 3)
    assert [consumer.prefetch for consumer in FIG.consumers] == [1, 1]
    assert told.question == FIG.question


def test_values_reach_into_lists_by_name() -> None:
    timeout = find("ack-timeout")
    told = put_in(timeout, settle(timeout, {"slow": 9}))
    assert [s.ticks for c in told.consumers for s in c.services] == [9.0]
    late = find("late-subscriber")
    told = put_in(late, settle(late, {"joins": 1}))
    assert [binding.at for binding in told.bindings] == [0, 1.0]

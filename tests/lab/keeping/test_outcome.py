"""What came of a run."""

import msgspec

from amqplite.lab.keeping.outcome import outcome_of
from amqplite.lab.order import Analysis
from amqplite.lab.scripts.expect import Expect
from amqplite.lab.trace import Header
from tests.lab.keeping.test_recording import story


def analysed(*completion: int, mode: str = "exact") -> Analysis:
    analysis = Analysis(Header(mode=mode, tick_us=100))
    for event in story(*completion):
        analysis.feed(event)
    return analysis


def test_an_outcome_is_numbers_sentences_and_checks() -> None:
    outcome = outcome_of(analysed(1, 3, 2), Expect(inversions={"q": 1}, completion={"q": "m1 m2"}))
    (queue,) = (one for one in outcome.metrics if (one.scope, one.at) == ("queue", "completion"))
    assert (queue.name, queue.completion, queue.inversions) == ("q", ["m1", "m3", "m2"], 1)
    assert outcome.counts.acked == 3
    assert [(why.m, why.over) for why in outcome.whys] == [("m2", ["m3"])]
    assert outcome.verdict["en"].startswith("1 of 3 messages completed out of order")
    assert outcome.verdict["zh"] != outcome.verdict["en"]
    assert [(check.what, check.ok) for check in outcome.expect] == [
        ("unexplained", True),
        ("violations", True),
        ("completion q", False),
        ("inversions q", True),
    ]


def test_nobody_checks_what_nobody_expects() -> None:
    assert outcome_of(analysed(1)).expect == []


def test_so_many_are_explained() -> None:
    assert [why.m for why in outcome_of(analysed(4, 3, 2, 1), whys_max=2).whys] == ["m3", "m2"]


def test_it_can_be_sent() -> None:
    told = msgspec.json.decode(msgspec.json.encode(outcome_of(analysed(2, 1))))
    assert list(told) == ["metrics", "counts", "whys", "verdict", "expect"]

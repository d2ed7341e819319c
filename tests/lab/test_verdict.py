from typing import Any

import pytest

from amqplite.lab.verdict import verdict
from tests.lab.model import figure_11_2
from tests.lab.test_order import ROWS
from tests.lab.told import analysed, told

C1: dict[str, Any] = {"c": "c1", "conn": "c1", "ch": 1}
P1: dict[str, Any] = {"p": "p1", "conn": "p1", "ch": 1}


def said(*lines: tuple[Any, ...]) -> str:
    return verdict(analysed(told(*lines)))["en"]


def test_the_figure_in_both_languages() -> None:
    assert verdict(analysed(figure_11_2().run().events)) == {
        "en": "1 of 5 messages completed out of order: m3, 1.8 ticks late. Cause: connection lost "
        "(1). The broker handed everything out in order; redelivery changed the order of "
        "completion.",
        "zh": "5 条消息中有 1 条未按顺序完成：m3，迟到 1.8 个节拍。原因：连接断开（1）。"
        "代理按顺序交出了所有消息；是重新投递改变了完成顺序。",
    }


PLAYS = {
    "no fault": "All 5 messages completed in published order.",
    "single active, prefetch 1": "All 5 messages completed in published order. There was "
    "1 redelivery.",
    "single active, unlimited": "All 5 messages completed in published order. There were "
    "3 redeliveries.",
    "one is slow": "1 of 5 messages completed out of order: m3, 2.2 ticks late. Cause: parallel "
    "consumers (1). The broker handed everything out in order, and nothing that was late had been "
    "redelivered; the consumers finished in another order.",
    "priority": "3 of 5 messages completed out of order; the latest was m3, 4.0 ticks late. "
    "Cause: priority (3).",
    "a queue each": "All 5 messages completed in published order. Across queues 1 message "
    "finished after one published later; between queues no order is promised. There was "
    "1 redelivery.",
    "the partitions move": "1 message was overtaken by one of the same key in another queue: the "
    "partitions had moved.",
}


@pytest.mark.parametrize("play", PLAYS)
def test_a_play_in_short(play: str) -> None:
    assert verdict(analysed(ROWS[play].play().run().events))["en"] == PLAYS[play]


def test_effects_too_many_are_named() -> None:
    play = figure_11_2(dies={}, lose_ack={"m1"}, restart=1.0).run()
    assert verdict(analysed(play.events))["en"].endswith("There was 1 effect too many: m1.")
    assert verdict(analysed(play.events))["zh"].endswith("多生效了 1 次：m1。")


def test_where_nobody_reports_effects_there_is_doubt() -> None:
    lost = {"cause": "connection_lost"}
    lines = [(0, "enqueued", 1), (0, "delivered", 1, C1), (1, "requeued", 1, C1, lost)]
    assert said(*lines, (2, "acked", 1, C1)) == (
        "The only message completed. 1 message may have taken effect twice; the broker cannot know."
    )


def test_lost_messages_are_named_and_not_called_completed() -> None:
    play = figure_11_2(auto=True, prefetch=0, dies={"m1": 0.5})
    words = verdict(analysed(play.run().events))
    assert words["en"] == (
        "To the broker all 5 messages are done with, in published order. 1 message was lost: m1."
    )
    assert words["zh"] == "对代理来说，全部 5 条消息都已按发布顺序完成。1 条消息丢失：m1。"


def test_what_was_dropped_and_what_is_open_is_told() -> None:
    lines: list[tuple[Any, ...]] = [(0, "enqueued", id_) for id_ in range(1, 10)]
    lines += [(1, "dropped", id_, {"cause": "maxlen"}) for id_ in range(1, 8)]
    lines += [(2, "acked", 8, C1)]
    assert said(*lines) == (
        "The only message completed. 7 messages were dropped by policy: m1, m2, m3, m4, m5 and "
        "2 more. 1 message is not done yet."
    )


def test_nothing_completed() -> None:
    assert said((0, "enqueued", 1)) == "Nothing has completed yet. 1 message is not done yet."
    assert verdict(analysed([]))["zh"] == "还没有消息完成。"


def test_faults_of_the_broker_are_reported() -> None:
    words = said(
        *((0, "published", id_, P1) for id_ in (1, 2)),
        *((0, "enqueued", id_, P1) for id_ in (1, 2)),
        *((1, "delivered", id_, C1) for id_ in (2, 1)),
        *((2, "acked", id_, C1) for id_ in (2, 1)),
    )
    assert "1 message was reordered without a known cause. That is a fault of the broker" in words
    assert "1 message was handed out against AMQP's promise of order (§4.7)." in words


def test_what_is_missing_is_told() -> None:
    gap = {"q": "", "lost_from": 2, "lost_to": 4}
    assert said((0, "enqueued", 1), (0, "gap", 0, gap), (1, "acked", 1, C1)).endswith(
        "3 events are missing in this trace: some numbers may be too low."
    )
    assert said((0, "enqueued", 1), (0, "enqueued", 5), (1, "acked", 1), (1, "acked", 5)) == (
        "All 2 messages completed in published order. Some numbers are lower bounds."
    )

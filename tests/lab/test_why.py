from typing import Any

import msgspec
import pytest

from amqplite.lab.why import Why, all_whys, explain
from tests.lab.story import figure_11_2
from tests.lab.told import TICK, analysed, told

C1: dict[str, Any] = {"c": "c1", "conn": "c1", "ch": 1}
C2: dict[str, Any] = {"c": "c2", "conn": "c2", "ch": 1}
AGAIN: dict[str, Any] = {"attempt": 2, "redelivered": True}
P1: dict[str, Any] = {"p": "p1", "conn": "p1", "ch": 1}


def only(*lines: tuple[Any, ...], live: bool = False) -> Why:
    (why,) = all_whys(analysed(told(*lines), live=live))
    return why


# -- the figure ----------------------------------------------------------------------------------


def test_the_figure_in_both_languages() -> None:
    (why,) = all_whys(analysed(figure_11_2().events))
    assert why.text == {
        "en": "m3 was handed to c2 at t=2.0. At t=3.4 the connection of c2 was lost, and m3 went "
        "back to the queue. Meanwhile m4 had been handed to c1 and finished first. m3 was "
        "redelivered to c1 at t=4.8 and finished at t=6.6: overtaken by 1 message, 1.8 ticks late.",
        "zh": "m3 在 t=2.0 交给 c2。t=3.4，c2 的连接断开，m3 退回队列。在此期间，m4 已交给 c1 "
        "并先完成。m3 在 t=4.8 重新投递给 c1，t=6.6 完成：被 1 条消息超过，迟到 1.8 个节拍。",
    }


def test_each_clause_leads_to_the_event_that_proves_it() -> None:
    events = {event.n: event for event in figure_11_2().events}
    (why,) = all_whys(analysed(events.values()))
    for language in ("en", "zh"):
        proofs = [events[n] for words, n in why.parts[language] if n]
        assert [(event.type, event.m) for event in proofs] == [
            ("delivered", "m3"),
            ("requeued", "m3"),
            ("acked", "m4"),
            ("delivered", "m3"),
            ("acked", "m3"),
        ]
        assert why.events == [event.n for event in proofs]
        assert "".join(words for words, _ in why.parts[language]) == why.text[language]
    assert (why.m, why.id, why.kind, why.rule) == ("m3", 3, "overtaken", "A")
    assert (why.cause, why.sub, why.who) == ("connection_lost", "eof", "c2")
    assert (why.over, why.over_n, why.late) == (["m4"], 1, 720_000)


def test_it_is_json() -> None:
    (why,) = all_whys(analysed(figure_11_2().events))
    sent = msgspec.json.decode(msgspec.json.encode(why))
    assert sent["parts"]["en"][0] == ["m3 was handed to c2 at t=2.0.", why.events[0]]
    assert sent["late"] == 720_000


# -- every rule ----------------------------------------------------------------------------------

TWO = [(0, "enqueued", 1), (0, "enqueued", 2)]
HANDED = [*TWO, (1, "delivered", 1, C1), (1, "delivered", 2, C2)]


def came_back(cause: str, sub: str = "", **more: Any) -> list[tuple[Any, ...]]:
    back = C1 | {"cause": cause, "sub": sub} | more
    done = [(4, "acked", 2, C2), (5, "delivered", 1, C2 | AGAIN), (6, "acked", 1, C2)]
    return [*HANDED, (3, "requeued", 1, back), *done]


CAUSES = [
    (("connection_lost", "eof"), "At t=3.0 the connection of c1 was lost, and m1 went back"),
    (("connection_lost", "peer_reset"), "At t=3.0 the connection of c1 was lost, and m1 went"),
    (("connection_lost", "heartbeat_timeout"), "At t=3.0 c1 had missed its heartbeats"),
    (("connection_lost", "admin_close"), "At t=3.0 an operator closed the connection of c1"),
    (("connection_lost", "lab_fault"), "At t=3.0 the lab cut the connection of c1"),
    (("connection_lost", "protocol_error"), "At t=3.0 the broker closed the connection of c1 aft"),
    (("connection_closed", ""), "At t=3.0 c1 closed its connection without having acknowledged"),
    (("channel_closed", ""), "At t=3.0 the channel of c1 was closed"),
    (("ack_timeout", ""), "At t=3.0 the time allowed for an acknowledgement was over"),
    (("nack_requeue", ""), "At t=3.0 c1 sent it back (nack with requeue)."),
    (("reject_requeue", ""), "At t=3.0 c1 sent it back (reject with requeue)."),
    (("recover", ""), "At t=3.0 c1 asked for what it held to be delivered again (recover)"),
    (("delivery_failed", ""), "At t=3.0 it could not be delivered to c1"),
    (("cosmic_ray", ""), "At t=3.0 it went back to the queue from c1 (cosmic_ray)."),
]


@pytest.mark.parametrize(("cause", "words"), CAUSES)
def test_rule_a_says_how_it_came_back(cause: tuple[str, str], words: str) -> None:
    why = only(*came_back(*cause))
    assert f"m1 was handed to c1 at t=1.0. {words}" in why.text["en"]
    assert why.text["en"].endswith("at t=6.0: overtaken by 1 message, 2.0 ticks late.")


def test_rule_a_tells_the_time_that_nobody_knew() -> None:
    why = only(*came_back("connection_lost", "heartbeat_timeout", idle=round(1.5 * TICK)))
    assert "c1 had been gone for 1.5 ticks before anybody noticed." in why.text["en"]
    assert "此前 c1 已消失 1.5 个节拍，却无人察觉。" in why.text["zh"]


def test_rule_a_tells_of_the_last_of_several_returns() -> None:
    nacked = C1 | {"cause": "nack_requeue"}
    why = only(
        *HANDED,
        (2, "requeued", 1, nacked),
        (2, "delivered", 1, C1 | AGAIN),
        (3, "requeued", 1, C1 | {"cause": "connection_lost"}),
        (4, "acked", 2, C2),
        (5, "delivered", 1, C2 | {"attempt": 3, "redelivered": True}),
        (6, "acked", 1, C2),
    )
    assert why.text["en"].startswith(
        "m1 was handed to c1 at t=1.0. In all it went back to the queue 2 times; what follows is "
        "the last. At t=3.0 the connection of c1 was lost"
    )
    assert why.cause == "connection_lost"


def test_rule_a_where_nobody_saw_it_come_back() -> None:
    why = only(
        *TWO,
        (1, "delivered", 1, C1 | AGAIN),
        (1, "delivered", 2, C2),
        (2, "acked", 2, C2),
        (3, "acked", 1, C1),
    )
    assert why.text["en"].startswith("When the broker was restarted, it went back to the queue.")


def test_rule_b_of_parallel_consumers() -> None:
    why = only(*HANDED, (2, "acked", 2, C2), (4, "acked", 1, C1))
    assert why.text == {
        "en": "m1 was handed out in its turn, to c1 at t=1.0, and never redelivered. But m2 "
        "finished sooner: c2 worked at the same time. m1 finished at t=4.0: overtaken by "
        "1 message, 2.0 ticks late.",
        "zh": "m1 按顺序在 t=1.0 交给了 c1，也没有重新投递过。只是 m2 完成得更早：c2 在同时工作。"
        "m1 在 t=4.0 完成：被 1 条消息超过，迟到 2.0 个节拍。",
    }


def test_rule_b_of_acks_out_of_order() -> None:
    why = only(
        *TWO,
        *((1, "delivered", id_, C1) for id_ in (1, 2)),
        (2, "acked", 2, C1),
        (4, "acked", 1, C1),
    )
    assert "But c1 acknowledged m2 before it." in why.text["en"]
    assert "只是 c1 先确认了 m2。" in why.text["zh"]


def test_rule_b_of_a_consumer_that_was_cancelled() -> None:
    why = only(
        *HANDED, (1.5, "consumer_cancelled", 0, C1), (2, "acked", 2, C2), (4, "acked", 1, C1)
    )
    assert (
        "At t=1.5 c1 was cancelled while it still held m1. So m2 could be handed to c2, and "
        in (why.text["en"])
    )
    assert "t=1.5，c1 还持有 m1 就被取消了。于是 m2 得以交给 c2，并先完成。" in why.text["zh"]
    assert 5 in why.events


def test_rule_c1_of_what_left_and_returned() -> None:
    why = only(
        *HANDED,
        (2, "dead_lettered", 1, C1, {"cause": "rejected"}),
        (3, "acked", 2, C2),
        (5, "enqueued", 1, {"s": 3, "cause": "dlx_return"}),
        (5, "delivered", 1, C1),
        (6, "acked", 1, C1),
    )
    assert why.text["en"] == (
        "m1 left the queue at t=2.0 (rejected) and came back at t=5.0 as a new message, at the end "
        "of the queue. m2 finished before it. m1 finished at t=6.0: overtaken by 1 message, "
        "3.0 ticks late."
    )
    assert "m1 在 t=2.0 离开队列（被拒绝），t=5.0 作为新消息回来，排到队尾。" in why.text["zh"]


def test_rule_c1_of_what_was_delayed() -> None:
    why = only(
        (0, "enqueued", 1, {"cause": "delay"}),
        (0, "enqueued", 2),
        (3, "acked", 2, C2),
        (6, "acked", 1, C1),
    )
    assert "m1 came into the queue at t=0.0 only: it was delayed." in why.text["en"]


def test_rule_c1_of_one_key_in_the_dead_letter_queue() -> None:
    key, dead = {"key": "A"}, {"q": "dead", "s": 1}
    why = only(
        *((0, "published", id_, P1, key) for id_ in (1, 2)),
        *((0, "enqueued", id_, P1, key) for id_ in (1, 2)),
        (1, "dead_lettered", 1, {"cause": "ttl"}),
        (1, "enqueued", 1, dead, {"cause": "dlx_return"}),
        (3, "acked", 2, C2),
        (6, "acked", 1, C1, dead),
    )
    assert why.text["en"].startswith(
        "m1 left the queue at t=1.0 (expired) and came to queue dead that way. m2 finished before"
    )


def test_rule_c2_of_priority() -> None:
    high = {"prio": 5}
    why = only(
        *((0, "published", id_, P1, high if id_ > 1 else {}) for id_ in (1, 2, 3)),
        *((0, "enqueued", id_) for id_ in (1, 2, 3)),
        *((1, "delivered", id_, C1) for id_ in (2, 3, 1)),
        *((2, "acked", id_, C1) for id_ in (2, 3, 1)),
    )
    assert why.text["en"].startswith(
        "m2 and m3 have a higher priority than m1 and were handed out first, to c1. m1 finished"
    )
    assert why.text["zh"].startswith("m2 和 m3 的优先级高于 m1，先交给了 c1。")


def test_rule_c2_of_no_reason() -> None:
    why = only(
        *TWO,
        (1, "delivered", 2, C1),
        (2, "delivered", 1, C1),
        (3, "acked", 2, C1),
        (4, "acked", 1, C1),
    )
    assert "The broker has no reason for that: please report it." in why.text["en"]
    assert "代理没有理由这样做：请报告。" in why.text["zh"]


def moved(key: str) -> list[tuple[Any, ...]]:
    told_key, other = {"key": key}, {"q": "q2", "s": 1}
    return [
        *((0, "published", id_, P1, told_key) for id_ in (1, 2)),
        (0, "enqueued", 1, P1, told_key),
        (0, "enqueued", 2, P1, told_key, other),
        (1, "acked", 2, C2, other),
        (3, "acked", 1, C1),
    ]


def test_rule_0_of_partitions_that_moved() -> None:
    why = only(*moved("A"))
    assert why.text["en"].startswith(
        "m1 was in queue q when the key A was given to another queue: m2 went to q2 and finished"
    )
    assert why.text["zh"].startswith(
        "键 A 改归另一个队列时，m1 还在队列 q 中：m2 去了 q2 并先完成。"
    )


def test_rule_0_of_different_queues_is_told_to_who_asks() -> None:
    analysis = analysed(told(*moved("")))
    assert all_whys(analysis) == []
    why = explain(analysis, "m1")
    assert why is not None
    assert (why.rule, why.cause) == ("0", "different_queues")
    assert why.text["en"].startswith("m1 went to queue q and m2 to q2, where it went faster. No or")


# -- what else befalls messages ------------------------------------------------------------------


def test_who_asks_for_one_is_told_of_the_doubt_too() -> None:
    why = explain(analysed(figure_11_2().events), "m3")
    assert why is not None
    assert why.text["en"].endswith(
        "1.8 ticks late. m3 was delivered 2 times. The broker cannot know whether the first "
        "attempt took effect; make the handler idempotent (key: message-id)."
    )


def test_a_message_is_found_by_any_event_of_it() -> None:
    analysis = analysed(figure_11_2().events)
    (whole,) = all_whys(analysis)
    requeued = next(event.n for event in figure_11_2().events if event.type == "requeued")
    for n in (requeued, max(whole.events)):
        why = explain(analysis, n)
        assert why is not None
        assert why.m == "m3"
    assert explain(analysis, 1) is None


def test_a_repeated_effect_is_told_of() -> None:
    why = only(
        *HANDED[:1],
        (1, "applied", 1, C1),
        (2, "applied", 1, C2),
    )
    assert (why.kind, why.m, why.id, why.events) == ("repeated", "m1", 1, [3])
    assert why.text["en"].startswith("m1 took effect 2 times.")
    assert why.text["zh"].startswith("m1 生效了 2 次。")


def test_whoever_asks_for_a_message_is_told_of_its_repeated_effect() -> None:
    analysis = analysed(told(*TWO, (1, "applied", 1, C1), (2, "applied", 1, C2)))
    why = explain(analysis, "m1")
    assert why is not None
    assert why.kind == "repeated"
    other = explain(analysis, "m2")
    assert other is not None
    assert other.kind == "plain"


def test_a_lost_message_is_told_of() -> None:
    auto = {"auto": True}
    why = only(
        (0, "enqueued", 1),
        (1, "delivered", 1, C1, auto),
        (1, "acked", 1, C1, auto),
        (1, "started", 1, C1),
        (2, "crashed", 0, {"c": "c1"}),
    )
    assert (why.kind, why.events) == ("lost", [3])
    assert why.text["en"] == (
        "m1 is lost: it counted as acknowledged the moment it was delivered to c1, at t=1.0, and "
        "c1 died before it was done."
    )


def test_a_message_acked_without_its_effect_is_told_of() -> None:
    why = only((0, "enqueued", 1), (1, "started", 1, C1), (2, "acked", 1, C1))
    assert (
        why.text["en"] == "m1 is lost: c1 acknowledged it at t=2.0 and never reported its effect."
    )


def test_whoever_asks_for_a_message_in_order_is_told_that() -> None:
    why = explain(analysed(figure_11_2().events), "m2")
    assert why is not None
    assert (why.kind, why.rule) == ("plain", "")
    assert why.text["en"] == (
        "m2 was not overtaken: it completed at t=2.8, after everything published before it."
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([(0, "published", 1, P1)], "m1 has not completed yet."),
        ([(0, "enqueued", 1)], "m1 has not completed yet."),
        (
            [(0, "enqueued", 1), (5, "dropped", 1, {"cause": "maxlen"})],
            "m1 left the queue at t=5.0 without being processed (queue full).",
        ),
    ],
)
def test_whoever_asks_for_another_is_told_where_it_is(
    lines: list[tuple[Any, ...]], words: str
) -> None:
    why = explain(analysed(told(*lines)), "m1")
    assert why is not None
    assert why.text["en"] == words


def test_nothing_is_known_of_what_never_was() -> None:
    assert explain(analysed([]), "m9") is None


def test_a_live_trace_is_told_in_seconds() -> None:
    why = only(*HANDED, (2, "acked", 2, C2), (4, "acked", 1, C1), live=True)
    assert why.text["en"].endswith("m1 finished at 1.6 s: overtaken by 1 message, 0.8 s late.")
    assert why.text["zh"].endswith("m1 在第 1.6 秒完成：被 1 条消息超过，迟到 0.8 秒。")


def test_who_got_a_message_without_consuming_is_called_that() -> None:
    why = only(
        *TWO,
        (1, "delivered", 1, {"conn": "a", "ch": 1, "get": True}),
        (1, "delivered", 2, C2),
        (2, "acked", 2, C2),
        (4, "acked", 1),
    )
    assert "to a client that asked for it (basic.get) at t=1.0" in why.text["en"]


def test_there_is_a_limit() -> None:
    lines = [(0, "enqueued", id_) for id_ in range(1, 21)]
    lines += [(id_, "acked", 21 - id_) for id_ in range(1, 21)]
    assert [why.m for why in all_whys(analysed(told(*lines)), limit=3)] == ["m19", "m18", "m17"]

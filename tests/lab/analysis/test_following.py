from typing import Any

import pytest

from amqplite.broker.trace import TOLD_LATE
from amqplite.lab.order import Analysis
from tests.lab.told import TICK, analysed, measures, told

C1: dict[str, Any] = {"c": "c1", "conn": "c1", "ch": 1}
C2: dict[str, Any] = {"c": "c2", "conn": "c2", "ch": 1}
P1: dict[str, Any] = {"p": "p1", "conn": "p1", "ch": 1}
LATE = {"text": TOLD_LATE}

SECOND = C1 | {"attempt": 2, "redelivered": True}


def numbers(analysis: Analysis, *names: str) -> tuple[Any, ...]:
    counts = analysis.report().counts
    assert counts.enqueued == counts.acked + counts.gone + counts.ready + counts.unacked
    return tuple(getattr(counts, name) for name in names)


def test_a_message_is_published_confirmed_handed_out_and_done_with() -> None:
    analysis = analysed(
        told(
            (0, "published", 1, P1, {"tag": 1}),
            (0, "enqueued", 1, P1),
            (0, "confirmed", 0, P1, {"tag": 1, "multiple": True}),
            (1, "delivered", 1, C1),
            (3, "acked", 1, C1),
        )
    )
    assert numbers(analysis, "published", "confirmed", "enqueued", "acked", "completed") == (1,) * 5
    assert numbers(analysis, "deliveries", "redeliveries", "wait_max", "end") == (
        *(1, 0),
        *(TICK, 3 * TICK),
    )


def test_a_refused_confirm_confirms_nothing() -> None:
    analysis = analysed(
        told(
            (0, "published", 1, P1, {"tag": 1}),
            (0, "refused", 1, {"cause": "maxlen"}),
            (0, "publish_nacked", 0, P1, {"tag": 1}),
            (0, "published", 2, P1, {"tag": 2}),
            (0, "enqueued", 2, P1, {"s": 1}),
            (0, "confirmed", 0, P1, {"tag": 2}),
            (0, "delivered", 2, C1),
            (1, "acked", 2, C1),
        )
    )
    assert numbers(analysis, "published", "confirmed", "refused", "acked") == (2, 1, 1, 1)
    assert measures(analysis)["publish p1 completion"].buffer == 0


def test_what_no_queue_wants_is_dropped() -> None:
    analysis = analysed(told((0, "published", 1, P1), (0, "unroutable", 1, {"cause": "no_route"})))
    assert numbers(analysis, "published", "enqueued", "dropped", "dropped_names") == (
        *(1, 0),
        *(1, ["m1"]),
    )


def test_time_is_spent_on_failed_attempts_on_waiting_and_again() -> None:
    analysis = analysed(
        told(
            (0, "enqueued", 1),
            (1, "delivered", 1, C1),
            (3, "requeued", 1, C1, {"cause": "connection_lost"}),
            (7, "delivered", 1, C2, SECOND),
            (15, "acked", 1, C2),
        )
    )
    assert numbers(analysis, "wasted", "requeue_wait", "rework") == (2 * TICK, 4 * TICK, 8 * TICK)
    assert numbers(analysis, "deliveries", "redeliveries", "requeued") == (
        *(2, 1),
        {"connection_lost": 1},
    )


@pytest.mark.parametrize(
    ("cause", "doubtful", "wasted"),
    [
        ("connection_lost", 1, TICK),
        ("ack_timeout", 1, TICK),
        ("nack_requeue", 0, TICK),
        ("reject_requeue", 0, TICK),
        ("delivery_failed", 0, 0),
    ],
)
def test_a_return_leaves_doubt_unless_the_consumer_wanted_it(
    cause: str, doubtful: int, wasted: int
) -> None:
    analysis = analysed(
        told(
            (0, "enqueued", 1),
            (0, "delivered", 1, C1),
            (1, "requeued", 1, C1, {"cause": cause}),
            (1, "delivered", 1, C2, SECOND),
            (1, "requeued", 1, C2, {"cause": cause}),
        )
    )
    assert numbers(analysis, "possible_duplicates", "wasted", "ready") == (doubtful, wasted, 1)


@pytest.mark.parametrize(
    ("signs", "gap"),
    [
        ([(2, "crashed", 0, {"c": "c1"})], 4),
        ([(2, "crashed", 0, {"by": "c1"})], 4),
        ([(2, "fault", 0, {"c": "c1", "text": "silence"})], 4),
        ([(2, "fault", 0, {"c": "c1", "text": "slow"})], 3),
        ([(2, "crashed", 0, {"c": "c1"}), (5, "recovered", 0, {"c": "c1"})], 3),
        ([(2, "crashed", 0, {"c": "c1"}), (5, "consumer_registered", 0, {"c": "c1"})], 3),
        ([(2, "crashed", 0, {"c": "c2"})], 3),
        ([], 3),
    ],
)
def test_the_time_that_nobody_knew_of_a_death_is_since_the_death_or_the_last_octet(
    signs: list[tuple[Any, ...]], gap: int
) -> None:
    lost = {"cause": "connection_lost", "sub": "heartbeat_timeout", "idle": 3 * TICK}
    analysis = analysed(
        told(
            (0, "enqueued", 1),
            (0, "delivered", 1, C1),
            *signs,
            (6, "requeued", 1, C1, lost),
        )
    )
    assert numbers(analysis, "detection_gap") == (gap * TICK,)


def test_who_closed_the_connection_was_known_to_be_gone() -> None:
    lost = {"cause": "connection_lost", "sub": "eof", "idle": 3 * TICK}
    analysis = analysed(
        told((0, "enqueued", 1), (0, "delivered", 1, C1), (6, "requeued", 1, C1, lost))
    )
    assert numbers(analysis, "detection_gap") == (0,)


@pytest.mark.parametrize(
    ("type_", "cause", "dropped"),
    [
        ("dropped", "maxlen", 1),
        ("expired", "ttl", 1),
        ("discarded", "rejected", 0),
        ("dead_lettered", "delivery_limit", 0),
    ],
)
def test_what_is_gone_is_counted_by_its_reason(type_: str, cause: str, dropped: int) -> None:
    analysis = analysed(told((0, "enqueued", 1), (1, type_, 1, {"cause": cause})))
    assert numbers(analysis, "gone", "gone_by_cause", "dropped", "ready") == (
        *(1, {cause: 1}),
        *(dropped, 0),
    )


def test_a_purge_takes_what_is_ready() -> None:
    lines: list[tuple[Any, ...]] = [(0, "enqueued", id_) for id_ in (1, 2, 3)]
    lines += [(0, "delivered", 1, C1), (1, "purged", 0, {"cause": "purged", "text": "2"})]
    analysis = analysed(told(*lines))
    assert numbers(analysis, "gone", "ready", "unacked") == (2, 0, 1)
    analysis = analysed(told(*lines, (2, "purged", 0, {"cause": "queue_deleted"})))
    assert numbers(analysis, "gone", "ready", "unacked") == (3, 0, 0)


def test_a_dead_lettered_message_that_ends_elsewhere_is_not_waited_for() -> None:
    dead = {"q": "dead", "s": 1}
    analysis = analysed(
        told(
            *((0, "published", id_, P1, {"key": "A"}) for id_ in (1, 2)),
            *((0, "enqueued", id_, P1, {"key": "A"}) for id_ in (1, 2)),
            (1, "delivered", 1, C1),
            (2, "dead_lettered", 1, {"cause": "delivery_limit"}),
            (2, "enqueued", 1, dead, {"cause": "dlx_return"}),
            (3, "delivered", 1, C2, dead),
            (4, "acked", 1, C2, dead),
            (5, "delivered", 2, C1),
            (6, "acked", 2, C1),
        )
    )
    metrics = measures(analysis)
    assert numbers(analysis, "enqueued", "acked", "gone", "completed") == (3, 2, 1, 2)
    assert [metrics[f"{it} completion"].n for it in ("queue q", "queue dead", "key A")] == [1, 1, 2]
    assert analysis.annotations == {}
    assert metrics["queue q completion"].buffer == 0


def test_a_message_of_a_key_that_comes_late_by_dead_lettering_is_told_so() -> None:
    dead = {"q": "dead", "s": 1}
    analysis = analysed(
        told(
            *((0, "published", id_, P1, {"key": "A"}) for id_ in (1, 2)),
            *((0, "enqueued", id_, P1, {"key": "A"}) for id_ in (1, 2)),
            (2, "dead_lettered", 1, {"cause": "delivery_limit"}),
            (2, "enqueued", 1, dead, {"cause": "dlx_return"}),
            (6, "acked", 2, C1),
            (8, "acked", 1, C2, dead),
        )
    )
    (annotation,) = analysis.annotations.values()
    assert (annotation.scope, annotation.rule, annotation.cause, annotation.over) == (
        *("key", "C1"),
        *("delay_or_dead_letter", ["m2"]),
    )


def test_a_message_lost_in_one_queue_and_done_with_in_another_is_done_with() -> None:
    other = {"q": "r", "s": 1}
    analysis = analysed(
        told(
            (0, "published", 1, P1),
            (0, "enqueued", 1, P1),
            (0, "enqueued", 1, P1, other),
            (1, "acked", 1, C1),
            (2, "dropped", 1, other, {"cause": "maxlen"}),
        )
    )
    assert measures(analysis)["publish p1 completion"].n == 1


def test_what_was_delayed_is_told_so() -> None:
    analysis = analysed(
        told(
            (0, "enqueued", 1),
            (1, "enqueued", 2, {"cause": "delay"}),
            (1, "enqueued", 3),
            (2, "acked", 3, C1),
            (3, "acked", 2, C1),
        )
    )
    (annotation,) = analysis.annotations.values()
    assert (annotation.rule, annotation.cause) == ("C1", "delay_or_dead_letter")


def test_a_trace_may_begin_in_the_middle() -> None:
    analysis = analysed(
        told(
            (0, "acked", 6, C1),
            (1, "delivered", 9, SECOND),
            (2, "acked", 9, C1),
            (2, "requeued", 7, C1, {"cause": "nack_requeue"}),
            (3, "delivered", 7, SECOND),
            (4, "acked", 7, C1),
        )
    )
    assert numbers(analysis, "acked", "unexplained", "violations") == (3, 0, 0)
    (annotation,) = analysis.annotations.values()
    assert (annotation.cause, annotation.over, annotation.late) == (
        "nack_requeue",
        ["m9"],
        2 * TICK,
    )


def test_what_came_back_before_the_recording_came_back_by_a_restart() -> None:
    analysis = analysed(
        told(
            *((0, "enqueued", id_, LATE) for id_ in (1, 2)),
            (0, "delivered", 1, SECOND),
            (0, "delivered", 2, C2),
            (1, "acked", 2, C2),
            (2, "acked", 1, C1),
        )
    )
    (annotation,) = analysis.annotations.values()
    assert (annotation.rule, annotation.cause) == ("A", "broker_restart")


def test_what_is_told_late_is_no_violation() -> None:
    analysis = analysed(
        told(
            *((0, "published", id_, P1) for id_ in (1, 3)),
            *((0, "enqueued", id_, P1) for id_ in (1, 3)),
            (1, "delivered", 1, C1),
            (1, "delivered", 3, C1),
            (0, "published", 2, P1, LATE),
            (0, "enqueued", 2, P1, LATE),
            (1, "delivered", 2, C1, LATE),
            (5, "requeued", 2, C1, {"cause": "nack_requeue"}),
            (6, "delivered", 2, SECOND),
            (7, "acked", 1, C1),
            (8, "acked", 3, C1),
            (9, "acked", 2, C1),
        )
    )
    assert numbers(analysis, "violations", "unexplained", "published") == (0, 0, 3)
    (annotation,) = analysis.annotations.values()
    assert (annotation.cause, annotation.over) == ("nack_requeue", ["m3"])
    assert measures(analysis)["queue q completion"].approximate


def test_a_hand_out_against_the_promised_order_is_counted() -> None:
    analysis = analysed(
        told(
            *((0, "published", id_, P1) for id_ in (1, 2)),
            *((0, "enqueued", id_, P1) for id_ in (1, 2)),
            (1, "delivered", 2, C1),
            (1, "delivered", 1, C1),
            (2, "acked", 2, C1),
            (3, "acked", 1, C1),
        )
    )
    assert numbers(analysis, "violations", "unexplained") == (1, 1)
    (annotation,) = analysis.annotations.values()
    assert (annotation.rule, annotation.cause) == ("C2", "unexplained")


def test_what_happened_in_a_gap_is_nobody_s_fault() -> None:
    lost = {"lost_from": 4, "lost_to": 10, "q": ""}
    analysis = analysed(
        told(
            *((0, "published", id_, P1) for id_ in (1, 2)),
            *((0, "enqueued", id_, P1) for id_ in (1, 2)),
            (0, "gap", 0, lost),
            (1, "delivered", 2, C1),
            (1, "delivered", 1, C2),
            (2, "acked", 2, C1),
            (3, "acked", 1, C2),
        )
    )
    assert numbers(analysis, "lost_events", "unexplained") == (7, 0)
    assert measures(analysis)["queue q completion"].approximate


def test_what_is_told_twice_or_too_late_changes_nothing() -> None:
    analysis = analysed(
        told(
            (0, "enqueued", 1),
            (0, "enqueued", 1),
            (1, "delivered", 1, C1),
            (2, "acked", 1, C1),
            (3, "acked", 1, C1),
            (3, "delivered", 1, C1),
            (3, "requeued", 1, C1, {"cause": "recover"}),
            (3, "dropped", 1, {"cause": "ttl"}),
            (4, "sparkled", 1),
        )
    )
    assert numbers(analysis, "acked", "deliveries", "gone", "requeued") == (1, 1, 0, {})


def test_acks_that_came_too_late_are_counted() -> None:
    analysis = analysed(told((0, "bad_ack", 0, C1), (0, "late_ack_ignored", 0, C1)))
    assert numbers(analysis, "bad_acks", "late_acks") == (1, 1)


def test_what_a_resequencer_lets_go_is_listed() -> None:
    analysis = analysed(told((0, "released", 1), (1, "released", 2)))
    assert numbers(analysis, "released", "effects") == (["m1", "m2"], 0)


def test_depth_is_the_broker_s_own_or_counted() -> None:
    own = analysed(told((0, "enqueued", 1, {"depth": 7}), (1, "delivered", 1, C1, {"depth": 6})))
    assert numbers(own, "depth_max") == (7,)
    counted = analysed(told((0, "enqueued", 1), (0, "delivered", 1, C1), (1, "enqueued", 2)))
    assert numbers(counted, "depth_max") == (1,)
    (queue,) = counted.report().counts.queues
    assert (queue.v, queue.q, queue.ready, queue.depth_max) == ("/", "q", 1, 1)

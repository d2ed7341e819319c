"""What if: the model does what was recorded, and other policies what they are known to do."""

from pathlib import Path

import pytest

from amqplite.lab.order import Analysis
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.refusal import CannotRerun
from amqplite.lab.rerun.rows import Row
from amqplite.lab.scripts.plan import TICK_US
from amqplite.lab.trace import Trace, read_jsonl, write_jsonl
from amqplite.lab.whatif import Study, compare_policies, fork, what_if
from tests.lab.rerun.recorded import PLAYS, keyed, order, recorded, ticks

TRACES = Path(__file__).with_name("rerun") / "traces"

SINGLE = Policy(single_active=True)
EACH = Policy(queue_per_consumer=True)


def row(trace: Trace, policy: Policy) -> Row:
    return what_if(trace, policy).row


@pytest.mark.parametrize(("scenario", "variant"), PLAYS)
def test_run_again_as_it_was_every_scenario_comes_out_the_same(scenario: str, variant: str) -> None:
    trace = recorded(scenario, variant)
    again = what_if(trace, RECORDED)
    assert (again.check.differ, again.check.names) == (0, [])
    assert again.trace.header.mode == "simulated"
    as_it_was = trace.events
    if as_it_was[-1].type == "connection_closed":  # whoever is done at the end may stay
        as_it_was = as_it_was[:-1]
    assert again.trace.events[: len(as_it_was)] == as_it_was
    more = again.trace.events[len(as_it_was) :]
    assert not more or scenario == "poison"  # which is cut off, and would go on


def test_so_does_a_trace_over_tcp_where_nothing_is_at_the_same_instant() -> None:
    trace = read_jsonl((TRACES / "fig-11-2-over-tcp.jsonl").read_bytes())
    again = what_if(trace, RECORDED)
    assert (again.check.differ, order(again.trace)) == (0, "m1 m2 m4 m3 m5")
    for type_ in ("delivered", "acked", "requeued"):
        mine, theirs = (
            [(event.m, event.t) for event in events if event.type == type_]
            for events in (again.trace.events, trace.events)
        )
        assert [m for m, _ in mine] == [m for m, _ in theirs]
        assert max(abs(t - was) for (_, t), (_, was) in zip(mine, theirs, strict=True)) < 500
    single = what_if(trace, SINGLE)
    assert (single.row.inversions, order(single.trace)) == (0, "m1 m2 m3 m4 m5")
    assert single.sentence["en"].endswith("at +25 % time.")


def test_prefetch_alone_does_not_change_the_figure() -> None:
    trace = recorded("fig-11-2")
    for prefetch in (2, 0):
        found = what_if(trace, Policy(prefetch=prefetch))
        assert order(found.trace) == order(trace) == "m1 m2 m4 m3 m5"
        assert (found.row.inversions, ticks(found.row.end)) == (1, 8.4)
        view = order(found.trace, "delivered", c="c1")
        assert view == "m2 m4 m3 m5"


def test_a_single_active_consumer_keeps_the_figures_order_and_takes_longer() -> None:
    found = what_if(recorded("fig-11-2"), SINGLE)
    assert order(found.trace) == "m1 m2 m3 m4 m5"
    assert (found.row.inversions, found.row.redeliveries, ticks(found.row.end)) == (0, 1, 10.4)
    assert order(found.trace, "delivered", c="c2") == "m1 m2 m3"
    active = [event.c for event in found.trace.events if event.type == "consumer_active"]
    assert active == ["c2", "c1"]
    unlimited = row(recorded("fig-11-2", prefetch=0), SINGLE)
    assert (unlimited.inversions, unlimited.redeliveries, ticks(unlimited.end)) == (0, 3, 10.4)


def test_a_queue_per_consumer_waits_for_its_consumer() -> None:
    found = what_if(recorded("fig-11-2"), EACH)
    assert order(found.trace, queue="q.c1") == "m2 m4"
    assert order(found.trace, queue="q.c2") == "m1"
    assert order(found.trace, "enqueued", queue="q.c2") == "m1 m3 m5"
    assert (found.row.inversions, found.row.open, ticks(found.row.end)) == (0, 2, 4.8)


def test_a_consumer_that_comes_back_finds_its_queue() -> None:
    trace = recorded("auto-ack-loss", "acks")  # where c1 is back a tick after it died
    found = what_if(trace, EACH)
    assert order(found.trace, queue="q.c1") == "m1 m2 m3 m4 m5"
    assert ticks(found.row.end) == ticks(found.recorded.end) == 11.6


def test_without_faults_the_figure_is_the_quiet_case() -> None:
    found = what_if(recorded("fig-11-2"), Policy(no_faults=True))
    assert order(found.trace) == "m1 m2 m3 m4 m5"
    assert (found.row.redeliveries, ticks(found.row.end)) == (0, 5.8)
    assert ticks(row(recorded("fig-11-2"), Policy(no_faults=True, single_active=True)).end) == 9.0


def test_how_much_one_crash_scatters() -> None:
    trace = recorded("prefetch-blast", "prefetch-10")
    expected = {1: (1, 1, 1, 1), 2: (3, 2, 2, 2), 5: (15, 5, 5, 5), 0: (28, 7, 7, 7)}
    for prefetch, numbers in expected.items():
        found = row(trace, Policy(prefetch=prefetch))
        assert (found.inversions, found.moved, found.buffer, found.redeliveries) == numbers
    assert (row(trace, SINGLE).inversions, row(trace, SINGLE).redeliveries) == (0, 10)
    assert row(trace, Policy(prefetch=1, single_active=True)).redeliveries == 1


def test_from_prefetch_one_a_larger_one_scatters_more() -> None:
    trace = recorded("prefetch-blast", "prefetch-1")
    assert [row(trace, Policy(prefetch=p)).inversions for p in (1, 2, 5, 10)] == [1, 3, 15, 28]


def test_one_consumer_that_gives_back_needs_a_prefetch_of_one() -> None:
    trace = recorded("nack-one-consumer")
    assert what_if(trace, RECORDED).row.inversions == 2
    found = what_if(trace, Policy(prefetch=1))
    assert order(found.trace, "delivered") == "m1 m1 m2 m3"
    assert (found.row.inversions, ticks(found.row.end)) == (0, 4.5)


def test_partitions_keep_the_order_of_each_key() -> None:
    trace = keyed("ABAAB")
    found = what_if(trace, Policy(partitions=2))
    assert found.recorded.within_keys == 1
    assert found.row.within_keys == found.row.inversions == 0
    assert order(found.trace, queue="q.1") == "m1 m3 m4"
    assert order(found.trace, queue="q.2") == "m2 m5"
    assert order(found.trace, "delivered", queue="q.1", c="c2") == "m1 m3"
    assert ticks(found.row.end) == 8.8  # c1 alone does the rest, one after the other
    queues = {queue.q: queue.arguments for queue in found.trace.header.queues}
    assert queues == {q: {"x-single-active-consumer": True} for q in ("q.1", "q.2")}


def test_an_ack_timeout_takes_from_who_is_slow() -> None:
    trace = recorded("ack-timeout", "patient")
    assert what_if(trace, RECORDED).row.redeliveries == 0
    found = what_if(trace, Policy(ack_timeout=round(3 * TICK_US / 1000)))
    timed = recorded("ack-timeout")
    assert order(found.trace) == order(timed) == "m1 m2 m4 m5 m3"
    assert [event.t for event in found.trace.events if event.cause == "ack_timeout"] == [
        event.t for event in timed.events if event.cause == "ack_timeout"
    ]
    assert row(timed, Policy(ack_timeout=0)).redeliveries == 0


def test_a_timeout_that_nobody_meets_never_ends_and_is_stopped() -> None:
    found = what_if(recorded("fig-11-2"), Policy(ack_timeout=100))
    assert (found.row.endless, found.row.done, found.row.open) == (True, 0, 5)
    assert "would not have ended" in found.sentence["en"]


def test_a_limit_drops_or_refuses() -> None:
    trace = recorded("slow-unbounded")
    dropped = what_if(trace, Policy(max_length=5))
    assert order(dropped.trace, "dropped") == "m6 m8 m10 m12 m14"
    assert (dropped.row.dropped, ticks(dropped.row.wait_max)) == (5, 9)
    refused = what_if(trace, Policy(max_length=5, overflow="reject-publish"))
    assert refused.row.refused == 5
    assert refused.row.done == 15


def test_tries_after_a_refusal_are_made_only_if_it_is_refused_again() -> None:
    trace = recorded("slow-backpressure")
    assert what_if(trace, RECORDED).row.refused == 10
    found = row(trace, Policy(max_length=100))
    assert (found.refused, found.done) == (0, 20)


def test_what_was_told_of_effects_is_told_again() -> None:
    trace = recorded("lost-ack")
    found = what_if(trace, Policy(no_faults=True))
    assert order(found.trace, "applied") == "m1 m2 m3 m4 m5"
    assert order(what_if(trace, RECORDED).trace, "applied") == "m1 m2 m3 m3 m4 m5"
    resequenced = what_if(recorded("resequencer"), SINGLE)
    assert order(resequenced.trace, "released") == "m1 m2 m3 m4 m5"


def test_a_fault_strikes_in_the_midst_of_the_same_work_or_when_that_is_done_by_another() -> None:
    found = what_if(keyed("AABAA"), Policy(partitions=2))
    assert order(found.trace, "delivered", queue="", c="c1") == "m3 m4 m5"
    assert order(found.trace, queue="q.1") == "m1 m2 m4 m5"
    (moved,) = [one for one in found.assumptions if one.key.startswith("whatif.assume.fault")]
    assert moved.key == "whatif.assume.fault.moved"
    assert (moved.slots["c"], moved.slots["m"], ticks(moved.slots["at"])) == ("c2", "m3", 3.8)


def test_a_fork_is_as_recorded_up_to_its_moment() -> None:
    trace = recorded("prefetch-blast", "prefetch-10")
    at = round(2.9 * TICK_US)
    found = fork(trace, at, Policy(prefetch=1))
    before = [event for event in trace.events if event.t < at]
    assert found.trace.events[: len(before)] == before
    assert found.trace.header.params["since"] == at
    assert found.row.inversions == 28  # what was handed out before is scattered all the same
    earlier = fork(trace, round(0.26 * TICK_US), Policy(prefetch=1))
    assert earlier.row.inversions == 1
    assert fork(trace, 0, Policy(prefetch=1)).row == what_if(trace, Policy(prefetch=1)).row


def test_a_fork_to_a_single_active_consumer_lets_others_finish_what_they_hold() -> None:
    trace = recorded("fig-11-2")
    found = fork(trace, round(1.5 * TICK_US), SINGLE)
    assert order(found.trace, "delivered", c="c1") == "m2 m3 m4 m5"
    assert order(found.trace) == "m1 m2 m3 m4 m5"
    active = [event.c for event in found.trace.events if event.type == "consumer_active"]
    assert active == ["c2", "c1"]


def test_a_fork_to_new_queues_leaves_what_waits_where_it_is() -> None:
    trace = recorded("prefetch-blast", "prefetch-1")
    found = fork(trace, round(0.5 * TICK_US), EACH)
    assert order(found.trace, "enqueued", queue="q") == " ".join(f"m{n}" for n in range(1, 11))
    assert order(found.trace, "enqueued", queue="q.c2") == "m11 m13 m15 m17 m19"
    assert {queue.q for queue in found.trace.header.queues} == {"q", "q.c1", "q.c2"}
    assert found.row.done + found.row.open == 20


def test_a_fork_away_from_faults_and_to_limits() -> None:
    trace = recorded("fig-11-2")
    assert fork(trace, 3 * TICK_US, Policy(no_faults=True)).row.redeliveries == 0
    assert fork(trace, 4 * TICK_US, Policy(no_faults=True)).row.redeliveries == 1
    slow = recorded("slow-unbounded")
    late = fork(slow, round(15.5 * TICK_US), Policy(max_length=5)).row
    assert late.dropped == 5
    timed = fork(recorded("ack-timeout", "patient"), 4 * TICK_US, Policy(ack_timeout=1200))
    assert [ticks(e.t) for e in timed.trace.events if e.cause == "ack_timeout"] == [5.0]


def test_the_sentence_names_the_price() -> None:
    trace = recorded("prefetch-blast", "prefetch-10")
    found = compare_policies(trace, [Policy(prefetch=1), SINGLE])
    assert [one.inversions for one in found.rows] == [28, 1, 0]
    assert found.sentence["en"] == (
        "Prefetch 10 → 1 would have cut 28 inversions to 1 in the same time; single active "
        "consumer to 0 at +19 % time (3 more redeliveries)."
    )
    assert found.sentence["zh"] == (
        "预取数 10 → 1 会把 28 个逆序对减少到 1 个，用时不变；"
        "单一活跃消费者减少到 0 个，用时 +19 %（多 3 次重新投递）。"
    )


def test_the_figures_sentence_has_the_time_of_the_books_example() -> None:
    assert what_if(recorded("fig-11-2"), SINGLE).sentence["en"] == (
        "Single active consumer would have cut 1 inversion to 0 at +24 % time."
    )


def test_what_is_taken_for_granted_is_said_in_both_languages() -> None:
    found = what_if(recorded("silent-death"), Policy(prefetch=2))
    said = {one.key.removeprefix("whatif.assume."): one.text for one in found.assumptions}
    assert list(said) == ["time", "sent", "measured", "serial", "fault"]
    assert (
        said["sent"]["en"]
        == "All 5 messages are published when they were, whatever becomes of them."
    )
    assert said["fault"]["en"] == (
        "c2 fails 1.4 ticks into its work on m3 (heartbeat timed out), as it did."
    )
    assert said["fault"]["zh"] == "c2 在处理 m3 进行了 1.4 个节拍时出故障（心跳超时），与记录相同。"


def test_every_run_is_the_same_to_the_octet() -> None:
    trace = recorded("prefetch-blast")
    for policy in (RECORDED, SINGLE, EACH, Policy(partitions=3), Policy(max_length=3)):
        first = write_jsonl(what_if(trace, policy).trace)
        assert write_jsonl(what_if(trace, policy).trace) == first
        assert write_jsonl(read_jsonl(first)) == first


def test_a_simulated_trace_can_be_asked_about_again() -> None:
    once = what_if(recorded("fig-11-2"), SINGLE)
    assert Study(once.trace).check.differ == 0
    assert ticks(Study(once.trace).what_if(Policy(single_active=False)).row.end) == 8.4


def test_what_comes_of_it_can_be_analysed_like_any_trace() -> None:
    found = what_if(recorded("fig-11-2"), Policy(prefetch=2))
    analysis = Analysis(found.trace.header)
    for event in found.trace.events:
        analysis.feed(event)
    assert analysis.report() == found.analysis.report()
    assert found.analysis.report().counts.by_cause["connection_lost"].inversions == 1


def test_a_trace_that_can_not_be_run_again_says_why() -> None:
    trace = recorded("fig-11-2")
    nothing = [event for event in trace.events if event.type != "published"]
    with pytest.raises(CannotRerun, match="no publish"):
        what_if(Trace(trace.header, nothing), SINGLE)
    with pytest.raises(CannotRerun, match="no publish"):
        what_if(Trace(trace.header, []), SINGLE)

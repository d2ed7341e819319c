"""Another policy from the middle on, seen from what comes of it."""

from amqplite.lab.rerun.policy import Policy
from amqplite.lab.scripts.plan import TICK_US
from tests.lab.rerun.recorded import again, order, recorded, ticks, told


def test_more_prefetch_hands_out_at_once() -> None:
    trace = recorded("prefetch-blast", "prefetch-1")
    run = again(trace, Policy(prefetch=3), round(1.5 * TICK_US))
    at = [line for line in told(run.trace.events) if line.startswith("1.5 ")]
    assert at == [
        *("1.5 delivered m5 c2", "1.5 delivered m6 c1"),
        *("1.5 delivered m7 c2", "1.5 delivered m8 c1"),
    ]


def test_less_prefetch_waits_for_what_is_held() -> None:
    trace = recorded("prefetch-blast", "prefetch-5")
    run = again(trace, Policy(prefetch=1), round(1.5 * TICK_US))
    out = [e for e in run.trace.events if e.type == "delivered" and e.t > 1.5 * TICK_US]
    assert [(ticks(event.t), event.m) for event in out][:2] == [(6.25, "m7"), (7.25, "m9")]


def test_a_single_active_consumer_may_end() -> None:
    trace = recorded("fix-single-active", "no-fault")
    run = again(trace, Policy(single_active=False), round(2.5 * TICK_US))
    assert order(run.trace, "delivered", c="c1") == "m3 m5"


def test_a_limit_holds_for_what_is_there() -> None:
    run = again(recorded("prefetch-blast", "prefetch-1"), Policy(max_length=4), TICK_US)
    dropped = [event for event in run.trace.events if event.type == "dropped"]
    assert {ticks(event.t) for event in dropped} == {1}
    assert len(dropped) == 14


def test_a_limit_may_refuse_what_comes() -> None:
    policy = Policy(max_length=4, overflow="reject-publish")
    run = again(recorded("slow-unbounded"), policy, 12 * TICK_US)
    assert order(run.trace, "dropped") == ""
    assert order(run.trace, "refused").split()[:2] == ["m13", "m14"]


def test_timeouts_hold_for_what_is_held() -> None:
    trace = recorded("ack-timeout", "patient")
    run = again(trace, Policy(ack_timeout=400), 5 * TICK_US)
    (first, *_) = [event for event in run.trace.events if event.cause == "ack_timeout"]
    assert (ticks(first.t), first.m) == (5, "m3")
    timed = recorded("ack-timeout")
    patient = again(timed, Policy(ack_timeout=0), TICK_US).trace
    assert not [event for event in patient.events if event.cause == "ack_timeout"]


def test_new_queues_are_consumed_from_beside_the_old_one() -> None:
    trace = recorded("fig-11-2", crash=False)
    run = again(trace, Policy(partitions=1), round(1.5 * TICK_US))
    assert order(run.trace, "enqueued") == "m1 m2"
    assert order(run.trace, "enqueued", "q.1") == "m3 m4 m5"
    registered = [(e.q, e.c) for e in run.trace.events if e.type == "consumer_registered"]
    assert registered == [("q", "c2"), ("q", "c1"), ("q.1", "c2"), ("q.1", "c1")]

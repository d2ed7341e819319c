"""Plans: scenarios with all that was open put in."""

import pytest

from amqplite.lab.scenario import ScenarioError, find
from amqplite.lab.scripts.plan import expected, make_plan

FIG = find("fig-11-2")


def test_a_plan_of_the_defaults_expects_what_the_scenario_does() -> None:
    plan = make_plan(FIG)
    assert plan.variant == ""
    assert plan.expect == FIG.expect
    assert [consumer.tag for consumer in plan.consumers] == ["c2", "c1"]
    assert [fault.name for fault in plan.faults] == ["crash"]


def test_settings_that_are_a_variants_are_expected_to_give_what_it_does() -> None:
    plan = make_plan(FIG, {"crash": "off"})
    assert plan.variant == "no-fault"
    assert plan.expect == expected(FIG, "no-fault")
    assert plan.expect is not None
    assert plan.expect.end == 5.8
    assert plan.expect.first == {"q": "m1 m2 m3 m4 m5"}
    assert plan.faults == ()


def test_of_other_settings_nobody_knows_what_comes() -> None:
    plan = make_plan(FIG, {"prefetch": 3}, "late-detection")
    assert (plan.variant, plan.expect) == (None, None)
    assert plan.settings["detect"] == 6


def test_who_is_off_takes_no_part() -> None:
    slow = find("slow-unbounded")
    assert [consumer.tag for consumer in make_plan(slow).consumers] == ["c1"]
    assert len(make_plan(slow, variant="second").consumers) == 2


def test_what_does_not_go_together_is_no_plan() -> None:
    with pytest.raises(ScenarioError, match="prefetch: 99 is not in"):
        make_plan(FIG, {"prefetch": 99})


def test_a_header_says_what_was_played() -> None:
    header = make_plan(find("ack-timeout"), seed=7).header("exact", tick_us=100_000)
    assert (header.scenario, header.mode, header.seed) == ("ack-timeout", "exact", 7)
    assert header.params == {"timeout": 3.0, "slow": 6.0, "dedupe": False}
    assert [(queue.q, queue.arguments) for queue in header.queues] == [
        ("q", {"x-consumer-timeout": 300})
    ]


def test_a_seed_shuffles_what_is_open_and_each_producers_own_messages_stay_in_order() -> None:
    two = find("two-publishers")
    seen = set()
    for seed in range(100):
        told = make_plan(two, seed=seed).producers
        plan = sorted((p.at, p.m) for producer in told for p in producer.plan)
        assert [at for at, _ in plan] == [0, 1, 2, 3, 4]
        order = " ".join(m for _, m in plan)
        assert [m for m in order.split() if m[0] == "a"] == ["a1", "a2", "a3"]
        assert [m for m in order.split() if m[0] == "b"] == ["b1", "b2"]
        seen.add(order)
    assert make_plan(two).producers == tuple(p.spec() for p in two.producers)
    assert make_plan(two, seed=5).producers == make_plan(two, seed=5).producers
    assert len(seen) == 10


def test_a_seed_changes_nothing_else() -> None:
    assert make_plan(FIG, seed=5).producers == make_plan(FIG).producers

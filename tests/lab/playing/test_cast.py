"""The plays that the lab is about, with real clients on the broker itself."""

import pytest

from amqplite.lab.actors import ConsumerSpec, Fault, ProducerSpec, Publish, Service
from tests.lab.played import END, effects, play, publishes, rounded

C1, C2 = ConsumerSpec(tag="c1"), ConsumerSpec(tag="c2")
CRASH = Fault(do="crash", target="c2", when="started", m="m3", after=1.4)


def test_figure_11_2() -> None:
    played = play(publishes(), [C2, C1], [CRASH], until=END)
    assert played.order("delivered") == "m1 m2 m3 m4 m3 m5"
    assert played.order("delivered", "c1") == "m2 m4 m3 m5"
    assert played.order("delivered", "c2") == "m1 m3"
    assert rounded(played.seen("acked")) == [
        (1.8, "m1"),
        (2.8, "m2"),
        (4.8, "m4"),
        (6.6, "m3"),
        (8.4, "m5"),
    ]
    assert rounded(played.seen("requeued")) == [(3.4, "m3")]
    assert played.told("applied") == rounded(played.seen("acked"))
    assert played.told("crashed") == [(3.4, "m3")]
    assert played.told("started", by="c2") == [(0.0, "m1"), (2.0, "m3")]
    assert played.told("started", by="c1") == [(1.0, "m2"), (3.0, "m4"), (4.8, "m3"), (6.6, "m5")]


def test_without_a_fault_all_is_in_order() -> None:
    played = play(publishes(), [C2, C1], until=END)
    assert played.order("acked") == "m1 m2 m3 m4 m5"
    assert round(played.seen("acked")[-1][0], 3) == 5.8


@pytest.mark.parametrize("prefetch", [2, 0])
def test_a_larger_prefetch_makes_no_difference_here(prefetch: int) -> None:
    consumers = [ConsumerSpec(tag=tag, prefetch=prefetch) for tag in ("c2", "c1")]
    played = play(publishes(), consumers, [CRASH], until=END)
    assert played.order("acked") == "m1 m2 m4 m3 m5"
    assert round(played.seen("acked")[-1][0], 3) == 8.4


def test_one_active_at_a_time_keeps_the_order() -> None:
    queue = {"x-single-active-consumer": True}
    played = play(publishes(), [C2, C1], [CRASH], until=END, queue=queue)
    assert played.order("acked") == "m1 m2 m3 m4 m5"
    assert round(played.seen("acked")[-1][0], 3) == 10.4


def test_a_slow_message_is_overtaken_without_any_fault() -> None:
    services = (Service(m="m3", ticks=5.0),)
    consumers = [ConsumerSpec(tag=tag, services=services) for tag in ("c2", "c1")]
    played = play(publishes(), consumers, until=END)
    assert played.order("acked") == "m1 m2 m4 m5 m3"
    assert round(played.seen("acked")[-1][0], 3) == 7.0
    assert played.order("requeued") == ""


def test_faults_without_an_anchor_strike_from_the_begin() -> None:
    crash = Fault(do="crash", target="c2", after=3.5)
    consumers = [ConsumerSpec(tag="c2", service=1.0), ConsumerSpec(tag="c1", service=1.01)]
    played = play(publishes(20, every=0.0), consumers, [crash], until=END)
    assert [t for t, _ in played.told("crashed")] == [3.5]
    acked = [int(m[1:]) for _, m in played.seen("acked")]
    inversions = sum(a > b for i, a in enumerate(acked) for b in acked[i + 1 :])
    assert inversions == 1


def test_a_fault_may_strike_in_the_instant_of_its_anchor() -> None:
    crash = Fault(do="crash", target="c1", when="applied", m="m2", restart=1.0)
    played = play(publishes(3), [ConsumerSpec(tag="c1", service=0.5)], [crash], until=END)
    assert played.order("delivered") == "m1 m2 m2 m3"
    assert [m for _, m in played.told("applied")] == ["m1", "m2", "m2", "m3"]


def test_a_fault_may_be_anchored_to_somebody_else() -> None:
    crash = Fault(do="crash", target="c2", when="applied", m="m2", by="c1", after=0.1)
    played = play(publishes(), [C2, C1], [crash], until=END)
    assert played.told("crashed") == [(2.9, "m3")]


def test_consumers_share_what_they_remember() -> None:
    consumers = [
        ConsumerSpec(tag="c2", dedupe=True, lose_ack=frozenset({"m1"}), restart=None),
        ConsumerSpec(tag="c1", dedupe=True),
    ]
    played = play(publishes(1), consumers, until=END)
    assert played.told("applied", by="c2") == [(1.8, "m1")]
    assert played.told("skipped_duplicate", by="c1") == [(3.6, "m1")]


def test_several_producers_interleave_by_their_plans() -> None:
    producers = [
        ProducerSpec(name="p1", plan=tuple(Publish(at=at, m=f"a{at}") for at in (0, 2, 3))),
        ProducerSpec(name="p2", plan=tuple(Publish(at=at, m=f"b{at}") for at in (1, 4))),
    ]
    played = play(producers, [ConsumerSpec(tag="c1", service=0.5)], until=END)
    assert effects(played) == "a0 b1 a2 a3 b4"

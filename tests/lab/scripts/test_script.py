"""What a scenario's file says, as the actors are told."""

from amqplite.lab.actors import ConsumerSpec, Fault, Publish
from amqplite.lab.scenario import find
from amqplite.lab.scripts.script import Consumer, Misfortune, Producer, Series


def test_a_series_comes_behind_the_plan_at_even_distances() -> None:
    plan = (Publish(at=0, m="x"),)
    series = Series(count=3, first=4, every=0.1, start=1)
    told = Producer(plan=plan, series=series, exchange="e", routing_key="k").spec().plan
    assert [(p.at, p.m, p.exchange, p.routing_key) for p in told] == [
        (0, "x", "", "q"),
        (1.0, "m4", "e", "k"),
        (1.1, "m5", "e", "k"),
        (1.2, "m6", "e", "k"),
    ]


def test_a_consumer_is_told_all_but_whether_it_takes_part() -> None:
    told = Consumer(tag="c", on=False, prefetch=3, nack=("m1",), restart=None).spec()
    assert told == ConsumerSpec(tag="c", prefetch=3, nack=frozenset({"m1"}), restart=None)


def test_a_crash_that_is_noticed_later_is_a_silence() -> None:
    crash = Misfortune(name="x", do="crash", target="c", when="started", m="m1", after=1)
    assert crash.fault() == Fault(do="crash", target="c", when="started", m="m1", after=1)
    late = Misfortune(name="x", do="crash", target="c", detect=2)
    assert late.fault() == Fault(do="silence", target="c")


def test_the_figures_actors_are_as_the_figure_has_them() -> None:
    fig = find("fig-11-2")
    (producer,) = fig.producers
    assert [(p.at, p.m) for p in producer.spec().plan] == [(n - 1, f"m{n}") for n in range(1, 6)]
    assert [c.spec() for c in fig.consumers] == [ConsumerSpec(tag="c2"), ConsumerSpec(tag="c1")]
    assert [f.fault() for f in fig.faults] == [
        Fault(do="crash", target="c2", when="started", m="m3", after=1.4)
    ]

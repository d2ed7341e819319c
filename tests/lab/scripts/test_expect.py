"""What has to come of a scenario, and whether it has."""

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import find
from amqplite.lab.scripts.expect import TIMES, Check, Expect, check
from amqplite.lab.trace import Trace

FIG = find("fig-11-2")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run_exact(FIG)


def failed(trace: Trace, expect: Expect) -> list[tuple[str, object, object]]:
    return [(one.what, one.expected, one.got) for one in check(trace, expect) if not one.ok]


def test_what_a_variant_expects_replaces_what_the_scenario_does() -> None:
    base = Expect(inversions={"q": 1}, late={"q": 1.8}, lost="")
    told = base.overridden(Expect(late={"q": 6.4}, effects=0))
    assert told == Expect(inversions={"q": 1}, late={"q": 6.4}, lost="", effects=0)


def test_that_nothing_is_unexplained_nor_against_the_promise_is_always_expected(
    trace: Trace,
) -> None:
    assert check(trace, Expect()) == [
        Check(what="unexplained", expected=0, got=0, ok=True),
        Check(what="violations", expected=0, got=0, ok=True),
    ]


def test_a_number_that_comes_out_is_told_with_what_was_expected(trace: Trace) -> None:
    checks = check(trace, Expect(inversions={"q": 1}, requeued={"connection_lost": 1}, end=8.4))
    assert [(one.what, one.expected, one.got, one.ok) for one in checks[2:]] == [
        ("inversions q", 1, 1, True),
        ("requeued", "connection_lost 1", "connection_lost 1", True),
        ("end", 8.4, 8.4, True),
    ]


WRONG = [
    (Expect(completion={"q": "m1"}), "completion q", "m1", "m1 m2 m4 m3 m5"),
    (Expect(first={"q": ""}), "first q", "", "m1 m2 m3 m4 m5"),
    (Expect(views={"c2": "m1"}), "views c2", "m1", "m1 m3"),
    (Expect(views={"c9": "m1"}), "views c9", "m1", ""),
    (Expect(inversions={"q": 2}), "inversions q", 2, 1),
    (Expect(inversions={"x": 0}), "inversions x", 0, "nothing"),
    (Expect(moved={"q": 0}), "moved q", 0, 1),
    (Expect(buffer={"q": 0}), "buffer q", 0, 1),
    (Expect(buffered={"q": 0}), "buffered q", 0, 1.8),
    (Expect(late={"q": 1.9}), "late q", 1.9, 1.8),
    (Expect(key_completion={"A": "m1"}), "key_completion A", "m1", ""),
    (Expect(key_inversions={"A": 0}), "key_inversions A", 0, "nothing"),
    (Expect(key_late={"A": 0}), "key_late A", 0, "nothing"),
    (Expect(publishers={"p9": 0}), "publishers p9", 0, "nothing"),
    (Expect(published=4), "published", 4, 5),
    (Expect(ready=1), "ready", 1, 0),
    (Expect(redeliveries=0), "redeliveries", 0, 1),
    (Expect(requeued={}), "requeued", "", "connection_lost 1"),
    (
        Expect(causes={"priority": 1, "connection_lost": 1}),
        "causes",
        "connection_lost 1, priority 1",
        "connection_lost 1",
    ),
    (Expect(possible_duplicates=0), "possible_duplicates", 0, 1),
    (Expect(effects=6), "effects", 6, 5),
    (Expect(duplicates=1), "duplicates", 1, 0),
    (Expect(skipped=1), "skipped", 1, 0),
    (Expect(gone={"maxlen": 1}), "gone", "maxlen 1", ""),
    (Expect(dropped="m1"), "dropped", "m1", ""),
    (Expect(refused=1), "refused", 1, 0),
    (Expect(lost="m3"), "lost", "m3", ""),
    (Expect(late_acks=1), "late_acks", 1, 0),
    (Expect(released="m1"), "released", "m1", ""),
    (Expect(depth={"q": 1}), "depth q", 1, 2),
    (Expect(wait={"q": 1}), "wait q", 1, 2.6),
    (Expect(wasted=1), "wasted", 1, 1.4),
    (Expect(requeue_wait=1), "requeue_wait", 1, 1.4),
    (Expect(rework=1), "rework", 1, 1.8),
    (Expect(detection_gap=1), "detection_gap", 1, 0.0),
    (Expect(end=8), "end", 8, 8.4),
]


@pytest.mark.parametrize(("expect", "what", "expected", "got"), WRONG)
def test_a_number_that_does_not_come_out_is_told(
    trace: Trace, expect: Expect, what: str, expected: object, got: object
) -> None:
    assert failed(trace, expect) == [(what, expected, got)]


def test_every_field_is_looked_at() -> None:
    looked_at = {
        name for expect, *_ in WRONG for name in expect.__struct_fields__ if _said(expect, name)
    }
    assert looked_at == set(Expect.__struct_fields__) - {"timed"}
    assert looked_at >= TIMES


def _said(expect: Expect, name: str) -> bool:
    return getattr(expect, name) is not None


def test_of_a_real_run_the_times_do_not_matter(trace: Trace) -> None:
    real = replace(trace, header=changed(trace.header, mode="real"))
    wrong = Expect(late={"q": 9}, end=9, depth={"q": 9}, inversions={"q": 9})
    assert failed(real, wrong) == [("inversions q", 9, 1)]
    assert len(failed(trace, wrong)) == 4


def test_what_is_timed_does_not_matter_either_in_a_real_run(trace: Trace) -> None:
    real = replace(trace, header=changed(trace.header, mode="real"))
    wrong = Expect(views={"c1": ""}, ready=9, requeued={}, effects=9)
    assert len(failed(real, wrong)) == 4
    timed = wrong.overridden(Expect(timed=("views", "ready", "requeued")))
    assert failed(real, timed) == [("effects", 9, 5)]
    assert len(failed(trace, timed)) == 4
    assert len(failed(real, timed.overridden(Expect(timed=())))) == 4


def test_keys_are_looked_at_each_in_all_queues_together() -> None:
    moved = run_exact(find("repartition"))
    told = Expect(key_completion={"A": ""}, key_inversions={"A": 0, "B": 0}, key_late={"A": 0})
    assert failed(moved, told) == [
        ("key_completion A", "", "m1 m2 m4 m3 m5"),
        ("key_inversions A", 0, 1),
        ("key_inversions B", 0, "nothing"),
        ("key_late A", 0, 0.6),
    ]


def test_publishers_are_looked_at_each_in_all_queues_together() -> None:
    two = run_exact(find("two-publishers"))
    assert failed(two, Expect(publishers={"p1": 0, "p2": 1})) == [("publishers p2", 1, 0)]
    several = run_exact(find("fix-queue-per-consumer"))
    assert failed(several, Expect(publishers={"p1": 0})) == []


def test_what_the_broker_must_not_do_is_told_without_being_expected(trace: Trace) -> None:
    """Here m3 is handed out behind m4, and nobody had brought it back."""
    changed_events = [
        replace(event, attempt=1, redelivered=False) if event.type == "delivered" else event
        for event in trace.events
        if not (event.m == "m3" and event.n < 36 and event.type in ("delivered", "requeued"))
    ]
    found = failed(Trace(trace.header, changed_events), Expect())
    assert found == [("unexplained", 0, 1), ("violations", 0, 1)]

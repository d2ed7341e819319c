"""What is measured of small plays, against numbers worked out by hand. Times are in ticks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from amqplite.broker.trace import Event
from amqplite.lab import order
from amqplite.lab.analysis.messages import CLOSED_MAX
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.order import Analysis
from amqplite.lab.trace import Header
from amqplite.lab.why import explain
from tests.lab.model import TICK, Model, Queue, Worker, figure_11_2, two_workers


def analysed(model: Model) -> Analysis:
    analysis = Analysis(Header(tick_us=TICK))
    for event in model.run().events:
        analysis.feed(event)
    return analysis


@dataclass
class Row:
    """What has to come of a play; by queue, where a queue is named."""

    play: Callable[[], Model]
    completion: dict[str, str]
    inversions: dict[str, int] = field(default_factory=dict)
    moved: int = 0
    buffer: int = 0
    late: float = 0
    redeliveries: int = 0
    end: float = 0
    why: tuple[str, ...] = ()
    views: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    across: int = 0


# -- the plays -----------------------------------------------------------------------------------


def queue_per_consumer() -> Model:
    model, q1, q2 = Model(), Queue("q1"), Queue("q2")
    model.consume(q1, Worker("c1"))
    model.consume(q2, Worker("c2", dies={"m3": 1.4}, restart=3.0))
    for i in range(5):
        model.at(i, model.publish, q1 if i % 2 else q2)
    return model


def partitioned() -> Model:
    model, a, b = Model(), Queue("q.A", sac=True), Queue("q.B", sac=True)
    model.consume(a, Worker("c2", dies={"m3": 1.4}, restart=None))
    model.consume(a, Worker("c1~A"))
    model.consume(b, Worker("c1"))
    model.consume(b, Worker("c2~B"))
    for i, key in enumerate("ABAAB"):
        queue = a if key == "A" else b
        model.at(i, lambda queue=queue, key=key: model.publish(queue, key=key))
    return model


def one_nacks(prefetch: int) -> Model:
    model, queue = Model(), Queue()
    for _ in range(3):
        model.at(0, model.publish, queue)
    model.at(0.5, model.consume, queue, Worker("c1", prefetch, 1.0, nack={"m1"}))
    return model


def one_is_slow() -> Model:
    service = lambda m, _: 5.0 if m == "m3" else 1.8  # noqa: E731
    c2, c1 = Worker("c2", service=service), Worker("c1", service=service)
    return two_workers(Queue(), first=c2, second=c1)


def active_one_is_cancelled(prefetch: int) -> Model:
    model, queue = Model(), Queue(sac=True)
    c2, c1 = Worker("c2", prefetch), Worker("c1", prefetch)
    for _ in range(5):
        model.at(0, model.publish, queue)
    model.at(0.1, model.consume, queue, c2)
    model.at(0.2, model.consume, queue, c1)
    model.at(1.0, model.cancel, queue, c2)
    return model


def repartitioned() -> Model:
    model, q1, q2 = Model(), Queue("q1"), Queue("q2")
    model.consume(q1, Worker("c1"))
    model.consume(q2, Worker("c2"))
    for i in range(5):
        queue = q1 if i < 3 else q2
        model.at(i, lambda queue=queue: model.publish(queue, key="A"))
    return model


def ack_takes_too_long() -> Model:
    service = lambda m, attempt: 6.0 if (m, attempt) == ("m3", 1) else 1.8  # noqa: E731
    c2, c1 = Worker("c2", service=service, ack_timeout=3.0), Worker("c1", service=service)
    return two_workers(Queue(), first=c2, second=c1)


def some_have_priority() -> Model:
    model, queue = Model(), Queue()
    for i in range(5):
        model.at(0, lambda prio=5 if i >= 3 else 0: model.publish(queue, prio=prio))
    model.at(0.5, model.consume, queue, Worker("c1", service=1.0))
    return model


def one_is_retried_later() -> Model:
    model, queue = Model(), Queue()
    queue.dead_letter = (Queue("retry"), 3.0)
    model.consume(queue, Worker("c1", service=0.8, reject={"m3"}))
    for i in range(5):
        model.at(i, model.publish, queue)
    return model


def blast(prefetch: int, *, sac: bool = False) -> Model:
    model, queue = Model(), Queue(sac=sac)
    c2 = Worker("c2", prefetch, 1.0, restart=None)
    model.consume(queue, c2)
    model.consume(queue, Worker("c1", prefetch, 1.0))
    for _ in range(20):
        model.at(0, model.publish, queue)
    model.at(3.5, model.die, queue, c2)
    return model


A = "A connection_lost c2"
IN_ORDER = {"q": "1 2 3 4 5"}


def figure(
    play: Callable[[], Model],
    *,
    keys: dict[str, int] | None = None,
    views: dict[str, str] | None = None,
) -> Row:
    """What comes of the book's figure, in whatever variation."""
    return Row(
        play,
        {"q": "1 2 4 3 5"},
        {"q": 1},
        moved=1,
        buffer=1,
        late=1.8,
        redeliveries=1,
        end=8.4,
        why=(A,),
        keys=keys or {},
        views=views or {},
    )


ROWS: dict[str, Row] = {
    "no fault": Row(partial(two_workers, Queue()), IN_ORDER, end=5.8),
    "the figure": figure(figure_11_2, views={"c1": "2 4 3 5", "c2": "1 3"}),
    "prefetch 2": figure(partial(figure_11_2, prefetch=2)),
    "prefetch unlimited": figure(partial(figure_11_2, prefetch=0)),
    "noticed 6 later": Row(
        partial(figure_11_2, detection=6.0),
        {"q": "1 2 4 5 3"},
        {"q": 2},
        moved=1,
        buffer=2,
        late=6.4,
        redeliveries=1,
        end=11.2,
        why=(A,),
    ),
    "requeued to the tail": Row(
        lambda: figure_11_2(Queue(to_tail=True)),
        {"q": "1 2 4 5 3"},
        {"q": 2},
        moved=1,
        buffer=2,
        late=3.6,
        redeliveries=1,
        end=8.4,
        why=(A,),
    ),
    "single active, prefetch 1": Row(
        lambda: figure_11_2(Queue(sac=True)), IN_ORDER, redeliveries=1, end=10.4
    ),
    "single active, unlimited": Row(
        lambda: figure_11_2(Queue(sac=True), prefetch=0), IN_ORDER, redeliveries=3, end=10.4
    ),
    "a queue each": Row(
        queue_per_consumer,
        {"q1": "2 4", "q2": "1 3 5"},
        redeliveries=1,
        end=10.0,
        across=1,
    ),
    "keys on a shared queue": figure(
        lambda: two_workers(
            Queue(), keys="ABAAB", first=Worker("c2", dies={"m3": 1.4}, restart=None)
        ),
        keys={"A": 1, "B": 0},
    ),
    "partitioned by key": Row(
        partitioned,
        {"q.A": "1 3 4", "q.B": "2 5"},
        keys={"A": 0, "B": 0},
        redeliveries=1,
        end=7.0,
        across=1,
    ),
    "one nacks, prefetch 3": Row(
        partial(one_nacks, 3),
        {"q": "2 3 1"},
        {"q": 2},
        moved=1,
        buffer=2,
        late=2.0,
        redeliveries=1,
        end=4.5,
        why=("A nack_requeue c1",),
        views={"c1": "1 2 3 1"},
    ),
    "one nacks, prefetch 1": Row(
        partial(one_nacks, 1), {"q": "1 2 3"}, redeliveries=1, end=4.5, views={"c1": "1 1 2 3"}
    ),
    "one is slow": Row(
        one_is_slow,
        {"q": "1 2 4 5 3"},
        {"q": 2},
        moved=1,
        buffer=2,
        late=2.2,
        end=7.0,
        why=("B parallel_consumers c2",),
    ),
    "the active one is cancelled, prefetch 3": Row(
        partial(active_one_is_cancelled, 3),
        {"q": "1 4 2 5 3"},
        {"q": 3},
        moved=2,
        buffer=2,
        late=2.7,
        end=5.5,
        why=("B cancelled_consumer_holding c2", "B cancelled_consumer_holding c2"),
    ),
    "the active one is cancelled, prefetch 1": Row(
        partial(active_one_is_cancelled, 1), IN_ORDER, end=8.2
    ),
    "the partitions move": Row(
        repartitioned,
        {"q1": "1 2 3", "q2": "4 5"},
        keys={"A": 1},
        end=6.6,
        why=("0 repartitioned c1",),
    ),
    "the ack takes too long": Row(
        ack_takes_too_long,
        {"q": "1 2 4 5 3"},
        {"q": 2},
        moved=1,
        buffer=2,
        late=3.6,
        redeliveries=1,
        end=8.4,
        why=("A ack_timeout c2",),
    ),
    "priority": Row(
        some_have_priority,
        {"q": "4 5 1 2 3"},
        {"q": 6},
        moved=2,
        buffer=2,
        late=4.0,
        end=5.5,
        why=("C2 priority c1",) * 3,
    ),
    "retried later": Row(
        one_is_retried_later,
        {"q": "1 2 4 5 3"},
        {"q": 2},
        moved=1,
        buffer=2,
        late=2.8,
        end=6.6,
        why=("C1 delay_or_dead_letter",),
    ),
}


def completions(analysis: Analysis) -> dict[str, Metrics]:
    metrics = analysis.report().metrics
    found = {m.name: m for m in metrics if (m.scope, m.at) == ("queue", "completion")}
    return {name: one for name, one in found.items() if one.n}


def digits(labels: list[str]) -> str:
    return " ".join(label.removeprefix("m") for label in labels)


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in ROWS.items()])
def test_a_play_comes_to(row: Row) -> None:
    analysis = analysed(row.play())
    report, queues = analysis.report(), completions(analysis)
    counts, metrics = report.counts, report.metrics

    assert {name: digits(one.completion) for name, one in queues.items()} == row.completion
    assert {name: n.inversions for name, n in queues.items() if n.inversions} == row.inversions
    assert max(one.moved for one in queues.values()) == row.moved
    assert max(one.buffer for one in queues.values()) == row.buffer
    assert max(one.late for one in queues.values()) == round(row.late * TICK)
    assert counts.redeliveries == row.redeliveries
    assert counts.end == round(row.end * TICK)
    whys = [f"{it.rule} {it.cause} {it.who}".strip() for it in analysis.annotations.values()]
    assert tuple(whys) == row.why
    views = {m.name: digits(m.completion) for m in metrics if m.scope == "consumer"}
    assert {name: views[name] for name in row.views} == row.views
    keys = {m.name: m.inversions for m in metrics if m.scope == "key"}
    assert keys == row.keys
    assert analysis.reordered_across == row.across

    assert (counts.unexplained, counts.violations) == (0, 0)
    assert counts.enqueued == counts.acked + counts.gone + counts.ready + counts.unacked
    assert all(not one.approximate for one in queues.values())
    of_queues = [it for it in analysis.annotations.values() if it.scope == "queue"]
    assert sum(it.inv for it in of_queues) == sum(one.inversions for one in queues.values())
    assert sum(by.reordered for by in counts.by_cause.values()) == len(analysis.annotations)
    assert sum(by.inversions for by in counts.by_cause.values()) == sum(
        it.inv for it in analysis.annotations.values()
    )


@pytest.mark.parametrize(
    ("prefetch", "inversions", "moved"), [(1, 1, 1), (2, 3, 2), (5, 15, 5), (10, 28, 7), (0, 28, 7)]
)
def test_prefetch_decides_how_much_one_death_scatters(
    prefetch: int, inversions: int, moved: int
) -> None:
    analysis = analysed(blast(prefetch))
    (queue,), counts = completions(analysis).values(), analysis.report().counts
    assert (queue.inversions, queue.moved, queue.buffer) == (inversions, moved, moved)
    assert (counts.redeliveries, counts.requeued) == (moved, {"connection_lost": moved})


@pytest.mark.parametrize(("prefetch", "redeliveries"), [(1, 1), (0, 17)])
def test_a_single_active_consumer_scatters_nothing(prefetch: int, redeliveries: int) -> None:
    analysis = analysed(blast(prefetch, sac=True))
    (queue,), counts = completions(analysis).values(), analysis.report().counts
    assert (queue.inversions, counts.redeliveries) == (0, redeliveries)


def test_little_is_kept_of_messages_that_are_done_with() -> None:
    analysis, n = Analysis(Header(tick_us=TICK)), 0
    who: dict[str, Any] = {"c": "c1", "conn": "c", "ch": 1}
    for id_ in range(1, CLOSED_MAX + 2_000):
        facts: dict[str, Any] = {"id": id_, "m": f"m{id_}", "key": "A", "p": "p1"}
        in_queue: dict[str, Any] = {"q": "q", "s": id_}
        steps: list[tuple[str, dict[str, Any]]] = [
            ("published", {"tag": id_}),
            ("confirmed", {"tag": id_}),
            ("enqueued", in_queue),
            ("delivered", in_queue | who),
            ("acked", in_queue | who),
        ]
        for type_, more in steps:
            n += 1
            analysis.feed(Event(n=n, t=n, type=type_, **(facts | more)))
    following = analysis.following
    assert len(following.messages) == CLOSED_MAX
    assert following.queues["/", "q"].open == {}
    counts = analysis.report().counts
    assert (counts.acked, counts.confirmed) == (CLOSED_MAX + 1_999,) * 2
    assert explain(analysis, "m1") is None
    assert explain(analysis, f"m{CLOSED_MAX}") is not None


def test_stories_are_forgotten_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "STORIES_MAX", 2)
    analysis = analysed(blast(5))
    assert len(analysis.stories) == len(analysis.annotations) == 2
    assert analysis.report().counts.by_cause["connection_lost"].reordered == 5


def test_how_far_one_came_from_its_place_is_told_once_it_is_known() -> None:
    analysis = Analysis(Header(tick_us=TICK))
    for id_ in (1, 2, 3):
        analysis.feed(Event(n=id_, t=0, type="enqueued", id=id_, s=id_, q="q"))
    told = [
        analysis.feed(Event(n=3 + n, t=n, type="acked", id=id_, s=id_, q="q"))
        for n, id_ in enumerate((3, 2, 1), 1)
    ]
    assert [it and it.inv for it in told] == [None, 1, 2]
    assert {n: it.disp for n, it in analysis.annotations.items()} == {5: 0, 6: 2}


def test_a_place_among_those_that_are_still_missing_is_not_known() -> None:
    analysis = Analysis(Header(tick_us=TICK))
    for id_ in (1, 2, 3):
        analysis.feed(Event(n=id_, t=0, type="enqueued", id=id_, s=id_, q="q"))
    for n, id_ in enumerate((3, 2), 4):
        annotation = analysis.feed(Event(n=n, t=n, type="acked", id=id_, s=id_, q="q"))
    assert annotation is not None
    assert annotation.disp is None
    assert analysis.annotations[5].disp is None
    analysis.feed(Event(n=6, t=6, type="dropped", id=1, s=1, q="q", cause="ttl"))
    assert analysis.annotations[5].disp == 1

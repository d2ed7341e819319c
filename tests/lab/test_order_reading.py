"""What is derived online, against a reading of the whole trace by the letter of the definitions."""

from collections import defaultdict
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.event_log import TYPES
from amqplite.broker.trace import TOLD_LATE, Event
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.order import Analysis
from amqplite.lab.trace import NUMBER_MAX, Header
from amqplite.lab.verdict import verdict
from amqplite.lab.why import all_whys, explain
from tests.broker.test_order import Definition
from tests.lab.model import TICK, Model, Queue, Worker

GONE = {"dropped", "discarded", "dead_lettered"}
Key = tuple[str, int]


@st.composite
def plays(draw: st.DrawFn) -> Model:
    """Workers of every habit on one queue or two, and whatever befalls them."""
    model = Model()
    queues = [
        Queue(
            name,
            sac=draw(st.booleans()),
            max_length=draw(st.sampled_from([0, 0, 0, 3])),
            refuses=draw(st.booleans()),
            limit=draw(st.sampled_from([0, 0, 2])),
            to_tail=draw(st.booleans()),
        )
        for name in draw(st.sampled_from([["q"], ["q", "r"]]))
    ]
    if draw(st.booleans()):
        queues[0].dead_letter = (Queue("dead"), draw(st.sampled_from([0.0, 2.5])))
    labels = [f"m{i}" for i in range(1, 11)]
    some = st.sets(st.sampled_from(labels), max_size=2)
    ticks = st.sampled_from([0.3, 0.7, 1.0, 1.8, 4.5])
    for queue in queues:
        for k in range(draw(st.integers(1, 3))):
            worker = Worker(
                f"{queue.name}{k}",
                prefetch=draw(st.integers(0, 3)),
                service=draw(ticks),
                auto=draw(st.sampled_from([False, False, False, True])),
                nack=draw(some),
                reject=draw(some),
                lose_ack=draw(some),
                ack_timeout=draw(st.sampled_from([0, 0, 3.0])),
                restart=draw(st.sampled_from([None, 1.0, 1.0])),
                dies={m: draw(ticks) for m in draw(some)},
                detection=draw(st.sampled_from([0.0, 0.0, 2.0])),
            )
            model.at(draw(st.integers(0, 2)), model.consume, queue, worker)
            if draw(st.integers(0, 4)) == 0:
                model.at(draw(st.integers(1, 6)), model.cancel, queue, worker)
    for _ in labels:
        to = draw(st.lists(st.sampled_from(queues), min_size=1, max_size=2, unique=True))
        key, prio = draw(st.sampled_from(["", "A", "B"])), draw(st.sampled_from([0, 0, 0, 4]))
        p, at = draw(st.sampled_from(["p1", "p2"])), draw(st.integers(0, 6))
        model.at(
            at, lambda to=to, key=key, prio=prio, p=p: model.publish(*to, key=key, prio=prio, p=p)
        )
    return model.run(until=draw(st.sampled_from([4.0, 9.0, 60.0])))


class Reading:
    """A trace read as a whole."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.places: dict[str, dict[int, int]] = defaultdict(dict)
        for event in self.of("enqueued"):
            place = self.places[event.q]
            place.setdefault(event.id, len(place) + 1)

    def of(self, *types: str, q: str = "") -> list[Event]:
        return [e for e in self.events if e.type in types and (not q or e.q == q)]

    def about(self, key: Key, *types: str, before: int = 10**9) -> list[Event]:
        return [e for e in self.of(*types, q=key[0]) if e.id == key[1] and e.n < before]

    def numbers(self, events: list[Event]) -> dict[str, Any]:
        """What the order of these events is worth; of each message the first counts."""
        first: dict[int, Event] = {}
        for event in events:
            first.setdefault(event.id, event)
        places = self.places[events[0].q] if events else {}
        told = Definition([places[i] for i in first], [e.t for e in first.values()]).numbers()
        return {
            "n": told["n"],
            "reordered": told["reordered"],
            "inversions": told["inversions"],
            "moved": told["moved"],
            "extent": told["extent_max"],
            "late": told["late_max"],
            "nreo": told["n_reordering_max"],
            "rd": {str(d): n for d, n in told["displacements"].items()},
        }

    def backward(self, events: list[Event]) -> int:
        numbers = [self.places[e.q][e.id] for e in events]
        return sum(n < max(numbers[:i], default=0) for i, n in enumerate(numbers))

    # -- one message -----------------------------------------------------------------------------

    def overtakers(self, ack: Event) -> list[Event]:
        places = self.places[ack.q]
        before = [e for e in self.of("acked", q=ack.q) if e.n < ack.n]
        return [e for e in before if places[e.id] > places[ack.id]]

    def cause(self, ack: Event) -> str:
        """Find why, by the rules as they are written."""
        x, over = (ack.q, ack.id), self.overtakers(ack)
        if self.about(x, "dead_lettered"):
            return "C1 delay_or_dead_letter"
        if returns := self.about(x, "requeued"):
            return f"A {returns[-1].cause}"
        first = self.about(x, "delivered")[0]
        firsts = [self.about((ack.q, y.id), "delivered")[0] for y in over]
        if any(y.n < first.n for y in firsts):
            assert all(y.prio > first.prio for y in firsts if y.n < first.n)
            return "C2 priority"
        if any(
            e.c == first.c and first.n < e.n < ack.n for e in self.of("consumer_cancelled", q=ack.q)
        ):
            return "B cancelled_consumer_holding"
        if all(y.c == ack.c for y in over):
            return "B out_of_order_ack"
        return "B parallel_consumers"

    # -- all of them -----------------------------------------------------------------------------

    def times(self) -> dict[str, int]:
        told = {"wasted": 0, "requeue_wait": 0, "rework": 0}
        for e in self.of("delivered", "requeued", "acked"):
            key = (e.q, e.id)
            since = self.about(key, "delivered", "requeued", "dead_lettered", before=e.n)
            if e.type == "requeued":
                told["wasted"] += e.t - since[-1].t
            elif e.type == "delivered" and e.attempt > 1:
                told["requeue_wait"] += e.t - since[-1].t
            elif e.type == "acked" and since[-1].attempt > 1:
                told["rework"] += e.t - since[-1].t
        return told


def analysed(events: list[Event]) -> Analysis:
    analysis = Analysis(Header(tick_us=TICK))
    for event in events:
        analysis.feed(event)
    return analysis


def told(metrics: Metrics, names: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(metrics, name) for name in names}


@settings(deadline=None)
@given(plays())
def test_every_order_is_what_the_definitions_say(model: Model) -> None:
    analysis, reading = analysed(model.events), Reading(model.events)
    seen = set()
    for one in analysis.report().metrics:
        if one.scope == "queue" and one.at == "completion":
            events = reading.of("acked", q=one.q)
        elif one.scope == "queue":
            events = reading.of("delivered", q=one.q)
        elif one.scope == "consumer":
            events = [e for e in reading.of("delivered", q=one.q) if e.c == one.name]
            assert one.backward == reading.backward(events)
            assert one.completion == [e.m for e in events]
        else:
            continue
        expected = reading.numbers(events)
        assert told(one, expected) == expected, (one.scope, one.name, one.at)
        assert not one.approximate
        seen.add((one.scope, one.at, one.name, one.q))
    handed = {("consumer", "view", e.c, e.q) for e in reading.of("delivered")}
    assert handed <= seen


@settings(deadline=None)
@given(plays())
def test_a_queue_s_buffer_is_what_a_releaser_would_hold(model: Model) -> None:
    reading = Reading(model.events)
    for one in analysed(model.events).report().metrics:
        if (one.scope, one.at) != ("queue", "completion") or reading.of(*GONE, q=one.q):
            continue
        acks = reading.of("acked", q=one.q)
        places = reading.places[one.q]
        missing = set(places) - {e.id for e in acks}
        if any(places[i] < places[e.id] for i in missing for e in acks):
            continue  # it may still come
        definition = Definition([places[e.id] for e in acks], [e.t for e in acks])
        most, holds = definition.buffered()
        assert (one.buffer, one.buffer_us) == (most, max(holds, default=0))
        assert one.buffer_us_sum == sum(holds)


@settings(deadline=None)
@given(plays())
def test_every_overtaken_message_is_annotated_with_its_cause(model: Model) -> None:
    analysis, reading = analysed(model.events), Reading(model.events)
    annotations = analysis.annotations
    for ack in reading.of("acked"):
        over, annotation = reading.overtakers(ack), annotations.get(ack.n)
        if annotation is not None and annotation.scope == "key":
            annotation = None
        assert (annotation is None) == (not over)
        if annotation is None:
            continue
        places = reading.places[ack.q]
        assert annotation.inv == annotation.over_n == len(over)
        assert annotation.late == ack.t - over[0].t
        assert annotation.over == [e.m for e in sorted(over, key=lambda e: places[e.id])][:5]
        assert f"{annotation.rule} {annotation.cause}" == reading.cause(ack)
        returns = reading.about((ack.q, ack.id), "requeued")
        assert [step.n for step in annotation.chain] == [e.n for e in returns][-8:]
    counts = analysis.report().counts
    assert counts.unexplained == 0
    assert counts.violations == 0
    for cause, by in counts.by_cause.items():
        of_it = [it for it in annotations.values() if it.cause == cause]
        assert (by.reordered, by.inversions) == (len(of_it), sum(it.inv for it in of_it))
        assert by.late == max(it.late for it in of_it)


@settings(deadline=None)
@given(plays())
def test_no_message_is_made_or_lost_in_counting(model: Model) -> None:
    counts, reading = analysed(model.events).report().counts, Reading(model.events)
    assert counts.enqueued == counts.acked + counts.gone + counts.ready + counts.unacked
    assert counts.published == len(reading.of("published"))
    assert counts.enqueued == len(reading.of("enqueued"))
    assert counts.acked == len(reading.of("acked"))
    assert counts.gone == len(reading.of(*GONE))
    assert counts.dropped == len(reading.of("dropped"))
    assert counts.deliveries == len(reading.of("delivered"))
    assert counts.redeliveries == sum(e.redelivered for e in reading.of("delivered"))
    assert sum(counts.requeued.values()) == len(reading.of("requeued"))
    assert counts.refused == len(reading.of("refused"))
    assert counts.late_acks == len(reading.of("late_ack_ignored"))
    assert counts.effects == len(reading.of("applied"))
    expected = reading.times()
    assert {name: getattr(counts, name) for name in expected} == expected


@settings(deadline=None)
@given(plays())
def test_among_queues_what_is_done_with_everywhere_is_measured_by_its_last(model: Model) -> None:
    reading = Reading(model.events)
    metrics = {(m.scope, m.name): m for m in analysed(model.events).report().metrics}
    for p in ("p1", "p2"):
        ours = {e.id for e in reading.of("published") if e.p == p}
        done: dict[int, int] = {}
        open_: dict[int, set[str]] = defaultdict(set)
        order = []
        for e in reading.events:
            if e.id in ours and e.type == "enqueued":
                open_[e.id].add(e.q)
            elif e.id in ours and e.type in GONE | {"acked"}:
                open_[e.id].discard(e.q)
                done[e.id] = done.get(e.id, 0) + (e.type == "acked")
                over = e.type != "dead_lettered" and not open_[e.id] and done[e.id]
                if over and e.id not in order:
                    order.append(e.id)
        inversions = sum(order[j] > i for k, i in enumerate(order) for j in range(k))
        if ours:
            assert metrics["publish", p].inversions == inversions


LABELS = st.sampled_from(["", "m1", "m2", "m3"])
SMALL = st.integers(0, 4)
junk = st.lists(
    st.fixed_dictionaries(
        {
            "t": st.integers(0, 20),
            "type": st.sampled_from(TYPES),
            "q": st.sampled_from(["", "q", "r"]),
            "m": LABELS,
            "id": SMALL,
            "s": SMALL | st.sampled_from([NUMBER_MAX]),
            "c": st.sampled_from(["", "c1", "c2"]),
            "p": st.sampled_from(["", "p1"]),
            "conn": st.sampled_from(["", "a"]),
            "key": st.sampled_from(["", "A"]),
            "tag": SMALL,
            "attempt": SMALL,
            "prio": SMALL,
            "cause": st.sampled_from(["", "queue_deleted", "delay", "dlx_return", "nack_requeue"]),
            "text": st.sampled_from(["", TOLD_LATE]),
            "multiple": st.booleans(),
            "redelivered": st.booleans(),
            "lost_to": SMALL,
        }
    ),
    max_size=30,
)


@settings(deadline=None)
@given(junk)
def test_whatever_is_told_is_counted_and_told_again(lines: list[dict[str, Any]]) -> None:
    events = [Event(n=n, **line) for n, line in enumerate(lines, 1)]
    analysis = analysed(events)
    report = analysis.report()
    counts = report.counts
    assert counts.enqueued == counts.acked + counts.gone + counts.ready + counts.unacked
    assert sum(it.inv for it in analysis.annotations.values()) == sum(
        by.inversions for by in counts.by_cause.values()
    )
    told = [report, all_whys(analysis), verdict(analysis), analysis.annotations]
    assert msgspec.json.decode(msgspec.json.encode(told))
    for label in ("m1", "m2", "m3"):
        explain(analysis, label)

"""Whatever clients do to a queue: the trace tells where every message is, and why any was late.

The broker's own code, driven by random schedules of two publishers and three consumers: no
reordering may be without a cause, no first hand-out out of order (§4.7), and no message
unaccounted for.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amqplite.broker.backlog import Window
from amqplite.broker.broker import Limits
from amqplite.broker.redelivery import Cause
from amqplite.lab.order import Analysis
from amqplite.lab.trace import Header
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicQos,
    BasicRecover,
    ChannelClose,
    ChannelOpen,
    QueuePurge,
)
from tests.connection.client import Client, deliveries, properties_of, publish
from tests.rig import NOW, Rig

LOST = (Cause.CONNECTION_LOST, Cause.CONNECTION_RESET, Cause.HEARTBEATS_MISSED)
TIMEOUT_MS = 1000

PLAIN: dict[str, object] = {}
KINDS = [
    PLAIN,
    {"single_active_consumer": True},
    {"delivery_limit": 2},
    {"max_length": 3},
    {"dead_letter_exchange": "", "dead_letter_routing_key": "dead", "delivery_limit": 1},
]

worker = st.integers(0, 2)
settle = st.tuples(st.just("ack"), worker, st.integers(0, 9), st.booleans())
usual = [st.tuples(st.just("publish"), st.integers(0, 1), st.integers(1, 4)), settle, settle]
step = st.one_of(
    *usual,
    *usual,
    *usual,
    st.tuples(st.just("consume"), worker, st.integers(0, 3)),
    st.tuples(st.just("nack"), worker, st.integers(0, 9), st.booleans()),
    st.tuples(st.just("nack"), worker, st.integers(0, 9), st.booleans()),
    st.tuples(st.just("reject"), worker, st.integers(0, 9)),
    st.tuples(st.just("get"), worker),
    st.tuples(st.just("cancel"), worker),
    st.tuples(st.just("recover"), worker),
    st.tuples(st.just("close"), worker),
    st.tuples(st.just("lose"), worker, st.sampled_from(LOST)),
    st.tuples(st.just("wait"), st.integers(1, TIMEOUT_MS)),
    st.tuples(st.just("commit")),
    st.tuples(st.just("purge")),
)
schedules = st.tuples(
    st.booleans(),
    st.sampled_from(KINDS),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.lists(step, min_size=15, max_size=40),
)
"""`(durable, arguments, prefetch of two consumers that are there from the start, steps)`."""


class Schedule:
    """A broker whose queue `q` is recorded, and its clients."""

    def __init__(
        self, durable: bool, arguments: dict[str, object], prefetch: tuple[int, ...] = ()
    ) -> None:
        self.rig = Rig(Limits(consumer_timeout_ms=TIMEOUT_MS, window=Window(3, 100_000)))
        self.trace = self.rig.broker.trace
        self.now = self.published = 0
        self.trace.clock = lambda: self.now
        for name in ("q", "dead"):
            self.rig.broker.record("/", name)
        self.rig.queue("dead")
        self.queue = self.rig.queue("q", durable=durable, **arguments)
        self.queue.order.clock = self.trace.clock
        self.rig.commit()
        self.publishers = [Client(self.rig).open() for _ in range(2)]
        self.workers = [Client(self.rig).open() for _ in range(3)]
        self.held: list[list[int]] = [[], [], []]
        self.tags = 0
        for number, count in enumerate(prefetch):
            self.do_consume(number, count)
        self.do_publish(0, 4)

    def run(self, steps: list[tuple[object, ...]]) -> None:
        for what, *rest in steps:
            self.now += 1000
            getattr(self, f"do_{what}")(*rest)
        self.rig.commit()

    def do_publish(self, publisher: int, count: int) -> None:
        for _ in range(count):
            self.published += 1
            label = properties_of(message_id=f"m{self.published}", mode=1 + self.published % 2)
            self.publishers[publisher].say(publish(b"m", properties=label))

    def do_consume(self, number: int, prefetch: int) -> None:
        self.tags += 1
        tag = f"c{number}.{self.tags}"
        self.say(number, BasicQos(0, prefetch, False), BasicConsume(0, "q", tag))
        self.rig.commit()

    def do_ack(self, number: int, which: int, multiple: bool) -> None:
        for holder, tag in self.pick(number, which, multiple):
            self.say(holder, BasicAck(tag, multiple))

    def do_nack(self, number: int, which: int, multiple: bool) -> None:
        for holder, tag in self.pick(number, which, multiple):
            self.say(holder, BasicNack(tag, multiple, True))

    def do_reject(self, number: int, which: int) -> None:
        for holder, tag in self.pick(number, which, False):
            self.say(holder, BasicNack(tag, False, False))

    def do_get(self, number: int) -> None:
        if not self.queue.settings.single_active_consumer:
            self.say(number, BasicGet(0, "q", False))
            self.rig.commit()

    def do_cancel(self, number: int) -> None:
        for tag in list(self.workers[number].connection.channels[1].consumers):
            self.say(number, BasicCancel(tag))

    def do_recover(self, number: int) -> None:
        self.hear(number)
        self.held[number].clear()
        self.say(number, BasicRecover(True))

    def do_close(self, number: int) -> None:
        self.say(number, ChannelClose(200, "", 0, 0))
        self.rig.commit()
        self.hear(number)
        self.say(number, ChannelOpen())
        self.held[number].clear()

    def do_lose(self, number: int, cause: Cause) -> None:
        self.workers[number].connection.lost(cause)
        self.workers[number] = Client(self.rig).open()
        self.held[number].clear()

    def do_wait(self, ms: int) -> None:
        self.now += ms * 1000
        self.rig.broker.advance(NOW + self.now // 1000)

    def do_commit(self) -> None:
        self.rig.commit()

    def do_purge(self) -> None:
        self.publishers[0].do(QueuePurge(0, "q", False))

    def say(self, number: int, *methods: object) -> None:
        client = self.workers[number]
        if client.connection.paused:
            self.rig.commit()
        client.say(*methods)  # type: ignore[arg-type]

    def hear(self, number: int) -> None:
        self.held[number] += [tag for tag, *_ in deliveries(self.workers[number].hear())]

    def pick(self, number: int, which: int, multiple: bool) -> list[tuple[int, int]]:
        """Return a worker and one of the tags that it holds, and forget those that it settles."""
        for holder in ((number + more) % 3 for more in range(3)):
            self.hear(holder)
            held = self.held[holder]
            if held:
                tag = held[which % len(held)]
                self.held[holder] = [t for t in held if t != tag and not (multiple and t < tag)]
                return [(holder, tag)]
        return []


@settings(
    max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
@given(schedules)
def test_every_message_is_accounted_for_and_every_reordering_has_a_cause(
    given_schedule: tuple[bool, dict[str, object], tuple[int, ...], list[tuple[object, ...]]],
) -> None:
    durable, arguments, prefetch, steps = given_schedule
    schedule = Schedule(durable, arguments, prefetch)
    schedule.run(steps)
    analysis = Analysis(Header(name="schedule", tick_us=1_000_000))
    for event in schedule.trace.read(0, 100_000):
        analysis.feed(event)
    counts = analysis.report().counts
    assert counts.unexplained == 0
    assert counts.violations == 0
    assert schedule.queue.order.violations == 0
    queues = [schedule.queue, schedule.rig.queue("dead")]
    assert counts.ready == sum(queue.ready for queue in queues)
    assert counts.unacked == sum(queue.unacked for queue in queues)
    assert counts.enqueued == counts.acked + counts.gone + counts.ready + counts.unacked
    assert counts.published == schedule.published
    given_up = counts.gone_by_cause.get("delivery_limit", 0)
    returned = sum(schedule.queue.returned.values())
    assert sum(counts.requeued.values()) + given_up == returned
    (completion,) = [
        metrics
        for metrics in analysis.report().metrics
        if (metrics.scope, metrics.name, metrics.at) == ("queue", "q", "completion")
    ] or [None]
    meter = schedule.queue.order.report()
    if completion is not None:
        assert (completion.n, completion.inversions) == (meter.n, meter.inversions)
        assert (completion.moved, completion.buffer) == (meter.moved, meter.buffer_max)


def test_a_requeue_is_counted_by_the_analysis_as_by_the_queue() -> None:
    schedule = Schedule(False, PLAIN)
    schedule.run([("consume", 0, 1), ("lose", 0, Cause.CONNECTION_LOST)])
    assert schedule.queue.returned == {Cause.CONNECTION_LOST: 1}

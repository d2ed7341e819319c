"""Whatever clients did to a queue: run again, no message is lost to the model, nor made up."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.lab.analysis.counts import Counts
from amqplite.lab.order import Analysis
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.trace import Header, Trace, TracedQueue
from amqplite.lab.whatif import Study
from tests.connection.client import Client
from tests.lab import test_schedules
from tests.lab.test_schedules import LOST, PLAIN, Schedule, schedules, worker
from tests.rig import Rig

POLICIES = [
    Policy(prefetch=1),
    Policy(single_active=True),
    Policy(queue_per_consumer=True),
    Policy(partitions=2),
    Policy(no_faults=True),
    Policy(max_length=2),
    Policy(max_length=2, overflow="reject-publish"),
    Policy(ack_timeout=50),
]

in_turn = st.tuples(st.just("ack"), worker, st.just(0), st.just(False))
orderly = st.tuples(
    st.lists(st.integers(1, 3), min_size=2, max_size=2),
    st.lists(
        st.one_of(
            st.tuples(st.just("publish"), st.integers(0, 1), st.integers(1, 4)),
            in_turn,
            in_turn,
            in_turn,
            st.tuples(st.just("lose"), worker, st.sampled_from(LOST)),
            st.tuples(st.just("consume"), worker, st.integers(1, 3)),
        ),
        min_size=15,
        max_size=40,
    ),
)
"""Prefetch of two consumers, and what they and others do: they ack in the order of deliveries."""


def recorded(schedule: Schedule, arguments: dict[str, object]) -> Trace:
    told = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
    queues = [TracedQueue(q="q", arguments=told), TracedQueue(q="dead")]
    return Trace(Header(name="schedule", queues=queues), schedule.trace.read(0, 100_000))


def counts_of(trace: Trace) -> Counts:
    """Return what a trace comes to, after a look whether that can be."""
    analysis = Analysis(trace.header)
    for event in trace.events:
        analysis.feed(event)
    counts = analysis.report().counts
    assert counts.enqueued == counts.acked + counts.gone + counts.ready + counts.unacked
    assert (counts.unexplained, counts.violations) == (0, 0)
    return counts


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
@given(schedules, st.sampled_from(POLICIES), st.integers(1, 30_000))
def test_every_message_is_accounted_for_whatever_the_policy(
    given_schedule: tuple[bool, dict[str, object], tuple[int, ...], list[tuple[object, ...]]],
    policy: Policy,
    since: int,
) -> None:
    durable, arguments, prefetch, steps = given_schedule
    schedule = Schedule(durable, arguments, prefetch)
    schedule.run(steps)
    trace = recorded(schedule, arguments)
    study, was = Study(trace), counts_of(trace)
    again = study.what_if(RECORDED)
    assert counts_of(again.trace).published == was.published
    assert counts_of(again.trace).lost_events == 0
    other = study.what_if(policy)
    assert counts_of(other.trace).published == was.published
    assert study.what_if(policy).trace == other.trace
    assert counts_of(study.what_if(policy, since).trace).published == was.published


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
@given(orderly)
def test_consumers_that_do_one_thing_at_a_time_do_it_again_as_they_did(
    given_schedule: tuple[list[int], list[tuple[object, ...]]],
) -> None:
    prefetch, steps = given_schedule
    with connections_of_their_own_name():
        schedule = Schedule(False, PLAIN, tuple(prefetch))
        schedule.run(steps)
    found = Study(recorded(schedule, PLAIN)).check
    assert (found.differ, found.names) == (0, [])


@contextmanager
def connections_of_their_own_name() -> Iterator[None]:
    """Have each connection come from another port, as they do."""
    ports = count(50_000)

    class Somebody(Client):
        def __init__(self, rig: Rig, limits: ConnectionLimits | None = None) -> None:
            super().__init__(rig, limits)
            self.connection.peer = Peer(f"127.0.0.1:{next(ports)} -> 127.0.0.1:5672", True)

    with patch.object(test_schedules, "Client", Somebody):
        yield

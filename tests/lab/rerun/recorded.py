"""Recorded traces: of scenarios, and of one whose messages have keys."""

from dataclasses import replace

import msgspec

from amqplite.broker.trace import Event
from amqplite.lab.actors import Publish
from amqplite.lab.playing.exact import play_exact, run_exact
from amqplite.lab.rerun.inputs import Inputs
from amqplite.lab.rerun.measuring import measure
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.rerun import Rerun, rerun
from amqplite.lab.scenario import catalogue, find
from amqplite.lab.scripts.plan import TICK_US, make_plan
from amqplite.lab.scripts.script import Binding, Exchange
from amqplite.lab.trace import Header, Trace, TracedQueue
from tests.lab.story import Story

PLAYS = [
    (scenario.id, variant)
    for scenario in catalogue()
    for variant in ("", *(variant.name for variant in scenario.variants))
]


def recorded(scenario: str, variant: str = "", **settings: object) -> Trace:
    """Return the exact trace of a scenario."""
    return run_exact(find(scenario), settings, variant=variant)


def inputs_of(scenario: str, variant: str = "", **settings: object) -> Inputs:
    return measure(recorded(scenario, variant, **settings))


def keyed(keys: str, **settings: object) -> Trace:
    """Return the trace of the figure with a key for each of its messages, a letter each."""
    plan = make_plan(find("fig-11-2"), settings)
    bindings = tuple(Binding(exchange="keys", queue="q", key=key) for key in sorted(set(keys)))
    scenario = msgspec.structs.replace(
        plan.scenario, exchanges=(Exchange(name="keys"),), bindings=bindings
    )
    published = tuple(
        Publish(at=at, m=f"m{at + 1}", exchange="keys", routing_key=key)
        for at, key in enumerate(keys)
    )
    producers = (replace(plan.producers[0], plan=published),)
    return play_exact(replace(plan, scenario=scenario, producers=producers))


def ticks(us: int) -> float:
    return us / TICK_US


def order(trace: Trace, type_: str = "acked", queue: str = "q", c: str = "") -> str:
    """Return the messages of the events of a type, in a queue or in any, of a consumer or all."""
    return " ".join(
        event.m
        for event in trace.events
        if event.type == type_ and queue in ("", event.q) and c in ("", event.c)
    )


def told(events: list[Event]) -> list[str]:
    """Return what happened to messages, one line each."""
    return [
        " ".join(filter(None, (f"{ticks(event.t):g}", event.type, event.m, event.c)))
        for event in events
        if event.type not in ("published", "confirmed", "enqueued")
    ]


def trace_of(story: Story, *queues: str, **arguments: object) -> Trace:
    """Return a trace told by hand; its queue has arguments, without their `x-`."""
    told = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
    traced = [TracedQueue(q="q", arguments=told), *(TracedQueue(q=name) for name in queues)]
    return Trace(Header(name="a story", tick_us=TICK_US, queues=traced), story.events)


def measured(story: Story, *queues: str, **arguments: object) -> Inputs:
    return measure(trace_of(story, *queues, **arguments))


def again(trace: Trace, policy: Policy = RECORDED, since: int = 0) -> Rerun:
    """Return what comes of a trace under a policy."""
    return rerun(measure(trace), trace.header, policy, since)

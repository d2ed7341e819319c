"""Plays with real actors on the broker itself, in time that is not real."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

import trio
from trio.testing import MockClock

from amqplite.broker.trace import Event
from amqplite.client.connection import Connection
from amqplite.client.target import Target
from amqplite.connection.connection import ConnectionLimits
from amqplite.lab.actors import ConsumerSpec, Fault, ProducerSpec, Publish
from amqplite.lab.playing.cast import Cast
from amqplite.lab.playing.stage import Pace
from tests.client.served import Served, served

TICK_S = 0.4

END = 30.0
"""A tick when all is over."""


def publishes(count: int = 5, every: float = 1.0, routing_key: str = "q") -> ProducerSpec:
    """Return a producer of m1, m2, …"""
    plan = tuple(
        Publish(at=number * every, m=f"m{number + 1}", routing_key=routing_key)
        for number in range(count)
    )
    return ProducerSpec(plan=plan)


@dataclass
class Played:
    """What came of a play.

    Attributes:
        marks: type, tick, consumer and message of each, as the actors told them.
        events: what the broker recorded of queue `q`; their `t` in microticks.
        refused: what the producers gave up.
    """

    marks: list[tuple[str, float, str, str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def told(self, *types: str, by: str = "") -> list[tuple[float, str]]:
        """Return tick and message of the marks of these types, of one consumer or of all."""
        return [(t, m) for type_, t, c, m in self.marks if type_ in types and by in ("", c)]

    def seen(self, type_: str, c: str = "") -> list[tuple[float, str]]:
        """Return tick and message of the broker's events of a type."""
        return [
            (event.t / 1_000_000, event.m)
            for event in self.events
            if event.type == type_ and c in ("", event.c)
        ]

    def order(self, type_: str, c: str = "") -> str:
        """Return the messages of the broker's events of a type."""
        return " ".join(m for _, m in self.seen(type_, c))


def play(
    producers: ProducerSpec | Sequence[ProducerSpec],
    consumers: Sequence[ConsumerSpec],
    faults: Sequence[Fault] = (),
    *,
    until: float,
    queue: dict[str, Any] | None = None,
    limits: ConnectionLimits | None = None,
    heartbeat_s: int | None = None,
    meanwhile: Callable[[Served, Pace], Awaitable[None]] | None = None,
) -> Played:
    """Play until a tick.

    Args:
        queue: the arguments of queue `q`.
        heartbeat_s: everybody's.
        meanwhile: what else happens.
    """
    producers = [producers] if isinstance(producers, ProducerSpec) else producers
    played = Played()

    async def run() -> None:
        async with served(limits=limits) as broker, trio.open_nursery() as nursery:
            await _declare(broker, queue or {})
            trace = broker.rig.broker.trace
            trace.clock = lambda: round(pace.now * 1_000_000)

            def mark(type: str, /, **fields: Any) -> None:
                played.marks.append((type, pace.now, fields["c"], fields.get("m", "")))

            def connect(name: str, heartbeat: int) -> AbstractAsyncContextManager[Connection]:
                beat = heartbeat if heartbeat_s is None else heartbeat_s
                return broker.connection(Target(name=name, heartbeat_s=beat))

            pace = Pace(TICK_S)
            cast = Cast(producers, consumers, faults, connect, pace, mark)
            await nursery.start(cast.run)
            if meanwhile is not None:
                nursery.start_soon(meanwhile, broker, pace)
            await cast.wait_published()
            await pace.sleep_until(until)
            played.events = trace.read(0, 10_000)
            played.refused = [m for producer in cast.producers for m in producer.refused]
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))
    return played


async def _declare(broker: Served, arguments: dict[str, Any]) -> None:
    async with broker.channel() as channel:
        await channel.declare_queue("q", arguments=arguments)
        broker.rig.broker.record("/", "q")


def effects(played: Played) -> str:
    """Return the messages whose work took effect."""
    return " ".join(m for _, m in played.told("applied"))


def rounded(seen: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return them without what floats make of ticks."""
    return [(round(t, 3), m) for t, m in seen]

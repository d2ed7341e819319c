"""A play: what a plan says, acted out on a broker, whichever it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, TypeAlias

import trio

from amqplite.broker.broker import Broker
from amqplite.connection.connection import Connection
from amqplite.lab.actors import ConsumerSpec, Fault, ProducerSpec
from amqplite.lab.playing.cast import Cast
from amqplite.lab.playing.resequencer import Resequencer
from amqplite.lab.playing.scenery import Cue, Scenery
from amqplite.lab.playing.stage import Connect, Pace
from amqplite.lab.scripts.plan import Plan
from amqplite.lab.scripts.script import ScenarioError

_FIRST = -2
"""The scenery changes before all else that happens at the same time."""


Strike: TypeAlias = Literal["crash", "silence", "cancel", "slow", "nack", "lose_ack"]

PRESSES: Mapping[str, Strike | None] = {
    "crash": "crash",
    "silence": "silence",
    "lose_ack": "lose_ack",
    "slow": "slow",
    "nack_next": "nack",
    "cancel": "cancel",
    "restart": None,
}
"""What can be done to a consumer by hand, and what is done to it; `None` has it there anew."""


class Play:
    """The actors of a plan, and the broker around them as far as the plan tells.

    Args:
        plan: what is played.
        broker: where, in the same process.
        scenery: the plan's queues on it.
        pace: the ticks.
        tick_s: seconds of one.
        connect: connects an actor, given the name that `connection_of` has for it.
        connection_of: what an actor's connection is called, given the actor's name.
        vhost: the one with the scenery.

    Attributes:
        cast: the actors.
    """

    def __init__(
        self,
        plan: Plan,
        broker: Broker,
        scenery: Scenery,
        pace: Pace,
        tick_s: float,
        connect: Connect,
        connection_of: Callable[[str], str] = str,
        vhost: str = "/",
    ) -> None:
        self._broker = broker
        self._scenery = scenery
        self._pace = pace
        self._connection_of = connection_of
        self._vhost = vhost
        self._detect_s = {
            fault.target: fault.detect * tick_s for fault in plan.faults if fault.detect
        }
        self._is_on = self._scenery_is_up = False
        self._resequencer: Resequencer | None = None
        if plan.scenario.resequence:
            self._queue = scenery.queues[plan.scenario.resequence]
            self._resequencer = Resequencer(_labels(plan), self._release)
        self.cast = Cast(
            [self._published(spec) for spec in plan.producers],
            [self._consumed(spec) for spec in plan.consumers],
            [fault.fault() for fault in plan.faults],
            connect,
            pace,
            self.mark,
        )

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Put up the scenery, and play until cancelled; it has started when tick 0 is."""
        cues = self._scenery.cues
        for _, call in [cue for cue in cues if not cue[0]]:
            call()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._change_scenery, [cue for cue in cues if cue[0]])
            await nursery.start(self.cast.run)
            self._is_on = True
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                self._is_on = False

    async def _change_scenery(self, cues: Sequence[Cue]) -> None:
        for at, together in groupby(cues, key=itemgetter(0)):
            await self._pace.sleep_until(at, _FIRST)
            for _, call in together:  # nothing comes in between
                call()
        self._scenery_is_up = True

    @property
    def over(self) -> bool:
        """Whether nothing more is to come: all is done that can be."""
        return self._scenery_is_up and self.cast.resting and not self._scenery.unacked

    # -- what somebody presses -------------------------------------------------------------------

    def press(self, do: str, target: str, by: str) -> None:
        """Have a fault befall a consumer now; the trace tells who wanted it.

        Raises:
            ScenarioError: there is no such fault, no such consumer, or no play on.
        """
        worker = self.cast.workers.get(target)
        if worker is None:
            tags = ", ".join(self.cast.workers) or "none"
            raise ScenarioError(f"there is no consumer '{target}'; there are {tags}")
        if do not in PRESSES:
            raise ScenarioError(f"'{do}' is none of {', '.join(PRESSES)}")
        if not self._is_on:
            raise ScenarioError("nothing is being played")
        self.mark("fault", q=worker.spec.queue, c=target, text=do, by=by)
        fault = PRESSES[do]
        if fault is None:
            self.cast.revive(target)
        else:
            self.cast.strike(Fault(do=fault, target=target))

    # -- what the broker can't see ---------------------------------------------------------------

    def mark(self, type: str, /, **fields: Any) -> None:
        """Have the broker's trace tell what an actor does."""
        self._broker.trace.mark(type, v=self._vhost, **fields)
        tag = fields.get("c", "")
        if type == "crashed" and tag in self._detect_s:
            self.expect_heartbeats(tag, self._detect_s[tag])
        if type in ("applied", "skipped_duplicate") and self._resequencer is not None:
            self._resequencer.done(fields["m"])

    def _release(self, m: str) -> None:
        self._broker.trace.mark("released", v=self._vhost, q=self._queue, m=m, by="resequencer")

    def expect_heartbeats(self, tag: str, detect_s: float) -> None:
        """Have the broker give a silent consumer up after so many seconds, as for its heartbeats.

        AMQP counts these in whole seconds; a play's clock goes faster than that.
        """
        name = self._connection_of(tag)
        for connection in self._broker.connections:
            if (
                isinstance(connection, Connection)
                and connection.client_properties.get("connection_name") == name
            ):
                connection.heartbeat_s = detect_s / 2  # type: ignore[assignment]  # see above
                connection.on_state()  # whoever watches it has to look again

    # -- under the broker's names ----------------------------------------------------------------

    def _published(self, spec: ProducerSpec) -> ProducerSpec:
        queues, name_of = self._scenery.queues, self._scenery.name_of
        plan = []
        for publish in spec.plan:
            if publish.exchange:
                plan.append(replace(publish, exchange=name_of(publish.exchange)))
            else:
                key = queues.get(publish.routing_key, publish.routing_key)
                plan.append(replace(publish, routing_key=key))
        return replace(spec, plan=tuple(plan))

    def _consumed(self, spec: ConsumerSpec) -> ConsumerSpec:
        return replace(spec, queue=self._scenery.queues[spec.queue])


def _labels(plan: Plan) -> list[str]:
    """Return what is published, in order, each once."""
    told = sorted((p.at, p.m) for producer in plan.producers for p in producer.plan)
    return list(dict.fromkeys(m for _, m in told))

"""Runs what was recorded once more: the same clients, the broker's own code, another policy."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.live.scope import Scope
from amqplite.lab.rerun.bench import BROKERS, Bench
from amqplite.lab.rerun.cast import Action, Cast
from amqplite.lab.rerun.ground import Ground
from amqplite.lab.rerun.inputs import Inputs, Place, QueueName, Sent
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.post import Post
from amqplite.lab.rerun.retelling import Retelling
from amqplite.lab.rerun.switch import switch
from amqplite.lab.rerun.topology import Topology, arguments_of, arrange
from amqplite.lab.trace import Header, Trace, TracedQueue

HANDOUTS_MAX = 20
"""How often each message may be handed out, on the average, before it is no use to go on."""

_HANDOUTS_LEAST = 200
_GONE = {"dropped", "expired", "discarded", "dead_lettered", "acked"}


@dataclass(frozen=True, slots=True)
class Rerun:
    """What came of it.

    Attributes:
        trace: the run's.
        cast: those who consumed.
        topology: the queues there were.
        stopped: it would have gone on without an end.
    """

    trace: Trace
    cast: Cast
    topology: Topology
    stopped: bool


def rerun(inputs: Inputs, header: Header, policy: Policy = RECORDED, since: int = 0) -> Rerun:
    """Run it once more.

    Args:
        inputs: what was recorded.
        header: of the recorded trace.
        policy: what is to be otherwise.
        since: from when on, in microseconds of the trace; until then it is as it was recorded.

    Raises:
        CannotRerun: a queue can't be had.
    """
    return _Rerunning(inputs, policy, since).run(header)


class _Rerunning:
    """One re-run."""

    def __init__(self, inputs: Inputs, policy: Policy, since: int) -> None:
        self._inputs = inputs
        self._policy = policy
        self._since = since
        self._bench = Bench(self._take)
        self._ground = Ground(self._bench)
        self._topology = arrange(inputs, policy)
        self._declare()
        self._cast = Cast(inputs, policy, self._topology, self._ground, self._bench, since)
        self._post = Post(inputs, self._route, self._ground, self._bench)
        self._retelling = Retelling(self._cast, self._post, self._ground)
        self._events: list[Event] = []
        self._open: set[Place] = set()
        self._handouts = 0
        self._handouts_max = _HANDOUTS_LEAST + HANDOUTS_MAX * len(inputs.sent)

    def _declare(self) -> None:
        recorded, limited = self._inputs.queues, self._policy.max_length is not None
        origins = {part: queue for queue, parts in self._topology.parts.items() for part in parts}
        if self._since:
            for queue, arguments in recorded.items():
                told = arguments_of(arguments, RECORDED)
                self._ground.declare(queue, queue, told, limited=limited)
        for queue, arguments in self._topology.queues.items():
            self._ground.declare(queue, origins.get(queue, queue), arguments)
        for exchange, targets in self._inputs.letters.items():
            self._ground.lead(exchange, [self._letters_to(queue) for queue in targets])

    def _letters_to(self, queue: QueueName) -> QueueName:
        return queue if self._since else self._topology.first(queue)

    def _route(self, sent: Sent) -> tuple[QueueName, ...]:
        return sent.queues if sent.at < self._since else self._topology.route(sent)

    def run(self, header: Header) -> Rerun:
        """Run it to its end."""
        actions = [*self._post.actions(), *self._cast.actions(), *self._purges()]
        for action in sorted(actions, key=lambda action: (action.at, action.n)):
            self._bench.call_at(action.at, action.rank, action.call)
        if self._since:
            self._bench.call_at(self._since, BROKERS, self._switch)
        while self._handouts <= self._handouts_max:
            if not self._bench.step() and not (self._open and self._cast.strike_what_waits()):
                break
        stopped = self._handouts > self._handouts_max
        return Rerun(self._trace(header), self._cast, self._topology, stopped)

    def _switch(self) -> None:
        switch(self._inputs, self._policy, self._topology, self._cast)

    def _purges(self) -> list[Action]:
        return [
            Action(purge.at, purge.n, 0, partial(self._purge, purge.queue))
            for purge in self._inputs.purges
        ]

    def _purge(self, queue: QueueName) -> None:
        parts = self._topology.parts.get(queue, [queue])
        for part in {queue, *parts} if self._since else parts:
            self._ground.queue(part).purge()

    # -- events ----------------------------------------------------------------------------------

    def _take(self, event: Event) -> None:
        self._events.append(event)
        place = self._retelling.place(event)
        if event.type == "refused":
            self._post.refused(event.id)
        elif event.type == "enqueued":
            self._open.add(place)
            event = self._retelling.labelled(event)
        elif event.type in _GONE:
            self._open.discard(place)
        elif event.type == "delivered":
            self._handouts += 1
            event = self._retelling.labelled(event)
        self._cast.take(event, place)

    def _trace(self, header: Header) -> Trace:
        queues = [
            TracedQueue(v=v, q=q, arguments=arguments)
            for (v, q), arguments in self._arguments().items()
        ]
        scope = Scope((queue.v, queue.q) for queue in queues)
        events = [
            picked for told in self._retelling.tell(self._events) for picked in scope.pick(told)
        ]
        params: dict[str, Any] = {**header.params, "what_if": self._policy.told()}
        if self._since:
            params["since"] = self._since
        return Trace(
            replace_header(header, params, queues),
            [replace(event, n=n) for n, event in enumerate(events, 1)],
        )

    def _arguments(self) -> dict[QueueName, dict[str, Any]]:
        told = self._inputs.queues if self._since else {}
        return {**told, **self._topology.queues}


def replace_header(header: Header, params: dict[str, Any], queues: list[TracedQueue]) -> Header:
    """Return a header of what is simulated."""
    return Header(
        name=header.name,
        scenario=header.scenario,
        mode="simulated",
        seed=header.seed,
        params=params,
        tick_us=header.tick_us,
        queues=queues,
        variant=header.variant,
    )

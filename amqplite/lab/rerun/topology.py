"""Which queues there are under a policy, who consumes from them, and which message goes where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from amqplite.lab.rerun.handouts import TIMEOUT_ARGUMENT
from amqplite.lab.rerun.inputs import Inputs, Line, QueueName, Sent, Taker
from amqplite.lab.rerun.policy import Policy

SINGLE_ACTIVE = "x-single-active-consumer"
_LEASE = "x-expires"


@dataclass(frozen=True, slots=True)
class Subscription:
    """A consumer of one queue.

    Attributes:
        standby: it comes behind those that the queue is meant for.
    """

    queue: QueueName
    standby: bool = False


@dataclass(slots=True)
class Topology:
    """The queues of a policy.

    Attributes:
        queues: arguments of each one's declaration.
        parts: the queues in place of one, where there are several.
        standby_from: when consumers stand by for other queues than their own, at the earliest.
    """

    queues: dict[QueueName, dict[str, Any]] = field(default_factory=dict)
    parts: dict[QueueName, list[QueueName]] = field(default_factory=dict)
    standby_from: int = 0
    _routes: dict[int, tuple[QueueName, ...]] = field(default_factory=dict)
    _subscriptions: dict[int, tuple[Subscription, ...]] = field(default_factory=dict)

    def route(self, sent: Sent) -> tuple[QueueName, ...]:
        """Return where a message goes."""
        return self._routes.get(sent.id, sent.queues)

    def subscriptions(self, taker: Taker) -> tuple[Subscription, ...]:
        """Return where a consumer consumes."""
        return self._subscriptions.get(id(taker), (Subscription(taker.queue),))

    def first(self, queue: QueueName) -> QueueName:
        """Return the queue, or the first of those in its place."""
        return self.parts.get(queue, [queue])[0]


def arguments_of(recorded: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """Return a queue's arguments under a policy."""
    told = {name: value for name, value in recorded.items() if name != _LEASE}
    if policy.single_active is not None or policy.partitions:
        told[SINGLE_ACTIVE] = bool(policy.single_active or policy.partitions)
    if policy.no_faults:
        told.pop(TIMEOUT_ARGUMENT, None)
    if policy.ack_timeout is not None:
        told[TIMEOUT_ARGUMENT] = policy.ack_timeout
    if policy.max_length is not None:
        told |= {"x-max-length": policy.max_length, "x-overflow": policy.overflow}
    return told


def arrange(inputs: Inputs, policy: Policy) -> Topology:
    """Return the queues of a policy."""
    topology = Topology()
    for queue, recorded in inputs.queues.items():
        workers = _workers(inputs, queue)
        parts = _parts(inputs, queue, workers, policy)
        arguments = arguments_of(recorded, policy)
        topology.queues |= dict.fromkeys(parts or [queue], arguments)
        if not parts:
            continue
        topology.parts[queue] = parts
        if policy.partitions:
            _deal_keys(topology, inputs, queue, parts)
            _stand_by(topology, inputs, workers, parts)
        else:
            _deal_in_turn(topology, inputs, queue, workers)
    return topology


@dataclass(slots=True)
class _Worker:
    """Consumers that are the same one, over and over: of one connection's name, or one name.

    Attributes:
        name: of the first.
        at: when that came.
        n: number of the event that tells so.
        takers: all of them.
    """

    name: str
    at: int
    n: int
    takers: list[Taker]


def _workers(inputs: Inputs, queue: QueueName) -> list[_Worker]:
    """Return who consumes from a queue, in the order in which they came."""
    found: dict[int, list[Taker]] = {}
    root: dict[int, int] = {}
    named: dict[str, int] = {}
    for number, line in enumerate(inputs.lines):
        root[number] = number if line.follows is None else root[line.follows]
        for position, taker in enumerate(_consuming(line, queue)):
            slot = named.setdefault(taker.c, (root[number] << 16) + position)
            found.setdefault(slot, []).append(taker)
    workers = [_Worker(takers[0].c, takers[0].at, takers[0].n, takers) for takers in found.values()]
    return sorted(workers, key=lambda worker: (worker.at, worker.n))


def _consuming(line: Line, queue: QueueName) -> list[Taker]:
    return [taker for taker in line.takers if taker.queue == queue]


def _parts(
    inputs: Inputs, queue: QueueName, workers: Sequence[_Worker], policy: Policy
) -> list[QueueName]:
    """Return the queues in place of one; none if it stays, as nobody consumes from it."""
    if not workers:
        return []
    own = range(1, policy.partitions + 1) or [
        worker.name for worker in workers if policy.queue_per_consumer
    ]
    return [_free(inputs, queue, str(name)) for name in own]


def _free(inputs: Inputs, queue: QueueName, own: str) -> QueueName:
    """Return a name that no recorded queue has."""
    name = (queue[0], f"{queue[1]}.{own}")
    while name in inputs.queues:
        name = (name[0], f"{name[1]}+")
    return name


def _deal_in_turn(
    topology: Topology, inputs: Inputs, queue: QueueName, workers: Sequence[_Worker]
) -> None:
    """Give each message to the next of the consumers that have come by then."""
    parts = topology.parts[queue]
    for worker, part in zip(workers, parts, strict=True):
        for taker in worker.takers:
            topology._subscriptions[id(taker)] = (Subscription(part),)
    dealt = 0
    for sent in inputs.sent:
        if queue in sent.queues:
            known = sum((worker.at, worker.n) <= (sent.at, sent.n) for worker in workers)
            _send(topology, sent, queue, parts[dealt % (known or len(parts))])
            dealt += 1


def _deal_keys(
    topology: Topology, inputs: Inputs, queue: QueueName, parts: Sequence[QueueName]
) -> None:
    """Give each key to the next partition, when it is seen first."""
    of_key: dict[str, QueueName] = {}
    for sent in inputs.sent:
        if queue in sent.queues:
            part = of_key.setdefault(sent.key, parts[len(of_key) % len(parts)])
            _send(topology, sent, queue, part)


def _send(topology: Topology, sent: Sent, queue: QueueName, part: QueueName) -> None:
    route = topology.route(sent)
    topology._routes[sent.id] = tuple(part if one == queue else one for one in route)


def _stand_by(
    topology: Topology, inputs: Inputs, workers: Sequence[_Worker], parts: Sequence[QueueName]
) -> None:
    """Have those that are there from the begin share the partitions, and all stand by for all."""
    first = min(sent.at for sent in inputs.sent)
    early = [worker for worker in workers if worker.at <= first] or workers[:1]
    topology.standby_from = max(topology.standby_from, *(worker.at for worker in early))
    for number, worker in enumerate(workers):
        own = number if number < len(early) else None
        told = [
            Subscription(part, standby=own is None or at % len(early) != own)
            for at, part in enumerate(parts)
        ]
        for taker in worker.takers:
            ordered = sorted(told, key=lambda one: one.standby)
            topology._subscriptions[id(taker)] = tuple(ordered)

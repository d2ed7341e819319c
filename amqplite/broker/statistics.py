"""What there is, as frozen records: for whoever shows it, none of whom is known here.

Each is how things stand at the moment of the call; all that one handler asks for is of one moment.
"""

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Any, Protocol, cast

from amqplite.broker.arguments import Arguments
from amqplite.broker.broker import Broker
from amqplite.broker.exchanges import Binding, Exchange
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.broker.users import User
from amqplite.broker.vhost import Vhost


class Peer(Protocol):
    """Who is at the other end of a connection."""

    @property
    def name(self) -> str:
        """`client address:port -> our address:port`."""
        ...


class Connection(Protocol):
    """What is asked of those in `Broker.connections`."""

    @property
    def peer(self) -> Peer:
        """The other end."""
        ...

    @property
    def channels(self) -> Sized:
        """Those that are open."""
        ...

    user: User
    vhost: Vhost
    client_properties: dict[str, Any]
    frame_max: int
    channel_max: int
    heartbeat_s: int


@dataclass(frozen=True, slots=True)
class OrderStatistics:
    """In which order a queue's messages were done with since the start.

    Attributes:
        completed: messages that were acked, or handed out to whoever need not ack.
        reordered: of these, how many after one that was behind them.
        inversions: pairs in the other order.
        moved: how few messages would have to be lifted out to have the rest in order.
        late_us: the longest that one was late, in microseconds.
        buffer: how many it would have taken to hold, to release them all in order.
        approximate: whether these could not all be measured.
        by_cause: `(reordered, inversions, late_us)` by what made it so, as a trace calls it.
        redelivered: hand-outs of messages that had been handed out before.
        requeued: hand-outs that ended without an ack, by cause, as a trace calls it.
        violations: first hand-outs that were out of order (§4.7).
    """

    completed: int
    reordered: int
    inversions: int
    moved: int
    late_us: int
    buffer: int
    approximate: bool
    by_cause: Mapping[str, tuple[int, int, int]]
    redelivered: int
    requeued: Mapping[str, int]
    violations: int


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """A queue.

    Attributes:
        ready: messages that wait to be handed out.
        unacked: messages handed out and not settled.
        consumers: how many it has.
        owner: the connection it is exclusive to, by name; `None` if it is not.
        returned: how many hand-outs ended without an ack since the start, by their cause.
        order: in which order its messages were done with.
    """

    name: str
    vhost: str
    durable: bool
    auto_delete: bool
    owner: str | None
    arguments: Arguments
    ready: int
    unacked: int
    consumers: int
    returned: Mapping[Cause, int]
    order: OrderStatistics


@dataclass(frozen=True, slots=True)
class ExchangeStatistics:
    """An exchange."""

    name: str
    vhost: str
    type: str
    durable: bool
    auto_delete: bool
    internal: bool
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class BindingStatistics:
    """A binding.

    Attributes:
        octets: `arguments` as they came, which tell bindings with one routing key apart.
    """

    vhost: str
    source: str
    destination: str
    to_exchange: bool
    routing_key: str
    arguments: Arguments
    octets: bytes


@dataclass(frozen=True, slots=True)
class ConnectionStatistics:
    """A connection that is open.

    Attributes:
        channels: how many are open.
        client_properties: what the client said of itself, as plain values.
    """

    name: str
    user: str
    vhost: str
    channels: int
    client_properties: Mapping[str, Any]
    frame_max: int
    channel_max: int
    heartbeat_s: int


@dataclass(frozen=True, slots=True)
class VhostStatistics:
    """A vhost, with the messages of all its queues."""

    name: str
    ready: int
    unacked: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over some vhosts."""

    queues: int
    exchanges: int
    connections: int
    channels: int
    consumers: int
    ready: int
    unacked: int


def queue_statistics(queue: Queue) -> QueueStatistics:
    """Return how a queue stands."""
    owner = None if queue.owner is None else cast("Connection", queue.owner).peer.name
    return QueueStatistics(
        queue.name,
        queue.vhost,
        queue.durable,
        queue.auto_delete,
        owner,
        queue.arguments,
        queue.ready,
        queue.unacked,
        len(queue.consumers),
        dict(queue.returned),
        order_statistics(queue),
    )


def order_statistics(queue: Queue) -> OrderStatistics:
    """Return in which order a queue's messages were done with."""
    order, meter = queue.order, queue.order.report()
    requeued: dict[str, int] = {}
    for cause, count in queue.returned.items():
        name = cause.trace[0]
        requeued[name] = requeued.get(name, 0) + count
    return OrderStatistics(
        completed=meter.n,
        reordered=meter.reordered,
        inversions=meter.inversions,
        moved=meter.moved,
        late_us=meter.late_max,
        buffer=meter.buffer_max,
        approximate=meter.approximate,
        by_cause={
            name: (done.messages, done.inversions, done.late_us)
            for name, done in order.by_cause.items()
        },
        redelivered=order.redelivered,
        requeued=requeued,
        violations=order.violations,
    )


def exchange_statistics(exchange: Exchange) -> ExchangeStatistics:
    """Return what an exchange is."""
    return ExchangeStatistics(
        exchange.name,
        exchange.vhost,
        exchange.type,
        exchange.durable,
        exchange.auto_delete,
        exchange.internal,
        exchange.arguments,
    )


def binding_statistics(vhost: str, binding: Binding) -> BindingStatistics:
    """Return what a binding is."""
    return BindingStatistics(
        vhost,
        binding.source,
        binding.destination.name,
        binding.to_exchange,
        binding.routing_key,
        binding.arguments,
        binding.octets,
    )


def bindings(vhost: Vhost) -> Iterator[BindingStatistics]:
    """Yield the bindings of a vhost by their source, the default exchange's included."""
    for exchange in vhost.exchanges.values():
        for binding in exchange.bindings.values():
            yield binding_statistics(vhost.name, binding)


def connections(broker: Broker) -> Iterator[ConnectionStatistics]:
    """Yield the open connections, oldest first."""
    for connection in _connections(broker):
        yield ConnectionStatistics(
            connection.peer.name,
            connection.user.name,
            connection.vhost.name,
            len(connection.channels),
            connection.client_properties,
            connection.frame_max,
            connection.channel_max,
            connection.heartbeat_s,
        )


def vhost_statistics(vhost: Vhost) -> VhostStatistics:
    """Return how a vhost stands."""
    queues = vhost.queues.values()
    return VhostStatistics(
        vhost.name, sum(queue.ready for queue in queues), sum(queue.unacked for queue in queues)
    )


def totals(broker: Broker, vhosts: Iterable[Vhost]) -> Totals:
    """Return the sums over `vhosts`."""
    chosen = {vhost.name: vhost for vhost in vhosts}
    queues = [queue for vhost in chosen.values() for queue in vhost.queues.values()]
    inside = [one for one in _connections(broker) if one.vhost.name in chosen]
    return Totals(
        queues=len(queues),
        exchanges=sum(len(vhost.exchanges) for vhost in chosen.values()),
        connections=len(inside),
        channels=sum(len(connection.channels) for connection in inside),
        consumers=sum(len(queue.consumers) for queue in queues),
        ready=sum(queue.ready for queue in queues),
        unacked=sum(queue.unacked for queue in queues),
    )


def _connections(broker: Broker) -> Iterable[Connection]:
    return cast("Iterable[Connection]", broker.connections)

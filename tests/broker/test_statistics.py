"""What there is, as records."""

from dataclasses import FrozenInstanceError
from typing import ClassVar

import pytest

from amqplite.broker.broker import Broker
from amqplite.broker.journal import Journal
from amqplite.broker.message import restored
from amqplite.broker.statistics import (
    ConnectionStatistics,
    ExchangeStatistics,
    bindings,
    connections,
    exchange_statistics,
    queue_statistics,
    totals,
    vhost_statistics,
)
from amqplite.broker.users import User, Users
from amqplite.connection.connection import Peer

MESSAGE = restored("", "q", b"\x00\x00", b"m", persistent=False)


@pytest.fixture
def broker() -> Broker:
    journal = Journal()
    broker = Broker(0, Users(journal.define, bytes), journal, lambda prefix: f"{prefix}1")
    for vhost in ("a", "b"):
        queue = broker.add_vhost(vhost).declare_queue(None, "q", None)
        queue.push(MESSAGE)
        queue.push(MESSAGE)
        queue.get()
    return broker


def test_ready_and_unacked_are_told_apart(broker: Broker) -> None:
    held = queue_statistics(broker.vhosts["a"].queues["q"])
    assert (held.ready, held.unacked, held.consumers, held.owner) == (1, 1, 0, None)


def test_a_record_stays_as_it_was(broker: Broker) -> None:
    queue = broker.vhosts["a"].queues["q"]
    held = queue_statistics(queue)
    queue.push(MESSAGE)
    assert held.ready == 1
    with pytest.raises(FrozenInstanceError):
        held.ready = 2  # type: ignore[misc]


def test_a_vhost_sums_its_queues(broker: Broker) -> None:
    vhost = broker.vhosts["b"]
    vhost.declare_queue(None, "other", None).push(MESSAGE)
    held = vhost_statistics(vhost)
    assert (held.name, held.ready, held.unacked) == ("b", 2, 1)


def test_totals_are_those_of_some_vhosts(broker: Broker) -> None:
    whole, part = totals(broker, broker.vhosts.values()), totals(broker, [broker.vhosts["a"]])
    assert (whole.queues, whole.ready, whole.unacked) == (2, 2, 2)
    assert (part.queues, part.ready, part.unacked) == (1, 1, 1)
    assert whole.exchanges == 2 * part.exchanges
    assert (whole.connections, whole.channels, whole.consumers) == (0, 0, 0)
    assert list(connections(broker)) == []


def test_the_default_exchange_has_a_binding_for_each_queue(broker: Broker) -> None:
    (held,) = bindings(broker.vhosts["a"])
    assert (held.source, held.destination, held.routing_key, held.to_exchange) == (
        "",
        "q",
        "q",
        False,
    )


def test_an_exchange_is_told_as_it_was_declared(broker: Broker) -> None:
    arguments = {"mine": ("I", 1)}
    exchange = broker.vhosts["a"].declare_exchange(
        None, "x", "topic", durable=True, internal=True, arguments=arguments
    )
    assert exchange_statistics(exchange) == ExchangeStatistics(
        "x", "a", "topic", True, False, True, arguments
    )


class Connected:
    """A connection, as the records see one."""

    peer = Peer("client -> broker", True)
    channels = (1, 2)
    client_properties: ClassVar = {"product": "a client"}
    frame_max, channel_max, heartbeat_s = 4096, 10, 60

    def __init__(self, broker: Broker) -> None:
        self.user = User("u", "", ())
        self.vhost = broker.vhosts["a"]


def test_connections_are_told_oldest_first(broker: Broker) -> None:
    broker.connections |= {Connected(broker): None, Connected(broker): None}
    expected = ConnectionStatistics(
        "client -> broker", "u", "a", 2, {"product": "a client"}, 4096, 10, 60
    )
    assert list(connections(broker)) == [expected, expected]
    assert totals(broker, broker.vhosts.values()).channels == 4

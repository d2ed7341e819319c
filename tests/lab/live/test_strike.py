"""Faults that befall real consumers: what the client sees, and what the trace tells."""

from typing import Any

import pytest

from amqplite.broker.queue import Queue
from amqplite.broker.trace import as_dict
from amqplite.connection.unacked import Unacked
from amqplite.errors import NotFound, PreconditionFailed
from amqplite.lab.live.strike import may_be_struck, strike
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicQos,
)
from tests.connection.client import Client, publish
from tests.rig import Rig, tiny


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.queue("q", lab_faults=True)
    return rig


@pytest.fixture
def queue(rig: Rig) -> Queue:
    return rig.queue("q")


def consumer(rig: Rig, tag: str, prefetch: int = 1, name: str = "") -> Client:
    """Return a client that consumes from `q`, on a connection of that name."""
    client = Client(rig).open()
    if name:
        client.connection.client_properties["connection_name"] = name
    client.do(BasicQos(0, prefetch, False))
    client.do(BasicConsume(0, "q", tag, False, False, False, False, b""))
    return client


def fill(rig: Rig, *bodies: str) -> None:
    Client(rig).open().do(*(publish(body.encode()) for body in bodies))


def told(rig: Rig, *types: str) -> list[dict[str, Any]]:
    """Return what the trace tells of these types, without numbers and times."""
    shown = ("type", "q", "c", "text", "by", "cause", "sub", "tag")
    events = [as_dict(event) for event in rig.broker.trace.read(0, 1000)]
    return [
        {name: event[name] for name in shown if name in event}
        for event in events
        if event["type"] in types
    ]


def struck(rig: Rig, target: str, do: str) -> None:
    strike(rig.broker, rig.queue("q"), target, do, "admin")


def test_faults_are_allowed_by_who_declares_a_queue(rig: Rig, queue: Queue) -> None:
    assert may_be_struck(queue)
    assert not may_be_struck(rig.queue("other"))
    assert not may_be_struck(rig.queue("never", lab_faults=False))
    assert not may_be_struck(rig.queue("word", lab_faults="true"))


def test_a_crash_cuts_the_connection_and_its_messages_go_to_others(rig: Rig) -> None:
    rig.broker.record("/", "q")
    c1, c2 = consumer(rig, "c1"), consumer(rig, "c2")
    fill(rig, "1", "2")
    assert c1.deliveries() == [(1, b"1", False)]
    assert c2.deliveries() == [(1, b"2", False)]
    struck(rig, "c1", "crash")
    assert c1.connection.closed
    assert c1.hear() == []
    assert c2.do(BasicAck(1, False))
    assert told(rig, "fault", "connection_lost", "requeued") == [
        {"type": "fault", "q": "q", "c": "c1", "text": "crash", "by": "admin"},
        {"type": "connection_lost", "cause": "connection_lost", "sub": "lab_fault"},
        {"type": "requeued", "q": "q", "c": "c1", "cause": "connection_lost", "sub": "lab_fault"}
        | {"tag": 1},
    ]


@pytest.mark.parametrize(
    "settling",
    [BasicAck(1, False), BasicAck(1, True), BasicAck(0, True), BasicNack(1, False, True)],
)
def test_the_next_ack_is_lost_and_the_connection_with_it(rig: Rig, settling: Any) -> None:
    rig.broker.record("/", "q")
    c1, c2 = consumer(rig, "c1"), consumer(rig, "c2")
    fill(rig, "1")
    struck(rig, "c1", "lose_ack")
    assert c1.deliveries() == [(1, b"1", False)]
    c1.say(settling)
    assert (c1.connection.closed, c1.hear(), c1.faults) == (True, [], [])
    assert c2.deliveries() == [(1, b"1", True)]
    assert told(rig, "ack_lost", "acked", "nacked", "connection_lost") == [
        {"type": "ack_lost", "q": "q", "c": "c1", "tag": 1},
        {"type": "connection_lost", "cause": "connection_lost", "sub": "lab_fault"},
    ]


def test_only_one_connection_loses_only_one_ack(rig: Rig, queue: Queue) -> None:
    c1, c2 = consumer(rig, "c1"), consumer(rig, "c2")
    fill(rig, "1", "2")
    struck(rig, "c1", "lose_ack")
    c2.hear()
    assert c2.do(BasicAck(1, False)) == []
    assert queue.unacked == 1
    c1.say(BasicAck(1, False))
    assert c2.deliveries() == [(2, b"1", True)]
    c2.do(BasicAck(2, False))
    assert (queue.unacked, queue.ready, c2.connection.closed) == (0, 0, False)


def test_an_ack_of_what_no_consumer_holds_is_not_lost(rig: Rig, queue: Queue) -> None:
    fill(rig, "1", "2")
    client = Client(rig).open()
    client.do(BasicGet(0, "q", False))
    client.do(BasicQos(0, 1, False))
    client.do(BasicConsume(0, "q", "c1", False, False, False, False, b""))
    struck(rig, "c1", "lose_ack")
    client.do(BasicAck(1, False))
    assert (queue.unacked, client.connection.closed) == (1, False)
    client.say(BasicAck(2, False))
    assert (queue.ready, client.connection.closed) == (1, True)


def test_what_is_taken_back_meanwhile_is_no_ack() -> None:
    rig = Rig(tiny())
    rig.queue("q", consumer_timeout=1000)
    c1 = consumer(rig, "c1", prefetch=2)
    fill(rig, "1")
    struck(rig, "c1", "lose_ack")
    rig.broker.advance(rig.broker.now + 2000)
    assert not c1.connection.closed
    assert rig.queue("q").ready == 1
    (channel,) = c1.connection.channels.values()
    assert type(channel.unacked) is not Unacked


def test_a_cancelled_consumer_keeps_what_it_holds(rig: Rig, queue: Queue) -> None:
    rig.broker.record("/", "q")
    c1, c2 = consumer(rig, "c1"), consumer(rig, "c2")
    fill(rig, "1", "2", "3")
    c1.hear()
    struck(rig, "c1", "cancel")
    assert c1.hear() == [BasicCancel("c1", True)]
    c2.do(BasicAck(1, False))
    c1.do(BasicAck(1, False))
    assert (queue.ready, queue.unacked, len(queue.consumers)) == (0, 1, 1)
    assert told(rig, "fault", "consumer_cancelled") == [
        {"type": "fault", "q": "q", "c": "c1", "text": "cancel", "by": "admin"},
        {"type": "consumer_cancelled", "q": "q", "c": "c1", "text": "c1"},
    ]


def test_the_next_active_consumer_takes_over_from_a_cancelled_one(rig: Rig) -> None:
    rig.queue("sac", single_active_consumer=True)
    clients = [Client(rig).open() for _ in range(2)]
    for client, tag in zip(clients, ("c1", "c2"), strict=True):
        client.do(BasicConsume(0, "sac", tag, False, False, False, False, b""))
    strike(rig.broker, rig.queue("sac"), "c1", "cancel", "admin")
    Client(rig).open().do(publish(b"1", "sac"))
    assert clients[0].deliveries() == []
    assert clients[1].deliveries() == [(1, b"1", False)]


# -- whom, and what --------------------------------------------------------------------------------


def test_whom_nobody_knows_nothing_befalls(rig: Rig) -> None:
    consumer(rig, "c1")
    with pytest.raises(NotFound, match="no consumer 'c2' on queue 'q'"):
        struck(rig, "c2", "crash")


def test_of_two_with_one_tag_the_trace_tells_which(rig: Rig) -> None:
    first, second = consumer(rig, "c1", name="one"), consumer(rig, "c1", name="two")
    with pytest.raises(PreconditionFailed, match="target: 2 consumers have the tag 'c1'"):
        struck(rig, "c1", "crash")
    rig.broker.record("/", "q")
    struck(rig, "c1#2", "crash")
    assert (first.connection.closed, second.connection.closed) == (False, True)
    struck(rig, "c1", "crash")
    assert first.connection.closed


@pytest.mark.parametrize("do", ["", "silence", "slow", "explode"])
def test_some_things_can_only_be_done_to_actors(rig: Rig, do: str) -> None:
    c1 = consumer(rig, "c1")
    with pytest.raises(PreconditionFailed, match="can't be done to a real client; crash, lose_ack"):
        struck(rig, "c1", do)
    assert not c1.connection.closed

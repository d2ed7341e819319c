"""Clients that go without a word, and how soon what they held is free (§4.2.7)."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Signal
from time import monotonic

import pytest

from amqplite.protocol.methods import (
    BasicConsume,
    BasicConsumeOk,
    ChannelClose,
    ChannelCloseOk,
    QueueDeclare,
    QueueDeclareOk,
)
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name, until
from tests.wire.events import HEARTBEAT
from tests.wire.peer import HungUp, Peer

HEARTBEAT_S = 1
LONG_S = 30


class Aged:
    """Peers of every habit, after time enough for a broker to drop the silent ones.

    Attributes:
        talking: publishes now and then, and never sends a heartbeat.
        beating: sends heartbeats and nothing else.
        without: asked for no heartbeats, and says nothing.
        patient: asked for a longer interval than the broker proposed, and says nothing.
    """

    def __init__(self, port: int) -> None:
        self.talking = Peer.open(port, heartbeat=HEARTBEAT_S)
        self.beating = Peer.open(port, heartbeat=HEARTBEAT_S)
        self.without = Peer.open(port, heartbeat=0)
        self.patient = Peer.open(port, heartbeat=LONG_S)
        channel = self.talking.channel()
        queue = channel.declare("talk")
        end = monotonic() + 3.5 * HEARTBEAT_S
        while monotonic() < end:
            channel.publish(b"m", queue)
            self.beating.send_octets(HEARTBEAT)
            Signal().wait(HEARTBEAT_S / 4)  # it is time itself that is tested here


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aged]:
    broker = BrokerProcess(tmp_path_factory.mktemp("aged"), heartbeat_s=HEARTBEAT_S)
    with broker:
        peers = Aged(broker.amqp_port)
        yield peers
        for peer in (peers.talking, peers.beating, peers.without, peers.patient):
            peer.hang_up()


@pytest.mark.parametrize("habit", ["talking", "beating", "without", "patient"])
def test_a_client_is_not_cut_while_it_keeps_what_was_agreed(aged: Aged, habit: str) -> None:
    peer: Peer = getattr(aged, habit)
    peer.sync()


def test_the_broker_sends_heartbeats_as_often_as_the_client_asked(aged: Aged) -> None:
    for peer in (aged.talking, aged.beating, aged.without, aged.patient):
        peer.sync()
    assert 3 <= aged.beating.heartbeats <= 8
    assert aged.without.heartbeats == 0
    assert aged.patient.heartbeats == 0


def refusal(channel: Channel, method: QueueDeclare | BasicConsume) -> tuple[int, str] | None:
    """Try something; return with what code and text the channel was closed, `None` if it wasn't."""
    channel.send(method)
    event = channel.await_answer(QueueDeclareOk, BasicConsumeOk, ChannelClose)
    if isinstance(event.method, ChannelClose):
        channel.send(ChannelCloseOk())
        channel.reopen()
        return event.method.reply_code, event.method.reply_text
    return None


def test_what_a_frozen_client_held_is_free_after_two_heartbeats(
    connect: Connect, name: Name
) -> None:
    exclusive, shared, taken = name("exclusive"), name("shared"), name("taken")
    frozen = connect(heartbeat=HEARTBEAT_S).channel()
    frozen.call(QueueDeclare(queue=exclusive, exclusive=True))
    frozen.consume(exclusive)
    for queue in (shared, taken):
        frozen.declare(queue)
    for number in range(7):
        frozen.publish(b"%d" % number, shared)
    frozen.qos(5)
    frozen.consume(shared)
    frozen.deliveries(5)
    frozen.consume(taken, exclusive=True)
    frozen_at = monotonic()  # from here on it neither reads nor writes

    peer = connect()
    declaring, consuming = peer.channel(), peer.channel()
    declare = QueueDeclare(queue=exclusive, exclusive=True)
    consume = BasicConsume(queue=taken, exclusive=True)
    code, text = refusal(declaring, declare) or (0, "")
    assert code == 405
    assert text.startswith(
        f"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '{exclusive}'"
    )
    code, text = refusal(consuming, consume) or (0, "")
    assert code == 403
    assert re.search(f"queue '{taken}' in vhost '/' in exclusive use$", text)
    until(lambda: refusal(declaring, declare) is None, within_s=3 * HEARTBEAT_S + 1)
    assert monotonic() - frozen_at > 1.5 * HEARTBEAT_S
    until(lambda: refusal(consuming, consume) is None, within_s=1)
    assert consuming.drain(shared) == [(b"%d" % number, number < 5) for number in range(7)]
    peer.quiet()


@pytest.mark.parametrize("how", ["reset", "hang_up"])
def test_what_a_killed_client_held_is_free_at_once(connect: Connect, name: Name, how: str) -> None:
    exclusive, shared = name("exclusive"), name("shared")
    killed = connect(heartbeat=60).channel()
    killed.call(QueueDeclare(queue=exclusive, exclusive=True))
    killed.declare(shared)
    killed.publish(b"m", shared)
    killed.consume(shared, exclusive=True)
    killed.delivery()
    getattr(killed.peer, how)()
    channel = connect().channel()
    declare = QueueDeclare(queue=exclusive, exclusive=True)
    until(lambda: refusal(channel, declare) is None, within_s=1)
    assert channel.drain(shared) == [(b"m", True)]


def test_a_client_that_dies_in_the_middle_of_a_publish_published_nothing(
    connect: Connect, queue: str
) -> None:
    channel, other = connect().channel(), connect().channel()
    channel.declare(queue)
    channel.peer.send_octets(channel.publication(b"x" * 1000, queue)[:-500])
    channel.peer.hang_up()
    other.publish(b"whole", queue)
    assert other.drain(queue) == [(b"whole", False)]


def test_a_client_that_does_not_get_to_the_end_of_its_handshake_is_dropped(
    connect: Connect, impatient: BrokerProcess
) -> None:
    for octets in (b"", b"AMQP", b"AMQP\x00\x00\x09\x01"):
        peer = connect(to=impatient, shake_hands=False)
        peer.send_octets(octets)
        while peer.read(within_s=3):
            pass


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[BrokerProcess]:
    with BrokerProcess(tmp_path / "impatient", handshake_timeout_s=0.3) as broker:
        yield broker


def sockets(pid: int) -> int:
    count = 0
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            count += os.readlink(descriptor).startswith("socket:")
        except FileNotFoundError:  # closed meanwhile
            continue
    return count


def test_dead_clients_leave_no_socket_behind(
    connect: Connect, shared: BrokerProcess | None, queue: str
) -> None:
    watcher = connect().channel()
    if shared is None:
        pytest.skip("needs a broker of ours, to look into it")
    watcher.declare(queue)
    before = sockets(shared.pid)
    peers = [connect(heartbeat=HEARTBEAT_S if number % 3 == 2 else 0) for number in range(30)]
    for number, peer in enumerate(peers):
        channel = peer.channel()
        channel.consume(queue)
        if number % 3 == 0:
            peer.reset()
        elif number % 3 == 1:
            peer.hang_up()
    assert sockets(shared.pid) > before
    until(lambda: sockets(shared.pid) == before, within_s=2 * HEARTBEAT_S + 2)
    with pytest.raises((HungUp, OSError)):
        peers[2].sync()
    assert watcher.call(QueueDeclare(queue=queue, passive=True)).consumer_count == 0

"""Little disk, little memory, and none at all (RabbitMQ: alarms, connection.blocked)."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Signal
from time import monotonic

import pytest

from amqplite.protocol.methods import (
    BasicAck,
    ChannelClose,
    ChannelCloseOk,
    ConnectionBlocked,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionUnblocked,
)
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Start, assert_no_fault, probe, until
from tests.wire.disk import MIB, Filler, small_disk
from tests.wire.events import HEARTBEAT, TRANSIENT
from tests.wire.peer import CAPABILITIES

UNAWARE = {**CAPABILITIES, "connection.blocked": False}


@dataclass(frozen=True, slots=True)
class Low:
    """A broker on a disk of 64 MiB, which raises its alarm where less than 40 are free."""

    broker: BrokerProcess
    filler: Filler


@pytest.fixture(scope="module")
def shared_low(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Low]:
    with small_disk(tmp_path_factory.mktemp("low") / "disk", 64 * MIB) as disk:
        broker = BrokerProcess(disk / "data", disk_free_min_bytes=40 * MIB, shutdown_timeout_s=0.1)
        with broker:
            yield Low(broker, Filler(disk))
            assert_no_fault(broker)


@pytest.fixture
def low(shared_low: Low) -> Iterator[Low]:
    """The same, with room again after the test, and the alarm over."""
    yield shared_low
    shared_low.filler.remove()
    probe(shared_low.broker.amqp_port)


def publish_until_blocked(channel: Channel, queue: str) -> int:
    """Publish now and then until the broker says it has enough; return how often that was."""
    deadline = monotonic() + 10
    published = 0
    while monotonic() < deadline:
        channel.publish(b"%d" % published, queue)
        published += 1
        channel.peer.sync()
        for event in channel.peer.received(0):
            assert event.method == ConnectionBlocked("low on disk")
            return published
        Signal().wait(0.02)
    raise AssertionError("the alarm did not come")


def test_publishers_are_told_once_that_they_are_blocked_and_once_that_they_are_not(
    low: Low, connect: Connect, queue: str
) -> None:
    aware, another = connect(to=low.broker).channel(), connect(to=low.broker).channel()
    unaware = connect(to=low.broker, capabilities=UNAWARE).channel()
    consumer = connect(to=low.broker).channel()
    aware.declare(queue)
    aware.confirm()
    low.filler.leave(20 * MIB)
    published = publish_until_blocked(aware, queue)
    confirmed = [event.method for event in aware.received()]
    for channel in (aware, aware, unaware):
        channel.publish(b"held", queue)
    aware.peer.quiet()  # not told again
    unaware.peer.quiet()  # not told at all
    another.peer.quiet()  # it has not published
    assert consumer.depth(queue) == published - 1
    another.publish(b"held", queue)
    assert another.peer.blocked() == "low on disk"

    low.filler.remove()
    for channel in (aware, another):
        assert channel.peer.zero.expect(ConnectionUnblocked) == ConnectionUnblocked()
    until(lambda: consumer.depth(queue) == published + 4)
    for peer in (aware.peer, another.peer, unaware.peer):
        peer.sync()
        assert peer.received(0) == []
    confirmed += [event.method for event in aware.received()]
    assert confirmed[-1].delivery_tag == published + 2


def test_all_but_publishing_goes_on_while_blocked(low: Low, connect: Connect, queue: str) -> None:
    peer = connect(to=low.broker, heartbeat=1)
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue)
    channel.consume(queue)
    for _ in range(5):
        channel.publish(b"before", queue)
    held = channel.deliveries(5)
    low.filler.leave(20 * MIB)
    extra = publish_until_blocked(other, queue) - 1
    held += channel.deliveries(extra)
    for event in held[1:]:
        channel.ack(event.tag)
    channel.nack(held[0].tag)
    again = channel.delivery()
    assert again.seen == (b"before", True)
    assert channel.declare(f"more.{queue}") == f"more.{queue}"
    consumer = connect(to=low.broker).channel()
    consumer.consume(queue)
    peer.sync()
    before = peer.heartbeats
    end = monotonic() + 2.5
    while monotonic() < end:
        peer.send_octets(HEARTBEAT)
        Signal().wait(0.25)
    peer.sync()
    assert peer.heartbeats - before >= 2
    channel.ack(again.tag)
    channel.cancel(again.method.consumer_tag)
    peer.quiet()


@pytest.mark.parametrize("what", ["channel", "connection"])
def test_a_close_is_answered_while_blocked(
    low: Low, connect: Connect, queue: str, what: str
) -> None:
    peer = connect(to=low.broker)
    channel = peer.channel()
    channel.declare(queue)
    low.filler.leave(20 * MIB)
    published = publish_until_blocked(channel, queue)
    for _ in range(20):
        channel.publish(b"x" * 10_000, queue)
    if what == "channel":
        channel.send(ChannelClose(200, "bye"))
        channel.expect(ChannelCloseOk, within_s=2)
    peer.send(0, ConnectionClose(200, "bye"))
    peer.zero.expect(ConnectionCloseOk, within_s=2)
    peer.expect_end(within_s=2)
    low.filler.remove()
    watcher = connect(to=low.broker).channel()
    watcher.publish(b"after", queue)
    until(lambda: watcher.depth(queue) == published)
    assert watcher.drain(queue)[-1] == (b"after", False)  # what was held is dropped


@pytest.mark.parametrize(
    ("settings", "reasons"),
    [
        ({"disk_free_min_bytes": 2**50}, {"low on disk"}),
        ({"memory_high_bytes": 1}, {"low on memory"}),
        (
            {"disk_free_min_bytes": 2**50, "memory_high_bytes": 1},
            {"low on disk", "low on memory"},
        ),
    ],
    ids=["disk", "memory", "both"],
)
def test_a_broker_that_starts_with_too_little_blocks_the_first_publisher(
    start: Start, connect: Connect, queue: str, settings: dict[str, int], reasons: set[str]
) -> None:
    peer = connect(to=start(**settings))
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue)
    peer.quiet()
    channel.publish(b"m", queue)
    assert set(peer.blocked().split(" & ")) == reasons
    assert other.depth(queue) == 0


# -- no room at all ------------------------------------------------------------------------------


def cpu_s(pid: int) -> float:
    """Return how much processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_full_disk_costs_no_confirmed_message_and_no_restart(
    start: Start, connect: Connect, tmp_path: Path, queue: str
) -> None:
    with small_disk(tmp_path / "full", 24 * MIB) as disk:
        filler = Filler(disk)
        broker = start(disk / "data", disk_free_min_bytes=0)
        channel = connect(to=broker).channel().confirm()
        others = connect(to=broker).channel()
        channel.declare(queue)
        stored, transient = others.declare(f"stored.{queue}"), f"transient.{queue}"
        others.declare(transient, durable=False)
        others.confirm()
        for number in range(100):
            others.publish(b"%d" % number, stored)
            others.publish(b"%d" % number, transient, properties=TRANSIENT)
        others.await_confirms(200)
        others.got(stored)
        others.nack(1)
        others.peer.sync()

        filler.leave(4 * MIB)
        published, confirmed = 0, 0
        while not (told := channel.peer.received(0)):
            channel.publish(b"%d " % published + b"x" * 20_000, queue)
            published += 1
            assert published < 2000, "the disk does not get full"
            confirmed = confirmed_up_to(channel, confirmed)
        assert [event.method for event in told] == [ConnectionBlocked("low on disk")]
        confirmed = confirmed_up_to(channel, confirmed)
        assert confirmed < published

        # While nothing can be written, what is there can be read.
        seen = [others.got(stored).seen for _ in range(50)]
        assert seen == [(b"%d" % number, number == 0) for number in range(50)]
        assert len(others.drain(transient)) == 100
        used = cpu_s(broker.pid)
        Signal().wait(2)
        assert cpu_s(broker.pid) - used < 0.4
        assert confirmed_up_to(channel, confirmed) == confirmed

        filler.remove()
        assert channel.peer.zero.expect(ConnectionUnblocked) == ConnectionUnblocked()
        while confirmed < published:
            event = channel.expect(BasicAck)
            assert event.delivery_tag > confirmed
            confirmed = event.delivery_tag
        broker.kill()
        broker.start()
        database = sqlite3.connect(disk / "data" / "amqplite.db")
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        database.close()
        channel = connect(to=broker).channel()
        assert [int(body.split()[0]) for body, _ in channel.drain(queue)] == list(range(published))
        broker.kill()


def confirmed_up_to(channel: Channel, confirmed: int) -> int:
    """Return up to which number publishes are confirmed by now."""
    channel.peer.look()
    for event in channel.peer.received(channel.number):
        assert isinstance(event.method, BasicAck)
        confirmed = event.tag
    return confirmed

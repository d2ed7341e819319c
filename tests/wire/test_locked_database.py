"""Somebody else has the database file open, and holds it: nobody loses by it but time."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event as Signal
from time import monotonic

import pytest

from amqplite.protocol.methods import BasicAck, ConnectionBlocked, ConnectionUnblocked
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Start, assert_no_fault
from tests.wire.events import HEARTBEAT, Ledger


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    with BrokerProcess(tmp_path_factory.mktemp("locked"), shutdown_timeout_s=0.1) as broker:
        yield broker
        assert_no_fault(broker)


def database(broker: BrokerProcess) -> sqlite3.Connection:
    """Open the broker's database as an administrator's tool does."""
    return sqlite3.connect(Path(broker.data_dir) / "amqplite.db", isolation_level=None, timeout=5)


@contextmanager
def held(broker: BrokerProcess) -> Iterator[None]:
    """Hold the lock that a writer needs."""
    with closing(database(broker)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def publish(channel: Channel, queue: str, numbers: range) -> None:
    channel.peer.send_octets(
        b"".join(channel.publication(b"%d" % number, queue) for number in numbers)
    )


class Traffic:
    """A publisher with confirms, a consumer that acks, and one that looks on.

    Attributes:
        taken: what the consumer got, as `Event.seen`.
        slowest_s: the longest that the one who looks on had to wait for an answer.
    """

    def __init__(self, connect: Connect, broker: BrokerProcess, queue: str) -> None:
        self.queue = queue
        self.publisher = connect(to=broker).channel()
        self.consumer = connect(to=broker).channel()
        self.onlooker = connect(to=broker).channel()
        self.idler = connect(to=broker, heartbeat=1)
        self.publisher.declare(queue)
        self.publisher.confirm()
        self.consumer.qos(200)
        self.published = 0
        self.taken: list[tuple[bytes, bool]] = []
        self.slowest_s = 0.0

    def publish(self, count: int) -> None:
        publish(self.publisher, self.queue, range(self.published, self.published + count))
        self.published += count

    def take(self, what_is_there: bool = True) -> None:
        """Ack what has come; wait for all there is unless `what_is_there` is enough."""
        self.consumer.peer.look()
        while len(self.taken) < self.published:
            events = self.consumer.peer.received(self.consumer.number)
            if not events:
                if what_is_there:
                    return
                events = [self.consumer.delivery()]
            self.taken += [event.seen for event in events]
            self.consumer.ack(events[-1].tag, multiple=True)

    def go_on_for(self, seconds: float) -> None:
        """Let time pass; all the while the one who looks on must get answers."""
        end = monotonic() + seconds
        while monotonic() < end:
            self.publish(5)
            self.take()
            self.idler.send_octets(HEARTBEAT)
            asked = monotonic()
            self.onlooker.depth(self.queue)
            self.slowest_s = max(self.slowest_s, monotonic() - asked)
            Signal().wait(0.02)

    def finish(self) -> None:
        """See that each publish was acked and taken, once and in order, and none is left."""
        ledger = Ledger(self.published)
        while ledger.open:
            ledger.settle(self.publisher.expect(BasicAck))
        self.take(what_is_there=False)
        numbers = range(self.published)
        assert self.taken == [(b"%d" % number, False) for number in numbers]
        for channel in (self.publisher, self.consumer, self.onlooker):
            channel.peer.sync()
            told = [type(event.method) for event in channel.peer.received(0)]
            assert told == [ConnectionBlocked, ConnectionUnblocked] * (len(told) // 2)
            channel.peer.quiet()
        assert self.onlooker.depth(self.queue) == 0


@pytest.mark.parametrize("hold_s", [0.4, 3])
def test_a_lock_held_for_a_while_delays_confirms_and_nothing_else(
    broker: BrokerProcess, connect: Connect, queue: str, hold_s: float
) -> None:
    complaints = broker.output.count("takes no more")
    traffic = Traffic(connect, broker, queue)
    traffic.consumer.consume(queue)
    traffic.go_on_for(0.2)
    with held(broker):
        traffic.go_on_for(hold_s)
    traffic.go_on_for(0.2)
    traffic.finish()
    assert traffic.slowest_s < 1
    traffic.idler.sync()
    assert traffic.idler.heartbeats >= int(hold_s)
    assert broker.output.count("takes no more") <= complaints + 1


def test_publishers_are_blocked_as_long_as_a_long_lock_lasts(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    channel = connect(to=broker).channel()
    channel.declare(queue)
    channel.confirm()
    with held(broker):
        end = monotonic() + 2.5
        published = 0
        while monotonic() < end:
            channel.publish(b"m", queue)
            published += 1
            Signal().wait(0.1)
        channel.peer.look()
        assert [type(event.method) for event in channel.peer.received(0)] == [ConnectionBlocked]
    assert channel.peer.zero.expect(ConnectionUnblocked) == ConnectionUnblocked()
    assert set(channel.await_confirms(published).values()) == {True}
    assert channel.depth(queue) == published


def test_a_confirm_does_not_come_before_the_commit(
    start: Start, connect: Connect, queue: str
) -> None:
    broker = start()
    channel = connect(to=broker).channel()
    channel.declare(queue)
    channel.confirm()
    with held(broker):
        publish(channel, queue, range(10))
        Signal().wait(0.3)
        channel.peer.look()
        assert channel.peer.received(channel.number) == []
        broker.kill()
    broker.start()
    channel = connect(to=broker).channel()
    assert channel.depth(queue) == 0  # none was confirmed, and none is there


def test_locks_that_come_and_go_make_no_duplicates(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    traffic = Traffic(connect, broker, queue)
    for round_ in range(5):
        with held(broker):
            traffic.go_on_for(0.05 + round_ % 4 * 0.2)
        traffic.go_on_for(0.05)
    traffic.onlooker.peer.sync()
    assert traffic.onlooker.depth(queue) == traffic.published
    with closing(database(broker)) as connection:
        count = "SELECT count(*) FROM message_list WHERE queue = ?"
        stored = connection.execute(count, (queue,)).fetchone()
    assert stored == (traffic.published,)
    traffic.consumer.consume(queue)
    traffic.finish()


def test_who_reads_for_long_disturbs_nobody(
    broker: BrokerProcess, connect: Connect, queue: str
) -> None:
    traffic = Traffic(connect, broker, queue)
    traffic.publish(500)
    traffic.publisher.peer.sync()
    with closing(database(broker)) as connection:
        rows = connection.execute("SELECT * FROM messages, messages AS others")
        rows.fetchone()  # and goes on reading that state of things
        traffic.consumer.consume(queue)
        traffic.go_on_for(1)
        assert rows.fetchone()
    traffic.finish()
    assert traffic.slowest_s < 1


def test_an_online_backup_disturbs_nobody_and_can_be_started_from(
    broker: BrokerProcess, connect: Connect, start: Start, tmp_path: Path, queue: str
) -> None:
    traffic = Traffic(connect, broker, queue)
    traffic.publish(1000)
    traffic.go_on_for(0.3)
    traffic.onlooker.peer.sync()
    (tmp_path / "copy").mkdir()
    with (
        closing(database(broker)) as source,
        closing(sqlite3.connect(tmp_path / "copy" / "amqplite.db")) as copy,
    ):
        source.backup(copy, pages=50, sleep=0.001)
    copied_from = traffic.onlooker.depth(queue)
    traffic.consumer.consume(queue)
    traffic.finish()
    channel = connect(to=start(tmp_path / "copy")).channel()
    assert channel.depth(queue) == copied_from
    assert [int(body) for body, _ in channel.drain(queue)] == list(range(copied_from))

"""SIGKILL in the middle of tx.commit: the transaction happened wholly, or not at all."""

from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import BasicAck, TxCommit, TxCommitOk, TxSelect
from tests.broker_process import BrokerProcess
from tests.crash.inspection import check_file, visit
from tests.seeds import seeded
from tests.wire.channel import Channel
from tests.wire.peer import HungUp, Peer

KILLS = 12
MOVED = 60
"""Messages acked in one queue and published to each of two others."""


class Transaction:
    """A transaction whose commit is on its way.

    Attributes:
        ended: set when the broker has answered, or is gone.
        done: whether the commit-ok came.
        took_s: how long that took.
    """

    def __init__(self, broker: BrokerProcess, random: Random) -> None:
        self.ended = Event()
        self.done = False
        self.took_s = 0.0
        channel = Peer.open(broker.amqp_port).channel()
        channel.call(TxSelect())
        for _ in range(MOVED):
            channel.got("source")
        octets = []
        for number in range(MOVED):
            for queue in ("one", "two"):
                body = b"%d " % number + random.randbytes(random.choice((0, 100, 10_000)))
                octets.append(channel.publication(body, queue))
        octets.append(method_frame(channel.number, BasicAck(0, True)))
        octets.append(method_frame(channel.number, TxCommit()))
        self._thread = Thread(target=self._commit, args=(channel, b"".join(octets)), daemon=True)
        self._thread.start()

    def _commit(self, channel: Channel, octets: bytes) -> None:
        began = monotonic()
        try:
            channel.peer.send_octets(octets)
            channel.expect(TxCommitOk)
            self.done = True
        except (HungUp, ConnectionError):
            pass  # killed
        finally:
            channel.peer.hang_up()
            self.took_s = monotonic() - began
            self.ended.set()

    def join(self) -> None:
        """Wait for the client's end."""
        self._thread.join(10)
        assert not self._thread.is_alive()


def test_a_killed_transaction_happened_wholly_or_not_at_all(tmp_path: Path) -> None:
    with seeded("commit") as random, BrokerProcess(tmp_path) as broker:
        prepare(broker)
        first = Transaction(broker, random)
        assert first.ended.wait(10)
        for _ in range(KILLS):
            prepare(broker)
            transaction = Transaction(broker, random)
            transaction.ended.wait(random.uniform(0, first.took_s))
            broker.kill()
            transaction.join()
            broker.start()
            check_file(tmp_path)
            left = bodies(broker)
            happened = bool(left["one"])
            assert happened or not transaction.done, "the commit was confirmed, and is lost"
            numbers = list(range(MOVED))
            expected = {"source": [], "one": numbers, "two": numbers}
            assert left == (expected if happened else {"source": numbers, "one": [], "two": []})


def prepare(broker: BrokerProcess) -> None:
    """Empty the queues, and fill the one that the transactions take from."""
    with visit(broker) as peer:
        channel = peer.channel().confirm()
        for queue in ("source", "one", "two"):
            channel.delete(queue)
            channel.declare(queue)
        for number in range(MOVED):
            channel.publish(b"%d " % number, "source")
        channel.await_confirms(MOVED)


def bodies(broker: BrokerProcess) -> dict[str, list[int]]:
    """Return the numbers of the messages in each queue."""
    with visit(broker) as peer:
        channel = peer.channel()
        return {
            queue: [int(body.split()[0]) for body, _ in channel.drain(queue)]
            for queue in ("source", "one", "two")
        }

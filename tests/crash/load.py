"""Clients of every kind at once, each a thread that writes down what it does and sees."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Thread

from amqplite.protocol.methods import (
    ConnectionClose,
    ConnectionCloseOk,
)
from tests.crash.clients import DIRECT, FANOUT, Client, commit, consume, get, publish, redeclare
from tests.crash.ledger import Fuse, Ledger
from tests.wire.peer import HungUp, Peer

BINDINGS = (
    (FANOUT, "fan.one", ""),
    (FANOUT, "fan.two", ""),
    (DIRECT, "idle", "idle"),
    (DIRECT, "tx.one", "tx"),
    (DIRECT, "tx.two", "tx"),
)
QUEUES = ("work", "fan.one", "fan.two", "idle", "tx.one", "tx.two")
"""All queues; `idle` and the two of transactions never have a consumer."""

NO_CONSUMER = {"idle", "tx.one", "tx.two"}


def declare(peer: Peer) -> None:
    """Declare all that the load needs, or see that it is there as it was."""
    channel = peer.channel()
    channel.declare_exchange(FANOUT, "fanout")
    channel.declare_exchange(DIRECT, "direct")
    for queue in QUEUES:
        channel.declare(queue)
    for exchange, queue, key in BINDINGS:
        channel.bind(queue, exchange, key)


class Load:
    """All the clients of one life of the broker.

    Args:
        life: which one.
        fuse: burns with everything that happens.
    """

    def __init__(self, port: int, ledger: Ledger, fuse: Fuse, random: Random, life: int) -> None:
        self.port, self.ledger, self.fuse, self.life = port, ledger, fuse, life
        self._errors: list[BaseException] = []
        works: list[Callable[[Client], None]] = [
            lambda client: publish(client, "", "work", ("work",)),
            lambda client: publish(client, FANOUT, "any", ("fan.one", "fan.two")),
            lambda client: publish(client, DIRECT, "idle", ("idle",)),
            commit,
            lambda client: consume(client, "work"),
            lambda client: consume(client, "work"),
            lambda client: consume(client, "fan.one"),
            lambda client: get(client, "fan.two"),
            redeclare,
        ]
        seeds = [random.randrange(1 << 32) for _ in works]
        self._threads = [
            Thread(target=self._run, args=(work, f"{life}.{index}", Random(seed)), daemon=True)
            for index, (work, seed) in enumerate(zip(works, seeds, strict=True))
        ]

    def start(self) -> None:
        """Let them loose."""
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until all have ended because the broker has, and raise what else ended one."""
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive(), "a client did not notice the broker's end"
        for error in self._errors:
            raise error

    def _run(self, work: "Callable[[Client], None]", name: str, random: Random) -> None:
        peer: Peer | None = None
        try:
            peer = Peer(self.port)
            peer.shake_hands()
            work(Client(peer, name, self.ledger, self.fuse, random, self.life))
        except (HungUp, ConnectionError):
            pass  # killed
        except BaseException as error:
            if peer is None or not agrees_to_end(peer):
                self._errors.append(error)
        finally:
            self.fuse.blown.set()  # nothing is gained by going on with one client less
            if peer is not None:
                peer.hang_up()


def agrees_to_end(peer: Peer) -> bool:
    """Whether the broker said that it stops; then read on to the end, as a client should."""
    last = peer.log[-1].method if peer.log else None
    if not isinstance(last, ConnectionClose) or last.reply_code != 320:
        return False
    with suppress(HungUp, ConnectionError):
        peer.send(0, ConnectionCloseOk())
        peer.expect_end()
    return True

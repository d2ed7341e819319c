"""What is left after a crash, as a client and as SQLite see it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from amqplite.protocol.codec import Method
from amqplite.protocol.methods import (
    BasicAck,
    BasicReturn,
    ChannelClose,
    ChannelCloseOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    QueueDeclare,
    QueueDeclareOk,
)
from tests.broker_process import BrokerProcess
from tests.crash.ledger import Ledger
from tests.wire.events import Event
from tests.wire.peer import Peer


@contextmanager
def visit(broker: BrokerProcess) -> Iterator[Peer]:
    """Connect, and leave in good order unless something is wrong."""
    peer = Peer.open(broker.amqp_port)
    try:
        yield peer
        peer.close()
    finally:
        peer.hang_up()


def drain(peer: Peer, queue: str) -> list[Event]:
    """Take all that is in a queue, in order, and see that this is as much as it says."""
    channel = peer.channel()
    depth = channel.depth(queue)
    tag = channel.consume(queue)
    deliveries = channel.deliveries(depth)
    channel.ack(0, multiple=True)
    channel.cancel(tag)
    assert channel.depth(queue) == 0, f"{queue} had more than its {depth} messages"
    channel.close()
    return deliveries


def check_topology(peer: Peer, ledger: Ledger) -> None:
    """See that each durable thing is there, or not, as clients were told."""
    for (kind, name), there in sorted(ledger.present.items()):
        if there is not None:
            assert _LOOK[kind](peer, name) is there, f"{kind} {name}"


def _is_declared(peer: Peer, method: Method) -> bool:
    channel = peer.channel()
    channel.send(method)
    event = channel.await_answer(QueueDeclareOk, ExchangeDeclareOk, ChannelClose)
    if isinstance(event.method, ChannelClose):
        assert event.method.reply_code == 404, event
        channel.send(ChannelCloseOk())
        return False
    return True


def _is_bound(peer: Peer, name: str) -> bool:
    if not _LOOK["exchange"](peer, name):
        return False
    channel = peer.channel().confirm()
    channel.publish(b"probe", "a.b", name, mandatory=True)
    event = channel.await_answer(BasicAck, BasicReturn)
    return isinstance(event.method, BasicAck)


_LOOK: dict[str, Callable[[Peer, str], bool]] = {
    "binding": _is_bound,
    "exchange": lambda peer, name: _is_declared(peer, ExchangeDeclare(0, name, passive=True)),
    "queue": lambda peer, name: _is_declared(peer, QueueDeclare(0, name, passive=True)),
}


_NOT_PURGED = (
    "(SELECT key FROM messages"
    " WHERE NOT EXISTS (SELECT * FROM purges WHERE key BETWEEN first AND last))"
)


def check_file(folder: Path) -> None:
    """See that the database is sound, and that what it counts is what it has."""
    uri = f"{(folder / 'amqplite.db').as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=10)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        counted = database.execute(
            "SELECT name, messages,"
            f" (SELECT count(*) FROM {_NOT_PURGED} WHERE key >> 40 = queue_id)"
            " FROM queues ORDER BY name"
        ).fetchall()
        assert [(n, m) for n, m, _ in counted] == [(n, c) for n, _, c in counted]
        stray = database.execute(
            f"SELECT count(*) FROM {_NOT_PURGED}"
            " WHERE key >> 40 NOT IN (SELECT queue_id FROM queues)"
        ).fetchone()
        assert stray == (0,), "messages of no queue"
        unheld = database.execute(
            "SELECT count(*) FROM contents WHERE content_id NOT IN"
            " (SELECT content_id FROM messages WHERE content_id IS NOT NULL)"
        ).fetchone()
        assert unheld == (0,), "contents of no message"
        users = database.execute("SELECT name, tags FROM users").fetchall()
        assert users == [("guest", "administrator")]

"""What a user may do to what (RabbitMQ: access control)."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.methods import (
    BasicConsume,
    BasicGet,
    BasicPublish,
    ConnectionOpen,
    ConnectionTune,
    ConnectionTuneOk,
    ExchangeBind,
    ExchangeDeclare,
    ExchangeDelete,
    QueueBind,
    QueueDeclare,
    QueueDelete,
    QueuePurge,
    QueueUnbind,
)
from tests.broker_process import BrokerProcess
from tests.wire.conftest import Connect, Name, probe
from tests.wire.peer import Peer


@pytest.fixture(scope="module")
def restricted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker where `ann` may use what is called mine-, and read what is called read-."""
    folder = tmp_path_factory.mktemp("restricted")
    broker = BrokerProcess(folder, shutdown_timeout_s=0.1)
    with broker:
        channel = Peer.open(broker.amqp_port)
        others = channel.channel()
        others.declare("theirs")
        others.declare("read-this")
        others.declare_exchange("their-exchange", "direct")
        channel.close()
        broker.stop()
        add_user(folder / "amqplite.db")
        broker.start()
        yield broker
        probe(broker.amqp_port)


def add_user(file: Path) -> None:
    """Add users with the password of `guest`."""
    database = sqlite3.connect(file)
    with database:
        for user in ("ann", "bob"):
            database.execute(
                "INSERT INTO users SELECT ?, password_hash, '' FROM users WHERE name = 'guest'",
                (user,),
            )
        database.execute(
            "INSERT INTO permissions (user, vhost, configure, write, read)"
            " VALUES ('ann', '/', '^mine-', '^mine-|^amq\\.default$', '^mine-|^read-')"
        )
    database.close()


@pytest.mark.parametrize(
    ("method", "denied"),
    [
        (QueueDeclare(queue="theirs", durable=True), "configure access to queue 'theirs'"),
        (QueueDeclare(queue="new"), "configure access to queue 'new'"),
        (QueueDelete(queue="theirs"), "configure access to queue 'theirs'"),
        (QueuePurge(queue="theirs"), "read access to queue 'theirs'"),
        (BasicConsume(queue="theirs"), "read access to queue 'theirs'"),
        (BasicGet(queue="theirs"), "read access to queue 'theirs'"),
        (
            QueueBind(queue="read-this", exchange="their-exchange"),
            "write access to queue 'read-this'",
        ),
        (
            QueueUnbind(queue="theirs", exchange="their-exchange"),
            "write access to queue 'theirs'",
        ),
        (ExchangeDeclare(exchange="new"), "configure access to exchange 'new'"),
        (ExchangeDelete(exchange="their-exchange"), "configure access to exchange"),
        (
            ExchangeBind(destination="their-exchange", source="amq.topic"),
            "write access to exchange 'their-exchange'",
        ),
    ],
    ids=lambda value: value.NAME if isinstance(value, Method) else "",
)
def test_what_is_not_permitted_closes_the_channel_and_names_what_it_was(
    restricted: BrokerProcess, connect: Connect, method: Method, denied: str
) -> None:
    peer = connect(to=restricted, user="ann")
    channel, other = peer.channel(), peer.channel()
    channel.send(method)
    channel.expect_close(
        403, f"^ACCESS_REFUSED - {denied}.* in vhost '/' refused for user 'ann'$", by=type(method)
    )
    other.declare("mine-too")


def test_a_publish_that_is_not_permitted_closes_the_channel(
    restricted: BrokerProcess, connect: Connect
) -> None:
    channel = connect(to=restricted, user="ann").channel()
    channel.publish(b"m", "k", "their-exchange")
    channel.expect_close(
        403,
        "write access to exchange 'their-exchange' in vhost '/' refused for user 'ann'",
        by=BasicPublish,
    )


def test_what_is_permitted_works(restricted: BrokerProcess, connect: Connect, name: Name) -> None:
    channel = connect(to=restricted, user="ann").channel()
    queue = channel.declare(f"mine-{name('q')}")
    exchange = channel.declare_exchange(f"mine-{name('x')}", "direct")
    channel.bind(queue, exchange, "k")
    channel.publish(b"bound", "k", exchange)
    channel.publish(b"direct", queue)
    assert channel.drain(queue) == [(b"bound", False), (b"direct", False)]
    assert channel.get("read-this") is None


def test_a_vhost_without_permissions_is_not_entered(
    restricted: BrokerProcess, connect: Connect
) -> None:
    peer = connect(to=restricted, shake_hands=False)
    peer.log_in(user="bob")
    tune = peer.zero.expect(ConnectionTune)
    peer.send(0, ConnectionTuneOk(*tune), ConnectionOpen("/"))
    peer.expect_close(530, "access to vhost '/' refused for user 'bob'", by=ConnectionOpen)

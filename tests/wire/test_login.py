"""Who is let in, and what those learn who are not (§2.2.4; RabbitMQ: authentication failure)."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from struct import pack
from time import monotonic
from typing import Any

import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.fields import decode_table, encode_table, from_python, to_python
from amqplite.protocol.methods import (
    BasicConsume,
    BasicGet,
    BasicPublish,
    ConnectionClose,
    ConnectionOpen,
    ConnectionStart,
    ConnectionStartOk,
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
from tests.wire.peer import CAPABILITIES, HEADER, Peer

REFUSED = (
    "^ACCESS_REFUSED - Login was refused using authentication mechanism {mechanism}. "
    "For details see the broker logfile.$"
)


def test_the_broker_says_what_it_can(connect: Connect) -> None:
    peer = connect(shake_hands=False)
    peer.send_octets(HEADER)
    start = peer.zero.expect(ConnectionStart)
    assert (start.version_major, start.version_minor, start.locales) == (0, 9, b"en_US")
    assert {b"PLAIN", b"AMQPLAIN"} <= set(start.mechanisms.split(b" "))
    properties: dict[str, Any] = to_python(decode_table(start.server_properties))
    assert {"product", "version", "platform", "capabilities"} <= properties.keys()
    capabilities = properties["capabilities"]
    for capability in (*CAPABILITIES, "exchange_exchange_bindings", "per_consumer_qos"):
        assert capabilities[capability] is True, capability


@pytest.mark.parametrize(
    ("user", "password"),
    [("guest", "wrong"), ("guest", ""), ("nobody", "guest"), ("", ""), ("guest", "guest ")],
)
def test_a_refused_login_is_told_so_and_not_why(connect: Connect, user: str, password: str) -> None:
    peer = connect(shake_hands=False)
    peer.log_in(user=user, password=password)
    peer.expect_close(403, REFUSED.format(mechanism="PLAIN"))


@pytest.mark.parametrize("capabilities", [{}, {"authentication_failure_close": False}])
def test_a_client_that_would_not_understand_is_left_without_a_word(
    connect: Connect, capabilities: dict[str, bool]
) -> None:
    peer = connect(shake_hands=False)
    peer.log_in(password="wrong", capabilities=capabilities)
    peer.expect_end()


def amqplain(**response: str) -> bytes:
    return encode_table(from_python(response))


def test_amqplain_lets_in_and_refuses_as_plain_does(connect: Connect) -> None:
    for password in ("guest", "wrong"):
        peer = connect(shake_hands=False)
        peer.send_octets(HEADER)
        peer.zero.expect(ConnectionStart)
        properties = encode_table(from_python({"capabilities": CAPABILITIES}))
        response = amqplain(LOGIN="guest", PASSWORD=password)
        peer.send(0, ConnectionStartOk(properties, "AMQPLAIN", response))
        if password == "guest":
            peer.zero.expect(ConnectionTune)
        else:
            peer.expect_close(403, REFUSED.format(mechanism="AMQPLAIN"))


@pytest.mark.parametrize(
    ("mechanism", "response"),
    [
        ("NONE", b"\0guest\0guest"),
        ("", b""),
        ("plain", b"\0guest\0guest"),
        ("PLAIN", b""),
        ("PLAIN", b"guest\0guest"),
        ("PLAIN", b"\0guest"),
        ("PLAIN", b"admin\0guest\0guest"),
        ("PLAIN", b"\0guest\0guest\0"),
        ("AMQPLAIN", b"\0guest\0guest"),
        ("AMQPLAIN", amqplain(LOGIN="guest")),
    ],
)
def test_an_answer_that_makes_no_sense_ends_the_connection(
    connect: Connect, mechanism: str, response: bytes
) -> None:
    peer = connect(shake_hands=False)
    peer.send_octets(HEADER)
    peer.zero.expect(ConnectionStart)
    properties = encode_table(from_python({"capabilities": CAPABILITIES}))
    peer.send(0, ConnectionStartOk(properties, mechanism, response))
    events = []
    try:
        events.append(peer.await_event(0, 10).method)
    except AssertionError:
        return  # not a word, as RabbitMQ does
    (close,) = events
    assert isinstance(close, ConnectionClose)
    assert close.reply_code in (403, 502, 503)


def test_nothing_can_be_done_before_the_login(connect: Connect) -> None:
    for method in (ConnectionOpen("/"), ConnectionTuneOk(0, 131072, 0), QueueDeclare(queue="q")):
        peer = connect(shake_hands=False)
        peer.send_octets(HEADER)
        peer.zero.expect(ConnectionStart)
        peer.send(0, method)
        while peer.read(within_s=10):
            pass


def test_a_vhost_that_is_not_there_or_not_for_this_user_is_not_entered(connect: Connect) -> None:
    peer = connect(shake_hands=False)
    peer.log_in()
    tune = peer.zero.expect(ConnectionTune)
    peer.send(0, ConnectionTuneOk(*tune), ConnectionOpen("no such vhost"))
    peer.expect_close(530, "no such vhost", by=ConnectionOpen)


@pytest.mark.parametrize(
    ("frame_max", "channel_max", "said"),
    [
        (0, 2047, "frame_max"),
        (131_073, 2047, "frame_max"),
        (1000, 2047, "frame_max"),
        (131_072, 0, "channel_max"),
        (131_072, 2048, "channel_max"),
    ],
)
def test_limits_beyond_what_was_offered_are_refused(
    connect: Connect, frame_max: int, channel_max: int, said: str
) -> None:
    peer = connect(shake_hands=False)
    peer.log_in()
    tune = peer.zero.expect(ConnectionTune)
    assert (tune.frame_max, tune.channel_max) == (131_072, 2047)
    peer.send(0, ConnectionTuneOk(channel_max, frame_max, 0), ConnectionOpen("/"))
    peer.expect_close(530, f"negotiated {said} = ", by=ConnectionTune)


def test_bad_logins_in_numbers_disturb_nobody(connect: Connect, queue: str) -> None:
    good = connect()
    channel = good.channel()
    channel.declare(queue)
    bad = [connect(shake_hands=False) for _ in range(20)]
    for peer in bad:
        peer.log_in(password="wrong")
    began = monotonic()
    channel.publish(b"m", queue)
    assert channel.drain(queue) == [(b"m", False)]
    good.sync()
    assert monotonic() - began < 2
    for peer in bad:
        peer.expect_close(403)
    good.quiet()


# -- what is no AMQP -----------------------------------------------------------------------------

TLS_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200))


@pytest.mark.parametrize(
    "octets",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        TLS_HELLO,
        b"AMQP\x00\x00\x09\x02",
        b"AMQP\x00\x01\x00\x00",
        b"AMQP\x03\x01\x00\x00",
        b"AMQP\x01\x01\x08\x00",
        b"HELLO\r\n\r\n",
        bytes(8),
    ],
    ids=["http", "tls", "0-9-2", "1.0", "1.0-sasl", "0-8", "text", "zeros"],
)
def test_another_protocol_is_told_the_one_that_is_spoken(connect: Connect, octets: bytes) -> None:
    peer = connect(shake_hands=False)
    peer.send_octets(octets)
    answer = b""
    while part := peer.read():
        answer += part
    assert answer == HEADER


def test_the_header_of_the_older_version_is_taken_too(connect: Connect) -> None:
    peer = connect(shake_hands=False)
    peer.send_octets(b"AMQP\x01\x01\x00\x09")
    assert peer.zero.expect(ConnectionStart).version_minor == 9


def test_a_frame_over_the_first_limit_is_refused_before_the_login(connect: Connect) -> None:
    peer = connect(shake_hands=False)
    peer.send_octets(HEADER)
    peer.zero.expect(ConnectionStart)
    peer.send_octets(pack(">BHL", 1, 0, 2**31) + b"x")
    while peer.read(within_s=10):
        pass


# -- permissions ---------------------------------------------------------------------------------


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

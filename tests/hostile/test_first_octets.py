"""Peers that never get as far as an open connection."""

from collections.abc import Callable
from threading import Thread
from time import monotonic

import pytest

from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.methods import (
    BasicAck,
    ChannelOpen,
    ConnectionOpen,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    QueueDeclare,
)
from tests.broker_process import BrokerProcess
from tests.hostile.conftest import HANDSHAKE_TIMEOUT_S, PROBE_WITHIN_S, Connect, probe
from tests.seeds import seeded
from tests.wire.events import frame
from tests.wire.peer import HEADER, Peer

TLS_HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(range(256)) * 2
NOT_A_HEADER = {
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": TLS_HELLO,
    "SSH": b"SSH-2.0-OpenSSH_9.2\r\n",
    "zeros": bytes(4096),
    "AMQP 1.0": b"AMQP\x00\x01\x00\x00",
    "AMQP 1.0 with SASL": b"AMQP\x03\x01\x00\x00",
    "AMQP 0-8": b"AMQP\x01\x01\x08\x00",
    "AMQP 0-10": b"AMQP\x01\x01\x00\x0a",
    "nearly AMQP": b"AMQp\x00\x00\x09\x01",
    "a frame": method_frame(0, ConnectionStartOk()),
}


@pytest.mark.parametrize("octets", NOT_A_HEADER.values(), ids=NOT_A_HEADER.keys())
def test_what_is_no_header_is_answered_with_the_header_and_the_end(
    broker: BrokerProcess, connect: Connect, octets: bytes
) -> None:
    peer = connect(broker, shake_hands=False)
    peer.send_octets(octets)
    peer.expect_header_and_end()


def test_garbage_of_any_length_ends_its_connection(broker: BrokerProcess, connect: Connect) -> None:
    with seeded("garbage") as random:
        for _ in range(200):
            peer = connect(broker, shake_hands=False)
            peer.send_octets(random.randbytes(random.choice((8, 9, 100, 5000))))
            peer.expect_header_and_end()
            peer.hang_up()


def nothing(_: Peer) -> None:
    """Say nothing at all."""


def half_a_header(peer: Peer) -> None:
    peer.send_octets(HEADER[:5])


def header_alone(peer: Peer) -> None:
    peer.send_octets(HEADER)
    peer.zero.expect(ConnectionStart)


def half_a_start_ok(peer: Peer) -> None:
    header_alone(peer)
    peer.send_octets(method_frame(0, ConnectionStartOk())[:10])


def login_alone(peer: Peer) -> None:
    peer.log_in()
    peer.zero.expect(ConnectionTune)


def tune_ok_alone(peer: Peer) -> None:
    login_alone(peer)
    peer.send(0, ConnectionTuneOk(2047, 131_072, 60))


@pytest.mark.parametrize(
    "begin",
    [nothing, half_a_header, header_alone, half_a_start_ok, login_alone, tune_ok_alone],
    ids=lambda begin: begin.__name__,
)
def test_a_handshake_that_takes_too_long_is_cut_off(
    broker: BrokerProcess, connect: Connect, begin: Callable[[Peer], None]
) -> None:
    began = monotonic()
    peer = connect(broker, shake_hands=False)
    begin(peer)
    probe(broker)
    peer.expect_end(within_s=HANDSHAKE_TIMEOUT_S + 3)
    assert monotonic() - began > HANDSHAKE_TIMEOUT_S * 0.9


def test_a_handshake_octet_by_octet_gains_no_time(broker: BrokerProcess, connect: Connect) -> None:
    peer = connect(broker, shake_hands=False)
    header_alone(peer)
    began = monotonic()
    drip = frame(1, 0, ConnectionStartOk.KEY + bytes(100_000))
    for octet in drip:
        try:
            peer.send_octets(bytes((octet,)))
            peer.read(within_s=0.01)
            break  # the end
        except TimeoutError:
            continue
        except ConnectionError:
            break
    assert monotonic() - began < HANDSHAKE_TIMEOUT_S + 3


OUT_OF_PLACE = {
    "open before login": (ConnectionOpen(),),
    "tune-ok before login": (ConnectionTuneOk(1, 4096, 0),),
    "a channel before login": (ChannelOpen(),),
    "a queue before login": (QueueDeclare(queue="mine"),),
}


@pytest.mark.parametrize("methods", OUT_OF_PLACE.values(), ids=OUT_OF_PLACE.keys())
@pytest.mark.parametrize("channel", [0, 1])
def test_whoever_skips_the_login_is_not_heard(
    broker: BrokerProcess,
    connect: Connect,
    channel: int,
    methods: tuple[Method],
) -> None:
    peer = connect(broker, shake_hands=False)
    header_alone(peer)
    peer.send(channel, *methods)
    peer.expect_end()


def test_wrong_passwords_by_the_dozen_do_not_disturb_others(
    broker: BrokerProcess, connect: Connect
) -> None:
    good = connect(broker)
    channel = good.channel().confirm()
    refused: list[int] = []

    def knock() -> None:
        peer = Peer(broker.amqp_port)
        try:
            peer.log_in(password="wrong")
            peer.expect_close(403, "ACCESS_REFUSED - Login was refused .* PLAIN")
            refused.append(1)
        finally:
            peer.hang_up()

    threads = [Thread(target=knock) for _ in range(20)]
    for thread in threads:
        thread.start()
    queue = channel.declare("")
    for number in range(1, 101):
        began = monotonic()
        channel.publish(b"", queue)
        assert channel.expect(BasicAck).delivery_tag == number
        assert monotonic() - began < PROBE_WITHIN_S
    for thread in threads:
        thread.join(10)
    assert len(refused) == 20


def test_a_peer_that_leaves_at_any_moment_of_the_handshake_leaves_nothing(
    broker: BrokerProcess, connect: Connect
) -> None:
    whole = HEADER + b"".join(
        (
            method_frame(0, ConnectionStartOk(b"", "PLAIN", b"\0guest\0guest")),
            method_frame(0, ConnectionTuneOk(2047, 131_072, 0)),
            method_frame(0, ConnectionOpen()),
            method_frame(1, ChannelOpen()),
        )
    )
    for length in range(0, len(whole) + 1, 3):
        peer = connect(broker, shake_hands=False)
        peer.send_octets(whole[:length])
        if length % 2:
            peer.reset()
        else:
            peer.hang_up()

"""Who is let in, and what those learn who are not (§2.2.4; RabbitMQ: authentication failure)."""

from struct import pack
from time import monotonic
from typing import Any

import pytest

from amqplite.protocol.fields import decode_table, encode_table, from_python, to_python
from amqplite.protocol.methods import (
    ConnectionClose,
    ConnectionOpen,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    QueueDeclare,
)
from tests.wire.conftest import Connect
from tests.wire.peer import CAPABILITIES, HEADER

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

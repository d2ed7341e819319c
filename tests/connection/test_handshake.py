from typing import Any

import pytest

from amqplite import __version__
from amqplite.connection.connection import ConnectionLimits
from amqplite.connection.state import State
from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.fields import decode_table, encode_table, from_python, to_python
from amqplite.protocol.methods import (
    ChannelOpen,
    ConnectionClose,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    QueueDeclare,
)
from tests.connection.client import PROTOCOL_HEADER, Client, frame
from tests.rig import Rig

REFUSED = (
    "ACCESS_REFUSED - Login was refused using authentication mechanism {}. For details see the "
    "broker logfile."
)


@pytest.fixture
def client(rig: Rig) -> Client:
    """A client that has said nothing yet."""
    return Client(rig)


def started(client: Client) -> Client:
    client.feed(PROTOCOL_HEADER)
    client.hear()
    return client


def logged_in(client: Client) -> Client:
    started(client).do(client.start_ok(), channel=0)
    return client


def tuned(client: Client) -> Client:
    logged_in(client).do(ConnectionTuneOk(2047, 131_072, 60), channel=0)
    return client


# -- the protocol header -------------------------------------------------------------------------


@pytest.mark.parametrize("header", [PROTOCOL_HEADER, b"AMQP\x01\x01\x00\x09"])
@pytest.mark.parametrize("size", [1, 3, 8])
def test_the_header_is_answered_by_start(client: Client, header: bytes, size: int) -> None:
    for at in range(0, 8, size):
        assert client.hear() == []
        client.feed(header[at : at + size])
    (start,) = client.hear()
    assert isinstance(start, ConnectionStart)
    assert (start.version_major, start.version_minor) == (0, 9)
    assert (start.mechanisms, start.locales) == (b"PLAIN AMQPLAIN", b"en_US")


def test_start_says_who_we_are_and_what_we_can(client: Client) -> None:
    client.feed(PROTOCOL_HEADER)
    (start,) = client.hear()
    assert isinstance(start, ConnectionStart)
    properties: dict[str, Any] = to_python(decode_table(start.server_properties))
    can = properties.pop("capabilities")
    platform = properties.pop("platform")
    assert platform.startswith("Python 3.")
    assert properties == {
        "cluster_name": "amqplite",
        "copyright": "The amqplite maintainers",
        "information": "MIT license",
        "product": "amqplite",
        "version": __version__,
    }
    assert {name for name, value in can.items() if value} == {
        "publisher_confirms",
        "exchange_exchange_bindings",
        "basic.nack",
        "consumer_cancel_notify",
        "connection.blocked",
        "consumer_priorities",
        "authentication_failure_close",
        "per_consumer_qos",
    }


ODD = [
    b"AMQP\x00\x00\x09\x00",
    b"AMQP\x00\x01\x00\x00",
    b"AMQP\x03\x01\x00\x00",
    b"AMQP\x01\x01\x00\x08",
    b"AMQQ",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01",
]


@pytest.mark.parametrize("header", ODD)
def test_another_header_is_answered_with_ours_and_a_close(client: Client, header: bytes) -> None:
    client.feed(header)
    assert client.connection.data_to_send() == [PROTOCOL_HEADER]
    assert client.connection.closed


def test_what_follows_a_header_we_do_not_speak_is_not_looked_at(client: Client) -> None:
    client.feed(b"AMQP\x00\x00\x09\x00" + frame(9, 9, b"x"))
    assert client.connection.data_to_send() == [PROTOCOL_HEADER]


def test_all_may_be_said_at_once(client: Client) -> None:
    client.feed(
        PROTOCOL_HEADER
        + method_frame(0, client.start_ok())
        + method_frame(0, ConnectionTuneOk(2047, 131_072, 60))
        + method_frame(0, ConnectionOpen("/"))
        + method_frame(1, ChannelOpen())
    )
    assert client.connection.state is State.OPEN
    assert len(client.hear()) == 4


# -- logging in ----------------------------------------------------------------------------------


def amqplain(**values: object) -> bytes:
    return encode_table(from_python(values))


@pytest.mark.parametrize(
    ("mechanism", "response"),
    [
        ("PLAIN", b"\x00guest\x00guest"),
        ("AMQPLAIN", amqplain(LOGIN="guest", PASSWORD="guest")),
        ("AMQPLAIN", amqplain(PASSWORD=b"guest", LOGIN=b"guest", MORE=1)),
    ],
)
def test_a_login_is_answered_by_tune(client: Client, mechanism: str, response: bytes) -> None:
    heard = started(client).do(client.start_ok(response, mechanism), channel=0)
    assert heard == [ConnectionTune(2047, 131_072, 60)]
    assert client.connection.user.name == "guest"


def test_what_is_offered_is_what_the_settings_say(rig: Rig) -> None:
    limits = ConnectionLimits(frame_max=8192, channel_max=10, heartbeat_s=7)
    client = Client(rig, limits)
    assert started(client).do(client.start_ok(), channel=0) == [ConnectionTune(10, 8192, 7)]


WRONG = [
    ("PLAIN", b"\x00guest\x00wrong"),
    ("PLAIN", b"\x00nobody\x00guest"),
    ("PLAIN", b"\x00guest\x00"),
    ("AMQPLAIN", amqplain(LOGIN="guest", PASSWORD="wrong")),
]


@pytest.mark.parametrize(("mechanism", "response"), WRONG)
def test_a_wrong_login_is_told_to_a_client_that_understands(
    client: Client, mechanism: str, response: bytes
) -> None:
    heard = started(client).do(client.start_ok(response, mechanism), channel=0)
    assert heard == [ConnectionClose(403, REFUSED.format(mechanism), 10, 11)]
    assert client.connection.state is State.CLOSING


@pytest.mark.parametrize(("mechanism", "response"), WRONG)
def test_a_wrong_login_ends_in_silence_for_a_client_that_does_not(
    client: Client, mechanism: str, response: bytes
) -> None:
    start_ok = client.start_ok(response, mechanism, authentication_failure_close=False)
    assert started(client).do(start_ok, channel=0) == []
    assert client.connection.closed


@pytest.mark.parametrize("properties", [{}, {"capabilities": 1}, {"capabilities": {}}])
def test_a_client_without_capabilities_does_not_understand(
    client: Client, properties: dict[str, object]
) -> None:
    table = encode_table(from_python(properties))
    heard = started(client).do(ConnectionStartOk(table, "PLAIN", b"\0x\0y", ""), channel=0)
    assert (heard, client.connection.closed) == ([], True)


def test_guest_may_come_from_this_machine_only(rig: Rig) -> None:
    far = Client(rig, loopback=False)
    heard = started(far).do(far.start_ok(), channel=0)
    assert heard == [ConnectionClose(403, REFUSED.format("PLAIN"), 10, 11)]


MALFORMED = [
    ("PLAIN", b"guest\x00guest"),
    ("PLAIN", b"admin\x00guest\x00guest"),
    ("AMQPLAIN", amqplain(LOGIN="guest")),
    ("AMQPLAIN", amqplain(LOGIN="guest", PASSWORD=1)),
    ("EXTERNAL", b""),
]


@pytest.mark.parametrize(("mechanism", "response"), MALFORMED)
def test_what_is_wrong_before_the_login_is_not_told(
    client: Client, mechanism: str, response: bytes
) -> None:
    """Whoever hasn't logged in is told no more than that a login was refused."""
    heard = started(client).do(client.start_ok(response, mechanism), channel=0)
    assert (heard, client.connection.closed) == ([], True)


def test_the_clients_properties_are_kept(client: Client) -> None:
    table = encode_table(from_python({"connection_name": "mine", "capabilities": {}}))
    started(client).do(ConnectionStartOk(table, "PLAIN", b"\0guest\0guest", ""), channel=0)
    assert client.connection.client_properties == {"connection_name": "mine", "capabilities": {}}


# -- tune ----------------------------------------------------------------------------------------


def test_the_clients_limits_hold(client: Client) -> None:
    logged_in(client).do(ConnectionTuneOk(5, 4096, 17), channel=0)
    connection = client.connection
    assert (connection.channel_max, connection.frame_max, connection.heartbeat_s) == (5, 4096, 17)
    client.do(ConnectionOpen("/"), channel=0)
    text = "NOT_ALLOWED - number of channels opened (6) has reached the negotiated channel_max (5)"
    assert client.do(ChannelOpen(), channel=6) == [ConnectionClose(530, text, 20, 10)]


def test_the_clients_frame_max_holds_from_the_very_next_frame(client: Client) -> None:
    logged_in(client)
    client.say(ConnectionTuneOk(5, 4096, 0), frame(1, 0, b"x" * 5000), channel=0)
    text = "FRAME_ERROR - frame of 5008 octets is over frame_max 4096"
    assert client.hear() == [ConnectionClose(501, text, 0, 0)]


TUNES = [
    (
        ConnectionTuneOk(2047, 131_073, 60),
        "negotiated frame_max = 131073 is higher than the maximum allowed value (131072)",
    ),
    (
        ConnectionTuneOk(2047, 0, 60),
        "negotiated frame_max = 0 (no limit) is higher than the maximum allowed value (131072)",
    ),
    (
        ConnectionTuneOk(2047, 4095, 60),
        "negotiated frame_max = 4095 is lower than the minimum allowed value (4096)",
    ),
    (
        ConnectionTuneOk(2048, 131_072, 60),
        "negotiated channel_max = 2048 is higher than the maximum allowed value (2047)",
    ),
    (
        ConnectionTuneOk(0, 131_072, 60),
        "negotiated channel_max = 0 (no limit) is higher than the maximum allowed value (2047)",
    ),
]


@pytest.mark.parametrize(("tune_ok", "text"), TUNES)
def test_limits_that_can_not_be_are_refused(client: Client, tune_ok: Method, text: str) -> None:
    heard = logged_in(client).do(tune_ok, channel=0)
    assert heard == [ConnectionClose(530, f"NOT_ALLOWED - {text}", 10, 30)]


@pytest.mark.parametrize("heartbeat", [0, 1, 65_535])
def test_the_heartbeat_is_the_clients(client: Client, heartbeat: int) -> None:
    logged_in(client).do(ConnectionTuneOk(1, 4096, heartbeat), channel=0)
    assert client.connection.heartbeat_s == heartbeat


# -- open ----------------------------------------------------------------------------------------


def test_open_enters_the_vhost(rig: Rig, client: Client) -> None:
    assert tuned(client).do(ConnectionOpen("/"), channel=0) == [ConnectionOpenOk()]
    assert client.connection.vhost is rig.vhost
    assert list(rig.broker.connections) == [client.connection]


def test_a_vhost_that_is_not_there_is_refused(client: Client) -> None:
    text = "NOT_ALLOWED - vhost none not found"
    heard = tuned(client).do(ConnectionOpen("none"), channel=0)
    assert heard == [ConnectionClose(530, text, 10, 40)]


def test_a_vhost_that_the_user_may_not_enter_is_refused(rig: Rig, client: Client) -> None:
    rig.broker.add_vhost("other")
    text = "NOT_ALLOWED - access to vhost 'other' refused for user 'guest'"
    heard = tuned(client).do(ConnectionOpen("other"), channel=0)
    assert heard == [ConnectionClose(530, text, 10, 40)]


def test_one_connection_too_many_is_refused(rig: Rig) -> None:
    limits = ConnectionLimits(connection_max=1)
    first, second = Client(rig, limits).open(), Client(rig, limits)
    text = "NOT_ALLOWED - connection refused: node connection limit (1) is reached"
    heard = tuned(second).do(ConnectionOpen("/"), channel=0)
    assert heard == [ConnectionClose(530, text, 10, 40)]
    first.do(ConnectionClose(200, "", 0, 0), channel=0)
    assert Client(rig, limits).open().connection.state is State.OPEN


# -- out of place --------------------------------------------------------------------------------


def test_a_method_out_of_place_ends_the_handshake(client: Client) -> None:
    text = "COMMAND_INVALID - method out of place in the handshake"
    heard = logged_in(client).do(ConnectionOpen("/"), channel=0)
    assert heard == [ConnectionClose(503, text, 10, 40)]


def test_a_channel_before_the_vhost_ends_the_handshake(client: Client) -> None:
    text = "COMMAND_INVALID - the connection is not open yet"
    assert tuned(client).do(ChannelOpen()) == [ConnectionClose(503, text, 20, 10)]


@pytest.mark.parametrize(
    "octets",
    [
        frame(1, 0, b"\x00\x0a\x00\x0b\x00"),
        method_frame(0, ConnectionOpen("/")),
        method_frame(1, QueueDeclare()),
        frame(3, 0, b"?"),
        b"\x01\x00\x00\x00\x00\x00\x00?",
    ],
    ids=["cut short", "too early", "on a channel", "no method", "no frame"],
)
def test_before_the_login_an_error_ends_in_silence(client: Client, octets: bytes) -> None:
    assert started(client).do(octets) == []
    assert client.connection.closed


def test_a_heartbeat_in_the_handshake_is_fine(client: Client) -> None:
    assert started(client).do(frame(8, 0, b""), client.start_ok(), channel=0) == [
        ConnectionTune(2047, 131_072, 60)
    ]

"""Publishing: the content state machine, routing, and what the broker heeds of the properties."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.connection import publishing
from amqplite.connection.connection import ConnectionLimits
from amqplite.protocol.codec import method_frame
from amqplite.protocol.fields import encode_table, from_python, to_python
from amqplite.protocol.methods import (
    AccessRequest,
    AccessRequestOk,
    BasicConsume,
    BasicGet,
    BasicPublish,
    BasicQos,
    BasicReturn,
    ChannelClose,
    ChannelOpen,
    ConfirmSelect,
    ConnectionClose,
    ExchangeDeclare,
    ExchangeDelete,
    QueueBind,
    QueueDelete,
    TxCommit,
    TxSelect,
)
from amqplite.protocol.properties import decode_properties, encode_header
from tests.connection.client import Client, Content, content, frame, properties_of, publish
from tests.rig import Rig

PUBLISH = method_frame(1, BasicPublish(0, "", "q"))


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue that needs no disk."""
    rig = Rig()
    rig.queue("q", durable=False)
    return rig


def got(client: Client, queue: str = "q") -> Content:
    (heard,) = client.do(BasicGet(0, queue, True))
    assert isinstance(heard, Content)
    return heard


# -- the content, frame by frame -----------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 2, 5, 100])
@pytest.mark.parametrize("body", [b"", b"x", b"twelve octets"])
def test_a_content_is_put_together(client: Client, body: bytes, piece: int) -> None:
    client.do(publish(body, piece=piece))
    assert got(client).body == body


def test_an_empty_body_frame_is_passed_over(client: Client) -> None:
    header = frame(2, 1, encode_header(2, b"\x00\x00"))
    client.do(PUBLISH, header, frame(3, 1, b""), frame(3, 1, b"ab"))
    assert got(client).body == b"ab"


def test_a_heartbeat_may_come_before_an_empty_content(client: Client) -> None:
    client.do(PUBLISH, HEARTBEAT, frame(2, 1, encode_header(0, b"\x00\x00")))
    assert got(client).body == b""


def test_contents_of_several_channels_may_be_woven_into_each_other(client: Client) -> None:
    client.do(ChannelOpen(), channel=2)
    one, two = publish(b"one", piece=1), publish(b"two", piece=1, channel=2)
    for pair in zip(one.split(b"\xce")[:-1], two.split(b"\xce")[:-1], strict=True):
        client.do(*(octets + b"\xce" for octets in pair))
    assert sorted([got(client).body, got(client).body]) == [b"one", b"two"]


def test_other_channels_go_on_within_a_content(client: Client) -> None:
    client.do(ChannelOpen(), channel=2)
    client.feed(PUBLISH)
    assert client.do(AccessRequest(), channel=2) == [AccessRequestOk()]
    client.feed(content(b"1"))
    assert got(client).body == b"1"


def test_a_body_of_very_many_frames_is_put_together(client: Client) -> None:
    body = bytes(range(256)) * 10
    client.do(publish(body, piece=1))
    assert got(client).body == body


NOT_METHOD = "UNEXPECTED_FRAME - expected method frame, got non method frame instead"
NOT_BODY = "UNEXPECTED_FRAME - expected content body, got non content body frame instead"
NOT_HEADER = (
    "UNEXPECTED_FRAME - expected content header for class 60, got non content header frame instead"
)
HEADER = frame(2, 1, encode_header(3, b"\x00\x00"))
HEARTBEAT = frame(8, 0, b"")

STATES = [
    (HEADER, 505, NOT_METHOD, "a header alone"),
    (frame(3, 1, b"abc"), 505, NOT_METHOD, "a body alone"),
    (PUBLISH + frame(3, 1, b"abc"), 505, NOT_HEADER, "a body without its header"),
    (PUBLISH + HEADER + HEADER, 505, NOT_METHOD, "a second header"),
    (PUBLISH + PUBLISH + HEARTBEAT, 505, NOT_HEADER, "a publish for a header"),
    (PUBLISH + HEADER + PUBLISH + HEARTBEAT, 505, NOT_BODY, "a publish for a body"),
    (PUBLISH + publish(b"whole"), 505, NOT_HEADER, "a whole publish for a header"),
    (PUBLISH + HEADER + publish(b"whole"), 505, NOT_BODY, "a whole publish for a body"),
    (
        PUBLISH + frame(2, 1, b"\x00\x32" + encode_header(3, b"\x00\x00")[2:]),
        505,
        "UNEXPECTED_FRAME - expected content header for class 60, got one for class 50 instead",
        "a header of another class",
    ),
    (
        PUBLISH + HEADER + frame(3, 1, b"ab") + frame(3, 1, b"cd"),
        501,
        "FRAME_ERROR - content body frame exceeds remaining content size",
        "a body longer than declared",
    ),
    (
        PUBLISH + frame(2, 1, encode_header(publishing.BODY_SIZE_MAX + 1, b"\x00\x00")),
        501,
        "FRAME_ERROR - content body size 536870913 exceeds maximum allowed size 536870912",
        "an absurd size",
    ),
]


@pytest.mark.parametrize(
    ("octets", "code", "text"), [pytest.param(*row[:3], id=row[3]) for row in STATES]
)
def test_a_content_that_comes_as_it_may_not(
    rig: Rig, client: Client, octets: bytes, code: int, text: str
) -> None:
    assert client.do(octets) == [ConnectionClose(code, text, 60, 40)]
    assert rig.queue().ready == 0


@pytest.mark.parametrize("within", [PUBLISH, PUBLISH + HEADER])
def test_a_method_within_a_content(client: Client, within: bytes) -> None:
    (close,) = client.do(within, BasicQos())
    assert isinstance(close, ConnectionClose)
    assert (close.reply_code, close.class_id, close.method_id) == (505, 60, 10)


@pytest.mark.parametrize("size", [0, 1, 13])
def test_a_header_too_short_to_be_one(client: Client, size: int) -> None:
    short = frame(2, 1, encode_header(0, b"\x00\x00")[:size])
    (close,) = client.do(PUBLISH, short)
    assert isinstance(close, ConnectionClose)
    assert close.reply_code in (502, 505)


BROKEN = [
    (b"\x80\x00\x05abc", "cut short"),
    (b"\x20\x00\x00\x00\x00\x09\x01", "the table cut short"),
    (b"\x00\x01", "flags that are no property's"),
    (b"\x10\x00", "without its delivery mode"),
]


@pytest.mark.parametrize(
    "properties", [pytest.param(properties, id=why) for properties, why in BROKEN]
)
@pytest.mark.parametrize("body", [b"", b"x", b"in pieces"])
def test_properties_that_are_broken_close_the_connection(
    rig: Rig, client: Client, properties: bytes, body: bytes
) -> None:
    (close,) = client.do(publish(body, properties=properties, piece=3))
    assert isinstance(close, ConnectionClose)
    assert (close.reply_code, close.class_id, close.method_id) == (502, 60, 40)
    assert rig.queue().ready == 0


def test_a_channel_that_was_closed_within_a_content_forgets_it(client: Client) -> None:
    client.do(PUBLISH, ChannelClose(200, "", 0, 0))
    assert client.connection.closed is False


# -- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [3, 100], ids=["in pieces", "whole"])
def test_a_body_over_the_limit_is_refused_once_it_has_come(rig: Rig, piece: int) -> None:
    client = Client(rig, ConnectionLimits(message_size_max=10)).open()
    client.do(publish(b"x" * 10, piece=piece))
    text = "PRECONDITION_FAILED - message size 11 is larger than configured max size 10"
    assert client.do(publish(b"x" * 11, piece=piece)) == [ChannelClose(406, text, 60, 40)]
    assert rig.queue().ready == 1


def test_a_body_is_not_measured_with_its_properties(rig: Rig) -> None:
    client = Client(rig, ConnectionLimits(message_size_max=10)).open()
    client.do(publish(b"", properties=properties_of(app_id="a" * 100)))
    client.do(publish(b"x" * 10, properties=properties_of(app_id="a" * 100)))
    assert rig.queue().ready == 2


# -- routing -------------------------------------------------------------------------------------


def test_a_message_is_delivered_octet_by_octet(client: Client) -> None:
    properties = b"\xff\xfc" + b"".join(
        [
            b"\x01t\x01e\x00\x00\x00\x06\x01hS\x00\x00\x00\x00\x02\x09\x01c\x01r\x03100\x01m",
            b"\xff" * 8 + b"\x01k\x05guest\x01a\x01C",
        ]
    )
    properties = properties.replace(b"\x00\x00\x00\x06\x01hS\x00", b"\x00\x00\x00\x07\x01hS\x00")
    client.do(publish(b"body", properties=properties))
    heard = got(client)
    assert heard.header == encode_header(4, properties)
    assert heard.body == b"body"


ERRORS = [
    (
        publish(b"1", exchange="none"),
        404,
        "NOT_FOUND - no exchange 'none' in vhost '/'",
        "no such exchange",
    ),
    (
        publish(b"1", exchange="amq.rabbitmq.trace"),
        403,
        "ACCESS_REFUSED - cannot publish to internal exchange 'amq.rabbitmq.trace' in vhost '/'",
        "an internal exchange",
    ),
    (
        publish(b"1", properties=properties_of(expiration="1s")),
        406,
        "PRECONDITION_FAILED - invalid expiration '1s': expected milliseconds, in digits",
        "an expiration that is no number",
    ),
    (
        publish(b"1", properties=properties_of(expiration="")),
        406,
        "PRECONDITION_FAILED - invalid expiration '': expected milliseconds, in digits",
        "an expiration that is empty",
    ),
    (
        publish(b"1", properties=properties_of(expiration="-1")),
        406,
        "PRECONDITION_FAILED - invalid expiration '-1': expected milliseconds, in digits",
        "an expiration below zero",
    ),
    (
        publish(b"1", properties=properties_of(user_id="somebody")),
        406,
        "PRECONDITION_FAILED - user_id property set to 'somebody' but authenticated user was "
        "'guest'",
        "somebody else's name",
    ),
    (
        publish(b"1", properties=properties_of(headers={"CC": "q"})),
        406,
        "PRECONDITION_FAILED - invalid message: 'CC' header must be an array of longstr",
        "CC that is no list",
    ),
    (
        publish(b"1", properties=properties_of(headers={"BCC": [1]})),
        406,
        "PRECONDITION_FAILED - invalid message: 'BCC' header must be an array of longstr",
        "BCC that is no list of texts",
    ),
]


@pytest.mark.parametrize(
    ("octets", "code", "text"), [pytest.param(*row[:3], id=row[3]) for row in ERRORS]
)
def test_a_message_is_refused(client: Client, octets: bytes, code: int, text: str) -> None:
    assert client.do(octets) == [ChannelClose(code, text, 60, 40)]


def test_immediate_is_not_to_be_had(client: Client) -> None:
    immediate = method_frame(1, BasicPublish(0, "", "q", False, True)) + content(b"1")
    text = "NOT_IMPLEMENTED - immediate=true"
    assert client.do(immediate) == [ConnectionClose(540, text, 60, 40)]


def test_whoever_may_not_write_is_refused(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"))
    rig.broker.users.set_permissions("guest", "/", configure=".*", write="^own", read=".*")
    text = (
        "ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '/' refused for user "
        "'guest'"
    )
    assert client.do(publish(b"2")) == [ChannelClose(403, text, 60, 40)]
    assert rig.queue().ready == 1


def test_an_impersonator_may_take_any_name(rig: Rig) -> None:
    users = rig.broker.users
    guest = users.get("guest")
    assert guest is not None
    users.put_user("guest", guest.password_hash, ["impersonator"])
    client = Client(rig).open()
    client.do(publish(b"1", properties=properties_of(user_id="somebody")))
    assert rig.queue().ready == 1


def test_ones_own_name_and_a_good_expiration_are_fine(rig: Rig, client: Client) -> None:
    client.do(publish(b"1", properties=properties_of(user_id="guest", expiration="60000")))
    assert rig.queue().ready == 1


def test_a_routing_key_leads_elsewhere_once_that_is_bound(rig: Rig, client: Client) -> None:
    rig.queue("late", durable=False)
    for number in range(2):
        client.do(publish(b"%d" % number, "k", exchange="amq.direct"))
        client.do(QueueBind(0, "late", "amq.direct", "k"))
    assert got(client, "late").body == b"1"


def test_an_exchange_that_is_deleted_is_gone_at_once(client: Client) -> None:
    client.do(ExchangeDeclare(0, "x"), publish(b"1", exchange="x"), ExchangeDelete(0, "x"))
    (close,) = client.do(publish(b"2", exchange="x"))
    assert isinstance(close, ChannelClose)
    assert close.reply_code == 404


def test_a_queue_that_is_deleted_gets_nothing_more(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), QueueDelete(0, "q"))
    (returned,) = client.do(publish(b"2", mandatory=True))[-1:]
    assert isinstance(returned, Content)
    assert returned.body == b"2"


def test_more_routing_keys_than_are_remembered_all_route(rig: Rig, client: Client) -> None:
    names = [f"q{number}" for number in range(1100)]
    client.do(QueueBind(0, "q", "amq.topic", "#"))
    client.do(*(publish(b"", name, exchange="amq.topic") for name in names))
    client.do(*(publish(b"", name, exchange="amq.topic") for name in names))
    assert rig.queue().ready == 2200


def test_headers_route(rig: Rig, client: Client) -> None:
    red = encode_table(from_python({"colour": "red"}))
    client.do(QueueBind(0, "q", "amq.headers", "", arguments=red))
    for headers in ({"colour": "red"}, {"colour": "blue"}, {}, None):
        client.do(publish(b"1", exchange="amq.headers", properties=properties_of(headers=headers)))
    client.do(publish(b"1", exchange="amq.headers"))
    assert rig.queue().ready == 1


@pytest.mark.parametrize("body", [b"1", b"large" * 10_000])
def test_cc_and_bcc_route_too_and_bcc_is_taken_off(rig: Rig, client: Client, body: bytes) -> None:
    for name in ("cc", "bcc"):
        rig.queue(name, durable=False)
    headers = {"CC": ["cc", "q"], "BCC": ["bcc"], "mine": 1}
    client.do(publish(body, properties=properties_of(headers=headers)))
    for name in ("q", "cc", "bcc"):
        heard = got(client, name)
        properties = decode_properties(heard.header)
        assert properties.headers is not None
        assert to_python(properties.headers) == {"CC": ["cc", "q"], "mine": 1}
        assert heard.body == body
        assert rig.queue(name).ready == 0


def test_a_header_that_only_looks_like_cc_changes_nothing(rig: Rig, client: Client) -> None:
    client.do(publish(b"1", properties=properties_of(headers={"ACCOUNT": 1})))
    assert got(client).body == b"1"


def test_headers_that_are_no_table_matter_to_nobody_but_a_headers_exchange(
    rig: Rig, client: Client
) -> None:
    broken = b"\x20\x00\x00\x00\x00\x03\x01a?"
    client.do(publish(b"1", properties=broken))
    assert got(client).header == encode_header(1, broken)
    rig.vhost.bind_queue(None, rig, "amq.headers", "q", "")
    (close,) = client.do(publish(b"2", properties=broken, exchange="amq.headers"))
    assert isinstance(close, ConnectionClose)
    assert close.reply_code == 502


# -- mandatory -----------------------------------------------------------------------------------


def test_a_mandatory_message_without_a_queue_is_returned(client: Client) -> None:
    assert client.do(publish(b"body", "nowhere", mandatory=True)) == [
        Content(
            BasicReturn(312, "NO_ROUTE", "", "nowhere"),
            encode_header(4, properties_of()),
            b"body",
        )
    ]


def test_another_message_without_a_queue_is_dropped(client: Client) -> None:
    assert client.do(publish(b"body", "nowhere")) == []


def test_a_mandatory_message_with_a_queue_is_not_returned(rig: Rig, client: Client) -> None:
    assert client.do(publish(b"1", mandatory=True)) == []
    assert rig.queue().ready == 1


def test_a_large_message_is_returned_in_the_clients_frames(rig: Rig) -> None:
    client = Client(rig).open(frame_max=4096)
    body = b"x" * 10_000
    (returned,) = client.do(publish(body, "nowhere", mandatory=True, piece=4000))
    assert isinstance(returned, Content)
    assert returned.body == body


# -- what a message may be -----------------------------------------------------------------------


@given(
    body=st.binary(max_size=200),
    properties=st.one_of(st.none(), st.binary(max_size=20), st.just(b"\x10\x00\x02")),
    piece=st.integers(1, 200),
)
@settings(max_examples=150, deadline=None)
def test_a_message_in_pieces_is_what_it_is_in_one(
    body: bytes, properties: bytes | None, piece: int
) -> None:
    """Whatever the properties: taken or refused alike, and delivered the same."""
    heard = []
    for size in (1000, piece):
        rig = Rig()
        rig.queue("q", durable=False)
        client = Client(rig).open()
        client.do(BasicConsume(0, "q", "c"))
        heard.append(client.do(publish(body, properties=properties, piece=size)))
    assert heard[0] == heard[1]


def test_confirms_count_publishes_that_are_refused_too(client: Client) -> None:
    client.do(ConfirmSelect())
    assert len(client.do(publish(b"1", exchange="none"))) == 1


def test_in_a_transaction_a_message_is_checked_at_once_and_enqueued_later(
    rig: Rig, client: Client
) -> None:
    client.do(TxSelect(), publish(b"1"))
    assert rig.queue().ready == 0
    client.do(TxCommit())
    assert rig.queue().ready == 1
    (close,) = client.do(publish(b"1", exchange="none"))
    assert isinstance(close, ChannelClose)

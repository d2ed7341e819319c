"""Deliveries as octets, and the credit that they use up."""

import pytest

from amqplite.connection.connection import ConnectionLimits
from amqplite.protocol.fields import to_python
from amqplite.protocol.methods import (
    BasicConsume,
    BasicConsumeOk,
    BasicDeliver,
    BasicGet,
    BasicGetOk,
    BasicNack,
    ChannelOpen,
    ConnectionClose,
)
from amqplite.protocol.properties import decode_properties, encode_header
from tests.connection.client import Client, Content, deliveries, properties_of, publish
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue that needs no disk."""
    rig = Rig()
    rig.queue("q", durable=False)
    return rig


def content_of(heard: list[object]) -> Content:
    (one,) = (one for one in heard if isinstance(one, Content))
    return one


def count_in(message: Content) -> object:
    headers = decode_properties(message.header).headers
    return to_python(headers or {}).get("x-delivery-count")


# -- octets --------------------------------------------------------------------------------------


def test_a_delivery_on_the_publishers_channel_number_goes_out_in_the_octets_it_came_in(
    client: Client,
) -> None:
    client.do(BasicConsume(0, "q", "tag"))
    octets = publish(b"body")
    client.say(octets)
    sent = b"".join(client.connection.data_to_send())
    method = b"\x00\x3c\x00\x3c\x03tag" + (1).to_bytes(8, "big") + b"\x00\x00\x01q"
    head = b"\x01\x00\x01" + len(method).to_bytes(4, "big")
    assert sent == head + method + b"\xce" + octets[octets.index(b"\x02\x00\x01") :]


@pytest.mark.parametrize("channel", [1, 2, 300])
def test_a_delivery_says_its_own_channel_in_every_frame(client: Client, channel: int) -> None:
    client.do(ChannelOpen(), channel=2)
    client.do(ChannelOpen(), channel=300)
    client.do(BasicConsume(0, "q", "c"), channel=channel)
    client.say(publish(b"body"))
    ((number, heard),) = client.hear_channels()
    assert isinstance(heard, Content)
    assert (number, heard.body) == (channel, b"body")


@pytest.mark.parametrize("size", [0, 1, 4087, 4088, 4089, 8176, 8177, 50_000])
@pytest.mark.parametrize("how", ["deliver", "get"])
def test_no_frame_is_larger_than_the_client_agreed_to(rig: Rig, size: int, how: str) -> None:
    body = bytes(range(256)) * 200
    small = Client(rig).open(frame_max=4096)
    Client(rig).open().do(publish(body[:size]))
    ask = BasicConsume(0, "q", "c") if how == "deliver" else BasicGet(0, "q")
    assert content_of(small.do(ask)).body == body[:size]


def test_the_frames_themselves_are_within_frame_max(rig: Rig) -> None:
    small = Client(rig).open(frame_max=4096)
    small.do(BasicConsume(0, "q", "c"))
    Client(rig).open().do(publish(b"x" * 10_000))
    octets, sizes = b"".join(small.connection.data_to_send()), []
    while octets:
        size = int.from_bytes(octets[3:7], "big") + 8
        sizes.append(size)
        octets = octets[size:]
    assert sizes[2:] == [4096, 4096, 10_000 - 2 * 4088 + 8]


def test_names_that_are_not_utf8_go_out_as_they_came(rig: Rig, client: Client) -> None:
    name = b"\xff\xfeq".decode(errors="surrogateescape")
    rig.queue(name, durable=False)
    assert client.do(BasicConsume(0, name, name)) == [BasicConsumeOk(name)]
    heard = content_of(client.do(publish(b"1", name)))
    assert heard.method == BasicDeliver(name, 1, False, "", name)


def test_more_addresses_than_a_consumer_remembers_are_all_right(rig: Rig, client: Client) -> None:
    rig.vhost.bind_queue(None, rig, "amq.fanout", "q", "")
    client.do(BasicConsume(0, "q", "c"))
    heard = client.do(*(publish(b"", f"key{n}", exchange="amq.fanout") for n in range(300)))
    keys = [one.method.routing_key for one in heard if isinstance(one, Content)]
    assert keys == [f"key{n}" for n in range(300)]


def test_the_writer_is_woken_once_for_what_one_read_brings(client: Client) -> None:
    client.do(BasicConsume(0, "q", "c"))
    before = client.woken
    client.say(publish(b"1"), publish(b"2"))
    assert client.woken == before + 1


# -- how often -----------------------------------------------------------------------------------


@pytest.fixture
def limited(rig: Rig) -> Rig:
    """A rig with a queue that gives up what is returned too often."""
    rig.queue("limited", durable=False, delivery_limit=5)
    return rig


@pytest.mark.parametrize("headers", [None, {"mine": 1}])
def test_where_deliveries_are_limited_they_say_how_many_there_were(
    limited: Rig, client: Client, headers: dict[str, object] | None
) -> None:
    client.do(BasicConsume(0, "limited", "c"))
    properties = properties_of(headers=headers, message_id="m")
    heard = [content_of(client.do(publish(b"body", "limited", properties)))]
    heard += [content_of(client.do(BasicNack(tag, False, True))) for tag in (1, 2)]
    assert [count_in(one) for one in heard] == [None, 1, 2]
    assert heard[0].header == encode_header(4, properties)
    last = decode_properties(heard[2].header)
    assert (last.message_id, last.delivery_mode, heard[2].body) == ("m", 2, b"body")


def test_get_says_how_many_there_were_too(limited: Rig, client: Client) -> None:
    client.do(publish(b"body", "limited"))
    counts = []
    for tag in (1, 2, 3):
        got = content_of(client.do(BasicGet(0, "limited")))
        assert got.method == BasicGetOk(tag, tag > 1, "", "limited", 0)
        counts.append(count_in(got))
        client.do(BasicNack(tag, False, True))
    assert counts == [None, 1, 2]


def test_elsewhere_they_are_passed_on_as_they_came(rig: Rig, client: Client) -> None:
    client.do(BasicConsume(0, "q", "c"), publish(b"1"))
    heard = content_of(client.do(BasicNack(1, False, True)))
    assert heard.header == encode_header(1, properties_of())


def test_headers_that_are_no_table_hurt_nobody(limited: Rig, client: Client) -> None:
    broken = b"\x20\x00\x00\x00\x00\x03\x01a?"
    client.do(BasicConsume(0, "limited", "c"), publish(b"1", "limited", broken))
    heard = client.do(BasicNack(1, False, True))
    assert deliveries(heard) == [(2, b"1", True)]
    assert content_of(heard).header == encode_header(1, broken)


def test_headers_that_are_no_table_hurt_nobody_as_a_dead_letter(rig: Rig, client: Client) -> None:
    rig.queue("dead", durable=False)
    rig.queue(
        "full",
        durable=False,
        max_length=0,
        dead_letter_exchange="",
        dead_letter_routing_key="dead",
    )
    assert client.do(publish(b"1", "full", b"\x20\x00\x00\x00\x00\x03\x01a?")) == []
    assert rig.queue("dead").ready == 1


# -- credit --------------------------------------------------------------------------------------


def test_a_full_outbox_is_no_credit_for_no_ack_either(rig: Rig) -> None:
    client = Client(rig, ConnectionLimits(outbox_high_bytes=1000)).open()
    client.do(BasicConsume(0, "q", "c", no_ack=True))
    client.say(*(publish(b"x" * 400) for _ in range(10)))
    assert rig.queue().ready == 7
    assert len(client.deliveries()) == 10


def test_a_slow_reader_holds_nobody_else_up(rig: Rig, other: Client) -> None:
    slow = Client(rig, ConnectionLimits(outbox_high_bytes=1000)).open()
    slow.do(BasicConsume(0, "q", "c", no_ack=True))
    other.do(BasicConsume(0, "q", "c", no_ack=True))
    other.say(*(publish(b"x" * 400) for _ in range(20)))
    assert len(other.deliveries()) == 17
    assert len(slow.deliveries()) == 3


def test_whatever_is_in_the_outbox_ends_with_a_close(client: Client) -> None:
    client.do(BasicConsume(0, "q", "c"))
    client.say(publish(b"1"), ChannelOpen())
    assert [type(one) for one in client.hear()] == [Content, ConnectionClose]

"""What a peer sends after an error, before it has read of it, hurts nothing (§1.5.2.5)."""

import pytest

from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.methods import (
    BasicAck,
    BasicPublish,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionClose,
    ConnectionCloseOk,
    QueueDeclare,
)
from amqplite.protocol.properties import encode_header, encode_properties
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name
from tests.wire.events import BODY_FRAME, HEADER_FRAME, PERSISTENT, frame
from tests.wire.peer import Peer


def publish_to_nowhere(channel: Channel, times: int) -> bytes:
    return b"".join(channel.publication(b"lost", "k", "no such exchange") for _ in range(times))


def closes(peer: Peer, channel: Channel) -> list[Method]:
    """Return the closes that have come on a channel."""
    on_channel = [event.method for event in peer.log if event.channel == channel.number]
    return [method for method in on_channel if isinstance(method, ChannelClose)]


def test_all_behind_a_failed_publish_is_dropped_until_the_close_is_answered(
    connect: Connect, name: Name
) -> None:
    peer = connect()
    channel, other = peer.channel(), peer.channel()
    queue, undeclared = name("q"), name("undeclared")
    other.declare(queue)
    other.consume(queue)
    peer.send_octets(
        publish_to_nowhere(channel, 3)
        + method_frame(channel.number, QueueDeclare(queue=undeclared, durable=True))
        + method_frame(channel.number, BasicAck(1))
        + channel.publication(b"dropped", queue)
        + other.publication(b"alive", queue)
    )
    close = channel.expect(ChannelClose)
    assert (close.reply_code, close.class_id, close.method_id) == (404, 60, 40)
    assert close.reply_text == "NOT_FOUND - no exchange 'no such exchange' in vhost '/'"
    assert other.delivery().body == b"alive"

    for _ in range(5):  # it has not read of the close yet
        channel.publish(b"dropped", queue)
        channel.publish(b"dropped", "k", "no such exchange")
    header = encode_header(5, encode_properties(PERSISTENT))
    peer.send_octets(frame(HEADER_FRAME, channel.number, header))
    peer.send_octets(frame(BODY_FRAME, channel.number, b"stray"))
    peer.quiet()

    channel.send(ChannelCloseOk())
    channel.reopen()
    channel.publish(b"again", queue)
    assert other.delivery().body == b"again"
    channel.publish(b"for me", undeclared, mandatory=True)
    assert [event.method.reply_code for event in channel.received()] == [312]
    assert len(closes(peer, channel)) == 1


def test_a_publish_that_is_cut_by_the_close_is_dropped_to_its_end(
    connect: Connect, queue: str
) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    whole = channel.publication(b"x" * 10, queue)
    peer.send_octets(method_frame(channel.number, BasicAck(77)) + whole[:-5])
    channel.await_answer(ChannelClose)
    peer.send_octets(whole[-5:])
    channel.send(ChannelCloseOk())
    assert channel.reopen().depth(queue) == 0


def test_tags_and_consumers_start_anew_on_a_channel_opened_again(
    connect: Connect, queue: str
) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    channel.consume(queue, "taker")
    for body in (b"1", b"2"):
        channel.publish(body, queue)
    channel.deliveries(2)
    channel.ack(9)
    channel.expect_close(406)
    channel.reopen()
    channel.publish(b"3", queue)
    peer.quiet()  # the old consumer is gone
    channel.consume(queue, "taker")
    assert [(event.tag, *event.seen) for event in channel.deliveries(3)] == [
        (1, b"1", True),
        (2, b"2", True),
        (3, b"3", False),
    ]


def test_nothing_is_delivered_on_a_channel_that_the_broker_has_closed(
    connect: Connect, queue: str
) -> None:
    peer, publisher = connect(), connect().channel()
    channel = peer.channel()
    channel.declare(queue)
    channel.consume(queue)
    for number in range(200):
        publisher.publish(b"%d" % number, queue)
        if number == 100:
            channel.ack(10**6)
    publisher.peer.sync()
    peer.sync()
    events = peer.received(channel.number)
    assert isinstance(events[-1].method, ChannelClose)
    assert len(closes(peer, channel)) == 1
    publisher.publish(b"200", queue)
    publisher.peer.sync()
    peer.quiet()
    channel.send(ChannelCloseOk())
    peer.quiet()
    assert publisher.depth(queue) == 201


def test_closes_that_cross_are_both_answered(connect: Connect) -> None:
    peer = connect()
    channel = peer.channel()
    peer.send_octets(
        publish_to_nowhere(channel, 1) + method_frame(channel.number, ChannelClose(200, "bye"))
    )
    assert channel.expect(ChannelClose).reply_code == 404
    channel.expect(ChannelCloseOk)
    channel.send(ChannelCloseOk())
    channel.reopen()
    peer.quiet()


def test_connection_closes_that_cross_are_both_answered(connect: Connect) -> None:
    peer = connect()
    peer.send_octets(method_frame(9, BasicAck(1)) + method_frame(0, ConnectionClose(200, "bye")))
    assert peer.zero.expect(ConnectionClose).reply_code == 504
    peer.zero.expect(ConnectionCloseOk, within_s=2)
    peer.expect_end()


def test_an_answer_to_a_close_is_heard_though_the_close_came_in_the_middle_of_a_frame(
    connect: Connect,
) -> None:
    peer = connect()
    channel = peer.channel()
    rest = channel.publication(b"x" * 1000, "k")
    peer.send_octets(method_frame(9, BasicAck(1)) + rest[:500])
    assert peer.zero.expect(ConnectionClose).reply_code == 504
    peer.send_octets(rest[500:] + method_frame(0, ConnectionCloseOk()))
    peer.expect_end(within_s=2)


@pytest.mark.parametrize("was_open", [True, False], ids=["closed", "never-opened"])
def test_a_method_on_a_channel_that_is_not_open_closes_the_connection(
    connect: Connect, was_open: bool
) -> None:
    peer = connect()
    channel = Channel(peer, 7)
    if was_open:
        channel.reopen().ack(1)
        channel.expect_close(406)
    channel.publish(b"m", "q")
    peer.expect_close(504, "^CHANNEL_ERROR - expected 'channel.open'", by=BasicPublish)


def test_a_channel_that_is_opened_twice_closes_the_connection(connect: Connect) -> None:
    peer = connect()
    channel = peer.channel()
    channel.send(ChannelOpen())
    peer.expect_close(504, "^CHANNEL_ERROR - second 'channel.open' seen", by=ChannelOpen)


def test_a_channel_beyond_the_negotiated_number_closes_the_connection(connect: Connect) -> None:
    peer = connect()
    Channel(peer, peer.channel_max).reopen()
    Channel(peer, peer.channel_max + 1).send(ChannelOpen())
    peer.expect_close(530, "negotiated channel_max")


def test_all_behind_a_connection_error_is_dropped(connect: Connect, queue: str) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    peer.send_octets(method_frame(7, BasicAck(1)) + channel.publication(b"dropped", queue))
    assert peer.zero.await_answer(ConnectionClose).method.reply_code == 504
    channel.publish(b"dropped", queue)
    channel.send(ChannelOpen(), BasicAck(7))
    peer.send(0, ConnectionCloseOk())
    peer.expect_end()
    assert connect().channel().depth(queue) == 0


def test_a_channel_closed_and_opened_in_one_write_is_open(connect: Connect) -> None:
    peer = connect()
    channel = peer.channel()
    channel.send(ChannelClose(200, "bye"), ChannelOpen())
    channel.expect(ChannelCloseOk)
    channel.expect(ChannelOpenOk)
    peer.quiet()

"""Delivery tags are a channel's own (§1.8.3, delivery-tag)."""

from amqplite.protocol.methods import BasicAck
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name, until


def test_tags_count_deliveries_and_gets_of_a_channel_from_one(connect: Connect, name: Name) -> None:
    peer = connect()
    first, second = peer.channel(), peer.channel()
    queues = [name("a"), name("b"), name("c")]
    for queue in queues:
        first.declare(queue)
        for body in (b"1", b"2", b"3"):
            first.publish(body, queue)
    first.consume(queues[0], "settled", no_ack=True)
    first.consume(queues[1], "held")
    tags = [event.tag for event in first.deliveries(6)]
    tags += [first.got(queues[2]).tag, first.got(queues[2], no_ack=True).tag]
    assert first.got(queues[2]).tag == 9
    assert tags == list(range(1, 9))
    second.consume(queues[0])
    second.publish(b"4", queues[0])
    taken = [event for channel in (first, second) for event in channel.received()]
    assert len(taken) == 1
    assert taken[0].tag == (10 if taken[0].channel == first.number else 1)


def test_a_tag_from_before_a_reconnect_settles_nothing_on_another_channel(
    connect: Connect, queue: str
) -> None:
    before = connect().channel()
    before.declare(queue)
    before.publish(b"m1", queue)
    before.consume(queue)
    assert before.delivery().tag == 1
    before.peer.reset()

    after = connect()
    holder, other = after.channel(), after.channel()
    holder.qos(1)
    holder.consume(queue)
    event = holder.delivery()
    assert (event.tag, event.seen) == (1, (b"m1", True))
    other.ack(1)
    other.expect_close(406, "^PRECONDITION_FAILED - unknown delivery tag 1$", by=BasicAck)
    assert holder.received() == []
    assert holder.depth(queue) == 0

    holder.ack(1)
    after.sync()
    after.close()
    assert connect().channel().get(queue) is None


def test_tags_start_again_on_a_channel_that_is_opened_again(channel: Channel, queue: str) -> None:
    channel.declare(queue)
    channel.publish(b"m", queue)
    assert channel.got(queue).tag == 1
    channel.close()
    channel.reopen()
    event = channel.got(queue)
    assert (event.tag, event.seen) == (1, (b"m", True))


def test_what_a_lost_connection_held_is_there_for_others_at_once(
    connect: Connect, queue: str
) -> None:
    holder, other = connect().channel(), connect().channel()
    holder.declare(queue)
    holder.publish(b"m", queue)
    holder.got(queue)
    holder.peer.hang_up()
    until(lambda: other.depth(queue) == 1, within_s=1)
    assert other.drain(queue) == [(b"m", True)]

"""Acks, nacks and rejects: which tags they settle, and what a wrong one costs (§1.8.3.13)."""

from dataclasses import dataclass

import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.methods import BasicAck, BasicNack, BasicReject
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name


@dataclass(frozen=True, slots=True)
class Wrong:
    """Settling what is not there, with 1 to 6 held: the channel closes.

    Attributes:
        tag: the one that is unknown.
        left: what comes back to the queue.
    """

    methods: list[Method]
    tag: int
    left: str


WRONG = {
    "ack-twice": Wrong([BasicAck(1), BasicAck(1)], 1, "23456"),
    "ack-never-delivered": Wrong([BasicAck(99)], 99, "123456"),
    "ack-next-tag": Wrong([BasicAck(7)], 7, "123456"),
    "reject-never-delivered": Wrong([BasicReject(15, True)], 15, "123456"),
    "reject-after-ack": Wrong([BasicAck(2), BasicReject(2, False)], 2, "13456"),
    "nack-never-delivered": Wrong([BasicNack(15, False, True)], 15, "123456"),
    "nack-after-nack": Wrong([BasicNack(6, False, False), BasicNack(6, False, True)], 6, "12345"),
    "ack-within-a-settled-range": Wrong([BasicAck(3, True), BasicAck(2)], 2, "456"),
    "ack-multiple-within-a-settled-range": Wrong([BasicAck(3, True), BasicAck(2, True)], 2, "456"),
    "ack-zero-alone": Wrong([BasicAck(0)], 0, "123456"),
    "nack-zero-alone": Wrong([BasicNack(0, False, True)], 0, "123456"),
    "reject-zero": Wrong([BasicReject(0, False)], 0, "123456"),
    "ack-multiple-never-delivered": Wrong([BasicAck(7, True)], 7, "123456"),
    "nack-multiple-never-delivered": Wrong([BasicNack(7, True, False)], 7, "123456"),
}


def hold_six(channel: Channel, queue: str) -> None:
    """Hold messages 1 to 6 of a new queue, under the tags 1 to 6."""
    channel.declare(queue)
    for number in range(1, 7):
        channel.publish(b"%d" % number, queue)
    channel.consume(queue)
    assert [event.tag for event in channel.deliveries(6)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_unknown_tag_closes_the_channel_and_what_it_held_comes_back(
    connect: Connect, name: Name, wrong: Wrong
) -> None:
    peer = connect()
    channel, other = peer.channel(), peer.channel()
    queue, others = name("q"), name("others")
    other.declare(others)
    other.consume(others)
    hold_six(channel, queue)

    channel.send(*wrong.methods)
    channel.expect_close(
        406, f"^PRECONDITION_FAILED - unknown delivery tag {wrong.tag}$", by=type(wrong.methods[-1])
    )
    other.publish(b"alive", others)
    assert other.delivery().body == b"alive"
    assert other.drain(queue) == [(digit.encode(), True) for digit in wrong.left]
    peer.quiet()


@pytest.mark.parametrize(
    ("methods", "left"),
    [
        ([BasicAck(3, True)], "456"),
        ([BasicAck(2), BasicAck(5, True)], "6"),
        ([BasicAck(0, True)], ""),
        ([BasicAck(0, True), BasicAck(0, True)], ""),
        ([BasicAck(6, True), BasicNack(0, True, True)], ""),
        ([BasicNack(3, True, False)], "456"),
        ([BasicNack(0, True, False)], ""),
        ([BasicReject(4, False)], "12356"),
    ],
)
def test_what_is_settled_is_gone_and_nothing_else(
    connect: Connect, queue: str, methods: list[Method], left: str
) -> None:
    channel = connect().channel()
    hold_six(channel, queue)
    channel.send(*methods)
    channel.close()
    assert channel.reopen().drain(queue) == [(digit.encode(), True) for digit in left]


def test_all_that_is_requeued_at_once_comes_back_in_order(channel: Channel, queue: str) -> None:
    hold_six(channel, queue)
    channel.nack(0, multiple=True)
    again = channel.deliveries(6)
    assert [event.seen for event in again] == [(b"%d" % number, True) for number in range(1, 7)]
    assert [event.tag for event in again] == list(range(7, 13))


def test_a_range_covers_what_was_delivered_and_got_but_nothing_of_other_channels(
    connect: Connect, name: Name
) -> None:
    peer = connect()
    first, second = peer.channel(), peer.channel()
    queues = name("a"), name("b")
    for queue in queues:
        first.declare(queue)
        for body in (b"1", b"2"):
            first.publish(body, queue)
    first.qos(1)
    first.consume(queues[0])
    assert first.delivery().tag == 1
    assert first.got(queues[1]).tag == 2
    assert second.got(queues[1]).tag == 1
    first.ack(2, multiple=True)
    assert first.delivery().seen == (b"2", False)
    first.close()
    second.close()
    assert second.reopen().drain(queues[0]) == [(b"2", True)]
    assert second.drain(queues[1]) == [(b"2", True)]

"""The end of a consumer, by its client or by the broker (§1.8.3.5; consumer cancel notify)."""

import pytest

from amqplite.protocol.methods import (
    BasicCancel,
    BasicCancelOk,
    BasicConsume,
    QueueDeclare,
    QueueDelete,
)
from tests.wire.conftest import Connect
from tests.wire.events import TRANSIENT


def test_a_consumer_whose_queue_is_deleted_is_told_so(connect: Connect, queue: str) -> None:
    peer = connect()
    channel = peer.channel()
    channel.declare(queue)
    for body in (b"1", b"2"):
        channel.publish(body, queue)
    channel.consume(queue, "taker")
    first, second = channel.deliveries(2)
    connect().channel().delete(queue)
    assert channel.expect(BasicCancel) == BasicCancel("taker", True)

    channel.send(BasicCancelOk("taker"))  # not asked for, but some clients say it
    assert channel.call(BasicCancel("taker")).consumer_tag == "taker"
    channel.ack(first.tag)
    channel.nack(second.tag)
    peer.quiet()
    channel.declare(queue)
    assert channel.drain(queue) == []


def test_a_consumer_on_the_channel_that_deletes_its_queue_is_told_too(
    connect: Connect, queue: str
) -> None:
    channel = connect().channel()
    channel.declare(queue)
    channel.consume(queue, "taker")
    channel.delete(queue)
    assert channel.received()[0].method == BasicCancel("taker", True)


def test_a_client_that_cannot_hear_of_it_is_not_told(connect: Connect, queue: str) -> None:
    peer = connect(capabilities={})
    channel = peer.channel()
    channel.declare(queue)
    channel.publish(b"m", queue)
    channel.consume(queue, "taker")
    event = channel.delivery()
    connect().channel().delete(queue)
    peer.quiet()
    channel.ack(event.tag)
    peer.quiet()


def test_nothing_is_delivered_behind_the_answer_to_cancel(connect: Connect, queue: str) -> None:
    peer, publisher = connect(), connect().channel()
    channel = peer.channel()
    channel.declare(queue)
    channel.consume(queue, "taker")
    for round_ in range(20):
        publisher.peer.send_octets(
            b"".join(publisher.publication(b"m", queue, properties=TRANSIENT) for _ in range(100))
        )
        channel.call(BasicCancel("taker"))
        answered_at = len(peer.log) - 1
        assert isinstance(peer.log[answered_at].method, BasicCancelOk)
        publisher.peer.sync()
        channel.ack(0, multiple=True)  # a cancel takes nothing back
        peer.sync()
        on_channel = [e for e in peer.log[answered_at + 1 :] if e.channel == channel.number]
        assert on_channel == [], f"after cancel-ok, round {round_}"
        peer.received(channel.number)
        channel.consume(queue, "taker")
    channel.cancel("taker")


def test_what_a_cancelled_consumer_holds_can_still_be_settled(connect: Connect, queue: str) -> None:
    peer = connect()
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue)
    for number in range(6):
        channel.publish(b"%d" % number, queue)
    channel.qos(4)
    channel.consume(queue, "taker")
    held = channel.deliveries(4)
    channel.cancel("taker")
    assert other.depth(queue) == 2
    channel.ack(held[0].tag)
    channel.nack(held[2].tag)
    channel.reject(held[3].tag, requeue=False)
    peer.quiet()
    assert other.drain(queue) == [(b"2", True), (b"4", False), (b"5", False)]
    channel.close()
    assert other.drain(queue) == [(b"1", True)]


def test_a_tag_nobody_has_is_cancelled_all_the_same(connect: Connect) -> None:
    channel = connect().channel()
    assert channel.call(BasicCancel("nobody")).consumer_tag == "nobody"
    channel.send(BasicCancel("nobody", True))
    channel.peer.quiet()


def test_a_tag_in_use_on_the_channel_closes_the_connection(connect: Connect, queue: str) -> None:
    peer = connect()
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue)
    channel.consume(queue, "twin")
    other.consume(queue, "twin")  # another channel's tags are its own
    channel.send(BasicConsume(queue=queue, consumer_tag="twin"))
    peer.expect_close(530, "NOT_ALLOWED - attempt to reuse consumer tag 'twin'", by=BasicConsume)


def test_a_tag_can_be_used_again_after_its_cancel(connect: Connect, queue: str) -> None:
    channel = connect().channel()
    channel.declare(queue)
    for body in (b"1", b"2"):
        channel.consume(queue, "taker")
        channel.publish(body, queue)
        assert channel.delivery().body == body
        channel.cancel("taker")


def test_a_consumer_that_gives_no_tag_is_given_one(connect: Connect, queue: str) -> None:
    channel = connect().channel()
    channel.declare(queue)
    tags = {channel.consume(queue) for _ in range(3)}
    assert len(tags) == 3
    assert all(tag.startswith("amq.ctag-") for tag in tags)


def test_a_queue_in_use_is_not_deleted_if_that_was_asked(connect: Connect, queue: str) -> None:
    peer = connect()
    channel, other = peer.channel(), peer.channel()
    channel.declare(queue)
    channel.consume(queue, "taker")
    other.send(QueueDelete(queue=queue, if_unused=True))
    other.expect_close(406, f"queue '{queue}' in vhost '/' in use", by=QueueDelete)
    channel.publish(b"m", queue)
    assert channel.delivery().body == b"m"
    channel.cancel("taker")
    channel.close()
    other.reopen().send(QueueDelete(queue=queue, if_empty=True))
    other.expect_close(406, f"queue '{queue}' in vhost '/' not empty", by=QueueDelete)


@pytest.mark.parametrize("end", ["close", "reset"])
def test_consumers_of_an_exclusive_queue_end_with_its_connection(
    connect: Connect, queue: str, end: str
) -> None:
    owner = connect()
    channel = owner.channel()
    channel.call(QueueDeclare(queue=queue, exclusive=True))
    channel.consume(queue)
    owner.close() if end == "close" else owner.reset()
    other = connect().channel()
    if end == "close":  # the answer came when it was gone
        other.send(QueueDeclare(queue=queue, passive=True))
        other.expect_close(404)
        other.reopen()
    else:
        wait_until_gone(connect, queue)
    other.declare(queue)


def wait_until_gone(connect: Connect, queue: str) -> None:
    for _ in range(1000):
        channel = connect().channel()
        channel.send(QueueDeclare(queue=queue, passive=True))
        close = channel.peer.await_event(channel.number, 10).method
        if close.reply_code == 404:
            return
        assert close.reply_code == 405
    raise AssertionError(f"{queue} is still there")

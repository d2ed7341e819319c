"""pika: queues that belong to a connection, and queues that go with their last consumer."""

import socket

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Connect, Name
from tests.conformance.pika_tools import Inbox, queue_exists, refused, wait_until

LOCKED = (
    "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '{}' in vhost '/'. It could "
    "be originally declared on another connection or the exclusive property value does not match "
    "that of the original declaration."
)


def test_an_exclusive_queue_is_its_connections_own(
    connect: Connect, channel: BlockingChannel, name: Name
) -> None:
    queue = channel.queue_declare(name("q"), exclusive=True).method.queue
    channel.queue_bind(queue, "amq.direct", "key")
    stranger = connect()
    for use in (
        lambda c: c.queue_declare(queue),
        lambda c: c.queue_declare(queue, exclusive=True),
        lambda c: c.queue_declare(queue, passive=True),
        lambda c: c.queue_bind(queue, "amq.direct", "key"),
        lambda c: c.queue_unbind(queue, "amq.direct", "key"),
        lambda c: c.queue_purge(queue),
        lambda c: c.queue_delete(queue),
        lambda c: c.basic_get(queue),
        lambda c: c.basic_consume(queue, print),
    ):
        with refused(405, LOCKED.format(queue)):
            use(stranger.channel())
    stranger.channel().basic_publish("", queue, b"anybody may publish")
    other = channel.connection.channel()
    wait_until(channel, lambda: other.basic_get(queue)[2] is not None, "the message")


def test_an_exclusive_queue_is_gone_when_close_returns(
    connect: Connect, channel: BlockingChannel, name: Name
) -> None:
    for _ in range(10):
        owner = connect()
        queue = owner.channel().queue_declare(name("q"), exclusive=True).method.queue
        owner.close()
        assert not queue_exists(channel, queue)


def test_an_exclusive_queue_goes_when_its_connection_breaks(
    connect: Connect, channel: BlockingChannel, name: Name
) -> None:
    owner = connect()
    queue = owner.channel().queue_declare(name("q"), exclusive=True).method.queue
    owner._impl._transport._sock.shutdown(socket.SHUT_RDWR)
    wait_until(channel, lambda: not queue_exists(channel, queue), "the queue to go")


@pytest.mark.parametrize("end", ["cancel", "channel close", "connection close"])
def test_an_auto_delete_queue_goes_with_its_last_consumer(
    connect: Connect, channel: BlockingChannel, name: Name, end: str
) -> None:
    first, second = connect().channel(), connect().channel()
    queue = channel.queue_declare(name("q"), auto_delete=True).method.queue
    assert channel.basic_get(queue) == (None, None, None)  # no consumer: it stays
    inboxes = [Inbox(first, queue), Inbox(second, queue)]
    for one in inboxes:
        assert queue_exists(channel, queue)
        match end:
            case "cancel":
                one.channel.basic_cancel(one.tag)
            case "channel close":
                one.channel.close()
            case _:
                one.channel.connection.close()
    wait_until(channel, lambda: not queue_exists(channel, queue), "the queue to go")


def test_a_queue_that_never_had_a_consumer_stays(channel: BlockingChannel, name: Name) -> None:
    other = channel.connection.channel()
    queue = other.queue_declare(name("q"), auto_delete=True).method.queue
    other.close()
    assert queue_exists(channel, queue)
    channel.queue_delete(queue)

"""What may befall the consumer, or the channel, of a delivery that was not acked in time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from amqplite.protocol.methods import BasicCancel
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name
from tests.wire.events import arguments
from tests.wire.test_ack_timeout import TIMEOUT_MS, outlast

GLOBAL_MS = 400
Broker = Callable[[str], BrokerProcess]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker for each action, started when the first test wants it."""
    with ExitStack() as started:

        @cache
        def broker(action: str) -> BrokerProcess:
            folder = tmp_path_factory.mktemp(action)
            settings = {"consumer_timeout_action": action, "consumer_timeout_ms": GLOBAL_MS}
            return started.enter_context(BrokerProcess(folder, host="127.0.0.1", **settings))

        yield broker


TEXT = (
    r"^PRECONDITION_FAILED - delivery acknowledgement on channel {channel} timed out\. "
    r"Timeout value used: {timeout} ms\. This timeout value can be configured"
)


def expect_timeout_close(channel: Channel, timeout: int) -> None:
    channel.expect_close(406, TEXT.format(channel=channel.number, timeout=timeout))
    close = channel.peer.log[-1].method
    assert (close.class_id, close.method_id) == (0, 0)


def hold(channel: Channel, slow: str, other: str) -> None:
    """Hold m1 of `slow` and be idle on `other`, with a prefetch of one each."""
    channel.declare(slow)
    channel.declare(other)
    channel.qos(1)
    channel.consume(slow, "slow")
    channel.consume(other, "other")
    channel.publish(b"m1", slow)
    assert channel.delivery().body == b"m1"


def test_to_cancel_ends_the_late_consumer_and_no_other(
    broker: Broker, connect: Connect, name: Name
) -> None:
    own = broker("cancel")
    peer = connect(to=own)
    channel, idle = peer.channel(), peer.channel()
    slow, other = name("slow"), name("other")
    hold(channel, slow, other)
    heir = connect(to=own).channel()
    heir.consume(slow)
    channel.publish(b"m2", slow)
    assert heir.delivery().seen == (b"m2", False)
    heir.ack(1)
    assert heir.delivery().seen == (b"m1", True)
    heir.ack(2)
    assert channel.expect(BasicCancel) == BasicCancel("slow", True)
    channel.publish(b"still here", other)
    event = channel.delivery()
    assert (event.method.consumer_tag, event.body) == ("other", b"still here")
    channel.ack(1)  # late
    channel.ack(event.tag)
    peer.quiet()
    channel.consume(slow, "slow")
    channel.publish(b"m3", slow)
    heir.peer.sync()
    assert idle.depth(slow) == 0
    takers = [event.body for taker in (channel, heir) for event in taker.received()]
    assert takers == [b"m3"]


def test_to_cancel_closes_the_channel_of_a_client_that_cannot_hear_of_it(
    broker: Broker, connect: Connect, name: Name
) -> None:
    own = broker("cancel")
    peer = connect(to=own, capabilities={})
    channel, idle = peer.channel(), peer.channel()
    slow, other = name("slow"), name("other")
    hold(channel, slow, other)
    expect_timeout_close(channel, GLOBAL_MS)
    assert idle.drain(slow) == [(b"m1", True)]
    peer.quiet()


@pytest.mark.parametrize("action", ["cancel", "close"])
def test_what_was_got_has_no_consumer_to_cancel_so_the_channel_is_closed(
    broker: Broker, connect: Connect, queue: str, action: str
) -> None:
    peer = connect(to=broker(action))
    channel, idle = peer.channel(), peer.channel()
    channel.declare(queue)
    channel.publish(b"m", queue)
    channel.got(queue)
    expect_timeout_close(channel, GLOBAL_MS)
    assert idle.drain(queue) == [(b"m", True)]
    peer.quiet()


def test_to_close_ends_the_channel_and_all_it_held_comes_back_in_order(
    broker: Broker, connect: Connect, name: Name
) -> None:
    peer = connect(to=broker("close"))
    channel, idle = peer.channel(), peer.channel()
    slow, other = name("slow"), name("other")
    hold(channel, slow, other)
    channel.publish(b"n1", other)
    assert channel.delivery().body == b"n1"
    for body in (b"m2", b"m3"):
        channel.publish(body, slow)
    assert channel.got(slow).body == b"m2"
    expect_timeout_close(channel, GLOBAL_MS)
    assert idle.drain(slow) == [(b"m1", True), (b"m2", True), (b"m3", False)]
    assert idle.drain(other) == [(b"n1", True)]
    peer.quiet()
    hold(channel.reopen(), slow, other)


def test_to_close_tells_the_timeout_that_was_used(
    broker: Broker, connect: Connect, queue: str
) -> None:
    channel = connect(to=broker("close")).channel()
    channel.declare(queue, arguments=arguments(x_consumer_timeout=300))
    channel.consume(queue, arguments=arguments(x_consumer_timeout=200))
    channel.publish(b"m", queue)
    channel.delivery()
    expect_timeout_close(channel, 200)


@pytest.mark.parametrize("action", ["requeue", "cancel", "close"])
def test_a_single_active_consumer_queue_goes_on_after_each_of_its_consumers_was_late(
    broker: Broker, connect: Connect, queue: str, action: str
) -> None:
    own = broker(action)
    publisher = connect(to=own).channel()
    publisher.declare(
        queue, arguments=arguments(x_single_active_consumer=True, x_consumer_timeout=TIMEOUT_MS)
    )
    for number in range(10):
        publisher.publish(b"%d" % number, queue)
    late = [connect(to=own).channel() for _ in range(2)]
    for channel in late:
        channel.qos(1)
        channel.consume(queue)
    held = late[0].delivery()
    outlast(connect(to=own).channel(), f"witness.{queue}")
    if action == "requeue":  # it is still the active one, once it has settled
        late[0].ack(held.tag)
        held = late[0].delivery()
        assert held.seen == (b"0", True)
        late[0].close()
    event = late[1].delivery()
    assert event.seen == (b"0", True)
    outlast(connect(to=own).channel(), f"witness2.{queue}")
    if action != "close":
        late[1].ack(event.tag)
        late[1].peer.sync()
    late[1].peer.reset()
    last = connect(to=own).channel()
    last.qos(1)
    last.consume(queue)
    bodies = []
    for _ in range(10):
        event = last.delivery()
        bodies.append(event.body)
        last.ack(event.tag)
    assert bodies == [b"%d" % number for number in range(10)]

"""How many deliveries a consumer, or a channel, may hold (RabbitMQ: consumer prefetch)."""

import pytest

from amqplite.protocol.methods import BasicConsume, BasicConsumeOk, BasicQos, BasicQosOk
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name
from tests.wire.events import Event


def publish(channel: Channel, queue: str, count: int = 10) -> None:
    channel.declare(queue)
    for number in range(1, count + 1):
        channel.publish(b"%d" % number, queue)
    channel.peer.sync()


def numbers(events: list[Event]) -> list[int]:
    return [int(event.body) for event in events]


@pytest.mark.parametrize(
    "over_channel",
    [
        pytest.param(True, id="channel"),
        pytest.param(
            False,
            id="consumer",
            marks=pytest.mark.beyond_rabbitmq("it keeps what a consumer started with"),
        ),
    ],
)
def test_a_raised_prefetch_reaches_the_consumer_that_runs(
    channel: Channel, queue: str, over_channel: bool
) -> None:
    publish(channel, queue)
    channel.qos(2, over_channel=over_channel)
    channel.consume(queue)
    assert numbers(channel.received()) == [1, 2]
    for prefetch, more in ((3, [3]), (5, [4, 5])):
        channel.qos(prefetch, over_channel=over_channel)
        assert numbers(channel.deliveries(len(more), within_s=1)) == more
        assert channel.received() == []
    channel.ack(1)
    assert numbers(channel.received()) == [6]


@pytest.mark.parametrize("unlimited", [0, 65535])
@pytest.mark.parametrize("over_channel", [True, False], ids=["channel", "consumer"])
@pytest.mark.beyond_rabbitmq("it keeps what a consumer started with")
def test_a_prefetch_of_zero_is_no_limit(
    channel: Channel, queue: str, over_channel: bool, unlimited: int
) -> None:
    publish(channel, queue)
    channel.qos(1, over_channel=over_channel)
    channel.consume(queue)
    assert numbers(channel.received()) == [1]
    channel.qos(unlimited, over_channel=over_channel)
    assert numbers(channel.received()) == list(range(2, 11))


@pytest.mark.parametrize("over_channel", [True, False], ids=["channel", "consumer"])
@pytest.mark.beyond_rabbitmq("it keeps what a consumer started with")
def test_a_lowered_prefetch_takes_nothing_back_and_holds_from_then_on(
    channel: Channel, queue: str, over_channel: bool
) -> None:
    publish(channel, queue)
    channel.qos(5, over_channel=over_channel)
    channel.consume(queue)
    assert numbers(channel.received()) == [1, 2, 3, 4, 5]
    channel.qos(2, over_channel=over_channel)
    for tag in (1, 2, 3):
        channel.ack(tag)
    assert channel.received() == []
    channel.ack(4)
    assert numbers(channel.received()) == [6]


def test_the_limit_over_a_channel_is_for_all_its_consumers_together(
    channel: Channel, name: Name
) -> None:
    queues = name("a"), name("b")
    channel.qos(3, over_channel=True)
    for queue in queues:
        publish(channel, queue)
        channel.consume(queue)
    held = channel.received()
    assert len(held) == 3
    for _ in range(17):
        channel.ack(held.pop(0).tag)
        held += channel.received()
        assert len(held) == 3
    channel.ack(0, multiple=True)
    assert channel.received() == []
    assert [channel.depth(queue) for queue in queues] == [0, 0]


def test_both_limits_hold_side_by_side(channel: Channel, queue: str) -> None:
    publish(channel, queue)
    channel.qos(2)
    channel.qos(3, over_channel=True)
    channel.consume(queue, "first")
    channel.consume(queue, "second")
    held = channel.received()
    of_first = [event for event in held if event.method.consumer_tag == "first"]
    assert (len(held), len(of_first)) == (3, 2)
    channel.ack(of_first[0].tag)
    channel.ack(of_first[1].tag)
    by_consumer = [event.method.consumer_tag for event in channel.received()]
    assert len(by_consumer) == 2
    assert by_consumer.count("second") <= 1


def test_consumers_of_one_channel_have_a_limit_each(channel: Channel, queue: str) -> None:
    publish(channel, queue)
    channel.qos(2)
    channel.consume(queue, "first")
    channel.qos(3)
    channel.consume(queue, "second")
    by_consumer = [event.method.consumer_tag for event in channel.received()]
    assert by_consumer.count("second") == 3
    assert by_consumer.count("first") >= 2


@pytest.mark.parametrize("over_channel", [True, False], ids=["channel", "consumer"])
def test_what_needs_no_ack_is_not_counted(channel: Channel, queue: str, over_channel: bool) -> None:
    publish(channel, queue)
    channel.qos(1, over_channel=over_channel)
    channel.consume(queue, no_ack=True)
    assert numbers(channel.deliveries(10)) == list(range(1, 11))


@pytest.mark.parametrize("over_channel", [True, False], ids=["channel", "consumer"])
def test_what_was_got_is_not_counted(channel: Channel, queue: str, over_channel: bool) -> None:
    publish(channel, queue)
    channel.qos(1, over_channel=over_channel)
    assert [channel.got(queue).tag for _ in range(3)] == [1, 2, 3]
    channel.consume(queue)
    assert numbers(channel.received()) == [4]


def test_a_prefetch_is_no_other_channels_business(connect: Connect, queue: str) -> None:
    peer = connect()
    first, second = peer.channel(), peer.channel()
    publish(first, queue)
    first.qos(1)
    second.consume(queue)
    assert len(second.received()) == 10


def test_a_limit_in_octets_is_not_implemented(connect: Connect) -> None:
    peer = connect()
    peer.channel().send(BasicQos(1, 0, False))
    peer.expect_close(540, "prefetch_size!=0", by=BasicQos)


def test_the_answer_to_consume_comes_before_the_first_delivery(
    channel: Channel, queue: str
) -> None:
    publish(channel, queue)
    channel.send(BasicQos(0, 2, False), BasicConsume(queue=queue, consumer_tag="c"))
    channel.expect(BasicQosOk)
    channel.expect(BasicConsumeOk)
    assert numbers(channel.received()) == [1, 2]

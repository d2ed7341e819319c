"""A requeued message goes back to where it stood, whoever requeues it and why (§4.7)."""

from heapq import heappop, heappush
from random import Random

import pytest

from amqplite.protocol.methods import BasicNack, BasicRecover
from tests.wire.channel import Channel
from tests.wire.events import Event

ABCD = (b"a", b"b", b"c", b"d")


def publish(channel: Channel, queue: str, bodies: tuple[bytes, ...] = ABCD) -> None:
    channel.declare(queue)
    for body in bodies:
        channel.publish(body, queue)
    channel.peer.sync()


def requeue(channel: Channel, event: Event, how: str) -> None:
    if how == "nack":
        channel.nack(event.tag)
    elif how == "reject":
        channel.reject(event.tag)
    else:
        channel.call(BasicRecover(True))


@pytest.mark.parametrize("over_channel", [False, True], ids=["consumer", "channel"])
@pytest.mark.parametrize("how", ["nack", "reject", "recover"])
def test_a_requeued_message_is_the_next_to_be_delivered(
    channel: Channel, queue: str, how: str, over_channel: bool
) -> None:
    publish(channel, queue)
    channel.qos(1, over_channel=over_channel)
    channel.consume(queue)
    seen = []
    for _ in range(3):
        event = channel.delivery()
        seen.append(event.seen)
        requeue(channel, event, how)
    for _ in range(4):
        event = channel.delivery()
        seen.append(event.seen)
        channel.ack(event.tag)
    assert seen == [
        (b"a", False),
        (b"a", True),
        (b"a", True),
        (b"a", True),
        (b"b", False),
        (b"c", False),
        (b"d", False),
    ]
    assert channel.received() == []
    assert channel.depth(queue) == 0


def test_messages_requeued_in_any_order_are_delivered_in_the_order_of_publishing(
    channel: Channel, queue: str
) -> None:
    publish(channel, queue)
    channel.qos(3)
    tag = channel.consume(queue)
    tags = {event.body: event.tag for event in channel.deliveries(3)}
    channel.cancel(tag)
    for body in (b"c", b"a", b"b"):
        channel.nack(tags[body])
    channel.consume(queue)
    held = channel.deliveries(3)
    assert [event.seen for event in held] == [(b"a", True), (b"b", True), (b"c", True)]
    channel.ack(0, multiple=True)
    assert channel.delivery().seen == (b"d", False)


def test_a_consumer_that_requeues_part_of_what_it_holds_gets_that_again_first(
    channel: Channel, queue: str
) -> None:
    publish(channel, queue)
    channel.qos(3)
    channel.consume(queue)
    tags = {event.body: event.tag for event in channel.deliveries(3)}
    for body in (b"c", b"a", b"b"):
        channel.nack(tags[body])
        event = channel.delivery()
        assert event.seen == (body, True)
        tags[body] = event.tag
    for body in (b"b", b"c", b"a"):
        channel.ack(tags[body])
    assert channel.delivery().seen == (b"d", False)


def test_messages_requeued_in_one_write_are_delivered_in_the_order_of_publishing(
    channel: Channel, queue: str
) -> None:
    publish(channel, queue)
    for body in ABCD:
        assert channel.got(queue).body == body
    channel.send(*[BasicNack(tag, False, True) for tag in (3, 1, 4, 2)])
    assert channel.drain(queue) == [(body, True) for body in ABCD]


def test_what_was_got_and_requeued_is_got_again_before_what_came_later(
    channel: Channel, queue: str
) -> None:
    publish(channel, queue)
    assert [channel.got(queue).seen for _ in range(3)] == [(body, False) for body in ABCD[:3]]
    channel.nack(2)
    again = channel.got(queue)
    assert again.seen == (b"b", True)
    channel.nack(1)
    channel.nack(3)
    channel.nack(again.tag)
    assert channel.drain(queue) == [(b"a", True), (b"b", True), (b"c", True), (b"d", False)]


@pytest.mark.parametrize("seed", range(50))
def test_the_order_is_that_of_a_model_whatever_is_done(
    channel: Channel, queue: str, seed: int
) -> None:
    """One consumer, and a queue that is a heap of publish numbers."""
    random = Random(seed)
    channel.declare(queue)
    prefetch = random.randint(1, 4)
    channel.qos(prefetch)
    channel.consume(queue)
    ready: list[int] = []
    held: dict[int, int] = {}  # number by delivery tag
    handed_out: set[int] = set()
    published = 0
    for _ in range(25):
        if held and random.random() < 0.7:
            tag = random.choice(list(held))
            outcome = random.choice(["ack", "nack", "nack", "reject"])
            if outcome == "ack":
                channel.ack(tag)
            else:
                requeue_one = channel.nack if outcome == "nack" else channel.reject
                requeue_one(tag)
                heappush(ready, held[tag])
            del held[tag]
        else:
            channel.publish(str(published).encode(), queue)
            heappush(ready, published)
            published += 1
        while ready and len(held) < prefetch:
            number = heappop(ready)
            event = channel.delivery()
            assert event.seen == (str(number).encode(), number in handed_out)
            handed_out.add(number)
            held[event.tag] = number
        assert channel.received() == []

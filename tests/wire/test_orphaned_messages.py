"""What consumers held when they went comes back in the order of publishing, however they went."""

from collections.abc import Callable

import pytest

from amqplite.protocol.methods import BasicAck
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, until
from tests.wire.events import Event


def reset(channel: Channel) -> None:
    channel.peer.reset()


def hang_up(channel: Channel) -> None:
    channel.peer.hang_up()


def close_channel(channel: Channel) -> None:
    channel.close()


def close_connection(channel: Channel) -> None:
    channel.peer.close()


def fail(channel: Channel) -> None:
    channel.ack(9999)
    channel.expect_close(406, "unknown delivery tag 9999", by=BasicAck)


def cancel_first(channel: Channel) -> None:
    channel.cancel("taker")
    channel.close()


ENDS = [reset, hang_up, close_channel, close_connection, fail, cancel_first]


def consume(channel: Channel, queue: str) -> None:
    channel.qos(5)
    channel.consume(queue, "taker")


@pytest.mark.parametrize("ack_some", [False, True], ids=["", "some-acked"])
@pytest.mark.parametrize("first_to_go", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_what_two_consumers_held_comes_back_in_the_order_of_publishing(
    connect: Connect,
    queue: str,
    end: Callable[[Channel], None],
    first_to_go: int,
    ack_some: bool,
) -> None:
    publisher = connect().channel()
    publisher.declare(queue)
    for number in range(1, 21):
        publisher.publish(b"%d" % number, queue)
    publisher.peer.sync()
    takers = [connect().channel() for _ in range(2)]
    held: list[list[Event]] = []
    for taker in takers:
        consume(taker, queue)
        held.append(taker.deliveries(5))
    acked: set[int] = set()
    if ack_some:
        odd = held[0][::2]
        for event in odd:
            takers[0].ack(event.tag)
        acked = {int(event.body) for event in odd}
        held[0] += takers[0].deliveries(len(odd))
    left = 20 - 10 - len(acked)
    assert publisher.depth(queue) == left

    end(takers[first_to_go])
    left += 5
    until(lambda: publisher.depth(queue) == left)
    takers[1 - first_to_go].close()
    assert publisher.depth(queue) == left + 5

    heir = connect().channel()
    heir.consume(queue, no_ack=True)
    was_held = {int(event.body) for events in held for event in events}
    assert [(int(event.body), event.redelivered) for event in heir.deliveries(left + 5)] == [
        (number, number in was_held) for number in range(1, 21) if number not in acked
    ]
    assert heir.received() == []


def test_consumers_that_share_a_queue_take_turns_at_what_comes_back(
    connect: Connect, queue: str
) -> None:
    publisher = connect().channel()
    publisher.declare(queue)
    for number in range(6):
        publisher.publish(b"%d" % number, queue)
    holder = connect().channel()
    holder.consume(queue)
    holder.deliveries(6)
    heirs = [connect().channel() for _ in range(2)]
    for heir in heirs:
        heir.consume(queue)
    holder.close()
    seen = [[int(event.body) for event in heir.received()] for heir in heirs]
    assert [numbers == sorted(numbers) for numbers in seen] == [True, True]
    assert sorted(seen[0] + seen[1]) == list(range(6))
    assert [len(numbers) for numbers in seen] == [3, 3]

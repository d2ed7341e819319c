"""Deliveries whose ack is late: taken back, one by one (RabbitMQ: acknowledgement timeout).

Nothing here waits for a time to pass: what is not to happen is outlasted by what is, on a clock
that started later.
"""

from time import monotonic

import pytest

from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Name
from tests.wire.events import arguments

TIMEOUT_MS = 300
SLOW = arguments(x_consumer_timeout=TIMEOUT_MS)

pytestmark = pytest.mark.beyond_rabbitmq("it looks once a minute, and closes the channel")


def outlast(channel: Channel, queue: str, times: int = 1) -> None:
    """Return when a delivery that begins now has timed out, on a queue of its own."""
    channel.declare(queue, arguments=SLOW)
    channel.publish(b"witness", queue)
    for _ in range(times):
        witness = channel.peer.channel()
        witness.consume(queue)
        assert witness.delivery().body == b"witness"
    heir = channel.peer.channel()
    heir.consume(queue)
    assert heir.delivery().seen == (b"witness", True)
    heir.ack(1)


def test_a_late_delivery_goes_to_another_consumer_and_its_holder_lives_on(
    connect: Connect, name: Name
) -> None:
    peer = connect()
    holder, idle = peer.channel(), peer.channel()
    slow, other = name("slow"), name("other")
    holder.declare(slow, arguments=SLOW)
    holder.declare(other)
    holder.qos(1)
    holder.consume(slow, "slow")
    holder.consume(other, "other")
    holder.publish(b"m1", slow)
    held = holder.delivery()
    began = monotonic()
    heir = connect().channel()
    heir.consume(slow)
    holder.publish(b"m2", slow)
    assert heir.delivery().seen == (b"m2", False)  # not held up
    heir.ack(1)
    assert heir.delivery().seen == (b"m1", True)
    assert TIMEOUT_MS / 1000 - 0.05 < monotonic() - began < TIMEOUT_MS / 1000 + 1
    heir.ack(2)
    heir.peer.sync()

    peer.quiet()  # neither a cancel nor a close
    holder.publish(b"for other", other)
    event = holder.delivery()
    assert (event.method.consumer_tag, event.body) == ("other", b"for other")
    holder.ack(event.tag)
    holder.ack(held.tag)  # late: it settles nothing, and is no error
    peer.quiet()
    assert idle.depth(slow) == 0


def test_a_consumer_with_a_late_delivery_gets_no_more_until_it_settles_it(
    channel: Channel, queue: str
) -> None:
    channel.declare(queue, arguments=SLOW)
    channel.qos(5)
    channel.consume(queue)
    channel.publish(b"m1", queue)
    late = channel.delivery()
    spare = channel.peer.channel()
    spare_queue = f"witness.{queue}"
    outlast(spare, spare_queue)
    channel.publish(b"m2", queue)
    assert channel.received() == []
    assert channel.depth(queue) == 2
    channel.ack(late.tag)
    assert [event.seen for event in channel.deliveries(2)] == [(b"m1", True), (b"m2", False)]


@pytest.mark.parametrize("settle", ["ack", "nack", "reject", "drop"])
def test_a_late_answer_settles_nothing_that_another_consumer_holds(
    connect: Connect, queue: str, settle: str
) -> None:
    late, heir = connect().channel(), connect().channel()
    late.declare(queue, arguments=SLOW)
    late.publish(b"m", queue)
    late.consume(queue)
    tag = late.delivery().tag
    heir.consume(queue, arguments=arguments(x_consumer_timeout=60_000))
    assert heir.delivery().seen == (b"m", True)
    if settle == "ack":
        late.ack(tag)
    elif settle == "nack":
        late.nack(tag)
    else:
        late.reject(tag, requeue=settle == "reject")
    late.peer.quiet()
    assert late.depth(queue) == 0
    heir.peer.reset()
    third = connect().channel()
    third.consume(queue)
    assert third.delivery().seen == (b"m", True)
    third.ack(1)
    third.peer.quiet()


def test_a_late_ack_after_the_heirs_is_no_error(connect: Connect, queue: str) -> None:
    late, heir = connect().channel(), connect().channel()
    late.declare(queue, arguments=SLOW)
    late.publish(b"m", queue)
    late.consume(queue)
    tag = late.delivery().tag
    heir.consume(queue)
    heir.ack(heir.delivery().tag)
    heir.peer.sync()
    late.ack(tag)
    late.peer.quiet()
    late.close()
    assert heir.depth(queue) == 0


def test_a_late_ack_settles_once_and_a_second_is_an_unknown_tag(
    connect: Connect, queue: str
) -> None:
    late, heir = connect().channel(), connect().channel()
    late.declare(queue, arguments=SLOW)
    late.publish(b"m", queue)
    tag = late.got(queue).tag
    heir.consume(queue)
    heir.delivery()
    late.ack(tag)
    late.peer.quiet()
    late.ack(tag)
    late.expect_close(406, f"unknown delivery tag {tag}$")


def test_a_range_of_acks_settles_what_is_in_time_and_passes_over_what_is_late(
    connect: Connect, queue: str
) -> None:
    late, heir = connect().channel(), connect().channel()
    late.declare(queue)
    late.publish(b"m1", queue)
    late.consume(queue, arguments=SLOW)
    late.delivery()
    outlast(heir, f"witness.{queue}")
    for body in (b"m2", b"m3"):
        late.publish(body, queue)
    assert [late.got(queue).seen for _ in range(2)] == [(b"m1", True), (b"m2", False)]
    late.ack(3, multiple=True)  # the first stands for nothing by now
    assert late.delivery().seen == (b"m3", False)
    late.close()
    assert heir.drain(queue) == [(b"m3", True)]


def test_the_clock_of_each_delivery_is_its_own(connect: Connect, queue: str) -> None:
    holder, heir = connect().channel(), connect().channel()
    holder.declare(queue)
    holder.consume(queue, arguments=arguments(x_consumer_timeout=4 * TIMEOUT_MS))
    holder.publish(b"m1", queue)
    holder.delivery()
    outlast(connect().channel(), f"witness.{queue}")
    began = monotonic()
    holder.publish(b"m2", queue)
    holder.delivery()
    heir.consume(queue)
    assert heir.delivery().seen == (b"m1", True)
    assert monotonic() - began < 3.7 * TIMEOUT_MS / 1000
    assert heir.delivery().seen == (b"m2", True)
    assert monotonic() - began > 3.8 * TIMEOUT_MS / 1000


def test_what_needs_no_ack_never_times_out(connect: Connect, queue: str) -> None:
    channel = connect().channel()
    channel.declare(queue, arguments=SLOW)
    channel.consume(queue, no_ack=True)
    channel.publish(b"m", queue)
    channel.delivery()
    outlast(connect().channel(), f"witness.{queue}", times=2)
    assert channel.received() == []
    assert channel.depth(queue) == 0


def test_a_timeout_of_zero_is_none(connect: Connect, queue: str) -> None:
    channel = connect().channel()
    channel.declare(queue, arguments=SLOW)
    channel.consume(queue, arguments=arguments(x_consumer_timeout=0))
    channel.publish(b"m", queue)
    channel.delivery()
    outlast(connect().channel(), f"witness.{queue}", times=2)
    assert channel.depth(queue) == 0
    channel.ack(1)
    channel.close()
    assert channel.reopen().depth(queue) == 0


def test_what_was_got_is_taken_back_too(connect: Connect, queue: str) -> None:
    holder, heir = connect().channel(), connect().channel()
    holder.declare(queue, arguments=SLOW)
    holder.publish(b"m", queue)
    tag = holder.got(queue).tag
    heir.consume(queue)
    assert heir.delivery().seen == (b"m", True)
    holder.ack(tag)
    holder.peer.quiet()


@pytest.mark.parametrize(
    ("of_queue", "of_consumer", "comes_back"),
    [
        (None, None, False),
        (TIMEOUT_MS, None, True),
        (None, TIMEOUT_MS, True),
        (60_000, TIMEOUT_MS, True),
        (TIMEOUT_MS, 60_000, False),
    ],
)
def test_a_consumers_timeout_comes_before_its_queues_and_that_before_the_brokers(
    connect: Connect, queue: str, of_queue: int | None, of_consumer: int | None, comes_back: bool
) -> None:
    channel, heir = connect().channel(), connect().channel()
    timeouts = [
        b"" if timeout is None else arguments(x_consumer_timeout=timeout)
        for timeout in (of_queue, of_consumer)
    ]
    channel.declare(queue, arguments=timeouts[0])
    channel.consume(queue, arguments=timeouts[1])
    channel.publish(b"m", queue)
    channel.delivery()
    heir.consume(queue)
    if comes_back:
        assert heir.delivery().seen == (b"m", True)
    else:
        outlast(connect().channel(), f"witness.{queue}")
        assert heir.received() == []

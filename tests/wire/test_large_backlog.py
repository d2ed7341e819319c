"""Many messages that nobody takes: memory and a start know little of how many (§2.1)."""

from dataclasses import dataclass

import pytest

from amqplite.protocol.methods import BasicAck, QueueDeclare
from amqplite.protocol.properties import Properties
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Start
from tests.wire.events import PERSISTENT, TRANSIENT, Event, Ledger
from tests.wire.memory import resident_bytes

MIB = 1024 * 1024
AHEAD = 20_000
"""More than a queue has in memory, with what is on its way to the disk."""

ALLOWANCE = 4 * MIB
"""What an allocator may keep for itself, however many messages there are."""

BATCH, DIGITS = 1000, 12


@dataclass(frozen=True, slots=True)
class Backlog:
    """So many queues with so many messages each, and one with many more.

    Attributes:
        size: of a body, in octets.
    """

    queues: int
    each: int
    deep: int
    size: int


SMALL = Backlog(queues=100, each=200, deep=60_000, size=50)
LARGE = Backlog(queues=200, each=5_000, deep=500_000, size=1024)


class Publisher:
    """A channel that publishes numbered messages, and waits for their confirms."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel.confirm()
        self._ledger = Ledger(0)

    def fill(
        self, queue: str, numbers: range, size: int, properties: Properties = PERSISTENT
    ) -> None:
        """Publish messages with these numbers, and return when all are confirmed."""
        channel, ledger = self.channel, self._ledger
        mark = b"#" * DIGITS
        octets = channel.publication(mark + bytes(size), queue, properties=properties)
        before, after = octets.split(mark)
        for at in range(0, len(numbers), BATCH):
            batch = numbers[at : at + BATCH]
            channel.peer.send_octets(
                b"".join(before + b"%0*d" % (DIGITS, n) + after for n in batch)
            )
            ledger.extend(len(batch))
            while len(ledger.open) > 5 * BATCH:
                ledger.settle(channel.expect(BasicAck))
            channel.peer.log.clear()
        while ledger.open:
            ledger.settle(channel.expect(BasicAck))
        ledger.outcomes.clear()
        channel.peer.sync()  # transient ones are confirmed before they are out of memory


def number_of(event: Event | None) -> int:
    assert event is not None
    return int(event.body[:DIGITS])


def expect_numbers(channel: Channel, queue: str, numbers: range) -> None:
    """Consume until the last of `numbers` has come, all in their order and each once."""
    tag = channel.consume(queue, no_ack=True)
    for number in numbers:
        assert number_of(channel.delivery()) == number
        channel.peer.log.clear()
    channel.cancel(tag)
    assert channel.received() == []


def started_again(broker: BrokerProcess, connect: Connect, *, killed: bool) -> Channel:
    broker.kill() if killed else broker.stop()
    broker.start()
    return connect(to=broker).channel()


def hold(start: Start, connect: Connect, backlog: Backlog) -> None:
    broker = start()
    empty = resident_bytes(broker.pid)
    publisher = Publisher(connect(to=broker).channel())
    channel = publisher.channel
    queues = [channel.declare(f"q{number}") for number in range(backlog.queues)]
    channel.declare("deep")

    publisher.fill("deep", range(AHEAD), backlog.size)
    before = resident_bytes(broker.pid)
    publisher.fill("deep", range(AHEAD, backlog.deep), backlog.size)
    assert resident_bytes(broker.pid) - before < 100 * (backlog.deep - AHEAD) + ALLOWANCE
    for queue in queues:
        publisher.fill(queue, range(backlog.each), backlog.size)

    for killed in (False, True):
        channel = started_again(broker, connect, killed=killed)
        assert resident_bytes(broker.pid) - empty < 10 * MIB
        assert {channel.depth(queue) for queue in queues} == {backlog.each}
        assert channel.depth("deep") == backlog.deep
        assert number_of(channel.got("deep")) == 0
        assert number_of(channel.got(queues[-1])) == 0
        channel.close()
        assert channel.reopen().depth("deep") == backlog.deep

    expect_numbers(channel, queues[0], range(backlog.each))
    expect_numbers(channel, "deep", range(backlog.deep))
    assert channel.depth("deep") == 0
    assert resident_bytes(broker.pid) - empty < 60 * MIB
    assert {channel.depth(queue) for queue in queues[1:]} == {backlog.each}


def test_a_backlog_costs_little_memory_and_a_start_none(start: Start, connect: Connect) -> None:
    hold(start, connect, SMALL)


@pytest.mark.heavy
def test_a_large_backlog_costs_no_more(start: Start, connect: Connect) -> None:
    hold(start, connect, LARGE)


def test_transient_messages_do_not_stay_in_memory_either(start: Start, connect: Connect) -> None:
    broker = start()
    publisher = Publisher(connect(to=broker).channel())
    channel, count = publisher.channel, 60_000
    channel.call(QueueDeclare(queue="deep"))
    publisher.fill("deep", range(AHEAD), 100, TRANSIENT)
    before = resident_bytes(broker.pid)
    publisher.fill("deep", range(AHEAD, count), 100, TRANSIENT)
    assert resident_bytes(broker.pid) - before < 100 * (count - AHEAD) + ALLOWANCE
    assert channel.depth("deep") == count
    expect_numbers(channel, "deep", range(count))


def test_large_bodies_do_not_stay_in_memory(start: Start, connect: Connect) -> None:
    broker = start()
    publisher = Publisher(connect(to=broker).channel())
    publisher.channel.declare("deep")
    before = resident_bytes(broker.pid)
    publisher.fill("deep", range(400), 500_000)
    # A queue's window has 16 MiB, and 32 may wait for the disk while as many are written there.
    assert resident_bytes(broker.pid) - before < 160 * MIB
    expect_numbers(publisher.channel, "deep", range(400))


def test_what_comes_to_a_backlog_while_it_is_taken_joins_at_its_end(
    start: Start, connect: Connect
) -> None:
    broker = start()
    publisher = Publisher(connect(to=broker).channel())
    publisher.channel.declare("deep")
    publisher.fill("deep", range(12_000), 20)
    consumer = connect(to=broker).channel()
    consumer.qos(500)
    consumer.consume("deep")
    taken = 0
    for first in range(12_000, 18_000, 1000):
        taken = take(consumer, range(taken, taken + 2500))
        properties = PERSISTENT if first % 2000 else TRANSIENT
        publisher.fill("deep", range(first, first + 1000), 20, properties)
    assert take(consumer, range(taken, 18_000)) == 18_000
    consumer.peer.sync()
    assert publisher.channel.depth("deep") == 0


def take(channel: Channel, numbers: range) -> int:
    """Take these messages, with an ack now and then; return the number of the next."""
    for number in numbers:
        event = channel.delivery()
        assert number_of(event) == number
        if number % 250 == 249:
            channel.ack(event.tag, multiple=True)
    return numbers.stop

"""The kinds of clients, each of which writes down what it does and sees."""

from collections.abc import Iterator
from random import Random

from amqplite.protocol.fields import from_python
from amqplite.protocol.methods import (
    BasicAck,
    ExchangeDelete,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    TxCommit,
    TxRollback,
    TxSelect,
)
from amqplite.protocol.properties import Properties, encode_properties
from tests.crash.ledger import Commit, Fuse, Ledger, Place, Sent, name_of
from tests.wire.events import Event, arguments
from tests.wire.peer import Peer

FANOUT, DIRECT = "crash.fanout", "crash.direct"
QUEUE_ARGUMENTS = arguments(x_consumer_timeout=600_000)
HOLDS_MAX = 20
"""Deliveries a consumer keeps; it acks the oldest beyond."""

IN_FLIGHT_MAX = 200
"""Publishes a publisher sends ahead of their confirms."""


class Client:
    """What the kinds of clients share."""

    def __init__(
        self, peer: Peer, name: str, ledger: Ledger, fuse: Fuse, random: Random, life: int
    ) -> None:
        self.peer, self.name, self.ledger, self.random = peer, name, ledger, random
        self.fuse, self.life = fuse, life
        self.channel = peer.channel()
        self._number = 0

    def next(self) -> Event:
        """Return what the broker says next on the channel."""
        event = self.channel.peer.await_event(self.channel.number, 10)
        self.fuse.burn()
        return event

    def message(
        self, exchange: str, key: str, queues: tuple[str, ...], *, persistent: bool
    ) -> Sent:
        """Make up a message, and write down that it is about to be sent."""
        random, self._number = self.random, self._number + 1
        name = f"{self.name}-{self._number}"
        size = random.choice((0, 10, 200, 2000)) if random.random() < 0.98 else 200_000
        body = name.encode() + b" " + random.randbytes(size)
        properties = encode_properties(some_properties(random, 2 if persistent else 1))
        sent = Sent(
            name, self.name, self.life, self._number, exchange, key, properties, body, queues,
            persistent,
        )  # fmt: skip
        self.ledger.sent[name] = sent
        return sent

    def octets(self, message: Sent) -> bytes:
        """Return a publish on the wire."""
        return self.channel.publication(
            message.body, message.routing_key, message.exchange, message.properties
        )


def some_properties(random: Random, delivery_mode: int) -> Properties:
    """Return few properties or many."""
    if random.random() < 0.5:
        return Properties(delivery_mode=delivery_mode)
    headers = from_python({"n": random.randrange(100), "deep": {"list": [1, None, "ü"]}})
    return Properties(
        content_type="text/plain",
        headers=headers if random.random() < 0.5 else None,
        delivery_mode=delivery_mode,
        priority=random.randrange(10),
        correlation_id=f"{random.getrandbits(64):x}",
        timestamp=random.getrandbits(64),
        app_id="crash",
    )


def publish(client: Client, exchange: str, key: str, queues: tuple[str, ...]) -> None:
    """Publish in bursts, and take the confirms as they come."""
    channel, random = client.channel.confirm(), client.random
    in_flight: dict[int, str] = {}
    number = 0
    while True:
        burst = []
        for _ in range(random.randint(1, 40)):
            message = client.message(exchange, key, queues, persistent=random.random() < 0.8)
            number += 1
            in_flight[number] = message.name
            burst.append(client.octets(message))
        channel.peer.send_octets(b"".join(burst))
        enough = random.choice((0, IN_FLIGHT_MAX // 2, IN_FLIGHT_MAX))
        while len(in_flight) > enough:
            confirm = client.next().method
            assert isinstance(confirm, BasicAck), confirm
            client.ledger.confirmed.update(_settled(in_flight, confirm))


def _settled(in_flight: dict[int, str], confirm: BasicAck) -> Iterator[str]:
    last = confirm.delivery_tag
    for number in [n for n in in_flight if n <= last] if confirm.multiple else [last]:
        yield in_flight.pop(number)


def commit(client: Client) -> None:
    """Publish to two queues in transactions; take some of them back."""
    client.channel.call(TxSelect())
    while True:
        sent = [
            client.message(DIRECT, "tx", ("tx.one", "tx.two"), persistent=True)
            for _ in range(client.random.randint(1, 20))
        ]
        if client.random.random() < 0.2:
            client.ledger.rolled_back.update(message.name for message in sent)
            ends: TxRollback | TxCommit = TxRollback()
        else:
            client.ledger.commits.append(Commit(sent))
            ends = TxCommit()
        client.peer.send_octets(b"".join(map(client.octets, sent)))
        client.channel.call(ends)
        client.fuse.burn()
        if isinstance(ends, TxCommit):
            client.ledger.commits[-1].done = True


class Holder:
    """Settles what a client was handed out of a queue: acks most, requeues some, holds some."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client, self._queue = client, queue
        self._held: dict[int, Place] = {}
        self._acked: list[Place] = []

    def take(self, event: Event) -> None:
        """Take a message, and settle one, or none."""
        client, random, held = self._client, self._client.random, self._held
        place = held[event.tag] = self._queue, name_of(event)
        client.ledger.handed.add(place)
        if len(held) <= HOLDS_MAX and random.random() < 0.4:
            return
        tag = random.choice(list(held)) if random.random() < 0.5 else min(held)
        place = held.pop(tag)
        if random.random() < 0.1:
            client.channel.nack(tag)
        else:
            client.ledger.acked.add(place)
            self._acked.append(place)
            client.channel.ack(tag)

    def acked(self) -> list[Place]:
        """Return what was acked since it was asked last."""
        acked, self._acked = self._acked, []
        return acked


def consume(client: Client, queue: str) -> None:
    """Consume; ask the broker for a reply now and then, which proves that older acks are done."""
    channel, holder = client.channel, Holder(client, queue)
    channel.qos(client.random.choice((HOLDS_MAX + 1, 100, 1000)))
    channel.consume(queue)
    asked: list[Place] = []
    while True:
        event = client.next()
        if isinstance(event.method, QueueDeclareOk):
            client.ledger.settled.update(asked)
            asked = []
            continue
        holder.take(event)
        if not asked and client.random.random() < 0.1:
            asked = holder.acked()
            if asked:
                channel.send(QueueDeclare(queue=queue, passive=True))


def get(client: Client, queue: str) -> None:
    """Do the same by basic.get."""
    holder = Holder(client, queue)
    while True:
        event = client.channel.get(queue)
        client.fuse.burn()
        if event is not None:
            holder.take(event)
        if client.random.random() < 0.1:
            client.channel.depth(queue)
            client.ledger.settled.update(holder.acked())


def redeclare(client: Client) -> None:
    """Declare, bind and delete durable queues and exchanges, over and over."""
    channel, random = client.channel, client.random
    while True:
        name = f"topology.{random.randrange(4)}"
        with client.ledger.changing("exchange", name, there=True):
            channel.declare_exchange(name, "topic")
        with client.ledger.changing("queue", name, there=True):
            channel.declare(name, arguments=QUEUE_ARGUMENTS)
        with client.ledger.changing("binding", name, there=True):
            channel.bind(name, name, "a.#")
        client.fuse.burn()
        if (chance := random.random()) < 0.6:
            kind, method = ("queue", QueueDelete(queue=name)) if chance < 0.3 else (
                "exchange", ExchangeDelete(exchange=name),
            )  # fmt: skip
            with (
                client.ledger.changing(kind, name, there=False),
                client.ledger.changing("binding", name, there=False),
            ):
                channel.call(method)

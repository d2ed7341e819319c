"""Clients of every kind at once, each a thread that writes down what it does and sees."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from threading import Thread

from amqplite.protocol.fields import from_python
from amqplite.protocol.methods import (
    BasicAck,
    ConnectionClose,
    ConnectionCloseOk,
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
from tests.wire.peer import HungUp, Peer

FANOUT, DIRECT = "crash.fanout", "crash.direct"
BINDINGS = (
    (FANOUT, "fan.one", ""),
    (FANOUT, "fan.two", ""),
    (DIRECT, "idle", "idle"),
    (DIRECT, "tx.one", "tx"),
    (DIRECT, "tx.two", "tx"),
)
QUEUES = ("work", "fan.one", "fan.two", "idle", "tx.one", "tx.two")
"""All queues; `idle` and the two of transactions never have a consumer."""

NO_CONSUMER = {"idle", "tx.one", "tx.two"}
QUEUE_ARGUMENTS = arguments(x_consumer_timeout=600_000)
HOLDS_MAX = 20
"""Deliveries a consumer keeps; it acks the oldest beyond."""

IN_FLIGHT_MAX = 200
"""Publishes a publisher sends ahead of their confirms."""


def declare(peer: Peer) -> None:
    """Declare all that the load needs, or see that it is there as it was."""
    channel = peer.channel()
    channel.declare_exchange(FANOUT, "fanout")
    channel.declare_exchange(DIRECT, "direct")
    for queue in QUEUES:
        channel.declare(queue)
    for exchange, queue, key in BINDINGS:
        channel.bind(queue, exchange, key)


class Load:
    """All the clients of one life of the broker.

    Args:
        life: which one.
        fuse: burns with everything that happens.
    """

    def __init__(self, port: int, ledger: Ledger, fuse: Fuse, random: Random, life: int) -> None:
        self.port, self.ledger, self.fuse, self.life = port, ledger, fuse, life
        self._errors: list[BaseException] = []
        works: list[Callable[[Client], None]] = [
            lambda client: publish(client, "", "work", ("work",)),
            lambda client: publish(client, FANOUT, "any", ("fan.one", "fan.two")),
            lambda client: publish(client, DIRECT, "idle", ("idle",)),
            commit,
            lambda client: consume(client, "work"),
            lambda client: consume(client, "work"),
            lambda client: consume(client, "fan.one"),
            lambda client: get(client, "fan.two"),
            redeclare,
        ]
        seeds = [random.randrange(1 << 32) for _ in works]
        self._threads = [
            Thread(target=self._run, args=(work, f"{life}.{index}", Random(seed)), daemon=True)
            for index, (work, seed) in enumerate(zip(works, seeds, strict=True))
        ]

    def start(self) -> None:
        """Let them loose."""
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until all have ended because the broker has, and raise what else ended one."""
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive(), "a client did not notice the broker's end"
        for error in self._errors:
            raise error

    def _run(self, work: "Callable[[Client], None]", name: str, random: Random) -> None:
        peer: Peer | None = None
        try:
            peer = Peer(self.port)
            peer.shake_hands()
            work(Client(peer, name, self.ledger, self.fuse, random, self.life))
        except (HungUp, ConnectionError):
            pass  # killed
        except BaseException as error:
            if peer is None or not agrees_to_end(peer):
                self._errors.append(error)
        finally:
            self.fuse.blown.set()  # nothing is gained by going on with one client less
            if peer is not None:
                peer.hang_up()


def agrees_to_end(peer: Peer) -> bool:
    """Whether the broker said that it stops; then read on to the end, as a client should."""
    last = peer.log[-1].method if peer.log else None
    if not isinstance(last, ConnectionClose) or last.reply_code != 320:
        return False
    with suppress(HungUp, ConnectionError):
        peer.send(0, ConnectionCloseOk())
        peer.expect_end()
    return True


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

"""What the clients know of their messages: the account a broker is held to after a crash."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise

from tests.wire.events import Event

Place = tuple[str, str]
"""`(queue, message id)`: a message in one of the queues it was routed to."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as it was published.

    Attributes:
        name: what it is called: first part of its body, up to a space.
        publisher: who published it, on one channel.
        life: which life of the broker it was published in.
        number: rises with each message of the publisher.
        properties: the octets of flags and property list.
    """

    name: str
    publisher: str
    life: int
    number: int
    exchange: str
    routing_key: str
    properties: bytes
    body: bytes
    queues: tuple[str, ...]
    persistent: bool

    @property
    def places(self) -> set[Place]:
        """Where it was routed to."""
        return {(queue, self.name) for queue in self.queues}


@dataclass(slots=True)
class Commit:
    """A transaction: publishes and acks, and whether tx.commit-ok came."""

    sent: list[Sent]
    acked: list[Place] = field(default_factory=list)
    done: bool = False


@dataclass(slots=True)
class Ledger:
    """What clients have done and seen. Each client adds what it knows, when it knows it.

    Attributes:
        sent: by name, before it is sent.
        confirmed: names of messages whose confirm has come.
        commits: transactions whose commit was sent.
        rolled_back: names of messages that were rolled back.
        handed: places whose message a client has got.
        acked: places whose ack was sent.
        settled: places whose ack was followed by a synchronous reply on the same channel.
        present: durable things, and whether they are there; `None` where the reply is missing.
    """

    sent: dict[str, Sent] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)
    commits: list[Commit] = field(default_factory=list)
    rolled_back: set[str] = field(default_factory=set)
    handed: set[Place] = field(default_factory=set)
    acked: set[Place] = field(default_factory=set)
    settled: set[Place] = field(default_factory=set)
    present: dict[tuple[str, str], bool | None] = field(default_factory=dict)

    def required(self) -> set[Place]:
        """Places that must be occupied after a crash, whatever else happened."""
        sure = [self.sent[name] for name in self.confirmed]
        sure += [message for commit in self.commits if commit.done for message in commit.sent]
        return _places(sure) - self.acked

    def allowed(self) -> set[Place]:
        """Places that may be occupied after a crash."""
        kept = [m for m in self.sent.values() if m.name not in self.rolled_back]
        return _places(kept) - self.settled

    def check(self, found: dict[str, list[Event]]) -> None:
        """Hold what is left in all the queues, in its order, to what clients know."""
        for queue, deliveries in found.items():
            for delivery in deliveries:
                self._check_content(delivery)
            names = [name_of(delivery) for delivery in deliveries]
            assert len(names) == len(set(names)), f"{queue} has a message twice: {_twice(names)}"
            self._check_order(queue, names)
        places = {(q, name_of(d)): d for q, deliveries in found.items() for d in deliveries}
        assert not (lost := self.required() - places.keys()), f"lost: {sorted(lost)}"
        assert not (risen := places.keys() - self.allowed()), f"came back: {sorted(risen)}"
        self._check_commits(set(places))
        forgotten = [p for p, d in places.items() if p in self.handed and not d.redelivered]
        assert not forgotten, f"handed out, but not marked redelivered: {forgotten}"

    @contextmanager
    def changing(self, kind: str, name: str, *, there: bool) -> Iterator[None]:
        """Note that something durable is declared or deleted; what it is like is known after."""
        if self.present.get((kind, name)) is not there:
            self.present[kind, name] = None
        yield
        self.present[kind, name] = there

    def _check_content(self, delivery: Event) -> None:
        sent = self.sent.get(name_of(delivery))
        assert sent is not None, f"a message nobody can have sent lately: {delivery}"
        assert delivery.body == sent.body
        assert delivery.header[12:] == sent.properties
        assert delivery.method.exchange == sent.exchange
        assert delivery.method.routing_key == sent.routing_key

    def _check_order(self, queue: str, names: list[str]) -> None:
        messages = [self.sent[name] for name in names]
        lives = [message.life for message in messages]
        assert lives == sorted(lives), f"{queue} mixes the lives of the broker: {names}"
        by_publisher: dict[str, list[int]] = defaultdict(list)
        for message in messages:
            by_publisher[message.publisher].append(message.number)
        for publisher, numbers in by_publisher.items():
            rising = all(a < b for a, b in pairwise(numbers))
            assert rising, f"{queue} has the messages of {publisher} in another order: {numbers}"

    def _check_commits(self, places: set[Place]) -> None:
        """See that of each transaction all happened, or nothing."""
        for commit in self.commits:
            published, acked = _places(commit.sent), set(commit.acked)
            happened = published & places
            assert happened in (set(), published), f"half of a transaction: {sorted(happened)}"
            if happened:
                assert not acked & places, "a transaction's messages are there, but not its acks"
            else:
                assert acked <= places, "a transaction's acks are there, but not its messages"


def name_of(delivery: Event) -> str:
    """Return the name of a message that came."""
    return delivery.body.split(b" ", 1)[0].decode()


def _places(messages: Iterable[Sent]) -> set[Place]:
    return {place for message in messages if message.persistent for place in message.places}


def _twice(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


class Fuse:
    """Burns down with each thing that happens, and then sets off what waits for it."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._burned = count(1)
        self.blown = threading.Event()

    def burn(self) -> None:
        """Something happened."""
        if next(self._burned) >= self._length:
            self.blown.set()

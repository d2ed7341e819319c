"""Reading from a trace what was published, and where it went."""

from collections.abc import Iterable
from dataclasses import replace

from amqplite.broker.trace import Event
from amqplite.lab.rerun.inputs import Inputs, QueueName, Sender, Sent

NOBODY = ("", "", 0)
"""In place of `(publisher, connection, channel)`."""


class Publishing:
    """Follows publishers, and messages on their way into queues.

    Args:
        inputs: takes what is found.
        start: when the recording began.
    """

    def __init__(self, inputs: Inputs, start: int) -> None:
        self._inputs = inputs
        self._start = start
        self._sent: dict[int, Sent] = {}
        self._queues: dict[int, list[QueueName]] = {}
        self._senders: dict[tuple[str, str, int], int] = {}
        self._confirming: set[int] = set()
        self._refused: dict[int, tuple[str, str]] = {}  # publisher and label, by number
        self._last: dict[tuple[str, str], int] = {}  # last number, by publisher and label
        self._left: dict[int, QueueName] = {}  # the queue that gave a message up
        self._told = 0

    @property
    def told(self) -> int:
        """How many publishes there were."""
        return self._told

    def was_there_before(self, id_: int) -> bool:
        """Return whether a message was in its queue when the recording began."""
        sent = self._sent.get(id_)
        return sent is not None and sent.there_before

    def published(self, event: Event) -> None:
        """A message was published."""
        self._told += 1
        sender = self._senders.setdefault((event.p, event.conn, event.ch), len(self._senders))
        if event.tag:
            self._confirming.add(sender)
        before = self._last.get((event.p, event.m), 0)
        self._last[event.p, event.m] = event.id
        self._sent[event.id] = Sent(
            n=event.n,
            at=event.t,
            id=event.id,
            m=event.m,
            sender=sender,
            exchange=event.exchange,
            key=event.key,
            size=event.size,
            prio=event.prio,
            again=before if before in self._refused else 0,
        )

    def returned(self, event: Event) -> None:
        """It was mandatory, and nobody wanted it."""
        if event.id in self._sent:
            self._sent[event.id] = replace(self._sent[event.id], returned=True)

    def refused(self, event: Event) -> None:
        """A queue did not take it."""
        self._refused[event.id] = (event.p, event.m)
        self._comes_to(event)

    def given_up(self, event: Event) -> None:
        """A queue made a dead letter of it."""
        self._left[event.id] = (event.v, event.q)

    def enqueued(self, event: Event) -> None:
        """It came into a queue."""
        if not event.cause:
            self._comes_to(event)
            return
        left = self._left.get(event.id)
        if left is not None:
            exchange = self._inputs.queues.get(left, {}).get("x-dead-letter-exchange", "")
            targets = self._inputs.letters.setdefault((event.v, str(exchange)), [])
            if (event.v, event.q) not in targets:
                targets.append((event.v, event.q))

    def seen(self, event: Event) -> None:
        """It is in a queue, however it came there."""
        if event.id and event.q and event.id not in self._sent:
            self._comes_to(event)

    def finish(self) -> None:
        """There are no more events."""
        inputs = self._inputs
        inputs.senders = [
            Sender(p=p, conn=conn, ch=ch, confirms=number in self._confirming)
            for (p, conn, ch), number in self._senders.items()
        ]
        if any(sent.there_before for sent in self._sent.values()):
            self._introduce_nobody()
        found = [
            replace(sent, queues=tuple(self._queues.get(sent.id, ())))
            for sent in self._sent.values()
        ]
        inputs.sent = sorted(found, key=lambda sent: (not sent.there_before, sent.at, sent.n))

    def _comes_to(self, event: Event) -> None:
        if event.id not in self._sent:
            self._sent[event.id] = Sent(
                n=event.s,
                at=self._start,
                id=event.id,
                m=event.m,
                sender=-1,
                key=event.key,
                prio=event.prio,
                there_before=True,
            )
        queues = self._queues.setdefault(event.id, [])
        if (event.v, event.q) not in queues:
            queues.append((event.v, event.q))

    def _introduce_nobody(self) -> None:
        """Have somebody to publish what nobody was seen to."""
        nobody = len(self._inputs.senders)
        p, conn, ch = NOBODY
        self._inputs.senders.append(Sender(p=p, conn=conn, ch=ch, confirms=False))
        for sent in self._sent.values():
            if sent.there_before:
                self._sent[sent.id] = replace(sent, sender=nobody)


def missing(places: Iterable[int]) -> int:
    """Return how many numbers are missing between the first and the last of these."""
    known = set(places)
    return max(known) - min(known) + 1 - len(known) if known else 0

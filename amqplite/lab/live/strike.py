"""Faults that strike real consumers of a queue, at the press of a button.

They come from the broker's side, as a network or an operator would do them. Nothing in the paths of
messages looks for them: a channel that is to lose an ack has other unacked deliveries until it has.
"""

from collections.abc import Callable, Mapping
from typing import NoReturn

from amqplite.broker.broker import Broker
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.connection.deliver import Consumer
from amqplite.connection.unacked import Checkout, Unacked
from amqplite.errors import ConnectionForced, NotFound, PreconditionFailed

ALLOWED_BY = "x-lab-faults"
"""The argument that a queue is declared with, as true, where its clients may be struck."""


def may_be_struck(queue: Queue) -> bool:
    """Return whether whoever declared a queue allows faults."""
    return queue.arguments.get(ALLOWED_BY) == ("t", True)


def strike(broker: Broker, queue: Queue, target: str, do: str, by: str) -> None:
    """Have a fault befall a consumer.

    Args:
        broker: whose trace tells of it.
        queue: the consumer's.
        target: the consumer, by its name in the trace, or its tag.
        do: one of `STRIKES`.
        by: who wants it.

    Raises:
        PreconditionFailed: it is no such fault, or several consumers have that tag.
        NotFound: there is no such consumer.
    """
    if do not in STRIKES:
        known = ", ".join(STRIKES)
        raise PreconditionFailed(f"do: '{do}' can't be done to a real client; {known} can")
    consumer = consumer_named(broker, queue, target)
    name = names_of(broker, queue)[consumer]
    broker.trace.mark("fault", v=queue.vhost, q=queue.name, c=name, text=do, by=by)
    STRIKES[do](consumer)


def names_of(broker: Broker, queue: Queue) -> dict[Consumer, str]:
    """Return the consumers of a queue, each with its name in the trace, or else its tag."""
    recorded = queue.order.tape is not None
    consumers = [one for one in queue.consumers if isinstance(one, Consumer)]
    return {one: broker.trace.holder(one)[0] if recorded else one.tag for one in consumers}


def consumer_named(broker: Broker, queue: Queue, target: str) -> Consumer:
    """Return a consumer by name or tag; raises as `strike` does."""
    names = names_of(broker, queue)
    found = [one for one, name in names.items() if name == target]
    found = found or [one for one in names if one.tag == target]
    if not found:
        raise NotFound(f"no consumer '{target}' on queue '{queue.name}'")
    if len(found) > 1:
        raise PreconditionFailed(
            f"target: {len(found)} consumers have the tag '{target}'; trace the queue, and name one"
        )
    return found[0]


def _crash(consumer: Consumer) -> None:
    """Cut the connection."""
    consumer.channel.connection.lost(Cause.LAB_FAULT)


def _cancel(consumer: Consumer) -> None:
    """Cancel it, as if its queue were gone; what it holds stays unacked."""
    queue, channel = consumer.queue, consumer.channel
    queue.remove_consumer(consumer)
    channel.trace.forget(consumer)
    channel.consumer_cancelled(consumer)
    queue.dispatch()


class _Losing(Unacked):
    """Unacked deliveries of which the next ack gets lost, with the connection it came on.

    Whatever settles a delivery counts, but not what settles none that a consumer holds.
    """

    __slots__ = ()

    def pop(self, tag: int) -> Checkout:  # type: ignore[override]
        """An ack has come."""
        self._lose_if_held([tag])
        return super().pop(tag)

    def take(self, tag: int, multiple: bool) -> list[tuple[int, Checkout]]:
        """Several acks have come in one, or a nack."""
        self._lose_if_held([t for t in self if t == tag or (multiple and (tag == 0 or t < tag))])
        return super().take(tag, multiple)

    def take_one(self, tag: int) -> Checkout:
        """Take a delivery back whose ack is late, which is none that could get lost."""
        self.__class__ = Unacked  # type: ignore[assignment]
        checkout = self.take_one(tag)
        self.__class__ = _Losing
        return checkout

    def _lose_if_held(self, tags: list[int]) -> None:
        for tag in tags:
            consumer = self[tag][2]
            if consumer is not None:
                self.__class__ = Unacked  # type: ignore[assignment]
                _lost(consumer, tag)


def _lost(consumer: Consumer, tag: int) -> NoReturn:
    channel, queue = consumer.channel, consumer.queue
    name = names_of(channel.broker, queue).get(consumer, consumer.tag)  # it may be cancelled
    channel.trace.mark("ack_lost", v=queue.vhost, q=queue.name, c=name, tag=tag)
    channel.connection.lost(Cause.LAB_FAULT)
    raise ConnectionForced("the lab has lost an ack")  # which ends the read, and is told nobody


def _lose_ack(consumer: Consumer) -> None:
    """Lose the next ack on its channel, and cut the connection then."""
    consumer.channel.unacked.__class__ = _Losing


STRIKES: Mapping[str, Callable[[Consumer], None]] = {
    "crash": _crash,
    "lose_ack": _lose_ack,
    "cancel": _cancel,
}
"""What can be done to a real client."""

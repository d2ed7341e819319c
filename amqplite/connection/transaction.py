"""A channel's transaction (§1.9): publishes and settlements that wait for tx.commit.

All of it happens within one call, so it reaches the store in one commit, or not at all, over any
number of queues; RabbitMQ's is atomic for one queue only.
"""

from collections.abc import Sequence
from enum import Enum

from amqplite.broker.message import Message
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.connection.unacked import Checkout

Publish = tuple[Message, Sequence[Queue], bool]
"""`(message, queues, mandatory)`: routed when it was published, to be enqueued at commit."""


class Outcome(Enum):
    """How a hand-out ended, unless the message went back to its queue."""

    ACKED = "acked"
    REJECTED = "rejected for good"


Settlement = tuple[list[tuple[int, Checkout]], Outcome | Cause]
"""`(checkouts by tag, outcome)`; a cause if they are to be requeued."""


class Transaction:
    """What a channel has done since tx.select, the last commit or the last rollback."""

    __slots__ = ("publishes", "settlements")

    def __init__(self) -> None:
        self.publishes: list[Publish] = []
        self.settlements: list[Settlement] = []

    def take(self) -> tuple[list[Publish], list[Settlement]]:
        """Return all there is, and start anew."""
        taken = self.publishes, self.settlements
        self.publishes, self.settlements = [], []
        return taken

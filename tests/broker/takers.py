"""Consumers without a channel, and messages without a publisher."""

from amqplite.broker.message import Entry, Message, restored


def message_of(body: bytes, *, persistent: bool = True, routing_key: str = "q") -> Message:
    """Return a message as if it had been published to the default exchange."""
    properties = b"\x10\x00\x02" if persistent else b"\x10\x00\x01"
    return restored("", routing_key, properties, body, persistent)


class Taker:
    """A consumer that keeps what it is given.

    Args:
        prefetch: how many it holds at most; 0 for any number.
        log: where to write down all deliveries, if several takers share one.

    Attributes:
        held: what it took and hasn't settled, oldest first.
        got: `(body, redelivered)` of all it ever took.
        full: it takes nothing, as if its outbox were full.
        gone: its queue has told it that it is gone.
    """

    def __init__(
        self,
        prefetch: int = 0,
        *,
        no_ack: bool = False,
        priority: int = 0,
        exclusive: bool = False,
        log: list[tuple["Taker", Entry, bool]] | None = None,
    ) -> None:
        self.prefetch = prefetch
        self.no_ack = no_ack
        self.priority = priority
        self.exclusive = exclusive
        self.parked = True
        self.full = False
        self.gone = False
        self.held: list[Entry] = []
        self.got: list[tuple[bytes, bool]] = []
        self.log = [] if log is None else log

    def deliver(self, entry: Entry, /) -> bool | None:
        if self.full:
            self.parked = True
            return None
        redelivered = entry.deliveries > 0
        entry.deliveries += 1
        self.got.append((entry.message.body, redelivered))
        self.log.append((self, entry, redelivered))
        if not self.no_ack:
            self.held.append(entry)
        if self.welcome():
            return True
        self.parked = True
        return False

    def welcome(self) -> bool:
        if self.no_ack:
            return not self.full
        return not self.full and (not self.prefetch or len(self.held) < self.prefetch)

    def cancelled(self) -> None:
        self.gone = True

    @property
    def bodies(self) -> list[bytes]:
        """The bodies of all it took, in order."""
        return [body for body, _ in self.got]

"""A broker on a naive store, without a loop: commits happen when the test says so."""

from itertools import count

from amqplite.broker.backlog import Window
from amqplite.broker.broker import Broker, Limits
from amqplite.broker.journal import Journal
from amqplite.broker.queue import Queue
from amqplite.broker.records import Batch
from amqplite.broker.users import Users
from amqplite.broker.vhost import Vhost
from amqplite.connection.content_headers import ContentHeaders
from amqplite.protocol.fields import decode_table, encode_table, from_python
from tests.naive_store import NaiveStore

GUEST = "pbkdf2_sha256$1$AAAAAAAAAAAAAAAAAAAAAA==$rkESX0vhqLV3QyXSvv+ge04CkwLCTd4I3V3LqCKLc7I="
"""The hash of "guest", in one iteration."""

NOW = 1_700_000_000_000


class Rig:
    """A broker that can be stopped, cleanly or not, and started again.

    Args:
        limits: what the broker allows; how much of a queue is in memory.

    Attributes:
        calls: how often the journal asked for a commit.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.store = NaiveStore()
        self._names = count(1)
        self._taken: tuple[Batch | None, int] | None = None
        self.calls = 0
        self._start()
        self.broker.add_vhost("/")
        self.broker.users.put_user("guest", GUEST)
        self.broker.users.set_permissions("guest", "/", configure=".*", write=".*", read=".*")
        self.commit()

    def _start(self) -> None:
        self.journal = Journal()
        self.journal.on_append = self._called
        users = Users(self.journal.define, bytes)
        self.broker = Broker(
            NOW,
            users,
            self.journal,
            self._generate_name,
            self.store.page,
            self.limits,
            ContentHeaders(),
            labels=ContentHeaders(),
        )
        self.broker.load(self.store.load(), decode_table)

    def _called(self) -> None:
        self.calls += 1

    def _generate_name(self, prefix: str) -> str:
        return f"{prefix}{next(self._names)}"

    @property
    def vhost(self) -> Vhost:
        return self.broker.vhosts["/"]

    def queue(self, name: str = "q", *, durable: bool = True, **settings: object) -> Queue:
        """Return the queue of that name; declare it if there is none.

        Args:
            name: the queue's.
            durable: whether it is to be.
            settings: its arguments, without the `x-` and as plain values.
        """
        if name in self.vhost.queues:
            return self.vhost.queues[name]
        table = from_python({f"x-{key.replace('_', '-')}": v for key, v in settings.items()})
        octets = encode_table(table)
        return self.vhost.declare_queue(
            None, name, self, durable=durable, arguments=table, octets=octets
        )

    # -- commits ---------------------------------------------------------------------------------

    @property
    def committing(self) -> bool:
        """Whether a batch was taken and isn't on disk yet."""
        return self._taken is not None

    def take(self) -> None:
        """Begin a commit: take what has gathered."""
        assert self._taken is None
        self._taken = self.journal.take()

    def write(self) -> None:
        """End the commit that was begun."""
        assert self._taken is not None
        (batch, position), self._taken = self._taken, None
        if batch is not None:
            self.store.commit(batch)
        self.journal.committed(position)

    def commit(self) -> None:
        """Commit until nothing is left to be."""
        if self._taken is not None:
            self.write()
        while self.journal.position > self.journal.taken:
            self.take()
            self.write()

    # -- the end ---------------------------------------------------------------------------------

    def crash(self, *, written: bool = False) -> None:
        """Lose all that is not in the store, and start again.

        Args:
            written: the commit under way has reached the disk, and nobody has heard of it.
        """
        if written and self._taken is not None and self._taken[0] is not None:
            self.store.commit(self._taken[0])
        self._taken = None
        self._start()

    def stop_and_start(self) -> None:
        """Stop as the application does when all connections have ended, and start again."""
        self.broker.record_handed_out()
        self.commit()
        self._start()

    @property
    def idle(self) -> bool:
        """Whether the store has it all."""
        return self.journal.position == self.journal.durable


def tiny(messages: int = 3, octets: int = 1000) -> Limits:
    """Return limits with so small a window that messages spill and are read back all the time."""
    return Limits(window=Window(messages, octets))

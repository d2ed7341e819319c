"""A broker on a timeline: the same code as the one on the network, without network, disk, or time.

It starts empty and is always the same: its clock, the names it makes up and the numbers of its
messages begin anew with each.
"""

from collections.abc import Callable
from itertools import count

import trio

from amqplite.broker.broker import Broker, Limits
from amqplite.broker.journal import Journal
from amqplite.broker.users import Users
from amqplite.broker.vhost import Vhost
from amqplite.client.target import Target
from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.connection.content_headers import ContentHeaders
from amqplite.lab.playing.timeline import Timeline
from amqplite.lab.playing.wire import End, wire
from amqplite.server.clock import Clock
from amqplite.server.flusher import Flusher
from amqplite.server.session import Session

EPOCH_MS = 1_700_000_000_000
"""The time at which every one of them begins."""

TARGET = Target(heartbeat_s=0)
"""Who its clients are."""

_BROKERS_TIME = -1  # its own deadlines come before what actors do at the same time
_PASSWORD = "pbkdf2_sha256$1$AAAAAAAAAAAAAAAAAAAAAA==$rkESX0vhqLV3QyXSvv+ge04CkwLCTd4I3V3LqCKLc7I="


class VirtualClock(Clock):
    """The broker's clock, on a timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._started_s = 0.0
        self._offset_s = EPOCH_MS / 1000

    def now_ms(self) -> int:
        """Return the time, to the nearest millisecond."""
        return EPOCH_MS + round(self._timeline.now * 1000)

    def now_us(self) -> int:
        """Return the microseconds since the begin, to the nearest."""
        return round(self._timeline.now * 1_000_000)


class VirtualBroker:
    """A broker, and wires to it.

    Args:
        timeline: the clock that trio runs on.
        nursery: where its sessions run.

    Attributes:
        broker: which has one vhost, and one user for `TARGET`.
    """

    def __init__(self, timeline: Timeline, nursery: trio.Nursery) -> None:
        self._timeline = timeline
        self._nursery = nursery
        self._clock = VirtualClock(timeline)
        self._flusher = Flusher()
        self._wires = count(1)
        self._limits = ConnectionLimits(heartbeat_s=0)
        self.broker = new_broker(self._clock.now_us)
        self.broker.journal.on_append = self._commit_soon
        self.broker.on_deadline = self._advance_soon

    @property
    def vhost(self) -> Vhost:
        """The vhost that its clients enter."""
        return self.broker.vhosts[TARGET.vhost]

    async def dial(self) -> End:
        """Return a client's end of a new connection."""
        number = next(self._wires)
        client, ours = wire(self._timeline, number)
        session = Session(
            ours,
            self.broker,
            self._clock,
            Peer(f"wire {number}", True),
            self._limits,
            self._flusher,
            on_fault=_raise,
        )
        self._nursery.start_soon(session.run)
        return client

    # -- time ------------------------------------------------------------------------------------

    def _advance_soon(self) -> None:
        self._timeline.call_at(self._timeline.now, _BROKERS_TIME, self._advance)

    def _advance(self) -> None:
        deadline = self.broker.advance(self._clock.now_ms())
        if deadline is not None:
            when = max((deadline - EPOCH_MS) / 1000, self._timeline.now)
            self._timeline.call_at(when, _BROKERS_TIME, self._advance)

    # -- the journal, which leads nowhere --------------------------------------------------------

    def _commit_soon(self) -> None:
        self._timeline.call_at(self._timeline.now, _BROKERS_TIME, self._commit)

    def _commit(self) -> None:
        commit(self.broker)


def new_broker(clock: Callable[[], int]) -> Broker:
    """Return a broker at `EPOCH_MS`, whose clock tells microseconds since then.

    Its trace tells of everything, however much happens at once.
    """
    journal, names = Journal(), count(1)
    users = Users(journal.define, bytes)
    broker = Broker(
        EPOCH_MS,
        users,
        journal,
        lambda prefix: f"{prefix}{next(names)}",
        limits=Limits(consumer_timeout_ms=0),
        codec=ContentHeaders(),
        clock=clock,
        labels=ContentHeaders(),
    )
    users.put_user(TARGET.user, _PASSWORD)
    broker.add_vhost(TARGET.vhost)
    users.set_permissions(TARGET.user, TARGET.vhost, configure=".*", write=".*", read=".*")
    commit(broker)
    broker.trace.whole = True
    return broker


def commit(broker: Broker) -> None:
    """Take the journal's changes nowhere, and say that they are there."""
    journal = broker.journal
    while journal.position > journal.taken:
        _, position = journal.take()
        journal.committed(position)


def _raise(fault: Exception) -> None:
    raise fault

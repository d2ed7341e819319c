"""The broker: vhosts, users, the journal, alarms, and the passing of time.

Everything in this package is synchronous and deterministic: time comes by `advance`, generated
names by an injected function, and durable effects leave through the journal.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from amqplite.broker.alarms import Alarms
from amqplite.broker.arguments import Arguments
from amqplite.broker.backlog import Window
from amqplite.broker.dead_letters import HeaderCodec
from amqplite.broker.journal import Journal
from amqplite.broker.recorder import Labels, Recorder
from amqplite.broker.records import Delete, Loaded, Put, Stored, VhostRow
from amqplite.broker.shelf import Page
from amqplite.broker.users import User, Users
from amqplite.broker.vhost import Services, Vhost
from amqplite.errors import NotAllowed

Call = Callable[[int], object]

Appointment = list[Any]
"""`[when_ms, number, call]`; the call is `None` once it was cancelled."""


def no_pages(_first: int, _last: int, _limit: int) -> list[Stored]:
    """Read from a store that holds nothing."""
    return []


@dataclass(frozen=True, slots=True)
class Limits:
    """What the broker allows, from the settings.

    Attributes:
        consumer_timeout_ms: how long a delivery may stay unacked; 0 is for ever.
        window: how many ready messages of a queue may be in memory.
    """

    consumer_timeout_ms: int = 1_800_000
    window: Window = field(default_factory=Window)


class Broker:
    """All there is between the connections and the store.

    Args:
        now: milliseconds since the epoch.
        generate_name: makes a name nobody has, given its prefix.
        page: reads stored messages, see `Store.page`.
        codec: reads and writes the headers of dead letters; without it they are dropped.
        clock: tells the microseconds since some moment, for the trace; without it they are
            those of `now`.
        labels: reads message-ids, for the trace.

    Attributes:
        now: the time of the last `advance`.
        trace: what happened to messages, where that is recorded.
        connections: those that are open, oldest first.
        pressure: the queues whose publishers are ahead of their consumers.
        on_deadline: called when a deadline is set that comes before all others.
    """

    def __init__(
        self,
        now: int,
        users: Users,
        journal: Journal,
        generate_name: Callable[[str], str],
        page: Page = no_pages,
        limits: Limits | None = None,
        codec: HeaderCodec | None = None,
        clock: Callable[[], int] | None = None,
        labels: Labels | None = None,
    ) -> None:
        self.now = now
        self.trace = Recorder(clock or (lambda: (self.now - now) * 1000), labels)
        self.limits = limits or Limits()
        self.users = users
        self.journal = journal
        self.alarms = Alarms()
        self.generate_name = generate_name
        self.vhosts: dict[str, Vhost] = {}
        self.connections: dict[object, None] = {}
        self.on_deadline: Callable[[], object] = lambda: None
        self._services = Services(
            journal,
            users,
            page,
            generate_name,
            lambda: self.now,
            self.call_at,
            self.trace,
            codec,
            self.limits.window,
        )
        self.pressure = self._services.pressure
        self._due: list[Appointment] = []
        self._calls = 0

    # -- time ------------------------------------------------------------------------------------

    def call_at(self, when_ms: int, call: Call) -> Appointment:
        """Have `call(now)` called by the `advance` that reaches `when_ms`, unless cancelled."""
        first = self._due[0][0] if self._due else None
        self._calls += 1
        appointment = [when_ms, self._calls, call]
        heappush(self._due, appointment)
        if first is None or when_ms < first:
            self.on_deadline()
        return appointment

    def cancel(self, appointment: Appointment) -> None:
        """Call nobody at that time."""
        appointment[2] = None

    def advance(self, now: int) -> int | None:
        """Let time pass up to `now`, and do what falls due, in order.

        Returns:
            The next deadline, in the same milliseconds; `None` if there is none.
        """
        self.now = now
        due = self._due
        while due and (due[0][0] <= now or due[0][2] is None):
            call = heappop(due)[2]
            if call is not None:
                call(now)
        return due[0][0] if due else None

    # -- vhosts ----------------------------------------------------------------------------------

    def vhost(self, user: User, name: str) -> Vhost:
        """Return the vhost a user enters.

        Raises:
            NotAllowed: there is none, or the user may not.
        """
        vhost = self.vhosts.get(name)
        if vhost is None:
            raise NotAllowed(f"vhost {name} not found")
        if not self.users.may_enter(user, name):
            raise NotAllowed(f"access to vhost '{name}' refused for user '{user.name}'")
        return vhost

    def add_vhost(self, name: str) -> Vhost:
        """Create a vhost, with the exchanges that every one has; or return the one there is."""
        vhost = self.vhosts.get(name)
        if vhost is None:
            vhost = self.vhosts[name] = Vhost(name, self._services)
            self.journal.define(Put(VhostRow(name)))
        return vhost

    def delete_vhost(self, name: str) -> None:
        """Delete a vhost and all that is in it; one that is not there is fine."""
        vhost = self.vhosts.pop(name, None)
        if vhost is None:
            return
        for queue in list(vhost.queues.values()):
            vhost.remove_queue(queue)
        self.users.forget_vhost(name)
        self.journal.define(Delete(VhostRow(name)))

    def record(self, vhost: str, queue: str) -> None:
        """Record what happens to the messages of a queue, which may be declared later."""
        there = self.vhosts.get(vhost)
        self.trace.record_queue(vhost, queue, None if there is None else there.queues.get(queue))

    # -- start and stop --------------------------------------------------------------------------

    def load(self, loaded: Loaded, decode: Callable[[bytes], Arguments]) -> None:
        """Bring back what the store holds; `decode` reads a field table's octets."""
        self.journal.start_after(loaded)
        for vhost in loaded.vhosts:
            self.vhosts[vhost.name] = Vhost(vhost.name, self._services)
        self.users.load(loaded.users, loaded.permissions)
        for exchange in loaded.exchanges:
            arguments = decode(exchange.arguments)
            self.vhosts[exchange.vhost].restore_exchange(exchange, arguments)
        for queue in loaded.queues:
            arguments = decode(queue.row.arguments)
            self.vhosts[queue.row.vhost].restore_queue(queue, arguments)
        self._services.queue_ids.start_without(
            loaded.purging.union(queue.row.queue_id for queue in loaded.queues)
        )
        for binding in loaded.bindings:
            self.vhosts[binding.vhost].restore_binding(binding, decode(binding.arguments))

    def record_handed_out(self) -> None:
        """Store how often each message was handed out, exactly: the last act of a clean stop.

        Call it when all connections have ended, so that nothing is unacked.
        """
        for vhost in self.vhosts.values():
            for queue in vhost.queues.values():
                if queue.durable:
                    queue.record_handed_out()

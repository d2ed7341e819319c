"""A vhost: exchanges, queues, bindings, and the rules for declaring and deleting them.

AMQP and HTTP both come here, so a check stands in one place and fails with the same words. A
`user` of `None` is the broker itself, who may do anything.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from amqplite.broker.arguments import Arguments, parse, require_equivalent
from amqplite.broker.backlog import Backlog, Window
from amqplite.broker.bindings import Bindings
from amqplite.broker.dead_letters import DeadLetters, HeaderCodec
from amqplite.broker.exchanges import PREDECLARED, Binding, Exchange
from amqplite.broker.journal import Journal
from amqplite.broker.lease import CallAt, Lease
from amqplite.broker.names import refuse_default, refuse_reserved, require_same, stripped
from amqplite.broker.queue import Pressure, Queue
from amqplite.broker.queue_ids import QueueIds
from amqplite.broker.recorder import Recorder
from amqplite.broker.records import BindingRow, Delete, ExchangeRow, LoadedQueue, Put, QueueRow
from amqplite.broker.shelf import Page
from amqplite.broker.users import User, Users
from amqplite.errors import AccessRefused, NotFound, PreconditionFailed, ResourceLocked

NO_ARGUMENTS: Arguments = {}


@dataclass(frozen=True, slots=True)
class Services:
    """What the vhosts of one broker share.

    Attributes:
        page: reads stored messages, see `Store.page`.
        generate_name: makes a name nobody has, given its prefix.
        now_ms: tells the broker's time.
        call_at: has a function called at some time, see `Broker.call_at`.
        trace: records what happens to messages.
        codec: reads and writes the headers of dead letters; without it they are dropped.
    """

    journal: Journal
    users: Users
    page: Page
    generate_name: Callable[[str], str]
    now_ms: Callable[[], int]
    call_at: CallAt
    trace: Recorder
    codec: HeaderCodec | None = None
    window: Window = field(default_factory=Window)
    queue_ids: QueueIds = field(default_factory=QueueIds)
    pressure: Pressure = field(default_factory=Pressure)


class Vhost:
    """One namespace of exchanges and queues.

    Attributes:
        revision: rises with every change that may route a message elsewhere, or make an exchange
            refuse it: what was looked up under an older one has to be looked up again.
    """

    def __init__(self, name: str, services: Services) -> None:
        self.name = name
        self.exchanges: dict[str, Exchange] = {}
        self.queues: dict[str, Queue] = {}
        self.revision = 0
        self._owned: dict[object, dict[Queue, None]] = {}  # exclusive queues by their connection
        self._services = services
        self._journal = services.journal
        self._dead_letters: DeadLetters | None = None
        if services.codec is not None:
            self._dead_letters = DeadLetters(
                self.exchanges.get, services.journal, services.codec, services.now_ms
            )
        self._removing: list[Exchange] = []
        self._bindings = Bindings(name, self.exchanges, services.journal, self._remove_exchange)
        for exchange, type_, internal in PREDECLARED:
            self.exchanges[exchange] = Exchange(
                exchange, name, type_, durable=True, internal=internal
            )

    # -- exchanges -------------------------------------------------------------------------------

    def exchange(self, name: str) -> Exchange:
        """Return an exchange.

        Raises:
            NotFound: there is none of that name.
        """
        try:
            return self.exchanges[name]
        except KeyError:
            raise NotFound(f"no exchange '{name}' in vhost '{self.name}'") from None

    def declare_exchange(
        self,
        user: User | None,
        name: str,
        type_: str,
        *,
        durable: bool = False,
        auto_delete: bool = False,
        internal: bool = False,
        arguments: Arguments = NO_ARGUMENTS,
        octets: bytes = b"",
    ) -> Exchange:
        """Create an exchange, or check that it is as asked for (exchange.declare).

        Raises:
            AccessRefused: no permission, or the name is reserved.
            PreconditionFailed: it exists and differs, or there is no such type.
        """
        name = stripped(name)
        refuse_default(name)
        self._require(user, "configure", "exchange", name)
        made = Exchange(
            name,
            self.name,
            type_,
            durable=durable,
            auto_delete=auto_delete,
            internal=internal,
            arguments=arguments,
            octets=octets,
        )
        if made.alternate is not None:
            self._require(user, "read", "exchange", name)
            self._require(user, "write", "exchange", made.alternate)
        if name in self.exchanges:
            held = self.exchanges[name]
            self._require_same_exchange(held, made)
            return held
        refuse_reserved("exchange", name)
        self.exchanges[name] = made
        self.revision += 1
        if durable:
            self._journal.define(Put(self._exchange_row(made)))
        return made

    def delete_exchange(self, user: User | None, name: str, *, if_unused: bool = False) -> None:
        """Delete an exchange and its bindings (exchange.delete); one that is not there is fine.

        Raises:
            AccessRefused: no permission, or it is one of the system's own.
            PreconditionFailed: it has bindings, and `if_unused`.
        """
        name = stripped(name)
        refuse_default(name)
        if name.startswith("amq."):
            raise AccessRefused(
                f"deletion of system exchange '{name}' in vhost '{self.name}' not allowed"
            )
        self._require(user, "configure", "exchange", name)
        exchange = self.exchanges.get(name)
        if exchange is None:
            return
        if if_unused and exchange.has_bindings:
            raise PreconditionFailed(f"exchange '{name}' in vhost '{self.name}' in use")
        self._remove_exchange(exchange)

    def _remove_exchange(self, exchange: Exchange) -> None:
        """Remove an exchange, then those it leaves unused: one by one, as chains may be long."""
        removing = self._removing
        removing.append(exchange)
        if len(removing) > 1:
            return
        try:
            for each in removing:
                self._remove_one_exchange(each)
        finally:
            removing.clear()

    def _remove_one_exchange(self, exchange: Exchange) -> None:
        del self.exchanges[exchange.name]
        self.revision += 1
        self._bindings.drop_from(exchange)
        self._bindings.drop_to(exchange)
        if exchange.durable:
            self._journal.define(Delete(self._exchange_row(exchange)))

    def _require_same_exchange(self, held: Exchange, asked: Exchange) -> None:
        for what in ("type", "durable", "auto_delete", "internal"):
            received, current = getattr(asked, what), getattr(held, what)
            require_same("exchange", held.name, self.name, what, received, current)
        received, current = asked.alternate, held.alternate
        if None not in (received, current):
            require_same("exchange", held.name, self.name, "alternate-exchange", received, current)
        elif received != current:
            raise PreconditionFailed(
                f"inequivalent arg 'alternate-exchange' for exchange '{held.name}' in vhost "
                f"'{self.name}': received {_alternate(asked)} but current is {_alternate(held)}"
            )

    def _exchange_row(self, exchange: Exchange) -> ExchangeRow:
        return ExchangeRow(
            self.name,
            exchange.name,
            exchange.type,
            exchange.auto_delete,
            exchange.internal,
            exchange.octets,
        )

    # -- bindings --------------------------------------------------------------------------------

    def bind_queue(
        self,
        user: User | None,
        owner: object,
        source: str,
        queue: str,
        routing_key: str,
        arguments: Arguments = NO_ARGUMENTS,
        octets: bytes = b"",
    ) -> None:
        """Bind a queue to an exchange (queue.bind); a binding that is there already is fine.

        Raises:
            AccessRefused: no permission, or it is the default exchange.
            NotFound: one of them is not there.
            ResourceLocked: the queue is exclusive to another connection.
            PreconditionFailed: the arguments are none the exchange can match by.
        """
        exchange, destination = self._binding_ends(user, owner, source, queue)
        self._bind(Binding(exchange.name, destination, False, routing_key, arguments, octets))

    def unbind_queue(
        self,
        user: User | None,
        owner: object,
        source: str,
        queue: str,
        routing_key: str,
        arguments: Arguments = NO_ARGUMENTS,
        octets: bytes = b"",
    ) -> None:
        """Undo `bind_queue` (queue.unbind); one that is not there is fine, nor need its ends be.

        Raises:
            AccessRefused: no permission, or it is the default exchange.
            ResourceLocked: the queue is exclusive to another connection.
        """
        with suppress(NotFound):
            exchange, destination = self._binding_ends(user, owner, source, queue)
            self._unbind(Binding(exchange.name, destination, False, routing_key, arguments, octets))

    def bind_exchange(
        self,
        user: User | None,
        source: str,
        destination: str,
        routing_key: str,
        arguments: Arguments = NO_ARGUMENTS,
        octets: bytes = b"",
    ) -> None:
        """Bind an exchange to an exchange (exchange.bind). Raises as `bind_queue` does."""
        from_, to = self._exchange_ends(user, source, destination)
        self._bind(Binding(from_.name, to, True, routing_key, arguments, octets))

    def unbind_exchange(
        self,
        user: User | None,
        source: str,
        destination: str,
        routing_key: str,
        arguments: Arguments = NO_ARGUMENTS,
        octets: bytes = b"",
    ) -> None:
        """Undo `bind_exchange` (exchange.unbind); one that is not there is fine, like above."""
        with suppress(NotFound):
            from_, to = self._exchange_ends(user, source, destination)
            self._unbind(Binding(from_.name, to, True, routing_key, arguments, octets))

    def _binding_ends(
        self, user: User | None, owner: object, source: str, queue: str
    ) -> tuple[Exchange, Queue]:
        source, queue = stripped(source), stripped(queue)
        refuse_default(source)
        self._require(user, "write", "queue", queue)
        self._require(user, "read", "exchange", source)
        destination = self.queue(queue, owner)
        return self.exchange(source), destination

    def _exchange_ends(
        self, user: User | None, source: str, destination: str
    ) -> tuple[Exchange, Exchange]:
        source, destination = stripped(source), stripped(destination)
        refuse_default(destination)
        refuse_default(source)
        self._require(user, "write", "exchange", destination)
        self._require(user, "read", "exchange", source)
        return self.exchange(source), self.exchange(destination)

    def _bind(self, binding: Binding) -> None:
        if self._bindings.add(binding):
            self.revision += 1

    def _unbind(self, binding: Binding) -> None:
        if self._bindings.remove(binding):
            self.revision += 1

    # -- queues ----------------------------------------------------------------------------------

    def queue(self, name: str, owner: object) -> Queue:
        """Return a queue that the connection `owner` may use.

        Raises:
            NotFound: there is none of that name.
            ResourceLocked: it is exclusive to another connection.
        """
        queue = self.queues.get(name)
        if queue is None:
            raise NotFound(f"no queue '{name}' in vhost '{self.name}'")
        self._require_owner(queue, owner)
        return queue

    def readable_queue(self, user: User | None, name: str, owner: object) -> Queue:
        """Return a queue to consume, get or purge from. Raises as `queue`, or AccessRefused."""
        self._require(user, "read", "queue", name)
        return self.queue(name, owner)

    def declare_queue(
        self,
        user: User | None,
        name: str,
        owner: object,
        *,
        durable: bool = False,
        exclusive: bool = False,
        auto_delete: bool = False,
        arguments: Arguments = NO_ARGUMENTS,
        octets: bytes = b"",
    ) -> Queue:
        """Create a queue, or check that it is as asked for (queue.declare).

        An exclusive queue ends with its connection, so it is never durable. An empty name has one
        generated.

        Raises:
            AccessRefused: no permission, or the name is reserved.
            ResourceLocked: it is exclusive to another connection.
            PreconditionFailed: it exists and differs, or an argument can't be.
        """
        name = stripped(name)
        generated = not name
        if generated:
            name = self._services.generate_name("amq.gen-")
        self._require(user, "configure", "queue", name)
        durable = durable and not exclusive
        held = self.queues.get(name)
        if held is not None:
            self._require_owner(held, owner)
            self._require_same_queue(held, durable, exclusive, auto_delete, arguments)
            held.on_use()
            return held
        if not generated:
            refuse_reserved("queue", name)
        settings = parse(arguments, name, self.name)
        if settings.dead_letter_exchange is not None:
            self._require(user, "read", "queue", name)
            self._require(user, "write", "exchange", settings.dead_letter_exchange)
        queue = self._new_queue(
            QueueRow(
                self._services.queue_ids.take(self._journal.durable) if durable else 0,
                self.name,
                name,
                auto_delete,
                octets,
            ),
            arguments,
            owner if exclusive else None,
        )
        if durable:
            self._journal.define(Put(_queue_row(queue)))
        return queue

    def _new_queue(self, row: QueueRow, arguments: Arguments, owner: object | None) -> Queue:
        services = self._services
        backlog = Backlog(
            self._journal, services.page, services.window, row.queue_id, services.queue_ids.take
        )
        queue = Queue(
            self.name,
            row.name,
            self._journal,
            backlog,
            queue_id=row.queue_id,
            durable=row.queue_id != 0,
            owner=owner,
            auto_delete=row.auto_delete,
            arguments=arguments,
            arguments_octets=row.arguments,
            settings=parse(arguments, row.name, self.name),
            pressure=services.pressure,
            clock=services.trace.clock,
        )
        backlog.counts_octets = queue.settings.max_length_bytes is not None
        if self._dead_letters is not None and queue.settings.dead_letter_exchange is not None:
            queue.dead_letter = self._dead_letters.publish
        expires_ms = queue.settings.expires_ms
        if expires_ms is not None:
            lease = Lease(queue, expires_ms, services.now_ms, services.call_at, self.remove_queue)
            queue.on_use = lease.renew
        self.queues[row.name] = queue
        services.trace.declared(queue)
        if owner is not None:
            self._owned.setdefault(owner, {})[queue] = None
        self.revision += 1
        self.exchanges[""].bind(_default_binding(queue))
        return queue

    def delete_queue(
        self,
        user: User | None,
        name: str,
        owner: object,
        *,
        if_unused: bool = False,
        if_empty: bool = False,
    ) -> int:
        """Delete a queue (queue.delete); return how many ready messages went with it.

        One that is not there is fine, and had none.

        Raises:
            AccessRefused: no permission.
            ResourceLocked: it is exclusive to another connection.
            PreconditionFailed: it has consumers or messages, and that was not to be.
        """
        name = stripped(name)
        self._require(user, "configure", "queue", name)
        queue = self.queues.get(name)
        if queue is None:
            return 0
        self._require_owner(queue, owner)
        if if_unused and queue.consumers:
            raise PreconditionFailed(f"queue '{name}' in vhost '{self.name}' in use")
        if if_empty and queue.ready:
            raise PreconditionFailed(f"queue '{name}' in vhost '{self.name}' not empty")
        return self.remove_queue(queue)

    def remove_queue(self, queue: Queue) -> int:
        """Remove a queue with its bindings and consumers; return how many messages were ready."""
        if self.queues.pop(queue.name, None) is None:
            return 0
        self.revision += 1
        queue.deleted = True
        self._owned.get(queue.owner, {}).pop(queue, None)
        count = queue.ready
        for consumer in list(queue.consumers):
            queue.remove_consumer(consumer)
            consumer.cancelled()
        queue.purge()
        self._services.trace.deleted(queue)
        self.exchanges[""].unbind(_default_binding(queue))
        self._bindings.drop_to(queue)
        if queue.durable:
            position = self._journal.define(Delete(_queue_row(queue)))
            self._services.queue_ids.give_back(queue.queue_id, position)
        for taken in queue.backlog.taken_ids:
            self._services.queue_ids.give_back(taken, self._journal.position)
        return count

    def remove_if_unused(self, queue: Queue) -> None:
        """Remove an auto-delete queue whose last consumer has gone."""
        if queue.auto_delete and queue.had_consumers and not queue.consumers:
            self.remove_queue(queue)

    def remove_queues_of(self, owner: object) -> None:
        """Remove the queues exclusive to a connection that ends."""
        for queue in self._owned.pop(owner, {}):
            self.remove_queue(queue)

    def _require_owner(self, queue: Queue, owner: object) -> None:
        if queue.owner is not None and queue.owner is not owner:
            self._refuse_locked(queue.name)

    def _refuse_locked(self, name: str) -> None:
        raise ResourceLocked(
            f"cannot obtain exclusive access to locked queue '{name}' in vhost '{self.name}'. It "
            "could be originally declared on another connection or the exclusive property value "
            "does not match that of the original declaration."
        )

    def _require_same_queue(
        self, held: Queue, durable: bool, exclusive: bool, auto_delete: bool, arguments: Arguments
    ) -> None:
        if exclusive != (held.owner is not None):
            self._refuse_locked(held.name)
        for what, received in (("durable", durable), ("auto_delete", auto_delete)):
            require_same("queue", held.name, self.name, what, received, getattr(held, what))
        require_equivalent(held.arguments, arguments, held.name, self.name)

    # -- restoring -------------------------------------------------------------------------------

    def restore_exchange(self, row: ExchangeRow, arguments: Arguments) -> None:
        """Bring back an exchange from the store."""
        self.exchanges[row.name] = Exchange(
            row.name,
            self.name,
            row.type,
            durable=True,
            auto_delete=row.auto_delete,
            internal=row.internal,
            arguments=arguments,
            octets=row.arguments,
        )

    def restore_queue(self, loaded: LoadedQueue, arguments: Arguments) -> None:
        """Bring back a queue from the store; its messages are read when they are needed."""
        queue = self._new_queue(loaded.row, arguments, None)
        queue.found(loaded.messages, loaded.last_seq, loaded.sent_up_to)

    def restore_binding(self, row: BindingRow, arguments: Arguments) -> None:
        """Bring back a binding from the store, after what it binds."""
        destination = (self.exchanges if row.to_exchange else self.queues)[row.destination]
        self._bindings.restore(
            Binding(
                row.source, destination, row.to_exchange, row.routing_key, arguments, row.arguments
            )
        )

    # -- checks ----------------------------------------------------------------------------------

    def _require(self, user: User | None, permission: str, kind: str, name: str) -> None:
        if user is not None:
            self._services.users.check(user, self.name, permission, kind, name)


def _queue_row(queue: Queue) -> QueueRow:
    return QueueRow(
        queue.queue_id, queue.vhost, queue.name, queue.auto_delete, queue.arguments_octets
    )


def _default_binding(queue: Queue) -> Binding:
    """Every queue is bound to the default exchange by its name (§3.1.3.1)."""
    return Binding("", queue, False, queue.name, NO_ARGUMENTS, b"")


def _alternate(exchange: Exchange) -> str:
    if exchange.alternate is None:
        return "none"
    return f"the value '{exchange.alternate}' of type 'longstr'"

"""The bindings of a vhost, found from either end, and stored if both ends are durable."""

from collections.abc import Callable

from amqplite.broker.exchanges import Binding, Exchange
from amqplite.broker.journal import Journal
from amqplite.broker.queue import Queue
from amqplite.broker.records import BindingRow, Delete, Put

Bound = Queue | Exchange
"""What a binding leads to."""


class Bindings:
    """Binds and unbinds, and knows what is bound to what.

    Args:
        vhost: its name.
        exchanges: those of the vhost, by name.
        on_unused: called with an auto-delete exchange whose last binding has gone.
    """

    def __init__(
        self,
        vhost: str,
        exchanges: dict[str, Exchange],
        journal: Journal,
        on_unused: Callable[[Exchange], object],
    ) -> None:
        self._vhost = vhost
        self._exchanges = exchanges
        self._journal = journal
        self._on_unused = on_unused
        self._to: dict[Bound, dict[Binding, None]] = {}

    def add(self, binding: Binding) -> bool:
        """Bind; return whether the binding is new.

        Raises:
            PreconditionFailed: the exchange can't match by its arguments.
        """
        source = self._exchanges[binding.source]
        if not source.bind(binding):
            return False
        self._to.setdefault(binding.destination, {})[binding] = None
        self._define(Put, source, binding)
        return True

    def restore(self, binding: Binding) -> None:
        """Bind as the store has it."""
        self._exchanges[binding.source].bind(binding)
        self._to.setdefault(binding.destination, {})[binding] = None

    def remove(self, binding: Binding) -> bool:
        """Undo the binding equal to `binding`; return whether there was one."""
        source = self._exchanges[binding.source]
        held = source.bindings.get(binding.identity)
        if held is None:
            return False
        self._drop(source, held)
        return True

    def drop_from(self, source: Exchange) -> None:
        """Undo every binding of an exchange that is being deleted."""
        for binding in list(source.bindings.values()):
            self._to[binding.destination].pop(binding, None)
            self._define(Delete, source, binding)

    def drop_to(self, destination: Bound) -> None:
        """Undo every binding to what is being deleted."""
        for binding in list(self._to.get(destination, ())):
            source = self._exchanges.get(binding.source)
            if source is not None:
                self._drop(source, binding)
        self._to.pop(destination, None)

    def _drop(self, source: Exchange, binding: Binding) -> None:
        source.unbind(binding)
        self._to[binding.destination].pop(binding, None)
        self._define(Delete, source, binding)
        if source.auto_delete and not source.has_bindings:
            self._on_unused(source)

    def _define(self, change: type[Put] | type[Delete], source: Exchange, binding: Binding) -> None:
        if source.durable and binding.destination.durable:
            self._journal.define(change(self._row(binding)))

    def _row(self, binding: Binding) -> BindingRow:
        return BindingRow(
            self._vhost,
            binding.source,
            binding.destination.name,
            binding.to_exchange,
            binding.routing_key,
            binding.octets,
        )

"""The scenery: a scenario's queues, exchanges and bindings, put up on a broker and taken down."""

from collections.abc import Callable
from contextlib import suppress

from amqplite.broker.queue import Queue as BrokerQueue
from amqplite.broker.vhost import Vhost
from amqplite.errors import NotFound
from amqplite.lab.scripts.script import Binding, Exchange, Queue, Scenario, ScenarioError
from amqplite.protocol.fields import encode_table, from_python

Cue = tuple[float, Callable[[], object]]
"""`(at, call)`: what is to be done, and when, in ticks."""


_LEADING = ("x-dead-letter-exchange", "x-dead-letter-routing-key")
"""A queue's arguments that may name other queues and exchanges of the scenario."""


class Scenery:
    """What a scenario needs on a vhost; nothing of it is durable.

    Args:
        vhost: where.
        scenario: with its parameters in their places.
        tick_us: microseconds a tick.
        name_of: what a queue or exchange is called on the vhost, given its name in the scenario.

    Attributes:
        name_of: see above.
    """

    def __init__(
        self,
        vhost: Vhost,
        scenario: Scenario,
        tick_us: int,
        name_of: Callable[[str], str],
    ) -> None:
        self._vhost = vhost
        self._scenario = scenario
        self._tick_us = tick_us
        self.name_of = name_of

    @property
    def queues(self) -> dict[str, str]:
        """What the queues are called on the vhost, by their names in the scenario."""
        return {queue.name: self.name_of(queue.name) for queue in self._scenario.queues}

    @property
    def all_names(self) -> dict[str, str]:
        """The same, exchanges included."""
        exchanges = self._scenario.exchanges
        return self.queues | {one.name: self.name_of(one.name) for one in exchanges}

    @property
    def cues(self) -> list[Cue]:
        """What is to be put up, in order; what is at 0 before the play begins."""
        scenario = self._scenario
        cues = [(0.0, self._declaring(exchange)) for exchange in scenario.exchanges]
        cues += [(queue.at, self._queueing(queue)) for queue in scenario.queues]
        cues += [(binding.at, self._binding(binding)) for binding in scenario.bindings]
        cues += [(one.until, self._unbinding(one)) for one in scenario.bindings if one.until]
        return sorted(cues, key=lambda cue: cue[0])

    def require_room(self) -> None:
        """See that nothing is in its place.

        Raises:
            ScenarioError: something is.
        """
        vhost = self._vhost
        for name in self.all_names.values():
            if name in vhost.queues or name in vhost.exchanges:
                raise ScenarioError(f"'{name}' is there already: is another run under way?")

    def clear(self) -> None:
        """Take all of it down."""
        for name in self.queues.values():
            self._vhost.delete_queue(None, name, None)
        for exchange in self._scenario.exchanges:
            self._vhost.delete_exchange(None, self.name_of(exchange.name))

    @property
    def ready(self) -> int:
        """Messages that wait in its queues."""
        return sum(queue.ready for queue in self._there())

    @property
    def unacked(self) -> int:
        """Messages that somebody holds."""
        return sum(queue.unacked for queue in self._there())

    def _there(self) -> list[BrokerQueue]:
        found = []
        for name in self.queues.values():
            with suppress(NotFound):
                found.append(self._vhost.queue(name, None))
        return found

    def _declaring(self, exchange: Exchange) -> Callable[[], object]:
        name = self.name_of(exchange.name)
        return lambda: self._vhost.declare_exchange(None, name, exchange.type)

    def _queueing(self, queue: Queue) -> Callable[[], object]:
        arguments = queue.declared(self._tick_us)
        led = {name: self._led(arguments[name]) for name in _LEADING if name in arguments}
        table = from_python({**arguments, **led})
        octets = encode_table(table)
        name = self.name_of(queue.name)
        return lambda: self._vhost.declare_queue(None, name, None, arguments=table, octets=octets)

    def _binding(self, binding: Binding) -> Callable[[], object]:
        exchange, queue = self.name_of(binding.exchange), self.name_of(binding.queue)
        return lambda: self._vhost.bind_queue(None, None, exchange, queue, binding.key)

    def _unbinding(self, binding: Binding) -> Callable[[], object]:
        exchange, queue = self.name_of(binding.exchange), self.name_of(binding.queue)
        return lambda: self._vhost.unbind_queue(None, None, exchange, queue, binding.key)

    def _led(self, value: bool | int | str) -> bool | int | str:
        """Return an argument that names a queue or exchange, as it is called on the vhost."""
        return self.all_names.get(str(value), value)

"""The queues of a re-run, on its broker: under other names, since those recorded may be any."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from amqplite.broker.arguments import QueueSettings
from amqplite.broker.queue import Queue
from amqplite.errors import AmqpError
from amqplite.lab.rerun.bench import Bench
from amqplite.lab.rerun.handouts import TIMEOUT_ARGUMENT
from amqplite.lab.rerun.inputs import QueueName
from amqplite.lab.rerun.refusal import CannotRerun
from amqplite.lab.rerun.topology import SINGLE_ACTIVE
from amqplite.protocol.fields import encode_table, from_python

NOWHERE = ("", "nowhere")
"""Exchange and routing key of what no queue takes."""

_LETTERS = "x-dead-letter-exchange"
_CARRIED = (
    *("x-max-length", "x-max-length-bytes", "x-overflow", "x-max-priority", "x-delivery-limit"),
    *("x-message-ttl", TIMEOUT_ARGUMENT, SINGLE_ACTIVE),
)
_ENDLESS = 1 << 40


class Ground:
    """Queues, and the exchanges that lead to them.

    Args:
        bench: whose broker has them.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._names: dict[QueueName, str] = {}
        self._shown: dict[str, QueueName] = {}
        self._origins: dict[str, QueueName] = {}
        self._exchanges: dict[object, str] = {}

    def declare(
        self,
        queue: QueueName,
        origin: QueueName,
        arguments: Mapping[str, Any],
        *,
        limited: bool = False,
    ) -> None:
        """Have a queue, in place of `origin`, and recorded; `limited`: it may get a limit later.

        Raises:
            CannotRerun: its arguments can't be.
        """
        if queue in self._names:
            return
        name = f"q{len(self._names)}"
        self._names[queue], self._shown[name], self._origins[name] = name, queue, origin
        told = {key: arguments[key] for key in _CARRIED if key in arguments}
        if limited:
            told.setdefault("x-max-length", _ENDLESS)
        if _LETTERS in arguments:
            told[_LETTERS] = self._exchange((origin[0], arguments[_LETTERS]))
        self._bench.broker.record("/", name)
        try:
            table = from_python(told)
            octets = encode_table(table)
            self._bench.vhost.declare_queue(None, name, None, arguments=table, octets=octets)
        except (AmqpError, ArithmeticError, TypeError, ValueError, struct.error) as error:
            raise CannotRerun("whatif.err.queue", q=queue[1], reason=error) from None

    def lead(self, exchange: tuple[str, str], queues: Sequence[QueueName]) -> None:
        """Have an exchange's dead letters, `(vhost, name)`, come to queues."""
        self._bind(self._exchange(exchange), queues)

    def route(self, queues: Sequence[QueueName]) -> tuple[str, str]:
        """Return exchange and routing key by which a message comes to all of these."""
        if not queues:
            return NOWHERE
        if len(queues) == 1:
            return "", self._names[queues[0]]
        known = tuple(queues) in self._exchanges
        exchange = self._exchange(tuple(queues))
        if not known:
            self._bind(exchange, queues)
        return exchange, ""

    def name_of(self, queue: QueueName) -> str:
        """Return what a queue is called on the broker."""
        return self._names[queue]

    def shown(self, name: str) -> QueueName:
        """Return what is shown of a queue with that name on the broker."""
        return self._shown[name]

    def origin(self, name: str) -> QueueName:
        """Return the recorded queue that it stands in the place of."""
        return self._origins[name]

    def queue(self, queue: QueueName) -> Queue:
        """Return the broker's queue."""
        return self._bench.vhost.queues[self._names[queue]]

    def change(self, queue: QueueName, arguments: Mapping[str, Any]) -> None:
        """Have a queue go by other arguments from now on, as no client could."""
        there = self.queue(queue)
        there.settings = _changed(there.settings, arguments)

    def _exchange(self, what: object) -> str:
        name = self._exchanges.get(what)
        if name is None:
            name = self._exchanges[what] = f"x{len(self._exchanges)}"
            self._bench.vhost.declare_exchange(None, name, "fanout")
        return name

    def _bind(self, exchange: str, queues: Sequence[QueueName]) -> None:
        for queue in queues:
            self._bench.vhost.bind_queue(None, None, exchange, self._names[queue], "")


def _changed(settings: QueueSettings, arguments: Mapping[str, Any]) -> QueueSettings:
    return replace(
        settings,
        max_length=arguments.get("x-max-length", settings.max_length),
        overflow=arguments.get("x-overflow", settings.overflow),
        consumer_timeout_ms=arguments.get(TIMEOUT_ARGUMENT),
        single_active_consumer=bool(arguments.get(SINGLE_ACTIVE)),
    )

"""What is controlled: a broker, where it listens, and whether it is about to stop."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from amqplite.broker.broker import Broker

if TYPE_CHECKING:
    from amqplite.control.lab.desk import Desk

NODE = "amqplite@localhost"
"""The name of the only node there is, for those who ask for one."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the broker listens.

    Attributes:
        protocol: `amqp` or `http`.
    """

    protocol: str
    host: str
    port: int

    @property
    def address(self) -> str:
        """Host and port as in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _spawn_nothing(*_: object) -> None:
    raise RuntimeError("nobody runs tasks here")


@dataclass(slots=True)
class Site:
    """The broker and what is around it.

    Attributes:
        stopping: set once the broker stops, and waits for its clients.
        spawn: starts a task that goes on behind the request, and ends with the broker.
        desk: what the lab has at hand, once somebody has asked for it.
    """

    broker: Broker
    endpoints: tuple[Endpoint, ...]
    stopping: trio.Event = field(default_factory=trio.Event)
    spawn: Callable[..., object] = _spawn_nothing
    desk: "Desk | None" = None

    @property
    def draining(self) -> bool:
        """Whether the broker stops, and waits for its clients."""
        return self.stopping.is_set()


def endpoints(listeners: Mapping[str, Iterable[trio.SocketListener]]) -> tuple[Endpoint, ...]:
    """Return where sockets listen, given them by protocol."""
    return tuple(
        Endpoint(protocol, *listener.socket.getsockname()[:2])
        for protocol, sockets in listeners.items()
        for listener in sockets
    )

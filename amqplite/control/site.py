"""What is controlled: a broker, where it listens, and whether it is about to stop."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import trio

from amqplite.broker.broker import Broker

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


@dataclass(slots=True)
class Site:
    """The broker and what is around it.

    Attributes:
        stopping: set once the broker stops, and waits for its clients.
    """

    broker: Broker
    endpoints: tuple[Endpoint, ...]
    stopping: trio.Event = field(default_factory=trio.Event)

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

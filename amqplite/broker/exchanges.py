"""Exchanges: where published messages are routed from (§3.1.3), and the bindings they route by.

An `Exchange` is what all types have in common; what its type adds is a *router*, made from the
table `EXCHANGE_TYPES`. Destinations are queues and other exchanges (RabbitMQ: exchange-to-exchange
bindings). `resolve` follows these, and alternate exchanges, until only queues are left.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from amqplite.broker.arguments import TYPE_NAMES, Arguments
from amqplite.broker.headers import Wanted, canonical, facts_of, is_met, wanted_by
from amqplite.broker.topics import TopicTrie
from amqplite.errors import PreconditionFailed

Headers = Callable[[], Arguments] | None
"""Decodes a message's headers, for whoever has to look; `None` if it has none."""

Destination = Any
"""A queue or an `Exchange`: hashable, and of no further concern here."""

PREDECLARED = (
    ("", "direct", False),
    ("amq.direct", "direct", False),
    ("amq.fanout", "fanout", False),
    ("amq.headers", "headers", False),
    ("amq.match", "headers", False),
    ("amq.rabbitmq.trace", "topic", True),
    ("amq.topic", "topic", False),
)
"""`(name, type, internal)` of the exchanges that every vhost has, all of them durable (§3.1.3)."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What makes an exchange route to a destination. Equal to one with the same identity.

    Attributes:
        source: name of the exchange.
        to_exchange: whether `destination` is an exchange.
        routing_key: the binding key.
        octets: `arguments` as they came.
        identity: what tells bindings of an exchange apart. Arguments do so as tables: by keys and
            values, whatever their order and the width of integers.
    """

    source: str
    destination: Destination = field(compare=False)
    to_exchange: bool = field(compare=False)
    routing_key: str = field(compare=False)
    arguments: Arguments = field(compare=False)
    octets: bytes = field(compare=False)
    identity: Hashable = field(init=False, repr=False)

    def __post_init__(self) -> None:
        arguments = canonical(("F", self.arguments)) if self.arguments else None
        identity = self.destination, self.routing_key, arguments
        object.__setattr__(self, "identity", identity)


class Router(Protocol):
    """How exchanges of one type route. Knows each binding by its identity."""

    USES_HEADERS: ClassVar[bool]

    def check(self, binding: Binding, /) -> None:
        """Raise `PreconditionFailed` if exchanges of this type can't have `binding`."""
        ...

    def add(self, binding: Binding, /) -> None:
        """Route by `binding`, which is new and checked."""
        ...

    def remove(self, binding: Binding, /) -> None:
        """Stop to route by `binding`, which was added."""
        ...

    def route(self, routing_key: str, headers: Headers, /) -> Sequence[Destination]:
        """See `Exchange.route`."""
        ...


class Exchange:
    """An exchange of any type.

    Attributes:
        arguments: as declared; `octets` has them as they came.
        alternate: name of the exchange to route by where this one finds no destination, `None`
            for none (RabbitMQ: alternate-exchange).
        bindings: those of which this is the source, by identity, oldest first. Change them by
            `bind` and `unbind`.
        uses_headers: whether `route` depends on headers, and not on the routing key alone.
        route: takes a routing key and headers; returns the destinations that the bindings give,
            each once, oldest binding first.

    Raises:
        PreconditionFailed: the type is unknown, or `alternate-exchange` is no text.
    """

    __slots__ = (
        "_router",
        "alternate",
        "arguments",
        "auto_delete",
        "bindings",
        "durable",
        "internal",
        "name",
        "octets",
        "route",
        "type",
        "uses_headers",
        "vhost",
    )

    def __init__(
        self,
        name: str,
        vhost: str,
        type: str,
        *,
        durable: bool = False,
        auto_delete: bool = False,
        internal: bool = False,
        arguments: Arguments | None = None,
        octets: bytes = b"",
    ) -> None:
        if type not in EXCHANGE_TYPES:
            raise PreconditionFailed(f"unknown exchange type '{type}'")
        self.name = name
        self.vhost = vhost
        self.type = type
        self.durable = durable
        self.auto_delete = auto_delete
        self.internal = internal
        self.arguments: Arguments = arguments or {}
        self.octets = octets
        self.alternate = self._declared_alternate()
        self.bindings: dict[Hashable, Binding] = {}
        self._router = EXCHANGE_TYPES[type]()
        self.uses_headers = self._router.USES_HEADERS
        self.route: Callable[[str, Headers], Sequence[Destination]] = self._router.route

    def __repr__(self) -> str:
        return f"<{self.type} exchange '{self.name}' in vhost '{self.vhost}'>"

    @property
    def has_bindings(self) -> bool:
        """Whether anything is bound to it, that is whether it is in use."""
        return bool(self.bindings)

    def check_binding(self, binding: Binding) -> None:
        """Raise `PreconditionFailed` if the type can't route by `binding`."""
        self._router.check(binding)

    def bind(self, binding: Binding) -> bool:
        """Route by `binding`; return whether it is new.

        Raises:
            PreconditionFailed: the type can't. Nothing has changed.
        """
        self._router.check(binding)
        if binding.identity in self.bindings:
            return False
        self._router.add(binding)
        self.bindings[binding.identity] = binding
        return True

    def unbind(self, binding: Binding) -> bool:
        """Remove the binding equal to `binding`; return whether there was one."""
        there = self.bindings.pop(binding.identity, None)
        if there is None:
            return False
        self._router.remove(there)
        return True

    def _declared_alternate(self) -> str | None:
        if "alternate-exchange" not in self.arguments:
            return None
        tag, name = self.arguments["alternate-exchange"]
        if tag != "S":
            raise PreconditionFailed(
                f"invalid type '{TYPE_NAMES[tag]}' for arg 'alternate-exchange' in exchange "
                f"'{self.name}' in vhost '{self.vhost}'"
            )
        return str(name, errors="surrogateescape")


class _Direct:
    """Routes to those bound with exactly the message's routing key (§3.1.3.1)."""

    USES_HEADERS: ClassVar = False

    __slots__ = ("_bound", "_routes")

    def __init__(self) -> None:
        self._bound: dict[str, dict[Hashable, Destination]] = {}
        self._routes: dict[str, tuple[Destination, ...]] = {}  # of _bound, as far as asked for

    def check(self, binding: Binding) -> None:
        """Accept any."""

    def add(self, binding: Binding) -> None:
        key = binding.routing_key
        self._bound.setdefault(key, {})[binding.identity] = binding.destination
        self._routes.pop(key, None)

    def remove(self, binding: Binding) -> None:
        key = binding.routing_key
        bound = self._bound[key]
        del bound[binding.identity]
        if not bound:
            del self._bound[key]
        self._routes.pop(key, None)

    def route(self, routing_key: str, headers: Headers) -> Sequence[Destination]:
        """Return those bound with `routing_key`: one look-up, once it has been asked for."""
        route = self._routes.get(routing_key)
        if route is None:
            if routing_key not in self._bound:
                return ()
            route = _distinct(self._bound[routing_key].values())
            self._routes[routing_key] = route
        return route


class _Fanout:
    """Routes to all, whatever the routing key (§3.1.3.2)."""

    USES_HEADERS: ClassVar = False

    __slots__ = ("_bound", "_route")

    def __init__(self) -> None:
        self._bound: dict[Hashable, Destination] = {}
        self._route: tuple[Destination, ...] | None = None  # of _bound, once asked for

    def check(self, binding: Binding) -> None:
        """Accept any."""

    def add(self, binding: Binding) -> None:
        self._bound[binding.identity] = binding.destination
        self._route = None

    def remove(self, binding: Binding) -> None:
        del self._bound[binding.identity]
        self._route = None

    def route(self, routing_key: str, headers: Headers) -> Sequence[Destination]:
        """Return all that are bound."""
        if self._route is None:
            self._route = _distinct(self._bound.values())
        return self._route


class _Topic:
    """Routes to those whose binding key matches word by word (§3.1.3.3)."""

    USES_HEADERS: ClassVar = False

    __slots__ = ("_places", "_trie")

    def __init__(self) -> None:
        self._trie = TopicTrie()
        self._places: dict[Hashable, int] = {}

    def check(self, binding: Binding) -> None:
        """Accept any."""

    def add(self, binding: Binding) -> None:
        place = self._trie.add(binding.routing_key, binding.destination)
        self._places[binding.identity] = place

    def remove(self, binding: Binding) -> None:
        self._trie.remove(binding.routing_key, self._places.pop(binding.identity))

    def route(self, routing_key: str, headers: Headers) -> Sequence[Destination]:
        """Return those whose binding key matches `routing_key`."""
        return self._trie.match(routing_key)


class _Headers:
    """Routes to those whose arguments match the message's headers (§3.1.3.4)."""

    USES_HEADERS: ClassVar = True

    __slots__ = ("_bound",)

    def __init__(self) -> None:
        self._bound: dict[Hashable, tuple[Wanted, Destination]] = {}

    def check(self, binding: Binding) -> None:
        """Refuse an `x-match` that is none (406)."""
        wanted_by(binding.arguments)

    def add(self, binding: Binding) -> None:
        self._bound[binding.identity] = wanted_by(binding.arguments), binding.destination

    def remove(self, binding: Binding) -> None:
        del self._bound[binding.identity]

    def route(self, routing_key: str, headers: Headers) -> Sequence[Destination]:
        """Return those whose arguments `headers` meet."""
        if not self._bound:
            return ()
        facts = facts_of(headers() if headers is not None else {})
        bound = self._bound.values()
        return _distinct([destination for wanted, destination in bound if is_met(wanted, facts)])


EXCHANGE_TYPES: dict[str, type[Router]] = {
    "direct": _Direct,
    "fanout": _Fanout,
    "headers": _Headers,
    "topic": _Topic,
}
"""How to route, by the name of an exchange's type."""


def _distinct(destinations: Iterable[Destination]) -> tuple[Destination, ...]:
    return tuple(dict.fromkeys(destinations))


def resolve(
    exchange: Exchange,
    routing_keys: Sequence[str],
    headers: Headers,
    look_up: Callable[[str], Exchange | None],
) -> tuple[list[Any], bool]:
    """Find the queues that a message published to `exchange` goes to.

    Args:
        exchange: where it is published to.
        routing_keys: the message's own, and any more it is to be routed by (RabbitMQ: CC and BCC).
        headers: asked for at every headers exchange on the way: let it remember what it decodes.
        look_up: finds an exchange of the vhost, `None` if it doesn't exist (any more).

    Returns:
        `(queues, depends_on_headers)`: the queues, each once, those next to `exchange` first; and
        whether any exchange on the way looked at headers. If not, the same keys lead to the same
        queues until exchanges or bindings change.
    """
    queues: dict[Any, None] = {}
    visited = {exchange: None}  # ends cycles
    waiting = [exchange]
    for source in waiting:
        destinations: dict[Destination, None] = {}
        for routing_key in routing_keys:
            destinations.update(dict.fromkeys(source.route(routing_key, headers)))
        if not destinations and source.alternate is not None:
            alternate = look_up(source.alternate)
            if alternate is not None:
                destinations[alternate] = None
        for destination in destinations:
            if not isinstance(destination, Exchange):
                queues[destination] = None
            elif destination not in visited:
                visited[destination] = None
                waiting.append(destination)
    return list(queues), any(source.uses_headers for source in visited)

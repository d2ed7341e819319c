"""Queue arguments: what `x-…` asks for, checked, and compared on redeclare (RabbitMQ: queues)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amqplite.errors import PreconditionFailed

Arguments = Mapping[str, tuple[str, Any]]
"""A field table: `(tag, value)` by name, as decoded from the wire."""

TYPE_NAMES = {
    "t": "bool",
    "b": "byte",
    "B": "unsignedbyte",
    "s": "short",
    "u": "unsignedshort",
    "I": "signedint",
    "i": "unsignedint",
    "l": "long",
    "L": "long",
    "f": "float",
    "d": "double",
    "D": "decimal",
    "T": "timestamp",
    "S": "longstr",
    "A": "array",
    "F": "table",
    "x": "binary",
    "V": "void",
}
"""What RabbitMQ's errors call the types of a field table."""

INTEGERS = frozenset("bBsuIilL")

_TEN_YEARS_MS = 315_360_000_000
_OVERFLOWS = ("drop-head", "reject-publish", "reject-publish-dlx")
_QUEUE_TYPES = ("classic", "quorum")


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """What a queue's arguments ask for; `None` where they don't say.

    Attributes:
        consumer_timeout_ms: how long a delivery may stay unacked; 0 is for ever.
        delivery_limit: redeliveries after which a message is dead-lettered.
        overflow: what to do when it is full: drop-head, reject-publish or reject-publish-dlx.
    """

    expires_ms: int | None = None
    message_ttl_ms: int | None = None
    dead_letter_exchange: str | None = None
    dead_letter_routing_key: str | None = None
    max_length: int | None = None
    max_length_bytes: int | None = None
    max_priority: int | None = None
    delivery_limit: int | None = None
    consumer_timeout_ms: int | None = None
    overflow: str = "drop-head"
    single_active_consumer: bool = False


def parse(arguments: Arguments, queue: str, vhost: str) -> QueueSettings:
    """Return what `arguments` ask for; those we don't know are carried and have no effect.

    Raises:
        PreconditionFailed: one has the wrong type or is out of range.
    """
    found: dict[str, Any] = {}
    for name, (field, check) in _KNOWN.items():
        if name in arguments:
            try:
                value = check(*arguments[name])
            except ValueError as error:
                raise PreconditionFailed(
                    f"invalid arg '{name}' for queue '{queue}' in vhost '{vhost}': {error}"
                ) from None
            if field:
                found[field] = value
    if "dead_letter_routing_key" in found and "dead_letter_exchange" not in found:
        raise PreconditionFailed(
            f"invalid arg 'x-dead-letter-routing-key' for queue '{queue}' in vhost '{vhost}': "
            "it needs x-dead-letter-exchange"
        )
    return QueueSettings(**found)


def _integer(tag: str, value: Any, low: int, high: int | None = None) -> int:
    if tag not in INTEGERS:
        raise ValueError(f"expected an integer, got a {TYPE_NAMES[tag]}")
    if value < low:
        raise ValueError(f"{value} is below {low}")
    if high is not None and value > high:
        raise ValueError(f"{value} is above {high}")
    return int(value)


def _text(tag: str, value: Any) -> str:
    if tag != "S":
        raise ValueError(f"expected a string, got a {TYPE_NAMES[tag]}")
    return bytes(value).decode(errors="surrogateescape")


def _name(tag: str, value: Any) -> str:
    text = _text(tag, value)
    if len(value) > 255:
        raise ValueError(f"{len(value)} octets are over 255")
    return text


def _one_of(tag: str, value: Any, choices: tuple[str, ...]) -> str:
    text = _text(tag, value)
    if text not in choices:
        raise ValueError(f"'{text}' is none of {', '.join(choices)}")
    return text


def _queue_type(tag: str, value: Any) -> str:
    text = _text(tag, value)
    if text not in _QUEUE_TYPES:
        raise ValueError(f"\"unsupported queue type '{text}'\"")
    return text


def _flag(tag: str, value: Any) -> bool:
    if tag != "t":
        raise ValueError(f"expected a bool, got a {TYPE_NAMES[tag]}")
    return bool(value)


def _milliseconds(tag: str, value: Any) -> int:
    return _integer(tag, value, 0, _TEN_YEARS_MS)


def _count(tag: str, value: Any) -> int:
    return _integer(tag, value, 0)


_KNOWN: dict[str, tuple[str, Any]] = {
    "x-expires": ("expires_ms", lambda t, v: _integer(t, v, 1, _TEN_YEARS_MS)),
    "x-message-ttl": ("message_ttl_ms", _milliseconds),
    "x-dead-letter-exchange": ("dead_letter_exchange", _name),
    "x-dead-letter-routing-key": ("dead_letter_routing_key", _name),
    "x-max-length": ("max_length", _count),
    "x-max-length-bytes": ("max_length_bytes", _count),
    "x-max-priority": ("max_priority", lambda t, v: _integer(t, v, 0, 255)),
    "x-delivery-limit": ("delivery_limit", lambda t, v: _integer(t, v, -1)),
    "x-consumer-timeout": ("consumer_timeout_ms", _milliseconds),
    "x-overflow": ("overflow", lambda t, v: _one_of(t, v, _OVERFLOWS)),
    "x-single-active-consumer": ("single_active_consumer", _flag),
    "x-queue-type": ("", _queue_type),
}


def require_equivalent(held: Arguments, received: Arguments, queue: str, vhost: str) -> None:
    """Check that a redeclare asks for what the queue has, as far as we know the arguments.

    Integers compare by value whatever their width, and no `x-queue-type` is the same as `classic`.

    Raises:
        PreconditionFailed: an argument differs.
    """
    for name in _KNOWN:
        ours, theirs = _comparable(name, held), _comparable(name, received)
        if ours != theirs:
            said = _spelt if name in held and name in received else _said
            raise PreconditionFailed(
                f"inequivalent arg '{name}' for queue '{queue}' in vhost '{vhost}': "
                f"received {said(name, received)} but current is {said(name, held)}"
            )


def _comparable(name: str, arguments: Arguments) -> tuple[str, Any] | None:
    if name not in arguments:
        return ("S", b"classic") if name == "x-queue-type" else None
    tag, value = arguments[name]
    return ("integer" if tag in INTEGERS else tag, value)


def _said(name: str, arguments: Arguments) -> str:
    """Tell an argument's value and type, or that there is none, as RabbitMQ does."""
    if name not in arguments:
        return "none"
    return f"the value {_spelt(name, arguments)} of type '{TYPE_NAMES[arguments[name][0]]}'"


def _spelt(name: str, arguments: Arguments) -> str:
    """Tell an argument's value alone, as RabbitMQ does where two differ in that."""
    value = arguments[name][1]
    shown = value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
    return f"'{shown}'"

"""Names of exchanges and queues: what may not be declared, and how they are compared (§3.1)."""

from amqplite.errors import AccessRefused, PreconditionFailed


def stripped(name: str) -> str:
    """Return `name` without line ends, which RabbitMQ drops on declare, bind and delete."""
    return name.replace("\r", "").replace("\n", "")


def refuse_default(exchange: str) -> None:
    """Refuse what can't be done to the default exchange.

    Raises:
        AccessRefused: it is that one.
    """
    if exchange in ("", "amq.default"):
        raise AccessRefused("operation not permitted on the default exchange")


def refuse_reserved(kind: str, name: str) -> None:
    """Refuse to create an exchange or a queue with a name of the broker's own.

    Raises:
        AccessRefused: it begins with `amq.`.
    """
    if name.startswith("amq."):
        raise AccessRefused(f"{kind} name '{name}' contains reserved prefix 'amq.*'")


def require_same(
    kind: str, name: str, vhost: str, what: str, received: object, current: object
) -> None:
    """Check that a redeclare asks for what is there.

    Raises:
        PreconditionFailed: it does not.
    """
    if received != current:
        raise PreconditionFailed(
            f"inequivalent arg '{what}' for {kind} '{name}' in vhost '{vhost}': "
            f"received '{_spelt(received)}' but current is '{_spelt(current)}'"
        )


def _spelt(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

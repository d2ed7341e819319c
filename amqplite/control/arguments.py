"""Field tables as JSON has them: plain values without their tags."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from amqplite.broker.arguments import Arguments


def plain(arguments: Arguments) -> dict[str, Any]:
    """Return the values by name: texts for `S`, base64 for `x`, numbers for `D` and `T`."""
    return {name: _plain(tag, value) for name, (tag, value) in arguments.items()}


def _plain(tag: str, value: Any) -> Any:
    convert = _CONVERT.get(tag)
    return value if convert is None else convert(value)


def _decimal(value: tuple[int, int]) -> Decimal:
    scale, number = value
    return Decimal(number).scaleb(-scale)


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "S": lambda octets: octets.decode(errors="surrogateescape"),
    "t": bool,
    "D": _decimal,
    "F": plain,
    "A": lambda fields: [_plain(*field) for field in fields],
}

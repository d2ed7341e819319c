"""Publishes that wait for their confirm (RabbitMQ: publisher confirms)."""

from dataclasses import dataclass

from amqplite.client.events import Returned
from amqplite.errors import CommandInvalid


@dataclass(slots=True)
class Entry:
    """A publish without its confirm.

    Attributes:
        mandatory: exchange, routing key, properties' octets and body, which a basic.return brings
            back and is known by; `None` for a publish that can't come back.
        returned: what came back.
    """

    mandatory: tuple[str, str, bytes, bytes] | None
    returned: Returned | None = None


class Ledger:
    """Numbers the publishes of a channel in confirm mode, and strikes out what is confirmed."""

    __slots__ = ("_last", "_open")

    def __init__(self) -> None:
        self._last = 0
        self._open: dict[int, Entry] = {}  # by number, oldest first

    @property
    def unconfirmed(self) -> int:
        """How many have no confirm yet."""
        return len(self._open)

    def add(self, mandatory: tuple[str, str, bytes, bytes] | None) -> int:
        """Enter a publish; return its number."""
        self._last += 1
        self._open[self._last] = Entry(mandatory)
        return self._last

    def came_back(self, returned: Returned) -> None:
        """Note a return at the publish it belongs to.

        basic.return names no number. It is the oldest of its likes: they come in order.
        """
        properties = returned.header[12:]
        likeness = (returned.exchange, returned.routing_key, properties, returned.body)
        for entry in self._open.values():
            if entry.mandatory == likeness and entry.returned is None:
                entry.returned = returned
                return

    def settle(self, number: int, *, multiple: bool) -> list[tuple[int, Entry]]:
        """Strike out a publish, or all up to it; return them in order.

        Raises:
            CommandInvalid: there is no such publish.
        """
        if multiple:
            numbers = []
            for candidate in self._open:
                if number and candidate > number:
                    break
                numbers.append(candidate)
            return [(one, self._open.pop(one)) for one in numbers]
        if number not in self._open:
            raise CommandInvalid(f"confirm {number} belongs to no publish")
        return [(number, self._open.pop(number))]

"""Alarms: resources that run low, and block whoever publishes (RabbitMQ: alarms)."""

from collections.abc import Callable


class Alarms:
    """The alarms that are on.

    Attributes:
        reasons: what runs low, by the name of the resource, in the order the alarms came.
        listeners: called when the first alarm comes, and when the last goes.
    """

    def __init__(self) -> None:
        self.reasons: dict[str, None] = {}
        self.listeners: dict[Callable[[], object], None] = {}

    @property
    def on(self) -> bool:
        """Whether publishers are to be blocked."""
        return bool(self.reasons)

    @property
    def text(self) -> str:
        """What runs low, as connection.blocked says it: `low on memory & low on disk`."""
        return " & ".join(f"low on {resource}" for resource in self.reasons)

    def set(self, resource: str, low: bool) -> None:
        """Raise or clear the alarm of a resource: `memory` or `disk`."""
        before = self.on
        if low:
            self.reasons[resource] = None
        else:
            self.reasons.pop(resource, None)
        if before != self.on:
            for listener in list(self.listeners):
                listener()

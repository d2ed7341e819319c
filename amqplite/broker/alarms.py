"""Alarms: resources that run low, and block whoever publishes (RabbitMQ: alarms)."""

from collections.abc import Callable


class Alarms:
    """The alarms that are on.

    Attributes:
        reasons: what runs low, by the name of the resource, in the order the alarms came; with
            those who found it so.
        listeners: called when the first alarm comes, and when the last goes.
    """

    def __init__(self) -> None:
        self.reasons: dict[str, set[str]] = {}
        self.listeners: dict[Callable[[], object], None] = {}

    @property
    def on(self) -> bool:
        """Whether publishers are to be blocked."""
        return bool(self.reasons)

    @property
    def text(self) -> str:
        """What runs low, as connection.blocked says it: `low on memory & low on disk`."""
        return " & ".join(f"low on {resource}" for resource in self.reasons)

    def set(self, resource: str, low: bool, by: str = "") -> None:
        """Raise or clear the alarm of a resource: `memory` or `disk`.

        It is cleared when everybody who raised it has done so: there may be room on a disk, and yet
        the store can't write.
        """
        before = self.on
        finders = self.reasons.get(resource, set())
        if low:
            self.reasons.setdefault(resource, finders).add(by)
        else:
            finders.discard(by)
            if not finders:
                self.reasons.pop(resource, None)
        if before != self.on:
            for listener in list(self.listeners):
                listener()

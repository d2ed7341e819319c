"""How many messages are ready in a queue."""


class Depth:
    """The depth of a queue over time.

    What comes and is handed out in the same instant was never there: only a depth that lasts
    counts.

    Attributes:
        ready: messages that are ready.
    """

    def __init__(self) -> None:
        self.ready = 0
        self._since = 0
        self._most = 0

    def change(self, by: int, t: int, told: int = -1) -> None:
        """Messages became ready, or are no longer.

        Args:
            by: how many; negative if they are no longer.
            t: when.
            told: how many there are now, as the broker says; -1 if it says nothing.
        """
        if t != self._since:
            self._most, self._since = self.most, t
        self.ready = told if told >= 0 else max(0, self.ready + by)

    @property
    def most(self) -> int:
        """The largest depth so far."""
        return max(self._most, self.ready)

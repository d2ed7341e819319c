"""Wall-clock milliseconds that follow trio's clock, and so virtual time in tests."""

import time

import trio


class Clock:
    """Milliseconds since the epoch; they never go back, whatever is done to the system's clock."""

    def __init__(self) -> None:
        self._started_s = trio.current_time()
        self._offset_s = time.time() - self._started_s

    def now_ms(self) -> int:
        """Return the time."""
        return int((trio.current_time() + self._offset_s) * 1000)

    def now_us(self) -> int:
        """Return the microseconds since it was made."""
        return int((trio.current_time() - self._started_s) * 1_000_000)

    def trio_time(self, ms: int) -> float:
        """Return the moment `ms` as trio counts it, in seconds."""
        return ms / 1000 - self._offset_s

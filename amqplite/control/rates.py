"""How often a user may ask for what costs the broker something."""

from collections.abc import Callable
from http import HTTPStatus
from math import ceil

from amqplite.control.errors import HttpError

USERS_MAX = 1024


class Rate:
    """So many at once, and so many a second from then on; each user has the same.

    Args:
        most: how many may be used at once.
        per_s: how many come again each second.
        clock: tells seconds, as `trio.current_time` does.
    """

    def __init__(self, most: int, per_s: float, clock: Callable[[], float]) -> None:
        self._most = most
        self._per_s = per_s
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # how many, and when that was

    def use(self, user: str, count: int = 1) -> None:
        """Take `count` of a user's.

        Raises:
            HttpError: 429, there are not so many left; with `Retry-After`.
        """
        now = self._clock()
        left, then = self._left.pop(user, (float(self._most), now))
        left = min(self._most, left + (now - then) * self._per_s)
        enough = left >= count
        self._left[user] = (left - count if enough else left, now)
        if len(self._left) > USERS_MAX:
            del self._left[next(iter(self._left))]
        if not enough:
            wait_s = ceil((count - left) / self._per_s)
            raise HttpError(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"too many of these; come again in {wait_s} s",
                headers=(("retry-after", str(wait_s)),),
            )

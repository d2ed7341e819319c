"""How often somebody may ask."""

import pytest

from amqplite.control import rates
from amqplite.control.errors import HttpError
from amqplite.control.rates import Rate


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_user_has_so_many_at_once_and_they_come_again() -> None:
    clock = Clock()
    rate = Rate(3, per_s=0.5, clock=clock)
    for _ in range(3):
        rate.use("a")
    with pytest.raises(HttpError, match="too many of these; come again in 2 s") as refused:
        rate.use("a")
    assert refused.value.status == 429
    assert dict(refused.value.headers) == {"retry-after": "2"}
    clock.now += 1.9
    with pytest.raises(HttpError):
        rate.use("a")
    clock.now += 0.1
    rate.use("a")
    clock.now += 1000
    rate.use("a", 3)
    with pytest.raises(HttpError):
        rate.use("a")


def test_no_user_takes_from_another() -> None:
    rate = Rate(1, per_s=1, clock=Clock())
    rate.use("a")
    rate.use("b")
    for user in ("a", "b"):
        with pytest.raises(HttpError):
            rate.use(user)


def test_who_is_refused_loses_nothing() -> None:
    rate = Rate(5, per_s=1, clock=Clock())
    rate.use("a", 3)
    with pytest.raises(HttpError, match="in 1 s"):
        rate.use("a", 3)
    rate.use("a", 2)


def test_users_that_came_long_ago_are_forgotten() -> None:
    rate = Rate(1, per_s=1, clock=Clock())
    for n in range(rates.USERS_MAX + 1):
        rate.use(str(n))
    rate.use("0")
    with pytest.raises(HttpError):
        rate.use(str(rates.USERS_MAX))

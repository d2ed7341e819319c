"""Which hand-out a mark means."""

from typing import Any

import pytest

from amqplite.broker.trace import Event
from amqplite.lab.live import marks
from amqplite.lab.live.marks import MARKS, HandedOut

FIRST: dict[str, Any] = {"q": "q", "m": "m3", "id": 7, "s": 3, "c": "c1", "attempt": 1, "tag": 5}
AGAIN = FIRST | {"c": "c2", "attempt": 2, "tag": 9}


def event(type_: str, **facts: Any) -> Event:
    return Event(n=1, t=1, type=type_, **facts)


@pytest.mark.parametrize("mark", sorted(MARKS))
def test_a_mark_means_the_last_hand_out(mark: str) -> None:
    known = HandedOut()
    for facts in (FIRST, AGAIN):
        delivered = event("delivered", **facts)
        assert known.explained(delivered) is delivered
        marked = known.explained(event(mark, q="q", m="m3", by="worker-7"))
        assert marked == event(mark, by="worker-7", **facts)


def test_who_says_its_consumer_is_believed() -> None:
    known = HandedOut()
    known.explained(event("delivered", **AGAIN))
    assert known.explained(event("applied", q="q", m="m3", c="c1")).c == "c1"


@pytest.mark.parametrize(
    "mark",
    [
        event("applied", q="q", m="m4"),
        event("applied", q="other", m="m3"),
        event("applied", q="q", m="m3", v="log"),
        event("applied", q="q"),
        event("applied", q="q", m="m3", id=8),
        event("fault", q="q", m="m3"),
        event("acked", q="q", m="m3"),
    ],
)
def test_what_means_no_hand_out_that_is_known_stays_as_it_is(mark: Event) -> None:
    known = HandedOut()
    known.explained(event("delivered", **FIRST))
    assert known.explained(mark) is mark


def test_what_was_handed_out_long_ago_is_forgotten() -> None:
    known = HandedOut()
    for n in range(marks.KNOWN_MAX + 1):
        known.explained(event("delivered", q="q", m=f"m{n}", id=n + 1))
    assert known.explained(event("applied", q="q", m="m0")).id == 0
    assert known.explained(event("applied", q="q", m="m1")).id == 2

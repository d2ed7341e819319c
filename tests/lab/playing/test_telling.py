"""A play's events under plain names and times."""

from typing import Any

from amqplite.broker.trace import Event, as_dict
from amqplite.lab.playing.telling import Telling


class Told:
    """What was told, as it was put in: under a broker's names, an hour after its begin."""

    def __init__(self, *, begun: bool = True) -> None:
        self.events: list[Event] = []
        names = {"lab.x.q": "q", "lab.x.news": "news"}
        self.telling = Telling(names, "lab.x.", self.events.append)
        self._n = 7
        if begun:
            self.telling.begin(3_600_000_000)

    def add(self, type: str, t: int = 3_600_000_000, **fields: Any) -> dict[str, Any]:
        self._n += 3
        self.telling.add(Event(n=self._n, t=t, type=type, **fields))
        return as_dict(self.events[-1]) if self.events else {}


def test_queues_exchanges_and_actors_have_their_plain_names() -> None:
    told = Told()
    assert told.add(
        "published", v="classes", q="", p="lab.x.p1", conn="lab.x.p1", exchange="lab.x.news"
    ) == {
        "n": 1,
        "t": 0,
        "type": "published",
        "p": "p1",
        "conn": "p1",
        "exchange": "news",
    }
    assert told.add("enqueued", q="lab.x.q", p="lab.x.p1", conn="lab.x.p1", key="lab.x.q") == {
        "n": 2,
        "t": 0,
        "type": "enqueued",
        "q": "q",
        "p": "p1",
        "conn": "p1",
        "key": "q",
    }
    assert told.add("delivered", q="lab.x.q", c="c1#2", conn="lab.x.c1", t=3_600_000_400) == {
        "n": 3,
        "t": 400,
        "type": "delivered",
        "q": "q",
        "c": "c1",
        "conn": "c1",
    }


def test_others_keep_the_names_they_have() -> None:
    told = Told()
    told.add("delivered", q="lab.x.q", c="mine", conn="10.0.0.1:5 -> 10.0.0.2:5672")
    assert (told.events[0].c, told.events[0].conn) == ("mine", "10.0.0.1:5 -> 10.0.0.2:5672")


def test_what_comes_before_the_begin_waits_for_it_and_is_at_its_time() -> None:
    told = Told(begun=False)
    told.add("consumer_registered", q="lab.x.q", t=100)
    told.add("consumer_registered", q="lab.x.q", t=200)
    assert told.events == []
    told.telling.begin(150)
    assert [(e.n, e.t) for e in told.events] == [(1, 0), (2, 50)]


def test_a_mark_says_what_was_worked_on_by_who_holds_it_under_that_tag() -> None:
    told = Told()
    for tag, place, attempt in [(1, 4, 2), (2, 5, 1)]:
        told.add(
            "delivered",
            q="lab.x.q",
            c="c1",
            conn="lab.x.c1",
            m="m3",
            id=place + 5,
            s=place,
            tag=tag,
            attempt=attempt,
        )
    assert told.add("applied", q="lab.x.q", c="c1", m="m3", tag=1) == {
        "n": 3,
        "t": 0,
        "type": "applied",
        "q": "q",
        "m": "m3",
        "id": 9,
        "s": 4,
        "c": "c1",
        "tag": 1,
        "attempt": 2,
    }
    late = told.add("late_ack_ignored", c="c1", conn="lab.x.c1", tag=2)
    assert (late["q"], late["m"], late["id"], late["attempt"]) == ("q", "m3", 10, 1)


def test_a_mark_of_nobody_says_which_message_by_its_label() -> None:
    told = Told()
    told.add("enqueued", q="lab.x.q", m="m3", id=9, s=4)
    assert told.add("released", q="lab.x.q", m="m3", by="resequencer")["id"] == 9
    assert "id" not in told.add("released", q="lab.x.q", m="m4", by="resequencer")
    assert "id" not in told.add("recovered", q="lab.x.q", c="c1")

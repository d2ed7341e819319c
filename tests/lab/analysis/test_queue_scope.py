from dataclasses import dataclass, field
from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.analysis.message import Absence, Handout, Message, Moment, Place
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.analysis.queue_scope import QueueScope


@dataclass
class Told:
    """A queue that is told what happens, each time a microsecond later."""

    queue: QueueScope = field(default_factory=lambda: QueueScope(("/", "q")))
    places: dict[int, Place] = field(default_factory=dict)
    now: int = 0

    def enter(self, *numbers: int, s: int | None = None, late: bool = False, **facts: Any) -> None:
        for id_ in numbers:
            self.now += 1
            message = Message(id_, f"m{id_}", **facts)
            event = Event(n=self.now, t=self.now, type="enqueued", s=id_ if s is None else s)
            self.places[id_] = self.queue.enter(message, event, late=late)

    def hand_out(self, *numbers: int, c: str = "c1", late: bool = False) -> None:
        for id_ in numbers:
            self.now += 1
            place = self.places[id_]
            place.attempts += 1
            self.queue.hand_out(place, Handout(self.now, self.now, c, c, 1), late=late)

    def complete(self, *numbers: int) -> list[int]:
        """Return by how many each was overtaken."""
        told = []
        for id_ in numbers:
            self.now += 1
            overtaken = self.queue.complete(self.places[id_], self.now)
            told.append(overtaken.arrival.inversions if overtaken else 0)
        return told

    def metrics(self, at: str, name: str = "q") -> Metrics:
        return next(m for m in self.queue.metrics() if (m.at, m.name) == (at, name))


def test_completion_hand_out_and_views_are_told_apart() -> None:
    told = Told()
    told.enter(1, 2, 3)
    told.hand_out(1, 3, c="c10")
    told.hand_out(2, c="c2")
    assert told.complete(1, 3, 2) == [0, 0, 1]
    assert [(m.scope, m.name, m.at, m.completion) for m in told.queue.metrics()] == [
        ("queue", "q", "completion", ["m1", "m3", "m2"]),
        ("queue", "q", "first", ["m1", "m3", "m2"]),
        ("consumer", "c2", "view", ["m2"]),
        ("consumer", "c10", "view", ["m1", "m3"]),
    ]
    assert told.places[2].passed_by == "unexplained"
    assert not told.queue.handed_in_order


def test_a_higher_priority_may_pass_and_a_lower_may_not() -> None:
    told = Told()
    told.enter(1, prio=0)
    told.enter(2, prio=5)
    told.enter(3, prio=0)
    told.hand_out(2, 1, 3)
    assert told.places[1].passed_by == "priority"
    assert told.places[3].passed_by == ""
    told.enter(4, prio=5)
    told.enter(5, prio=0)
    told.hand_out(5, 4)
    assert told.places[4].passed_by == "unexplained"


def test_numbers_may_start_anywhere() -> None:
    told = Told()
    told.enter(1001, 1002, 1003)
    told.hand_out(1001, 1002, 1003)
    assert told.complete(1002, 1001, 1003) == [0, 1, 0]
    metrics = told.metrics("completion")
    assert (metrics.buffer, metrics.moved, metrics.approximate) == (1, 1, False)


def test_what_was_there_before_the_recording_is_met_late() -> None:
    told = Told()
    told.enter(1001)
    told.enter(7, late=True)
    told.hand_out(7)
    told.enter(8, late=True)
    told.hand_out(8, 1001)
    assert told.complete(7, 1001, 8) == [0, 0, 1]
    assert told.queue.handed_in_order
    assert told.metrics("first").inversions == 0


def test_what_was_left_out_makes_numbers_approximate() -> None:
    told = Told()
    told.enter(1, 2, 9)
    assert told.complete(1, 2, 9) == [0, 0, 0]
    metrics = told.metrics("completion")
    assert (metrics.approximate, metrics.buffer) == (True, 0)


def test_what_is_told_late_stands_in_no_order_of_hand_outs() -> None:
    told = Told()
    told.enter(1, 3)
    told.hand_out(1, 3)
    told.enter(2, late=True)
    told.hand_out(2, late=True)
    assert told.places[2].passed_by == ""
    assert told.metrics("first").completion == ["m1", "m3"]
    assert told.metrics("view", "c1").backward == 0
    assert told.complete(1, 3, 2) == [0, 0, 1]


def test_another_queue_of_the_same_name_counts_anew() -> None:
    told = Told()
    told.enter(1, 2, 3)
    told.complete(1, 2, 3)
    told.enter(11, s=1)
    told.enter(12, s=2)
    assert (told.places[11].number, told.places[12].number) == (4, 5)
    assert told.complete(12, 11) == [0, 1]


def test_places_that_are_not_told_are_given_in_order() -> None:
    told = Told()
    told.enter(5, 6, s=0)
    assert [told.places[id_].number for id_ in (5, 6)] == [1, 2]


def test_what_is_gone_is_not_waited_for() -> None:
    told = Told()
    told.enter(1, 2, 3)
    told.queue.lose(told.places[1], 9)
    assert told.complete(3, 2) == [0, 1]
    assert told.metrics("completion").buffer == 1
    assert told.queue.open == {}
    assert told.places[1].state == "gone"


def test_what_left_and_returns_keeps_its_place() -> None:
    told = Told()
    told.enter(1, 2)
    told.hand_out(1, 2)
    place = told.places[1]
    told.queue.let_go(place, 5)
    assert place.state == "away"
    assert told.complete(2) == [0]
    place.absence = Absence(Moment(5, 5), "rejected")
    told.queue.enter_again(place, Event(n=9, t=9, type="enqueued", s=3))
    assert (place.number, place.s, place.state) == (1, 3, "ready")
    told.hand_out(1)
    assert place.passed_by == ""
    assert told.complete(1) == [1]
    told.enter(4)
    assert told.complete(4) == [0]
    metrics = told.metrics("completion")
    assert (metrics.buffer, metrics.approximate) == (1, False)


def test_after_missing_events_open_messages_are_unsure_and_not_waited_for() -> None:
    told = Told()
    told.enter(1, 2)
    told.queue.miss(5)
    assert told.places[1].unsure
    assert told.complete(2) == [0]
    metrics = told.metrics("completion")
    assert (metrics.buffer, metrics.approximate) == (0, True)


def test_the_longest_wait_is_that_for_a_first_hand_out() -> None:
    told = Told()
    told.enter(1, 2)
    told.hand_out(1)
    told.now = 100
    told.hand_out(1)
    assert told.queue.wait_max == 2
    told.hand_out(2)
    assert told.queue.wait_max == 100

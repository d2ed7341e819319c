"""Clauses with too little to tell of: the rest is told by whole sentences, in `test_why`."""

from amqplite.broker.order import Arrival
from amqplite.lab.analysis.attribution import Verdict
from amqplite.lab.analysis.message import Message, Moment, Place
from amqplite.lab.explaining.sentences import overtaken, plain
from amqplite.lab.explaining.teller import Teller
from amqplite.lab.order import Annotation, Story

TELL = Teller("en", 400_000)


def story(rule: str, cause: str) -> Story:
    """A message that was overtaken by others that nobody remembers, and little else is known."""
    message = Message(1, "m1")
    place = Place(message, ("/", "q"), 1, 1, Moment(1, 0))
    place.end = Moment(9, 800_000)
    message.places[place.queue] = place
    annotation = Annotation(
        inv=3, ext=3, nreo=3, late=400_000, over=[], over_n=3, rule=rule, cause=cause
    )
    arrival = Arrival(4, 3, 3, 400_000, 3, ())
    return Story(place, [], Verdict(rule, cause), annotation, arrival)


DONE = "m1 finished at t=2.0: overtaken by 3 messages, 1.0 ticks late."


def test_what_is_not_remembered_is_left_out() -> None:
    for rule, cause in [("B", "parallel_consumers"), ("C2", "priority"), ("0", "repartitioned")]:
        assert list(overtaken(story(rule, cause), TELL)) == [(DONE, 9)]
    assert list(overtaken(story("A", "broker_restart"), TELL)) == [
        ("When the broker was restarted, it went back to the queue.", 0),
        (DONE, 9),
    ]


def test_a_message_that_is_nowhere_is_open() -> None:
    assert list(plain(Message(1, "m1"), TELL)) == [("m1 has not completed yet.", 0)]

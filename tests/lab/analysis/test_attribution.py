from typing import Any

import pytest

from amqplite.lab.analysis.attribution import Verdict, across, attribute
from amqplite.lab.analysis.message import Absence, Handout, Message, Moment, Place, Return

LOST = Return(12, 0, "c2", "connection_lost", "eof")
NACKED = Return(20, 0, "c1", "nack_requeue", "")
AWAY = Absence(Moment(3, 0), "rejected", Moment(9, 0))


def place(n: int, first: int, c: str, **facts: Any) -> Place:
    """A message that was handed out by event `first` to a consumer, each with its own channel."""
    handout = Handout(first, first, c, facts.pop("conn", c), 1)
    message = Message(n, f"m{n}")
    place = Place(message, ("/", facts.pop("queue", "q")), n, n, Moment(n, 0))
    place.first = place.last = handout
    place.attempts = 1
    for name, value in facts.items():
        setattr(place, name, value)
    message.places[place.queue] = place
    return place


Y = place(4, 8, "c1")
EARLY = place(5, 2, "c1")
PARALLEL, CANCELLED = "B parallel_consumers", "B cancelled_consumer_holding"


def unseen() -> Place:
    """A message of which nobody told how it was handed out."""
    late = place(3, 6, "c2")
    late.first = late.last = None
    return late


RULES = [
    # the late one                                                before it  why
    (place(3, 6, "c2", absence=AWAY, returns=[LOST]),            [Y], "C1 delay_or_dead_letter"),
    (place(3, 6, "c2", returns=[LOST]),                          [Y], "A connection_lost/eof c2"),
    (place(3, 6, "c2", returns=[LOST, NACKED]),                  [Y], "A nack_requeue c1"),
    (place(3, 6, "c2", attempts=3),                              [Y], "A broker_restart"),
    (place(3, 6, "c2"),                                          [Y], f"{PARALLEL} c2"),
    (place(3, 6, "c2", cancelled=Moment(7, 0)),                  [Y], f"{CANCELLED} c2"),
    (place(3, 6, "c1"),                                          [Y], "B out_of_order_ack c1"),
    (place(3, 6, "c2", conn="c1"),                               [Y], "B out_of_order_ack c2"),
    (place(3, 6, "c2", conn=""),     [place(4, 8, "c1", conn="")], f"{PARALLEL} c2"),
    (place(3, 6, "c2", passed_by="priority"),                [EARLY], "C2 priority c2"),
    (place(3, 6, "c2", passed_by="priority"),                    [Y], f"{PARALLEL} c2"),
    (place(3, 6, "c2", passed_by="unexplained"),          [Y, EARLY], "C2 unexplained c2"),
    (place(3, 6, "c2", passed_by="unexplained"),                  [], "C2 unexplained c2"),
    (place(3, 6, "c2", passed_by="unexplained", unsure=True),   [EARLY], f"{PARALLEL} c2"),
    (unseen(),                                                   [Y], PARALLEL),
]  # fmt: skip


@pytest.mark.parametrize(("late", "over", "why"), RULES)
def test_the_first_rule_that_applies_counts(late: Place, over: list[Place], why: str) -> None:
    verdict = attribute(late, over)
    cause = f"{verdict.cause}/{verdict.sub}".rstrip("/")
    assert f"{verdict.rule} {cause} {verdict.who}".rstrip() == why


def test_between_queues_no_order_was_promised() -> None:
    late = place(3, 6, "c2")
    assert across(late, same_key=False) == Verdict("0", "different_queues", who="c2")


def test_one_key_in_two_queues_means_that_the_partitions_moved() -> None:
    late = place(3, 6, "c2")
    assert across(late, same_key=True) == Verdict("0", "repartitioned", who="c2")


def test_unless_the_message_was_dead_lettered() -> None:
    late = place(3, 6, "c2", queue="retry")
    before = Place(late.message, ("/", "q"), 1, 1, Moment(1, 0), absence=AWAY)
    late.message.places["/", "q"] = before
    assert across(late, same_key=True) == Verdict("C1", "delay_or_dead_letter", who="c2")

from typing import Any

import pytest

from amqplite.broker.trace import Event
from amqplite.lab.analysis import effects as module
from amqplite.lab.analysis.effects import Effects
from amqplite.lab.analysis.message import Message, Moment, Place
from amqplite.lab.analysis.messages import Messages

MESSAGE = Message(1, "m1")


def event(type_: str, m: str = "m1", c: str = "c1", n: int = 1, **facts: Any) -> Event:
    return Event(n=n, t=n, type=type_, m=m, c=c, **({"q": "q"} | facts))


def test_effects_beyond_the_first_are_duplicates() -> None:
    effects = Effects()
    for n in (4, 6, 9):
        effects.report(event("applied", n=n), MESSAGE)
    effects.report(event("applied", "m2"), Message(2, "m2"))
    assert (effects.total, effects.duplicates) == (4, 2)
    ((label, effect),) = effects.repeated
    assert (label, effect.times, effect.last) == ("m1", 3, 9)


def test_each_queue_s_consumers_do_something_of_their_own() -> None:
    effects = Effects()
    effects.report(event("applied", q="audit"), MESSAGE)
    effects.report(event("applied", q="orders"), MESSAGE)
    assert effects.duplicates == 0


def test_whoever_reports_needs_not_say_in_which_queue_it_was() -> None:
    message = Message(1, "m1")
    message.places["/", "q"] = Place(message, ("/", "q"), 1, 1, Moment(1, 0))
    effects = Effects()
    effects.report(event("started"), message)
    effects.done(event("acked"))
    effects.report(event("applied", q=""), message)
    assert effects.lost == []


def test_an_effect_of_what_nobody_published_is_unexpected() -> None:
    effects = Effects()
    effects.report(event("applied"), None)
    assert effects.unexpected == 1


def test_what_is_done_with_and_never_took_effect_is_lost() -> None:
    effects = Effects()
    effects.report(event("started"), MESSAGE)
    effects.done(event("acked", n=5))
    assert [(it.m, it.c, it.n) for it in effects.lost] == [("m1", "c1", 5)]
    effects.report(event("applied"), MESSAGE)
    assert effects.lost == []


def test_nothing_is_lost_by_consumers_that_report_nothing() -> None:
    effects = Effects()
    effects.done(event("acked", c="silent"))
    assert effects.lost == []


def test_what_was_skipped_as_done_before_is_not_lost() -> None:
    effects = Effects()
    effects.report(event("skipped_duplicate"), MESSAGE)
    effects.done(event("acked", "m2"))
    effects.report(event("skipped_duplicate", "m2"), MESSAGE)
    assert effects.skipped == 2
    assert effects.lost == []


@pytest.mark.parametrize("death", ["crashed", "connection"])
def test_what_needs_no_ack_is_lost_when_its_consumer_dies(death: str) -> None:
    effects = Effects()
    effects.report(event("started"), MESSAGE)
    effects.done(event("acked", auto=True, conn="a"))
    assert effects.lost == []  # it may still be worked on
    if death == "crashed":
        effects.report(event("crashed", ""), None)
    else:
        effects.died(conn="a")
    assert [it.m for it in effects.lost] == ["m1"]


def test_the_death_of_another_takes_nothing() -> None:
    effects = Effects()
    effects.report(event("started"), MESSAGE)
    effects.done(event("acked", auto=True, conn="a"))
    effects.died(c="c2")
    effects.died(conn="b")
    effects.died(conn="")
    assert effects.lost == []


def test_what_took_effect_and_was_never_confirmed_is_recovered() -> None:
    messages = Messages()
    for id_ in (1, 2, 3):
        message = messages.of(Event(n=1, t=0, type="published", id=id_))
        message.confirms, message.confirmed = id_ != 3, id_ == 1
    effects = Effects()
    for label in ("m1", "m2", "m3"):
        effects.report(event("applied", label), messages.called(label))
    assert effects.counts(messages)["recovered"] == 1


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED_MAX", 2)
    effects = Effects()
    for label in ("m1", "m2", "m3", "m1"):
        effects.report(event("applied", label), MESSAGE)
    assert (effects.total, effects.duplicates) == (4, 0)

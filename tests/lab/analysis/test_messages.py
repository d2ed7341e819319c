from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.analysis.messages import Messages


def event(**facts: Any) -> Event:
    return Event(n=1, t=0, type="published", **facts)


def test_a_message_is_known_by_its_number() -> None:
    messages = Messages()
    message = messages.of(event(id=7, m="order-1"))
    assert (message.id, message.m) == (7, "order-1")
    assert messages.of(event(id=7)) is message
    assert messages.called("order-1") is message


def test_one_without_a_label_is_called_by_its_number() -> None:
    assert Messages().of(event(id=7)).m == "m7"


def test_one_without_a_number_is_known_by_its_label_and_gets_one() -> None:
    messages = Messages()
    messages.of(event(id=7, m="a"))
    assert messages.of(event(m="a")).id == 7
    assert messages.of(event(m="b")).id == 8
    assert messages.of(event(m="b")).id == 8


def test_of_several_with_the_same_label_the_latest_is_meant() -> None:
    messages = Messages()
    messages.of(event(id=1, m="a"))
    second = messages.of(event(id=2, m="a"))
    assert messages.called("a") is second
    assert len(messages) == 2


def test_closed_ones_are_forgotten_the_oldest_first() -> None:
    messages = Messages(closed_max=2)
    for id_ in (1, 2, 3):
        messages.closed(messages.of(event(id=id_)))
    assert messages.called("m1") is None
    assert [message.id for message in messages.all()] == [2, 3]


def test_one_that_is_opened_again_is_not_among_the_closed() -> None:
    messages = Messages(closed_max=1)
    first = messages.of(event(id=1))
    messages.closed(first)
    messages.opened(first)
    messages.closed(messages.of(event(id=2)))
    messages.closed(messages.of(event(id=3)))
    assert messages.called("m1") is first
    assert messages.called("m2") is None


def test_even_open_ones_have_a_limit() -> None:
    messages = Messages(open_max=2)
    for id_ in (1, 2, 3):
        messages.of(event(id=id_))
    assert [message.id for message in messages.all()] == [2, 3]


def test_what_is_forgotten_leaves_a_later_one_of_its_label_alone() -> None:
    messages = Messages(open_max=1)
    messages.of(event(id=1, m="a"))
    second = messages.of(event(id=2, m="a"))
    assert messages.called("a") is second

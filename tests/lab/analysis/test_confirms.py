from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.analysis.confirms import Confirms
from amqplite.lab.analysis.message import Message


def expecting(*tags: int, **channel: Any) -> Confirms:
    confirms = Confirms()
    for tag in tags:
        expect(confirms, tag, **channel)
    return confirms


def expect(confirms: Confirms, tag: int, **channel: Any) -> None:
    event = Event(n=1, t=0, type="published", tag=tag, **channel)
    confirms.expect(event, Message(tag, f"m{tag}"))


def come(confirms: Confirms, tag: int, *, multiple: bool = False, **channel: Any) -> list[int]:
    event = Event(n=2, t=0, type="confirmed", tag=tag, multiple=multiple, **channel)
    return [message.id for message in confirms.come(event)]


def test_a_confirm_is_for_one_message() -> None:
    confirms = expecting(1, 2, 3)
    assert come(confirms, 2) == [2]
    assert come(confirms, 2) == []
    assert come(confirms, 3, multiple=True) == [1, 3]


def test_or_for_all_up_to_it() -> None:
    confirms = expecting(1, 2, 3)
    assert come(confirms, 2, multiple=True) == [1, 2]
    assert come(confirms, 9, multiple=True) == [3]


def test_channels_count_for_themselves() -> None:
    confirms = expecting(1, p="p1", conn="a", ch=1)
    expect(confirms, 1, p="p1", conn="a", ch=2)
    assert come(confirms, 9, multiple=True, p="p1", conn="b", ch=1) == []
    assert come(confirms, 9, multiple=True, p="p1", conn="a", ch=1) == [1]

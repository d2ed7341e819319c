"""Queues with x-expires: gone when nobody has used them for so long."""

import pytest

from amqplite.broker.queue import Queue
from tests.broker.takers import Taker, message_of
from tests.rig import NOW, Rig


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue that lives for a second after it was last used."""
    rig = Rig()
    rig.queue("q", expires=1000)
    return rig


def at(rig: Rig, ms: int) -> int | None:
    return rig.broker.advance(NOW + ms)


def lives(rig: Rig) -> bool:
    return "q" in rig.vhost.queues


def test_a_queue_that_nobody_uses_expires(rig: Rig) -> None:
    assert at(rig, 999) == NOW + 1000
    assert lives(rig)
    assert at(rig, 1000) is None
    assert not lives(rig)


def test_its_messages_go_with_it_and_are_no_dead_letters(rig: Rig) -> None:
    rig.queue("dead")
    queue = rig.queue("with", expires=500, dead_letter_exchange="", dead_letter_routing_key="dead")
    queue.push(message_of(b"1"))
    rig.commit()
    at(rig, 500)
    rig.commit()
    assert (rig.queue("dead").ready, rig.store.messages) == (0, {})


def redeclare(queue: Queue, rig: Rig) -> None:
    rig.vhost.declare_queue(None, "q", rig, durable=True, arguments=queue.arguments)


def get(queue: Queue, _: Rig) -> None:
    assert queue.get() is None


@pytest.mark.parametrize("use", [redeclare, get])
def test_using_it_renews_the_lease(rig: Rig, use: object) -> None:
    at(rig, 900)
    use(rig.queue(), rig)  # type: ignore[operator]
    assert at(rig, 1000) == NOW + 1900
    at(rig, 1899)
    assert lives(rig)
    at(rig, 1900)
    assert not lives(rig)


def test_publishing_is_no_use(rig: Rig) -> None:
    at(rig, 900)
    rig.queue().push(message_of(b"1"))
    at(rig, 1000)
    assert not lives(rig)


def test_a_queue_with_a_consumer_lives_and_a_while_longer(rig: Rig) -> None:
    taker = Taker()
    rig.queue().add_consumer(taker)
    at(rig, 1000)
    at(rig, 5000)
    assert lives(rig)
    rig.queue().remove_consumer(taker)
    at(rig, 5999)
    assert lives(rig)
    at(rig, 6000)
    assert not lives(rig)


def test_a_consumer_that_came_and_went_between_two_looks_counts(rig: Rig) -> None:
    taker = Taker()
    at(rig, 100)
    rig.queue().add_consumer(taker)
    at(rig, 700)
    rig.queue().remove_consumer(taker)
    at(rig, 1000)
    assert lives(rig)
    at(rig, 1700)
    assert not lives(rig)


def test_a_queue_deleted_meanwhile_is_not_deleted_twice(rig: Rig) -> None:
    rig.vhost.remove_queue(rig.queue())
    rig.queue("q")  # another, of the same name, that lives for ever
    at(rig, 10_000)
    assert lives(rig)


def test_a_start_renews_the_lease(rig: Rig) -> None:
    rig.commit()
    rig.crash()
    at(rig, 999)
    assert lives(rig)
    at(rig, 1000)
    assert not lives(rig)

"""Which events belong to a queue."""

from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.live import scope
from amqplite.lab.live.scope import Scope

OURS: dict[str, Any] = {"q": "q"}
THEIRS: dict[str, Any] = {"q": "other"}
P1: dict[str, Any] = {"p": "p1", "conn": "a", "ch": 1}
P2: dict[str, Any] = {"p": "p2", "conn": "b", "ch": 1}
C1: dict[str, Any] = {"c": "c1", "conn": "c", "ch": 1}


def picked(*told: dict[str, Any], queues: tuple[tuple[str, str], ...] = (("/", "q"),)) -> list[int]:
    """Return the numbers of the events that are picked, of those that are described."""
    chosen = Scope(queues)
    events = [Event(n=n, t=n, **facts) for n, facts in enumerate(told, 1)]
    return [event.n for one in events for event in chosen.pick(one)]


def published(id_: int, **who: Any) -> dict[str, Any]:
    return {"type": "published", "id": id_, **who}


def test_a_queues_own_events_are_its_own() -> None:
    assert picked(
        {"type": "delivered", "id": 1, **OURS},
        {"type": "delivered", "id": 1, **THEIRS},
        {"type": "delivered", "id": 1, "v": "log", **OURS},
        {"type": "purged", **OURS},
    ) == [1, 4]


def test_a_publish_belongs_to_the_queues_its_message_goes_to() -> None:
    assert picked(
        published(1, **P1),
        {"type": "enqueued", "id": 1, **OURS, **P1},
        published(2, **P1),
        {"type": "enqueued", "id": 2, **THEIRS, **P1},
        published(3, **P1),
        {"type": "enqueued", "id": 3, **THEIRS, **P1},
        {"type": "enqueued", "id": 3, **OURS, **P1},
        {"type": "delivered", "id": 3, **OURS},
    ) == [1, 2, 5, 7, 8]


def test_a_publish_to_several_of_our_queues_is_told_once() -> None:
    assert picked(
        published(1),
        {"type": "enqueued", "id": 1, **OURS},
        {"type": "enqueued", "id": 1, **THEIRS},
        queues=(("/", "q"), ("/", "other")),
    ) == [1, 2, 3]


def test_a_publish_is_never_told_behind_what_came_after_it() -> None:
    assert picked(
        published(1),
        {"type": "enqueued", "id": 1, **THEIRS},
        {"type": "acked", "id": 7, **OURS},
        {"type": "enqueued", "id": 1, "cause": "dlx_return", **OURS},
    ) == [3, 4]


def test_a_refused_message_was_published_too() -> None:
    assert picked(published(1, **P1), {"type": "refused", "id": 1, **OURS, **P1}) == [1, 2]


def test_what_is_confirmed_belongs_to_queues_that_the_channel_publishes_to() -> None:
    assert picked(
        {"type": "confirmed", **P1},
        published(1, **P1),
        {"type": "enqueued", "id": 1, **OURS, **P1},
        {"type": "confirmed", **P1},
        {"type": "confirmed", **P1, "ch": 2},
        {"type": "confirmed", **P2},
        published(2, **P1),
        {"type": "unroutable", "id": 2, **P1},
        published(3, **P2),
        {"type": "unroutable", "id": 3, **P2},
    ) == [2, 3, 4, 7, 8]


def test_connections_belong_to_queues_that_they_have_to_do_with() -> None:
    assert picked(
        {"type": "connection_opened", "conn": "c"},
        {"type": "consumer_registered", **OURS, **C1},
        {"type": "connection_lost", "conn": "c"},
        {"type": "connection_lost", "conn": "d"},
        {"type": "channel_closed", "conn": "c", "ch": 1},
        {"type": "channel_closed"},
        {"type": "bad_ack", "conn": "c", "ch": 1},
    ) == [2, 3, 5, 7]


def test_a_gap_is_everybodys() -> None:
    assert picked({"type": "gap", "lost_from": 1, "lost_to": 5}) == [1]


def test_what_is_remembered_has_a_bound() -> None:
    consumers = [
        {"type": "consumer_registered", **OURS, "c": f"c{k}", "conn": f"conn{k}"}
        for k in range(scope.KNOWN_MAX + 1)
    ]
    lost = [{"type": "connection_lost", "conn": f"conn{k}"} for k in (0, 1, scope.KNOWN_MAX)]
    assert picked(*consumers, *lost)[-2:] == [len(consumers) + 2, len(consumers) + 3]

from typing import Any

from amqplite.lab.analysis.message import Handout, Message, Moment, Place
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.analysis.publishers import Publishers


class Told:
    """Messages of publishers, told what happens to them."""

    def __init__(self) -> None:
        self.publishers = Publishers()

    def publish(self, id_: int, *queues: str, p: str = "p1", **facts: Any) -> list[Place]:
        channel = facts.pop("channel", (p, 1))
        message = Message(id_, f"m{id_}", p=p, channel=channel, published=Moment(id_, 0), **facts)
        self.publishers.published(message, 0)
        places = []
        for queue in queues or ("q",):
            place = Place(message, ("/", queue), id_, id_, Moment(id_, 0))
            message.places[place.queue] = place
            self.publishers.enqueued(place, 0)
            places.append(place)
        return places

    def hand_out(self, place: Place, c: str = "c1") -> bool:
        return self.publishers.handed_out(place, Handout(1, 0, c, c, 1))

    def complete(self, place: Place) -> tuple[int, int]:
        """Return how many overtook it, by key and by publisher."""
        place.state, place.end = "done", Moment(1, 0)
        self.publishers.done(place, 0)
        key, publish = self.publishers.complete(place, 0)
        return (
            key.arrival.inversions if key else 0,
            publish.arrival.inversions if publish else 0,
        )

    def metrics(self, scope: str) -> dict[str, Metrics]:
        return {f"{m.name} {m.q}".strip(): m for m in self.publishers.metrics() if m.scope == scope}


def test_what_goes_backward_on_a_path_is_a_violation() -> None:
    told = Told()
    (a,), (b,) = told.publish(1), told.publish(2)
    assert [told.hand_out(b), told.hand_out(a)] == [False, True]
    assert told.metrics("publisher")["p1 q"].backward == 1


def test_every_part_of_a_path_makes_another_one() -> None:
    told = Told()
    (a,), (b,) = told.publish(1), told.publish(2, channel=("p1", 2))
    (c,), (d,) = told.publish(3, exchange="x"), told.publish(4, prio=5)
    (e,), (f,) = told.publish(5, "r"), told.publish(6)
    order = [(f, "c2"), (e, "c1"), (d, "c1"), (c, "c1"), (b, "c1"), (a, "c1")]
    assert [told.hand_out(place, consumer) for place, consumer in order] == [False] * 6


def test_what_nobody_is_known_to_have_published_is_on_no_path() -> None:
    told = Told()
    (a,), (b,) = told.publish(1, p=""), told.publish(2, p="")
    assert [told.hand_out(b), told.hand_out(a)] == [False, False]
    assert told.publishers.metrics() == []


def test_publishers_are_independent_of_each_other() -> None:
    told = Told()
    (a1,), (b1,) = told.publish(1, p="a"), told.publish(2, p="b")
    (a2,), (b2,) = told.publish(3, p="a"), told.publish(4, p="b")
    assert [told.complete(place) for place in (b1, a1, b2, a2)] == [(0, 0)] * 4
    metrics = told.metrics("publisher")
    assert {name: (m.n, m.inversions) for name, m in metrics.items()} == {
        "a q": (2, 0),
        "b q": (2, 0),
    }


def test_a_key_is_followed_from_queue_to_queue() -> None:
    told = Told()
    (a,), (b,) = told.publish(1, "q1", key="A"), told.publish(2, "q1", key="B")
    (c,) = told.publish(3, "q2", key="A")
    assert told.complete(c) == (0, 0)
    assert told.complete(a) == (1, 1)
    assert told.complete(b) == (0, 1)
    assert {name: m.inversions for name, m in told.metrics("key").items()} == {"A": 1, "B": 0}
    assert told.metrics("publish")["p1"].inversions == 2
    assert told.metrics("publisher")["p1 q1"].inversions == 0


def test_a_message_in_several_queues_is_done_with_when_it_is_in_all() -> None:
    told = Told()
    one, other = told.publish(1, "a", "b", key="A")
    (second,) = told.publish(2, "a", key="A")
    assert told.complete(one) == (0, 0)
    assert told.complete(second) == (0, 0)
    assert told.complete(other) == (1, 1)
    assert told.complete(other) == (0, 0)


def test_what_is_gone_is_not_waited_for() -> None:
    told = Told()
    (a,), (b,), (c,) = (told.publish(id_, key="A") for id_ in (1, 2, 3))
    a.state = "gone"
    told.publishers.lost(a, 0)
    told.publishers.gone(a.message, 0)
    assert [told.complete(place) for place in (c, b)] == [(0, 0), (1, 1)]
    assert told.metrics("key")["A"].buffer == 1


def test_what_is_missing_may_still_come() -> None:
    told = Told()
    (a,), (b,) = (told.publish(id_, key="A") for id_ in (1, 2))
    a.state = "away"
    told.publishers.missing(a.message, 0, a)
    assert told.complete(b) == (0, 0)
    assert told.complete(a) == (1, 1)
    assert told.metrics("publisher")["p1 q"].inversions == 1

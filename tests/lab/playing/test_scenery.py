"""A scenario's queues on a broker."""

import pytest

from amqplite.lab.playing.scenery import Scenery
from amqplite.lab.scenario import find
from amqplite.lab.scripts.plan import make_plan
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()


def scenery_of(rig: Rig, name: str) -> Scenery:
    scenario = make_plan(find(name)).scenario
    return Scenery(rig.vhost, scenario, 100_000, lambda plain: f"lab.{plain}")


def test_what_is_put_up_can_be_taken_down(rig: Rig) -> None:
    scenery = scenery_of(rig, "late-subscriber")
    exchanges = list(rig.vhost.exchanges)
    assert scenery.queues == {"qA": "lab.qA", "qB": "lab.qB"}
    assert [at for at, _ in scenery.cues] == [0, 0, 0, 2.5, 2.5]
    for _, call in scenery.cues:
        call()
    assert list(rig.vhost.queues) == ["lab.qA", "lab.qB"]
    news = rig.vhost.exchange("lab.news")
    assert [queue.name for queue in news.route("", None)] == ["lab.qA", "lab.qB"]
    assert not rig.vhost.queues["lab.qA"].durable
    scenery.clear()
    scenery.clear()
    assert not rig.vhost.queues
    assert list(rig.vhost.exchanges) == exchanges


def test_a_binding_may_be_undone(rig: Rig) -> None:
    scenery = scenery_of(rig, "repartition")
    assert [at for at, _ in scenery.cues] == [0, 0, 0, 0, 2.5, 2.5]
    for at, call in scenery.cues:
        if not at:
            call()
    accounts = rig.vhost.exchange("lab.accounts")
    assert [queue.name for queue in accounts.route("A", None)] == ["lab.q1"]
    for at, call in scenery.cues:
        if at:
            call()
    assert [queue.name for queue in accounts.route("A", None)] == ["lab.q2"]


def test_dead_letters_go_to_the_scenarios_own_queue(rig: Rig) -> None:
    for _, call in scenery_of(rig, "poison").cues:
        call()
    settings = rig.vhost.queues["lab.q"].settings
    assert settings.dead_letter_exchange == ""
    assert settings.dead_letter_routing_key == "lab.dead"


def test_times_of_queues_are_in_ticks(rig: Rig) -> None:
    for _, call in scenery_of(rig, "ack-timeout").cues:
        call()
    settings = rig.vhost.queues["lab.q"].settings
    assert settings.consumer_timeout_ms == 300


def test_a_scenery_counts_what_is_in_its_queues(rig: Rig) -> None:
    scenery = scenery_of(rig, "fig-11-2")
    assert (scenery.ready, scenery.unacked) == (0, 0)
    scenery.cues[0][1]()
    assert (scenery.ready, scenery.unacked) == (0, 0)

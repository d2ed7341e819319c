"""Producers that keep to a plan."""

import pytest

from amqplite.client.events import Delivery
from amqplite.lab.actors import ConsumerSpec, ProducerSpec, Publish
from amqplite.lab.playing.stage import Pace
from amqplite.protocol.fields import from_python
from amqplite.protocol.properties import Properties
from tests.client.served import Served
from tests.lab.played import END, effects, play, publishes


@pytest.mark.parametrize("confirm", ["pipelined", "each"])
def test_a_confirm_that_gets_lost_sends_twice(confirm: str) -> None:
    plan = publishes().plan
    lost = frozenset({"m3"})
    producer = ProducerSpec(plan=plan, confirm=confirm, lost_confirms=lost)  # type: ignore[arg-type]
    played = play(producer, [ConsumerSpec(tag="c1", service=0.5)], until=END)
    assert [m for _, m in played.told("applied")] == (
        ["m1", "m2", "m3", "m4", "m3", "m5"]
        if confirm == "pipelined"
        else ["m1", "m2", "m3", "m3", "m4", "m5"]
    )
    published = [round(t, 3) for t, _ in played.seen("published")]
    assert published == [0, 1, 2, *([3, 3.5, 4] if confirm == "pipelined" else [3.5, 3.5, 4])]


def test_remembering_skips_what_was_sent_twice() -> None:
    producer = ProducerSpec(plan=publishes().plan, lost_confirms=frozenset({"m3"}))
    consumer = ConsumerSpec(tag="c1", service=0.5, dedupe=True)
    played = play(producer, [consumer], until=END)
    assert effects(played) == "m1 m2 m3 m4 m5"
    assert [m for _, m in played.told("skipped_duplicate")] == ["m3"]


def test_a_refused_producer_waits_and_slows_down() -> None:
    producer = ProducerSpec(plan=publishes(20).plan, confirm="each", retry_after=1.0)
    queue = {"x-max-length": 5, "x-overflow": "reject-publish"}
    consumer = ConsumerSpec(tag="c1", service=1.99)
    played = play(producer, [consumer], until=60, queue=queue)
    assert played.order("acked") == " ".join(f"m{n}" for n in range(1, 21))
    assert len(played.seen("refused")) == 9
    assert played.refused == []
    assert round(played.seen("enqueued")[-1][0], 3) == 28


@pytest.mark.parametrize("confirm", ["pipelined", "each"])
def test_a_refused_producer_may_give_up(confirm: str) -> None:
    producer = ProducerSpec(plan=publishes(3).plan, confirm=confirm)  # type: ignore[arg-type]
    queue = {"x-max-length": 1, "x-overflow": "reject-publish"}
    played = play(producer, [], until=5, queue=queue)
    assert played.refused == ["m2", "m3"]


def test_without_confirms_a_producer_knows_nothing() -> None:
    producer = ProducerSpec(plan=publishes(3).plan, confirm="off")
    queue = {"x-max-length": 1, "x-overflow": "reject-publish"}
    played = play(producer, [], until=5, queue=queue)
    assert played.refused == []


def test_a_message_is_all_that_its_plan_says() -> None:
    publish = Publish(
        at=0.0,
        m="m1",
        key="A",
        priority=5,
        expiration_ms=60_000,
        persistent=True,
        headers={"tries": 2},
        body="hello",
    )
    got = list[Delivery | None]()

    async def get(broker: Served, pace: Pace) -> None:
        await pace.sleep_until(1.0)
        async with broker.channel() as channel:
            got.extend([await channel.get("q"), await channel.get("q")])

    plain = Publish(at=0.0, m="m2")
    play(ProducerSpec(plan=(publish, plain)), [], until=2, meanwhile=get)
    assert [(one.body, one.properties) for one in got if one] == [
        (
            b"hello",
            Properties(
                headers=from_python({"tries": 2, "key": "A"}),
                delivery_mode=2,
                priority=5,
                expiration="60000",
                message_id="m1",
            ),
        ),
        (b"m2", Properties(message_id="m2")),
    ]

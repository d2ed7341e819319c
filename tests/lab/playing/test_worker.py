"""Consumers that work, and die of it."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
import trio

from amqplite.client.connect import connect as client_connect
from amqplite.client.connection import Connection
from amqplite.connection.connection import ConnectionLimits
from amqplite.lab.actors import ConsumerSpec, Fault, Service
from amqplite.lab.playing.cast import Cast
from amqplite.lab.playing.stage import Pace
from tests.broker_process import BrokerProcess
from tests.client.served import Served
from tests.lab.played import END, effects, play, publishes, rounded

C1, C2 = ConsumerSpec(tag="c1"), ConsumerSpec(tag="c2")

# -- deaths --------------------------------------------------------------------------------------


def test_a_crashed_consumer_may_come_back() -> None:
    crash = Fault(do="crash", target="c2", when="started", m="m3", after=1.4, restart=1.0)
    played = play(publishes(), [C2, C1], [crash], until=END)
    assert played.told("recovered", by="c2") == [(4.4, "")]
    assert played.order("delivered", "c2") == "m1 m3 m3"
    assert played.order("acked") == "m1 m2 m4 m3 m5"


def test_a_silent_death_is_noticed_when_two_heartbeats_are_missing() -> None:
    silence = Fault(do="silence", target="c2", when="started", m="m3", after=1.4)
    played = play(publishes(), [C2, C1], [silence], until=END, heartbeat_s=1)
    assert played.told("crashed") == [(3.4, "m3")]
    assert rounded(played.seen("requeued")) == [(8.4, "m3")]  # 2 s are 5 ticks
    assert played.order("acked") == "m1 m2 m4 m5 m3"


def test_a_silent_consumer_may_be_started_again() -> None:
    silence = Fault(do="silence", target="c2", when="started", m="m3", after=1.4, restart=2.0)
    played = play(publishes(), [C2, C1], [silence], until=END)
    assert rounded(played.seen("requeued")) == [(5.4, "m3")]
    assert played.told("recovered") == [(5.4, "")]


def test_a_consumer_that_closes_leaves_what_it_holds() -> None:
    close = Fault(do="close", target="c2", when="started", m="m3", after=1.4)
    played = play(publishes(), [C2, C1], [close], until=END)
    assert [(event.m, event.cause) for event in played.events if event.type == "requeued"] == [
        ("m3", "connection_closed")
    ]
    assert played.told("crashed") == []
    assert played.order("acked") == "m1 m2 m4 m3 m5"


def test_a_consumer_that_cancels_finishes_what_it_holds() -> None:
    consumers = [
        ConsumerSpec(tag="c2", prefetch=3, start=0.1),
        ConsumerSpec(tag="c1", prefetch=3, start=0.2),
    ]
    cancel = Fault(do="cancel", target="c2", after=1.0)
    queue = {"x-single-active-consumer": True}
    played = play(publishes(every=0.0), consumers, [cancel], until=END, queue=queue)
    assert played.order("acked") == "m1 m4 m2 m5 m3"
    assert round(played.seen("acked")[-1][0], 3) == 5.5
    assert played.order("requeued") == ""


def test_a_poisonous_message_kills_again_and_again() -> None:
    consumer = ConsumerSpec(tag="c1", service=1.0, poison=frozenset({"m3"}))
    played = play(publishes(), [consumer], until=29.9)
    assert played.order("acked") == "m1 m2"
    assert len(played.seen("delivered")) == 16
    assert {m for _, m in played.told("crashed")} == {"m3"}
    assert played.told("crashed")[:2] == [(3.0, "m3"), (5.0, "m3")]


def test_a_slowed_consumer_takes_longer_from_the_next_message_on() -> None:
    slow = Fault(do="slow", target="c1", when="started", m="m1", after=0.5, factor=3.0)
    played = play(publishes(2), [ConsumerSpec(tag="c1", service=1.0)], [slow], until=END)
    assert played.told("applied") == [(1.0, "m1"), (4.0, "m2")]


# -- the broker's doing --------------------------------------------------------------------------


def test_who_loses_its_connection_finishes_in_vain_and_is_back() -> None:
    async def end_all_connections(broker: Served, pace: Pace) -> None:
        await pace.sleep_until(2.5)
        for session in broker.sessions:
            if session.connection.client_properties.get("connection_name") == "c1":
                session.shut_down()

    consumer = ConsumerSpec(tag="c1", service=1.0)
    played = play(publishes(), [consumer], until=END, meanwhile=end_all_connections)
    assert played.told("late_ack_ignored") == [(3.0, "m3")]
    assert played.told("recovered") == [(4.0, "")]
    assert effects(played) == "m1 m2 m3 m3 m4 m5"
    assert played.order("acked") == "m1 m2 m3 m4 m5"


def test_who_never_comes_back_leaves_the_rest() -> None:
    async def end_all_connections(broker: Served, pace: Pace) -> None:
        await pace.sleep_until(1.2)
        for session in broker.sessions:
            session.shut_down()

    consumer = ConsumerSpec(tag="c1", service=0.5, restart=None)
    producer = publishes(1)
    played = play(producer, [consumer], until=END, meanwhile=end_all_connections)
    assert played.told("started", "recovered") == [(0.0, "m1")]


def test_a_consumer_whose_queue_is_deleted_leaves() -> None:
    async def delete(broker: Served, pace: Pace) -> None:
        await pace.sleep_until(1.2)
        async with broker.channel() as channel:
            await channel.delete_queue("q")

    consumer = ConsumerSpec(tag="c1", service=0.5)
    played = play(publishes(3), [consumer], until=END, meanwhile=delete)
    assert effects(played) == "m1 m2"
    assert played.told("recovered", "crashed") == []


def test_faults_do_nothing_to_who_is_not_there() -> None:
    faults = [
        Fault(do="crash", target="c1", after=0.1),
        *(Fault(do=do, target="c1", after=0.2) for do in ("crash", "silence", "close", "cancel")),
    ]
    played = play(publishes(1), [ConsumerSpec(tag="c1")], faults, until=END)
    assert played.told("crashed") == [(0.1, "m1")]


def test_over_tcp_it_is_the_same(tmp_path: Path) -> None:
    marks = list[tuple[str, str]]()
    spec = ConsumerSpec(tag="c1", service=1.0, lose_ack=frozenset({"m3"}), dedupe=True)
    over = trio.Event()

    def mark(type: str, /, **fields: Any) -> None:
        marks.append((type, fields.get("m", "")))
        if marks[-1] == ("applied", "m5"):
            over.set()

    async def run(broker: BrokerProcess) -> None:
        def connect(name: str, heartbeat_s: int) -> AbstractAsyncContextManager[Connection]:
            return client_connect(broker.url, name=name, heartbeat_s=heartbeat_s)

        async with connect("setup", 0) as connection, trio.open_nursery() as nursery:
            channel = await connection.channel()
            await channel.declare_queue("q")
            cast = Cast([publishes()], [spec], [], connect, Pace(0.01), mark)
            await nursery.start(cast.run)
            with trio.fail_after(20):
                await over.wait()
            nursery.cancel_scope.cancel()

    with BrokerProcess(tmp_path / "data") as broker:
        trio.run(run, broker)
    assert marks == [
        *(("started", "m1"), ("applied", "m1"), ("started", "m2"), ("applied", "m2")),
        *(("started", "m3"), ("applied", "m3"), ("ack_lost", "m3"), ("crashed", "m3")),
        *(("recovered", ""), ("started", "m3"), ("skipped_duplicate", "m3")),
        *(("started", "m4"), ("applied", "m4"), ("started", "m5"), ("applied", "m5")),
    ]


# -- acks ----------------------------------------------------------------------------------------


def test_an_ack_that_gets_lost_does_it_twice() -> None:
    consumer = ConsumerSpec(tag="c1", service=1.0, lose_ack=frozenset({"m3"}))
    played = play(publishes(), [consumer], until=END)
    assert played.order("delivered") == "m1 m2 m3 m3 m4 m5"
    assert effects(played) == "m1 m2 m3 m3 m4 m5"
    assert played.told("ack_lost", "crashed") == [(3.0, "m3"), (3.0, "m3")]
    assert played.told("recovered") == [(4.0, "")]
    assert played.order("acked") == "m1 m2 m3 m4 m5"


def test_remembering_what_is_done_does_it_once() -> None:
    consumer = ConsumerSpec(tag="c1", service=1.0, lose_ack=frozenset({"m3"}), dedupe=True)
    played = play(publishes(), [consumer], until=END)
    assert effects(played) == "m1 m2 m3 m4 m5"
    assert played.told("skipped_duplicate") == [(5.0, "m3")]
    assert played.order("acked") == "m1 m2 m3 m4 m5"


def test_an_ack_may_be_lost_by_a_fault() -> None:
    lose = Fault(do="lose_ack", target="c1", when="started", m="m2", after=0.5)
    played = play(publishes(3), [ConsumerSpec(tag="c1", service=1.0)], [lose], until=END)
    assert effects(played) == "m1 m2 m2 m3"


def test_auto_ack_forgets_what_it_had_not_done() -> None:
    consumer = ConsumerSpec(tag="c1", prefetch=0, auto_ack=True)
    crash = Fault(do="crash", target="c1", when="started", m="m2", after=1.6, restart=1.0)
    played = play(publishes(), [consumer], [crash], until=END)
    assert played.order("delivered") == "m1 m2 m3 m4 m5"
    assert effects(played) == "m1 m5"
    assert played.told("crashed") == [(3.4, "m2")]


@pytest.mark.parametrize(
    ("prefetch", "view", "completion"),
    [(3, "m1 m2 m3 m1", "m2 m3 m1"), (1, "m1 m1 m2 m3", "m1 m2 m3")],
)
def test_a_nack_lets_one_consumer_reorder_what_it_holds(
    prefetch: int, view: str, completion: str
) -> None:
    consumer = ConsumerSpec(
        tag="c1", prefetch=prefetch, service=1.0, start=0.5, nack=frozenset({"m1"})
    )
    played = play(publishes(3, every=0.0), [consumer], until=END)
    assert played.order("delivered") == view
    assert played.order("acked") == effects(played) == completion
    assert round(played.seen("acked")[-1][0], 3) == 4.5


def test_a_nack_may_reject_for_good_and_come_by_a_fault() -> None:
    consumer = ConsumerSpec(tag="c1", service=0.5, nack=frozenset({"m1"}), nack_requeue=False)
    nack = Fault(do="nack", target="c1", when="applied", m="m2")
    played = play(publishes(3), [consumer], [nack], until=END)
    assert played.order("delivered") == "m1 m2 m3"
    assert effects(played) == "m2"


# -- ack timeouts --------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["requeue", "cancel", "close"])
def test_who_takes_too_long_does_it_all_the_same(action: str) -> None:
    services = (Service(m="m3", ticks=6.0, attempt=1),)
    consumers = [ConsumerSpec(tag=tag, services=services) for tag in ("c2", "c1")]
    played = play(
        publishes(),
        consumers,
        until=END,
        queue={"x-consumer-timeout": 1200},  # 3 ticks
        limits=ConnectionLimits(consumer_timeout_action=action),
    )
    assert played.order("acked") == "m1 m2 m4 m5 m3"
    assert round(played.seen("acked")[-1][0], 3) == 8.4
    assert effects(played) == "m1 m2 m4 m5 m3 m3"
    assert played.told("applied", by="c2")[-1] == (8.0, "m3")
    late = [(8.0, "m3")] if action == "close" else []
    assert played.told("late_ack_ignored") == late
    assert played.told("recovered", "crashed") == []

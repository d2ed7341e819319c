from amqplite.broker.redelivery import Cause
from amqplite.broker.trace import Event
from amqplite.lab.playing.virtual import EPOCH_MS
from amqplite.lab.rerun.bench import Bench
from amqplite.protocol.methods import BasicAck, BasicConsume
from tests.connection.client import publish


def set_up() -> tuple[Bench, list[Event]]:
    events: list[Event] = []
    bench = Bench(events.append)
    bench.broker.record("/", "q")
    bench.vhost.declare_queue(None, "q", None)
    return bench, events


def told(events: list[Event]) -> list[str]:
    return [" ".join(filter(None, (event.type, event.m, event.c, event.sub))) for event in events]


def test_things_happen_in_order_of_time_then_rank_then_call() -> None:
    bench, _ = set_up()
    happened = []
    for when, rank, what in ((5, 0, "d"), (3, 1, "b"), (3, 0, "a"), (3, 1, "c")):
        bench.call_at(when, rank, lambda what=what: happened.append((bench.now, what)))
    assert [bench.step() for _ in range(5)] == [True] * 4 + [False]
    assert happened == [(3, "a"), (3, "b"), (3, "c"), (5, "d")]


def test_what_was_cancelled_does_not_happen_and_what_is_late_happens_now() -> None:
    bench, _ = set_up()
    happened = []
    bench.cancel(bench.call_at(1, 0, lambda: happened.append("never")))
    bench.call_at(7, 0, lambda: bench.call_at(2, 0, lambda: happened.append(bench.now)))
    while bench.step():
        pass
    assert happened == [7]


def test_a_message_goes_through_it_at_once() -> None:
    bench, events = set_up()
    worker, shop = bench.connect("w"), bench.connect("s")
    for client in (worker, shop):
        client.open_channel(1)
    worker.say(1, BasicConsume(0, "q", "c1"))
    shop.send(publish(b"m"))
    worker.say(1, BasicAck(1, False))
    assert told(events)[2:] == [
        "consumer_registered c1",
        "published m1",
        "enqueued m1",
        "delivered m1 c1",
        "acked m1 c1",
    ]
    assert {event.t for event in events} == {0}


def test_the_brokers_deadlines_come_before_what_clients_do() -> None:
    bench, _ = set_up()
    happened: list[object] = []
    bench.call_at(1500, 0, lambda: happened.append("client"))
    bench.broker.call_at(EPOCH_MS + 2, happened.append)
    bench.broker.call_at(EPOCH_MS + 1, happened.append)
    bench.call_at(2000, 0, lambda: happened.append("client"))
    while bench.step():
        pass
    assert happened == [EPOCH_MS + 1, "client", EPOCH_MS + 2, "client"]


def test_a_connection_may_be_lost_for_any_cause() -> None:
    bench, events = set_up()
    worker = bench.connect("w")
    worker.open_channel(1)
    worker.say(1, BasicConsume(0, "q", "c1"))
    bench.now = 9000
    worker.beat()
    bench.now = 12_000
    worker.lose(Cause.HEARTBEATS_MISSED)
    assert told(events)[-2:] == ["connection_lost heartbeat_timeout", "consumer_cancelled c1"]
    assert events[-2].idle == 3000


def test_marks_are_told_in_between() -> None:
    bench, events = set_up()
    bench.mark("applied", q="q", m="m1", c="c1")
    bench.settle()
    assert told(events) == ["applied m1 c1"]

"""What the recorder tells of messages that clients publish, get, settle and lose."""

from typing import Any

import pytest

from amqplite.broker.recorder import (
    AT_LEAST,
    EVENTS_EACH,
    FEWEST,
    IN_A_FLOOD,
    SAMPLED_FROM,
    STEP_US,
)
from amqplite.broker.redelivery import Cause
from amqplite.broker.trace import Event, as_dict
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicQos,
    BasicRecover,
    BasicReject,
    ChannelClose,
    ChannelOpen,
    ConfirmSelect,
    QueueDelete,
    QueuePurge,
)
from tests.connection.client import Client, properties_of, publish
from tests.rig import Rig

MICROSECONDS = 1_000_000


class Recorded:
    """A rig that records `q`, on a clock of the test's own.

    Attributes:
        now: the trace's time in microseconds.
    """

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.now = 0
        self.trace = rig.broker.trace
        self.trace.clock = lambda: self.now
        self.read_to = 0
        rig.broker.record("/", "q")

    def events(self, *types: str) -> list[Event]:
        """Return what happened since the last call; of some types, if given."""
        events = self.trace.read(self.read_to, 100_000)
        self.read_to = self.trace.log.last
        return [event for event in events if not types or event.type in types]

    def told(self, *types: str) -> list[str]:
        """Return the same as words: type and message."""
        return [" ".join(filter(None, (e.type, e.m))) for e in self.events(*types)]


@pytest.fixture
def recorded(rig: Rig) -> Recorded:
    recorded = Recorded(rig)
    rig.queue("q")
    return recorded


def named(rig: Rig, name: str) -> Client:
    client = Client(rig).open()
    client.connection.client_properties["connection_name"] = name
    return client


def consume(client: Client, tag: str = "c1", *, prefetch: int = 0, no_ack: bool = False) -> Client:
    client.do(BasicQos(0, prefetch, False))
    client.do(BasicConsume(0, "q", tag, False, no_ack, False, False, b""))
    return client


def say_publish(client: Client, *labels: str, **more: Any) -> None:
    for label in labels:
        client.say(publish(b"body", properties=properties_of(message_id=label), **more))


# -- one message, from end to end ----------------------------------------------------------------


def test_a_message_is_told_from_publish_to_ack(recorded: Recorded, rig: Rig) -> None:
    publisher, worker = named(rig, "shop"), consume(named(rig, "worker"), prefetch=3)
    publisher.do(ConfirmSelect())
    recorded.events()
    recorded.now = 5
    say_publish(publisher, "order-1")
    recorded.now = 7
    worker.say(BasicAck(1, False))
    rig.commit()
    shop = {"p": "shop", "conn": "shop", "ch": 1}
    held = {"q": "q", "m": "order-1", "id": 1, "s": 1, "c": "c1", "conn": "worker", "ch": 1}
    assert [as_dict(event) for event in recorded.events()] == [
        {"n": 4, "t": 5, "type": "published", "m": "order-1", "id": 1} | shop
        | {"tag": 1, "size": 4},
        {"n": 5, "t": 5, "type": "enqueued", "q": "q", "m": "order-1", "id": 1, "s": 1} | shop
        | {"depth": 1},
        {"n": 6, "t": 5, "type": "delivered"} | held | {"tag": 1, "attempt": 1, "depth": 0},
        {"n": 7, "t": 7, "type": "acked"} | held | {"tag": 1, "attempt": 1, "depth": 0},
        {"n": 8, "t": 7, "type": "confirmed"} | shop | {"tag": 1, "multiple": True},
    ]  # fmt: skip


def test_a_message_that_need_not_be_acked_is_acked_by_its_delivery(
    recorded: Recorded, rig: Rig
) -> None:
    consume(named(rig, "worker"), no_ack=True)
    say_publish(named(rig, "shop"), "m1")
    delivered, acked = recorded.events("delivered", "acked")
    assert (delivered.auto, acked.auto, acked.c) == (True, True, "c1")


def test_messages_that_wait_are_told_with_the_depth_of_the_queue(
    recorded: Recorded, rig: Rig
) -> None:
    say_publish(named(rig, "shop"), "m1", "m2")
    consume(named(rig, "worker"))
    assert [e.depth for e in recorded.events("enqueued", "delivered")] == [1, 2, 1, 0]


def test_one_ack_for_several_says_so(recorded: Recorded, rig: Rig) -> None:
    worker = consume(named(rig, "worker"))
    say_publish(named(rig, "shop"), "m1", "m2", "m3")
    worker.say(BasicAck(2, True))
    worker.say(BasicAck(3, False))
    assert [(e.m, e.multiple) for e in recorded.events("acked")] == [
        ("m1", True),
        ("m2", True),
        ("m3", False),
    ]


def test_basic_get_is_told_as_such(recorded: Recorded, rig: Rig) -> None:
    client = named(rig, "worker")
    say_publish(client, "m1", "m2")
    client.do(BasicGet(0, "q", False))
    client.do(BasicGet(0, "q", True))
    got, taken = recorded.events("delivered")
    assert (got.get, got.auto, got.tag, got.conn, got.c) == (True, False, 1, "worker", "")
    assert (taken.get, taken.auto, taken.tag) == (True, True, 2)


def test_the_order_key_is_the_routing_key_unless_that_names_the_queue(
    recorded: Recorded, rig: Rig
) -> None:
    rig.vhost.bind_queue(None, rig, "amq.topic", "q", "orders.*")
    shop = named(rig, "shop")
    say_publish(shop, "m1", exchange="amq.topic", routing_key="orders.eu")
    say_publish(shop, "m2")
    assert [(e.key, e.exchange) for e in recorded.events("published")] == [
        ("orders.eu", "amq.topic"),
        ("", ""),
    ]


def test_a_message_has_one_number_in_all_its_queues(recorded: Recorded, rig: Rig) -> None:
    rig.queue("other")
    rig.broker.record("/", "other")
    for queue in ("q", "other"):
        rig.vhost.bind_queue(None, rig, "amq.fanout", queue, "")
    say_publish(named(rig, "shop"), "m1", exchange="amq.fanout")
    events = recorded.events("published", "enqueued")
    assert [(e.type, e.q, e.id) for e in events] == [
        ("published", "", 1),
        ("enqueued", "q", 1),
        ("enqueued", "other", 1),
    ]


def test_a_message_for_no_queue_is_told(recorded: Recorded, rig: Rig) -> None:
    shop = named(rig, "shop")
    say_publish(shop, "m1", routing_key="nowhere")
    say_publish(shop, "m2", routing_key="nowhere", mandatory=True)
    assert recorded.told() == [
        "connection_opened",
        *("published m1", "unroutable m1", "published m2", "returned m2"),
    ]


def test_other_queues_are_nobody_s_business(recorded: Recorded, rig: Rig) -> None:
    rig.queue("other")
    say_publish(named(rig, "shop"), "m1", routing_key="other")
    assert recorded.told() == ["connection_opened"]


# -- coming back ---------------------------------------------------------------------------------


def test_a_lost_connection_comes_before_what_it_held_and_says_how_long_it_was_silent(
    recorded: Recorded, rig: Rig
) -> None:
    worker = consume(named(rig, "worker"), "c2")
    consume(named(rig, "other"), "c1")
    say_publish(named(rig, "shop"), "m1", "m2", "m3")
    recorded.events()
    recorded.now = 6 * MICROSECONDS
    worker.connection.lost(Cause.HEARTBEATS_MISSED)
    lost, gone, *rest = recorded.events()
    assert (lost.type, lost.cause, lost.sub) == (
        *("connection_lost", "connection_lost", "heartbeat_timeout"),
    )
    assert (lost.conn, lost.held, lost.idle) == ("worker", 2, 6 * MICROSECONDS)
    assert (gone.type, gone.c) == ("consumer_cancelled", "c2")
    assert [(e.type, e.m, e.c, e.attempt, e.redelivered) for e in rest] == [
        ("requeued", "m1", "c2", 1, False),
        ("requeued", "m3", "c2", 1, False),
        ("delivered", "m1", "c1", 2, True),
        ("delivered", "m3", "c1", 2, True),
    ]
    assert [e.idle for e in rest if e.type == "requeued"] == [6 * MICROSECONDS] * 2


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (BasicNack(1, False, True), ["nacked m1", "requeued m1"]),
        (BasicReject(1, True), ["rejected m1", "requeued m1"]),
        (BasicRecover(True), ["requeued m1"]),
        (BasicNack(1, False, False), ["rejected m1", "discarded m1"]),
        (BasicReject(1, False), ["rejected m1", "discarded m1"]),
        (ChannelClose(200, "", 0, 0), ["requeued m1"]),
    ],
    ids=["nack", "reject", "recover", "nack for good", "reject for good", "channel.close"],
)
def test_what_a_consumer_gives_back_is_told(
    recorded: Recorded, rig: Rig, method: Any, told: list[str]
) -> None:
    worker = consume(named(rig, "worker"), prefetch=1)
    say_publish(named(rig, "shop"), "m1")
    recorded.events()
    worker.say(method)
    assert recorded.told("nacked", "rejected", "requeued", "discarded") == told


def test_a_dead_letter_keeps_its_number_in_the_queue_it_comes_to(rig: Rig) -> None:
    rig.queue("dead")
    rig.queue("q", dead_letter_exchange="", dead_letter_routing_key="dead")
    recorded = Recorded(rig)
    rig.broker.record("/", "dead")
    worker = consume(named(rig, "worker"))
    say_publish(named(rig, "shop"), "m1")
    recorded.events()
    worker.say(BasicReject(1, False))
    assert [(e.type, e.q, e.m, e.id, e.cause) for e in recorded.events()] == [
        ("rejected", "q", "m1", 1, ""),
        ("dead_lettered", "q", "m1", 1, "rejected"),
        ("enqueued", "dead", "m1", 1, "dlx_return"),
    ]


def test_a_full_queue_drops_or_refuses(rig: Rig) -> None:
    rig.queue("q", max_length=1)
    rig.queue("r", max_length=1, overflow="reject-publish")
    recorded = Recorded(rig)
    rig.broker.record("/", "r")
    shop = named(rig, "shop")
    say_publish(shop, "m1", "m2")
    say_publish(shop, "m3", "m4", routing_key="r")
    dropped, refused = recorded.events("dropped", "refused")
    assert (dropped.m, dropped.cause, dropped.depth) == ("m1", "maxlen", 1)
    assert (refused.m, refused.cause, refused.q, refused.p) == ("m4", "maxlen", "r", "shop")


def test_what_a_queue_refuses_is_told_as_nacked(rig: Rig) -> None:
    rig.queue("q", durable=False, max_length=1, overflow="reject-publish")
    recorded, shop = Recorded(rig), named(rig, "shop")
    shop.do(ConfirmSelect())
    sent = [publish(b"", properties=properties_of(message_id=f"m{n}")) for n in range(1, 4)]
    shop.do(*sent)
    rig.vhost.queues["q"].purge()
    shop.do(sent[0])
    answers = recorded.events("confirmed", "publish_nacked")
    assert [(e.type, e.tag, e.multiple, e.p) for e in answers] == [
        ("confirmed", 1, True, "shop"),
        ("publish_nacked", 2, False, "shop"),
        ("publish_nacked", 3, False, "shop"),
        ("confirmed", 4, True, "shop"),
    ]


def test_a_late_ack_is_ignored_and_told(recorded: Recorded, rig: Rig) -> None:
    worker = consume(named(rig, "worker"))
    say_publish(named(rig, "shop"), "m1")
    limits = rig.broker.limits
    rig.broker.advance(rig.broker.now + limits.consumer_timeout_ms)
    worker.say(BasicAck(1, False))
    requeued, late = recorded.events("requeued", "late_ack_ignored")
    assert (requeued.cause, late.c, late.tag) == ("ack_timeout", "c1", 1)


def test_an_ack_of_nothing_is_told_before_the_channel_is_closed(
    recorded: Recorded, rig: Rig
) -> None:
    worker = named(rig, "worker")
    recorded.events()
    worker.say(BasicAck(9, False))
    bad, closed = recorded.events()
    assert (bad.type, bad.tag, bad.conn) == ("bad_ack", 9, "worker")
    assert bad.text == "PRECONDITION_FAILED - unknown delivery tag 9"
    assert (closed.type, closed.sub, closed.text) == (
        *("channel_closed", "protocol_error", bad.text),
    )


def test_purging_and_deleting_are_told_with_how_many_messages_went(
    recorded: Recorded, rig: Rig
) -> None:
    shop = named(rig, "shop")
    say_publish(shop, "m1", "m2")
    shop.do(QueuePurge(0, "q", False))
    say_publish(shop, "m3")
    shop.do(QueueDelete(0, "q", False, False, False))
    assert [(e.cause, e.text) for e in recorded.events("purged")] == [
        ("purged", "2"),
        ("queue_deleted", "1"),
    ]


# -- consumers and their names -------------------------------------------------------------------


def test_consumers_are_told_with_what_they_asked_for(recorded: Recorded, rig: Rig) -> None:
    worker = consume(named(rig, "worker"), "billing", prefetch=5, no_ack=True)
    worker.do(BasicCancel("billing", False))
    registered, cancelled = recorded.events("consumer_registered", "consumer_cancelled")
    assert (registered.c, registered.prefetch, registered.auto) == ("billing", 5, True)
    assert (registered.conn, registered.text) == ("worker", "billing")
    assert cancelled.c == "billing"


def test_a_generated_tag_is_shortened_and_a_tag_used_twice_told_apart(
    recorded: Recorded, rig: Rig
) -> None:
    for tag in ("", "ctag1.0123456789abcdef0123456789abcdef", "c7", "c7"):
        consume(named(rig, "worker"), tag)
    assert [e.c for e in recorded.events("consumer_registered")] == ["c1", "c2", "c7", "c7#2"]


def test_a_consumer_that_comes_back_has_its_name_again(recorded: Recorded, rig: Rig) -> None:
    consume(named(rig, "worker"), "c2").connection.lost(Cause.CONNECTION_RESET)
    consume(named(rig, "worker"), "c2")
    assert [e.c for e in recorded.events("consumer_registered")] == ["c2", "c2"]


def test_a_tag_used_again_on_its_channel_has_its_name_again(recorded: Recorded, rig: Rig) -> None:
    worker = consume(named(rig, "worker"), "c2")
    say_publish(named(rig, "shop"), "m1")
    worker.do(BasicCancel("c2", False))
    consume(worker, "c2")
    worker.connection.lost(Cause.CONNECTION_LOST)
    events = recorded.events("consumer_registered", "requeued")
    assert [e.c for e in events] == ["c2", "c2", "c2"]


def test_nobody_who_is_gone_is_remembered(recorded: Recorded, rig: Rig) -> None:
    say_publish(named(rig, "shop"), "m1")
    worker = consume(named(rig, "worker"))
    say_publish(worker, "m2")
    worker.connection.lost(Cause.CONNECTION_LOST)
    assert recorded.trace._holders == {}
    assert [who[1] for who in recorded.trace._senders.values()] == ["shop"]


def test_the_active_one_of_several_consumers_is_told(rig: Rig) -> None:
    rig.queue("q", single_active_consumer=True)
    recorded = Recorded(rig)
    first, _ = consume(named(rig, "a"), "c1"), consume(named(rig, "b"), "c2")
    first.connection.lost(Cause.CONNECTION_LOST)
    assert [(e.type, e.c) for e in recorded.events("consumer_active")] == [
        ("consumer_active", "c1"),
        ("consumer_active", "c2"),
    ]


def test_publishers_without_a_name_are_numbered_and_channels_told_apart(
    recorded: Recorded, rig: Rig
) -> None:
    shop, nameless = named(rig, "shop"), Client(rig).open()
    shop.do(ChannelOpen(""), channel=2)
    say_publish(shop, "m1")
    say_publish(shop, "m2", channel=2)
    say_publish(nameless, "m3")
    assert [e.p for e in recorded.events("published")] == ["shop", "shop/2", "p1"]


# -- when it is on -------------------------------------------------------------------------------


def test_a_queue_can_be_recorded_before_it_is_declared(rig: Rig) -> None:
    recorded = Recorded(rig)
    say_publish(named(rig, "shop"), "m1", routing_key="q")
    rig.queue("q")
    say_publish(named(rig, "shop"), "m2")
    assert recorded.told("enqueued") == ["enqueued m2"]


def test_a_queue_declared_anew_is_recorded_again(recorded: Recorded, rig: Rig) -> None:
    rig.vhost.remove_queue(rig.queue("q"))
    rig.queue("q")
    say_publish(named(rig, "shop"), "m1")
    assert recorded.told("enqueued") == ["enqueued m1"]


def test_messages_and_consumers_from_before_are_told_when_something_befalls_them(rig: Rig) -> None:
    rig.queue("q")
    worker = consume(named(rig, "worker"), prefetch=1)
    say_publish(named(rig, "shop"), "m1", "m2")
    recorded = Recorded(rig)
    worker.say(BasicAck(1, False))
    assert [(e.type, e.m, e.c, e.text) for e in recorded.events()] == [
        ("consumer_registered", "", "c1", "c1"),
        ("enqueued", "m1", "", "from memory"),
        ("acked", "m1", "", ""),
        ("enqueued", "m2", "", "from memory"),
        ("delivered", "m2", "c1", ""),
    ]


def test_nothing_more_is_told_once_it_is_stopped(recorded: Recorded, rig: Rig) -> None:
    shop = named(rig, "shop")
    say_publish(shop, "m1")
    recorded.events()
    recorded.trace.stop_queue("/", "q")
    assert not recorded.trace.on
    say_publish(shop, "m2")
    consume(named(rig, "worker"))
    assert recorded.events() == []
    assert recorded.trace.queues == ()


def test_whoever_waits_is_woken_once_by_the_next_event(recorded: Recorded, rig: Rig) -> None:
    woken = []
    recorded.trace.on_event = lambda: woken.append(recorded.trace.log.last)
    say_publish(named(rig, "shop"), "m1", "m2")
    assert woken == [1]


def test_marks_have_the_broker_s_time(recorded: Recorded) -> None:
    recorded.now = 9
    n = recorded.trace.mark("applied", q="q", m="m3", c="c2", by="worker-7")
    (event,) = recorded.events()
    assert event == Event(n=n, t=9, type="applied", q="q", m="m3", c="c2", by="worker-7")


# -- too much of it ------------------------------------------------------------------------------


def test_of_a_flood_some_messages_are_told_whole_and_the_rest_left_out(
    recorded: Recorded, rig: Rig
) -> None:
    worker, shop = consume(named(rig, "worker")), named(rig, "shop")
    recorded.events()
    count = SAMPLED_FROM + 100
    say_publish(shop, *(f"m{n}" for n in range(1, count + 1)))
    worker.say(BasicAck(0, True))
    events = recorded.events()
    assert len(events) == 4 * SAMPLED_FROM
    assert {e.id for e in events} == set(range(1, SAMPLED_FROM + 1))
    recorded.now += STEP_US
    say_publish(shop, "later")
    assert recorded.told() == ["published later", "enqueued later", "delivered later"]


def test_a_message_left_out_is_told_whole_once_something_befalls_it(
    recorded: Recorded, rig: Rig
) -> None:
    worker, shop = consume(named(rig, "worker")), named(rig, "shop")
    say_publish(shop, *(f"m{n}" for n in range(SAMPLED_FROM)))
    recorded.events()
    recorded.now = 1000
    say_publish(shop, "odd", "back")
    assert recorded.events() == []
    recorded.now = 2000
    worker.say(BasicNack(SAMPLED_FROM + 1, False, True))
    assert [(e.type, e.m, e.t, e.text) for e in recorded.events()] == [
        ("published", "odd", 1000, "from memory"),
        ("enqueued", "odd", 1000, "from memory"),
        ("delivered", "odd", 1000, "from memory"),
        ("nacked", "odd", 2000, ""),
        ("requeued", "odd", 2000, ""),
        ("delivered", "odd", 2000, ""),
    ]


def test_what_another_recording_left_out_was_there_before_this_one(
    recorded: Recorded, rig: Rig
) -> None:
    worker, shop = consume(named(rig, "worker")), named(rig, "shop")
    say_publish(shop, *["flood"] * SAMPLED_FROM, "old")
    recorded.trace.stop_queue("/", "q")
    rig.broker.record("/", "q")
    recorded.events()
    worker.say(BasicNack(SAMPLED_FROM + 1, False, True))
    assert recorded.told() == [
        f"{what} old" for what in ("enqueued", "nacked", "requeued", "delivered")
    ]


def test_a_message_left_out_is_told_whole_when_it_was_overtaken(
    recorded: Recorded, rig: Rig
) -> None:
    worker, shop = consume(named(rig, "worker")), named(rig, "shop")
    say_publish(shop, *(f"m{n}" for n in range(SAMPLED_FROM)))
    worker.say(BasicAck(0, True))
    say_publish(shop, "late", "early")
    recorded.events()
    worker.say(BasicAck(SAMPLED_FROM + 2, False))
    worker.say(BasicAck(SAMPLED_FROM + 1, False))
    assert recorded.told() == [
        *("published early", "enqueued early", "delivered early", "acked early"),
        *("published late", "enqueued late", "delivered late", "acked late"),
    ]


def test_a_flood_that_nothing_can_befall_is_left_alone_until_something_can(
    recorded: Recorded, rig: Rig
) -> None:
    fast, shop = consume(named(rig, "fast"), "c1", no_ack=True), named(rig, "shop")
    recorded.events()
    say_publish(shop, *(f"m{n}" for n in range(SAMPLED_FROM + 10)))
    assert len(recorded.events()) == 4 * SAMPLED_FROM
    assert rig.queue("q").order.tape is None
    careful = consume(named(rig, "careful"), "c2")
    fast.do(BasicCancel("c1", False))
    say_publish(shop, "left out")
    assert recorded.told("consumer_registered", "published") == ["consumer_registered"]
    careful.connection.lost(Cause.CONNECTION_LOST)
    told = recorded.told("published", "enqueued", "delivered", "requeued")
    assert told == [
        f"{what} left out" for what in ("published", "enqueued", "delivered", "requeued")
    ]


def test_a_message_that_waits_for_a_consumer_is_not_left_alone(
    recorded: Recorded, rig: Rig
) -> None:
    worker, shop = consume(named(rig, "worker"), no_ack=True), named(rig, "shop")
    say_publish(shop, *["flood"] * (SAMPLED_FROM - 1))
    worker.do(BasicCancel("c1", False))
    say_publish(shop, "told")
    worker.do(BasicGet(0, "q", True))
    say_publish(shop, "left out")
    recorded.events()
    assert rig.queue("q").ready == 1
    worker.do(BasicGet(0, "q", False))
    worker.do(BasicReject(2 + SAMPLED_FROM - 1, True))
    assert recorded.told() == [
        f"{what} left out"
        for what in ("published", "enqueued", "delivered", "rejected", "requeued")
    ]


def test_after_a_step_of_time_a_queue_that_was_left_alone_is_told_again(
    recorded: Recorded, rig: Rig
) -> None:
    consume(named(rig, "fast"), "c1", no_ack=True)
    shop = named(rig, "shop")
    say_publish(shop, *(f"m{n}" for n in range(SAMPLED_FROM + 10)))
    recorded.events()
    recorded.now += STEP_US
    say_publish(shop, "later")
    assert recorded.told() == [
        f"{what} later" for what in ("published", "enqueued", "delivered", "acked")
    ]


def test_a_queue_that_was_left_alone_is_told_little_of_while_the_flood_goes_on(
    recorded: Recorded, rig: Rig
) -> None:
    consume(named(rig, "fast"), "c1", no_ack=True)
    shop = named(rig, "shop")
    told = []
    for messages in (SAMPLED_FROM + 100, SAMPLED_FROM + 100, SAMPLED_FROM + 100, SAMPLED_FROM, 9):
        say_publish(shop, *["flood"] * messages)
        told.append(len(recorded.events("published")))
        recorded.now += STEP_US
    assert told == [SAMPLED_FROM, IN_A_FLOOD, IN_A_FLOOD, IN_A_FLOOD, 9]


@pytest.mark.parametrize(
    ("events", "most", "in_a_flood"),
    [
        (EVENTS_EACH * SAMPLED_FROM * 9, SAMPLED_FROM, IN_A_FLOOD),
        (EVENTS_EACH * 100, 100, 6),
        (0, AT_LEAST, FEWEST),
    ],
)
def test_no_more_is_told_whole_than_whoever_reads_can_bear(
    recorded: Recorded, rig: Rig, events: int, most: int, in_a_flood: int
) -> None:
    consume(named(rig, "worker"))
    shop = named(rig, "shop")
    recorded.trace.afford(events)
    recorded.now += STEP_US
    told = []
    for _ in range(2):
        recorded.now += STEP_US
        recorded.events()
        say_publish(shop, *["flood"] * (SAMPLED_FROM + 1))
        told.append(len(recorded.events("published")))
    assert told == [most, in_a_flood]

import pytest

from amqplite.broker.redelivery import Cause
from amqplite.connection.connection import ConnectionLimits
from amqplite.connection.state import State
from amqplite.protocol.codec import Method
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicCancelOk,
    BasicConsume,
    BasicConsumeOk,
    BasicDeliver,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicNack,
    BasicQos,
    BasicQosOk,
    BasicRecover,
    BasicRecoverAsync,
    BasicRecoverOk,
    BasicReject,
    ChannelClose,
    ChannelOpen,
    ConnectionClose,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
)
from tests.connection.client import Client, Content, deliveries, frame, properties_of, publish
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue that needs no disk."""
    rig = Rig()
    rig.queue("q", durable=False)
    return rig


def consume(
    tag: str = "c", queue: str = "q", *, no_ack: bool = False, **arguments: object
) -> bytes:
    table = encode_table(from_python({f"x-{name}": value for name, value in arguments.items()}))
    return BasicConsume(0, queue, tag, no_ack=no_ack, arguments=table)


def publishes(count: int, start: int = 1) -> list[bytes]:
    return [publish(b"%d" % number) for number in range(start, start + count)]


def tags(heard: list[object]) -> list[int]:
    return [tag for tag, _, _ in deliveries(heard)]  # type: ignore[arg-type]


def state(rig: Rig, name: str = "q") -> tuple[int, int]:
    return rig.queue(name).ready, rig.queue(name).unacked


# -- consume -------------------------------------------------------------------------------------


def test_consume_ok_comes_before_the_first_delivery(client: Client) -> None:
    client.do(publish(b"body", properties=properties_of(1, message_id="m")))
    assert client.do(consume("tag")) == [
        BasicConsumeOk("tag"),
        Content(
            BasicDeliver("tag", 1, False, "", "q"),
            b"\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x10\x80\x01\x01m",
            b"body",
        ),
    ]


def test_a_consumer_without_a_tag_is_given_one(client: Client) -> None:
    assert client.do(consume("")) == [BasicConsumeOk("amq.ctag-1")]


def test_no_wait_is_answered_by_deliveries_alone(client: Client) -> None:
    client.do(publish(b"1"))
    assert tags(client.do(BasicConsume(0, "q", "c", no_wait=True))) == [1]


def test_a_queue_without_a_name_is_the_one_declared_last(client: Client) -> None:
    client.do(QueueDeclare(0, "last"))
    client.do(publish(b"1", "last"))
    assert tags(client.do(consume("c", ""))) == [1]


def test_delivery_tags_are_the_channels_own_and_count_no_ack_and_get_too(client: Client) -> None:
    client.do(consume(no_ack=True))
    assert tags(client.do(*publishes(2))) == [1, 2]
    client.do(BasicCancel("c"), *publishes(1))
    (got,) = client.do(BasicGet(0, "q"))
    assert isinstance(got, Content)
    assert got.method == BasicGetOk(3, False, "", "q", 0)
    client.do(ChannelOpen(), channel=2)
    client.do(BasicConsume(0, "q", "c"), channel=2)
    assert tags(client.do(*publishes(1))) == [1]


def test_the_same_tag_may_be_used_on_another_channel(client: Client) -> None:
    client.do(consume("c"))
    client.do(ChannelOpen(), channel=2)
    assert client.do(BasicConsume(0, "q", "c"), channel=2) == [BasicConsumeOk("c")]


REFUSED = [
    (
        consume("c", "none"),
        404,
        "NOT_FOUND - no queue 'none' in vhost '/'",
        "no such queue",
    ),
    (
        BasicConsume(0, "", "c"),
        404,
        "NOT_FOUND - no previously declared queue",
        "no queue declared before",
    ),
    (
        consume("c", "taken"),
        403,
        "ACCESS_REFUSED - queue 'taken' in vhost '/' in exclusive use",
        "somebody consumes exclusively",
    ),
    (
        BasicConsume(0, "busy", "c", exclusive=True),
        403,
        "ACCESS_REFUSED - queue 'busy' in vhost '/' in exclusive use",
        "somebody consumes, and this is to be exclusive",
    ),
    (
        BasicConsume(0, "single", "c", exclusive=True),
        403,
        "ACCESS_REFUSED - queue 'single' in vhost '/' has a single active consumer, and takes no "
        "exclusive one",
        "a single active consumer is no exclusive one",
    ),
    (
        consume("c", **{"priority": "high"}),
        406,
        "PRECONDITION_FAILED - invalid arg 'x-priority': expected an integer",
        "a priority that is no number",
    ),
    (
        consume("c", "locked"),
        405,
        "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'locked' in vhost '/'. "
        "It could be originally declared on another connection or the exclusive property value "
        "does not match that of the original declaration.",
        "an exclusive queue of another connection",
    ),
]


@pytest.mark.parametrize(
    ("method", "code", "text"), [pytest.param(*row[:3], id=row[3]) for row in REFUSED]
)
def test_a_consumer_is_refused(
    rig: Rig, client: Client, other: Client, method: Method, code: int, text: str
) -> None:
    rig.queue("taken", durable=False)
    rig.queue("busy", durable=False)
    rig.queue("single", durable=False, single_active_consumer=True)
    other.do(BasicConsume(0, "taken", "t", exclusive=True), consume("b", "busy"))
    other.do(QueueDeclare(0, "locked", exclusive=True))
    assert client.do(method) == [ChannelClose(code, text, 60, 20)]


def test_a_tag_in_use_ends_the_connection(client: Client) -> None:
    client.do(consume("c"))
    text = "NOT_ALLOWED - attempt to reuse consumer tag 'c'"
    assert client.do(consume("c")) == [ConnectionClose(530, text, 60, 20)]


def test_what_is_published_behind_an_ack_finds_its_credit_given_back(
    rig: Rig, client: Client
) -> None:
    client.prefetch(1)
    client.do(consume("high", priority=10), consume("low"), publish(b"1"))
    heard = client.do(BasicAck(1), publish(b"2"))
    assert [one.method.consumer_tag for one in heard if isinstance(one, Content)] == ["high"]


def test_the_higher_priority_is_served_first(rig: Rig, client: Client, other: Client) -> None:
    client.do(consume("low"))
    other.prefetch(1)
    other.do(consume("high", priority=10))
    client.do(*publishes(2))
    assert [body for _, body, _ in other.deliveries()] == [b"1"]
    assert state(rig) == (0, 2)


# -- cancel --------------------------------------------------------------------------------------


def test_after_cancel_ok_nothing_more_is_delivered_and_what_is_held_stays(
    rig: Rig, client: Client
) -> None:
    client.do(consume("c"), *publishes(1))
    assert client.do(BasicCancel("c")) == [BasicCancelOk("c")]
    assert client.do(*publishes(1, 2)) == []
    assert state(rig) == (1, 1)
    client.do(BasicAck(1))
    assert state(rig) == (1, 0)


def test_cancelling_what_is_not_there_is_fine(client: Client) -> None:
    assert client.do(BasicCancel("none")) == [BasicCancelOk("none")]
    assert client.do(BasicCancel("none", True)) == []


def test_a_cancel_ok_of_the_client_is_heard_and_needs_nothing(client: Client) -> None:
    assert client.do(BasicCancelOk("c")) == []


def test_the_last_consumer_takes_an_auto_delete_queue_with_it(rig: Rig, client: Client) -> None:
    client.do(QueueDeclare(0, "auto", auto_delete=True))
    client.do(consume("1", "auto"), consume("2", "auto"))
    client.do(BasicCancel("1"))
    assert "auto" in rig.vhost.queues
    client.do(BasicCancel("2"))
    assert "auto" not in rig.vhost.queues


def test_when_a_queue_is_deleted_its_consumers_are_told(client: Client, other: Client) -> None:
    client.do(consume("c"))
    assert other.do(QueueDelete(0, "q")) == [QueueDeleteOk(0)]
    assert client.hear() == [BasicCancel("c", True)]
    assert client.do(BasicCancel("c")) == [BasicCancelOk("c")]


def test_a_client_that_can_not_hear_a_cancel_is_not_told(rig: Rig, other: Client) -> None:
    deaf = Client(rig).open(consumer_cancel_notify=False)
    deaf.do(consume("c"))
    other.do(QueueDelete(0, "q"))
    assert deaf.hear() == []


def test_the_next_single_active_consumer_goes_on_when_the_first_is_cancelled(
    rig: Rig, client: Client, other: Client
) -> None:
    rig.queue("single", durable=False, single_active_consumer=True)
    client.prefetch(1)
    client.do(consume("first", "single"))
    other.do(consume("second", "single"))
    client.do(*(publish(b"%d" % n, "single") for n in range(3)))
    assert other.hear() == []
    client.do(BasicCancel("first"))
    assert [body for _, body, _ in other.deliveries()] == [b"1", b"2"]


def test_the_next_single_active_consumer_goes_on_when_the_first_is_lost(
    rig: Rig, client: Client, other: Client
) -> None:
    rig.queue("single", durable=False, single_active_consumer=True)
    client.prefetch(1)
    client.do(consume("first", "single"))
    other.do(consume("second", "single"))
    client.do(*(publish(b"%d" % n, "single") for n in range(3)))
    client.do(ChannelClose(200, "", 0, 0))
    assert other.deliveries() == [(1, b"0", True), (2, b"1", False), (3, b"2", False)]


def test_the_next_single_active_consumer_goes_on_when_the_first_was_slow_and_held_nothing(
    rig: Rig, other: Client
) -> None:
    rig.queue("single", durable=False, single_active_consumer=True)
    slow = Client(rig, ConnectionLimits(outbox_high_bytes=1000)).open()
    slow.do(consume("first", "single", no_ack=True))
    other.do(consume("second", "single"))
    other.say(*(publish(b"x" * 600, "single") for _ in range(4)))
    slow.connection.lost(Cause.CONNECTION_LOST)
    assert len(other.deliveries()) == 2


# -- qos -----------------------------------------------------------------------------------------


def test_each_consumer_holds_as_much_as_the_prefetch_allows(rig: Rig, client: Client) -> None:
    assert client.do(BasicQos(0, 2, False)) == [BasicQosOk()]
    client.do(consume("1"), consume("2"))
    assert tags(client.do(*publishes(6))) == [1, 2, 3, 4]
    assert tags(client.do(BasicAck(1), BasicAck(2))) == [5, 6]
    assert state(rig) == (0, 4)


def test_a_prefetch_reaches_consumers_that_run(client: Client) -> None:
    client.prefetch(1)
    client.do(consume())
    assert tags(client.do(*publishes(5))) == [1]
    assert tags(client.do(BasicQos(0, 3, False))) == [2, 3]
    assert tags(client.do(BasicQos(0, 0, False))) == [4, 5]


def test_a_lower_prefetch_waits_until_enough_is_acked(client: Client) -> None:
    client.prefetch(3)
    client.do(consume())
    client.do(*publishes(5))
    client.prefetch(1)
    assert tags(client.do(BasicAck(1))) == []
    assert tags(client.do(BasicAck(2))) == []
    assert tags(client.do(BasicAck(3))) == [4]


def test_a_global_prefetch_is_shared_by_the_channels_consumers(rig: Rig, client: Client) -> None:
    client.do(BasicQos(0, 3, True))
    client.do(consume("1"), consume("2"))
    assert tags(client.do(*publishes(5))) == [1, 2, 3]
    assert tags(client.do(BasicAck(2))) == [4]
    assert tags(client.do(BasicQos(0, 5, True))) == [5]
    assert state(rig) == (0, 4)


def test_both_kinds_of_prefetch_hold_side_by_side(client: Client) -> None:
    client.do(BasicQos(0, 1, False), BasicQos(0, 3, True))
    client.do(consume("1"), consume("2"))
    assert tags(client.do(*publishes(5))) == [1, 2]
    assert tags(client.do(BasicQos(0, 0, True))) == []


def test_a_prefetch_for_each_ends_the_one_for_all(client: Client) -> None:
    client.do(BasicQos(0, 1, True))
    client.do(consume("1"))
    assert tags(client.do(*publishes(4))) == [1]
    assert tags(client.do(BasicQos(0, 2, False))) == [2]


def test_the_consumer_that_acks_is_not_the_only_one_that_goes_on(rig: Rig, client: Client) -> None:
    """What one frees of the limit for all, another may use."""
    rig.queue("other", durable=False)
    client.do(BasicQos(0, 1, True))
    client.do(consume("1"), consume("2", "other"))
    client.do(*publishes(1))
    assert client.do(publish(b"o", "other")) == []
    assert deliveries(client.do(BasicAck(1))) == [(2, b"o", False)]


def test_prefetch_is_nothing_to_no_ack_and_get(rig: Rig, client: Client) -> None:
    client.do(BasicQos(0, 1, False), BasicQos(0, 1, True))
    client.do(*publishes(2), BasicGet(0, "q"), BasicGet(0, "q"))
    assert state(rig) == (0, 2)
    client.do(consume("acks"))
    assert tags(client.do(*publishes(1))) == [3]
    client.do(BasicCancel("acks"), consume("no ack", no_ack=True))
    assert len(tags(client.do(*publishes(3)))) == 3


def test_a_prefetch_size_is_not_to_be_had(client: Client) -> None:
    text = "NOT_IMPLEMENTED - prefetch_size!=0 (1)"
    assert client.do(BasicQos(1, 0, False)) == [ConnectionClose(540, text, 60, 10)]


# -- get -----------------------------------------------------------------------------------------


def test_get_tells_what_it_is_and_how_many_stay(client: Client) -> None:
    client.do(*publishes(3))
    (got,) = client.do(BasicGet(0, "q"))
    assert isinstance(got, Content)
    assert (got.method, got.body) == (BasicGetOk(1, False, "", "q", 2), b"1")


def test_get_from_an_empty_queue(client: Client) -> None:
    assert client.do(BasicGet(0, "q")) == [BasicGetEmpty()]


def test_get_without_ack_leaves_nothing_unacked(rig: Rig, client: Client) -> None:
    client.do(*publishes(1), BasicGet(0, "q", True))
    assert state(rig) == (0, 0)


def test_get_tells_that_a_message_is_redelivered(client: Client) -> None:
    client.do(*publishes(1), BasicGet(0, "q"), BasicReject(1, True))
    (got,) = client.do(BasicGet(0, "q"))
    assert isinstance(got, Content)
    assert got.method == BasicGetOk(2, True, "", "q", 0)


def test_get_is_refused_by_a_single_active_consumers_queue(rig: Rig, client: Client) -> None:
    rig.queue("single", durable=False, single_active_consumer=True)
    text = (
        "RESOURCE_LOCKED - cannot obtain access to locked queue 'single' in vhost '/'. basic.get "
        "operations are not supported by classic queues with single active consumer"
    )
    assert client.do(BasicGet(0, "single")) == [ChannelClose(405, text, 60, 70)]


def test_get_of_a_queue_that_is_not_there(client: Client) -> None:
    text = "NOT_FOUND - no queue 'none' in vhost '/'"
    assert client.do(BasicGet(0, "none")) == [ChannelClose(404, text, 60, 70)]


# -- ack, reject, nack ---------------------------------------------------------------------------


def test_an_ack_settles_one(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(3))
    assert client.do(BasicAck(2)) == []
    assert state(rig) == (0, 2)


def test_acks_in_one_read_settle_one_each(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(5))
    assert client.do(BasicAck(4), BasicAck(2), BasicAck(1)) == []
    assert state(rig) == (0, 2)
    assert client.do(BasicAck(3), BasicAck(5)) == []
    assert state(rig) == (0, 0)


def test_of_acks_in_one_read_those_behind_an_unknown_tag_are_void(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(4))
    text = "PRECONDITION_FAILED - unknown delivery tag 9"
    heard = client.do(BasicAck(1), BasicAck(2), BasicAck(9), BasicAck(3))
    assert heard == [ChannelClose(406, text, 60, 80)]
    assert state(rig) == (2, 0)
    assert client.do(BasicAck(3), BasicAck(4)) == []  # the channel is closing
    assert state(rig) == (2, 0)


def test_acks_in_one_read_on_a_channel_that_is_not_open_end_the_connection(client: Client) -> None:
    heard = client.do(BasicAck(1), BasicAck(2), channel=7)
    assert heard == [ConnectionClose(504, "CHANNEL_ERROR - expected 'channel.open'", 60, 80)]


def test_an_ack_of_many_settles_all_up_to_it(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(5))
    client.do(BasicAck(2))
    client.do(BasicAck(4, True))
    assert state(rig) == (0, 1)
    client.do(BasicAck(5))
    assert state(rig) == (0, 0)


def test_an_ack_of_zero_and_many_settles_all_there_are_even_none(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(3))
    client.do(BasicAck(0, True))
    assert state(rig) == (0, 0)
    assert client.do(BasicAck(0, True)) == []


def test_an_ack_of_many_gets_a_get_too(rig: Rig, client: Client) -> None:
    client.do(*publishes(2), BasicGet(0, "q"), BasicGet(0, "q"))
    client.do(BasicAck(2, True))
    assert state(rig) == (0, 0)


UNKNOWN = [
    (BasicAck(9), 9, 80, "ack"),
    (BasicAck(9, True), 9, 80, "ack of many"),
    (BasicAck(0), 0, 80, "ack of none"),
    (BasicNack(9), 9, 120, "nack"),
    (BasicReject(9), 9, 90, "reject"),
]


@pytest.mark.parametrize(
    ("method", "tag", "method_id"), [pytest.param(*row[:3], id=row[3]) for row in UNKNOWN]
)
def test_an_unknown_tag_ends_the_channel_and_returns_what_it_held(
    rig: Rig, client: Client, method: Method, tag: int, method_id: int
) -> None:
    client.do(consume(), *publishes(2))
    text = f"PRECONDITION_FAILED - unknown delivery tag {tag}"
    assert client.do(method) == [ChannelClose(406, text, 60, method_id)]
    assert state(rig) == (2, 0)


def test_acking_twice_is_acking_an_unknown_tag(client: Client) -> None:
    client.do(consume(), *publishes(1))
    client.do(BasicAck(1))
    text = "PRECONDITION_FAILED - unknown delivery tag 1"
    assert client.do(BasicAck(1)) == [ChannelClose(406, text, 60, 80)]


def test_tags_of_another_channel_are_unknown(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(1))
    client.do(ChannelOpen(), channel=2)
    text = "PRECONDITION_FAILED - unknown delivery tag 1"
    assert client.do(BasicAck(1), channel=2) == [ChannelClose(406, text, 60, 80)]
    assert state(rig) == (0, 1)


def test_no_ack_has_nothing_to_ack(client: Client) -> None:
    client.do(consume(no_ack=True), *publishes(1))
    assert [type(heard) for heard in client.do(BasicAck(1))] == [ChannelClose]


def test_an_ack_cut_short_is_a_syntax_error(client: Client) -> None:
    text = "SYNTAX_ERROR - arguments of basic.ack are cut short"
    assert client.do(frame(1, 1, b"\x00\x3c\x00\x50\x00\x01")) == [
        ConnectionClose(502, text, 60, 80)
    ]


def test_a_rejected_message_goes_back_or_away(rig: Rig, client: Client) -> None:
    client.prefetch(2)
    client.do(consume(), *publishes(3))
    assert deliveries(client.do(BasicReject(2, True))) == [(3, b"2", True)]
    assert deliveries(client.do(BasicReject(1, False))) == [(4, b"3", False)]
    assert state(rig) == (0, 2)


def test_a_nack_of_many_returns_them_in_their_order(rig: Rig, client: Client) -> None:
    client.do(consume(), *publishes(3))
    heard = client.do(BasicNack(2, True, True))
    assert deliveries(heard) == [(4, b"1", True), (5, b"2", True)]
    client.do(BasicNack(0, True, False))
    assert state(rig) == (0, 0)


def test_settling_several_in_one_read_dispatches_in_the_queues_order(client: Client) -> None:
    client.prefetch(3)
    client.do(consume(), *publishes(4))
    heard = client.do(BasicReject(3, True), BasicReject(1, True))
    assert deliveries(heard) == [(4, b"1", True), (5, b"3", True)]


# -- recover -------------------------------------------------------------------------------------


def test_recover_requeues_all_of_the_channel(client: Client) -> None:
    client.do(consume(), *publishes(2))
    client.do(*publishes(1, 3), BasicCancel("c"))
    assert client.do(BasicRecover(True)) == [BasicRecoverOk()]
    heard = client.do(consume())
    assert deliveries(heard) == [(4, b"1", True), (5, b"2", True), (6, b"3", True)]


def test_recover_async_does_without_an_answer(rig: Rig, client: Client) -> None:
    client.do(*publishes(1), BasicGet(0, "q"))
    assert client.do(BasicRecoverAsync(True)) == []
    assert state(rig) == (1, 0)


@pytest.mark.parametrize(("method", "id_"), [(BasicRecover(), 110), (BasicRecoverAsync(), 100)])
def test_recover_without_requeue_is_not_to_be_had(client: Client, method: Method, id_: int) -> None:
    text = "NOT_IMPLEMENTED - requeue=false"
    assert client.do(method) == [ConnectionClose(540, text, 60, id_)]


# -- the end of a consumer's credit --------------------------------------------------------------


def test_a_consumer_whose_outbox_is_full_goes_on_when_it_was_written(rig: Rig) -> None:
    client = Client(rig, ConnectionLimits(outbox_high_bytes=1000)).open()
    client.do(consume())
    client.say(*(publish(b"x" * 300) for _ in range(10)))
    assert 0 < state(rig)[0] < 10
    assert len(tags(client.hear())) == 10
    assert state(rig) == (0, 10)


def test_an_ack_while_the_outbox_is_full_is_not_forgotten(rig: Rig, other: Client) -> None:
    client = Client(rig, ConnectionLimits(outbox_high_bytes=1000)).open()
    client.prefetch(1)
    client.do(consume("1"))
    client.do(BasicQos(0, 0, False), consume("2", no_ack=True))
    other.do(publish(b"small"))
    other.do(*(publish(b"x" * 600) for _ in range(6)))
    client.say(BasicAck(1))
    assert client.connection.state is State.OPEN
    assert len(tags(client.hear())) == 7


def test_a_purge_counts_the_ready(rig: Rig, client: Client) -> None:
    client.prefetch(1)
    client.do(consume(), *publishes(3))
    assert client.do(QueuePurge(0, "q")) == [QueuePurgeOk(2)]
    assert state(rig) == (0, 1)


def test_a_redeclare_counts_the_ready_and_the_consumers(client: Client) -> None:
    client.prefetch(1)
    client.do(consume(), *publishes(3))
    assert client.do(QueueDeclare(0, "q")) == [QueueDeclareOk("q", 2, 1)]

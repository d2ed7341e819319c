"""Connections: replies that wait for the disk, what goes on meanwhile, and every way to end."""

import pytest

from amqplite.broker.redelivery import Cause
from amqplite.connection.connection import ConnectionLimits
from amqplite.connection.state import State
from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.methods import (
    AccessRequest,
    AccessRequestOk,
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicDeliver,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicQosOk,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConfirmSelect,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionStartOk,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    QueueDeclare,
    QueueDeclareOk,
    TxCommit,
    TxCommitOk,
    TxSelect,
    TxSelectOk,
)
from tests.connection.client import (
    Client,
    Content,
    content,
    deliveries,
    frame,
    properties_of,
    publish,
)
from tests.rig import GUEST, Rig

DURABLE = QueueDeclare(0, "d", durable=True)
TRANSIENT = QueueDeclare(0, "t")
CLOSE = ConnectionClose(200, "bye", 0, 0)


# -- replies that wait for the disk --------------------------------------------------------------


def test_a_reply_waits_until_what_it_tells_is_on_disk(rig: Rig, client: Client) -> None:
    client.say(DURABLE)
    assert (client.hear(), client.connection.paused) == ([], True)
    rig.take()
    assert client.hear() == []
    rig.write()
    assert client.hear() == [QueueDeclareOk("d", 0, 0)]
    assert (client.connection.paused, client.resumed) == (False, 1)


def test_a_reply_that_tells_of_nothing_to_store_comes_at_once(client: Client) -> None:
    client.say(TRANSIENT, AccessRequest())
    assert client.hear() == [QueueDeclareOk("t", 0, 0), AccessRequestOk()]
    assert client.resumed == 0


def test_a_reply_hurries_the_commit(rig: Rig, client: Client) -> None:
    assert not rig.journal.urgent
    client.say(DURABLE)
    assert rig.journal.urgent


def test_a_reply_waits_for_the_changes_before_it_too(rig: Rig, client: Client) -> None:
    """Whoever is told that something is done may rely on all that it had done before."""
    client.do(DURABLE)
    client.say(publish(b"1", "d"))
    client.say(QueueDeclare(0, "d", passive=True))
    assert client.hear() == []
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 1, 0)]


def test_a_reply_does_not_wait_for_the_messages_of_others(
    rig: Rig, client: Client, other: Client
) -> None:
    other.say(DURABLE)
    rig.commit()
    other.say(publish(b"1", "d"))
    client.say(TRANSIENT)
    assert client.hear() == [QueueDeclareOk("t", 0, 0)]


def test_what_another_connection_has_declared_is_on_disk_before_anybody_hears_that_it_is_there(
    rig: Rig, client: Client, other: Client
) -> None:
    other.say(DURABLE)
    client.say(DURABLE)
    assert client.hear() == []
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 0, 0)]


def test_what_is_pipelined_behind_a_reply_that_waits_waits_too(rig: Rig, client: Client) -> None:
    client.say(DURABLE, publish(b"1", "d"), BasicGet(0, "d"), TRANSIENT)
    assert (client.hear(), rig.queue("d").ready) == ([], 0)
    rig.take()
    rig.write()
    heard = client.hear()
    assert heard[0] == QueueDeclareOk("d", 0, 0)
    assert isinstance(heard[1], Content)
    assert (heard[1].method, heard[1].body) == (BasicGetOk(1, False, "", "d", 0), b"1")
    assert heard[2:] == []
    rig.commit()
    assert client.hear() == [QueueDeclareOk("t", 0, 0)]
    assert client.resumed == 1


def test_half_a_frame_behind_a_reply_that_waits_is_not_lost(rig: Rig, client: Client) -> None:
    octets = method_frame(1, TRANSIENT)
    client.say(DURABLE, octets[:9])
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 0, 0)]
    client.feed(octets[9:])
    assert client.hear() == [QueueDeclareOk("t", 0, 0)]


def test_each_of_several_replies_waits_for_its_own_commit(rig: Rig, client: Client) -> None:
    client.say(*(QueueDeclare(0, f"d{n}", durable=True) for n in range(3)))
    for number in range(3):
        assert client.hear() == []
        rig.take()
        rig.write()
        assert client.hear() == [QueueDeclareOk(f"d{number}", 0, 0)]
    assert client.resumed == 1


def test_deliveries_go_on_while_a_reply_waits(rig: Rig, client: Client, other: Client) -> None:
    client.do(TRANSIENT)
    client.do(BasicConsume(0, "t", "c"))
    client.say(DURABLE)
    other.do(publish(b"1", "t"))
    heard = client.hear()
    assert deliveries(heard) == [(1, b"1", False)]


def test_an_error_behind_a_reply_that_waits_comes_behind_it(rig: Rig, client: Client) -> None:
    client.say(DURABLE, BasicGet(0, "none"), TRANSIENT)
    rig.commit()
    assert client.hear() == [
        QueueDeclareOk("d", 0, 0),
        ChannelClose(404, "NOT_FOUND - no queue 'none' in vhost '/'", 60, 70),
    ]
    assert "t" not in rig.vhost.queues


def test_a_hard_error_behind_a_reply_that_waits_comes_behind_it(rig: Rig, client: Client) -> None:
    client.say(DURABLE, ChannelOpen())
    assert client.hear() == []
    rig.commit()
    assert client.hear() == [
        QueueDeclareOk("d", 0, 0),
        ConnectionClose(504, "CHANNEL_ERROR - second 'channel.open' seen", 20, 10),
    ]
    client.say(ConnectionCloseOk(), channel=0)
    assert client.connection.closed


def test_a_bad_frame_behind_a_reply_that_waits_comes_behind_it(rig: Rig, client: Client) -> None:
    client.say(DURABLE, b"\x01\x00\x01\x00\x00\x00\x00\xcd")
    rig.commit()
    assert client.hear() == [
        QueueDeclareOk("d", 0, 0),
        ConnectionClose(501, "FRAME_ERROR - frame ends in 0xcd, not 0xce", 0, 0),
    ]


def test_a_fault_of_ours_behind_a_reply_that_waits_is_told(rig: Rig, client: Client) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    rig.queue("full", durable=False, max_length=0).dead_letter = fail
    client.say(DURABLE, publish(b"1", "full"))
    rig.commit()
    assert client.hear() == [
        QueueDeclareOk("d", 0, 0),
        ConnectionClose(541, "INTERNAL_ERROR - the broker failed; see its log", 0, 0),
    ]
    assert [type(fault) for fault in client.faults] == [ZeroDivisionError]


def test_a_connection_lost_while_a_reply_waits_acts_on_nothing_more(
    rig: Rig, client: Client
) -> None:
    client.say(DURABLE, TRANSIENT)
    client.connection.lost(Cause.CONNECTION_LOST)
    assert not client.connection.closed
    rig.commit()
    assert client.connection.closed
    assert (client.resumed, "t" in rig.vhost.queues, "d" in rig.vhost.queues) == (0, False, True)


def test_a_shutdown_while_a_reply_waits_comes_behind_the_reply(rig: Rig, client: Client) -> None:
    client.say(DURABLE, TRANSIENT)
    client.connection.shut_down()
    assert client.hear() == []
    rig.commit()
    text = "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'"
    assert client.hear() == [QueueDeclareOk("d", 0, 0), ConnectionClose(320, text, 0, 0)]
    assert "t" not in rig.vhost.queues
    client.say(ConnectionCloseOk(), channel=0)
    assert client.connection.closed


def test_close_ok_waits_for_the_disk_and_then_the_connection_is_closed(
    rig: Rig, client: Client
) -> None:
    client.do(DURABLE)
    client.say(publish(b"1", "d"), method_frame(0, CLOSE))
    assert (client.hear(), client.connection.closed, client.connection.paused) == ([], False, True)
    rig.commit()
    assert client.hear() == [ConnectionCloseOk()]
    assert client.connection.closed


def test_channel_close_ok_waits_for_the_disk(rig: Rig, client: Client) -> None:
    client.do(DURABLE)
    client.say(publish(b"1", "d"), ChannelClose(200, "", 0, 0), ChannelOpen())
    assert client.hear() == []
    rig.commit()
    assert client.hear() == [ChannelCloseOk(), ChannelOpenOk()]


def test_a_get_waits_until_the_store_knows_that_its_message_may_be_out(
    rig: Rig, client: Client
) -> None:
    client.do(DURABLE)
    client.do(publish(b"1", "d"))
    client.say(BasicGet(0, "d"), BasicGet(0, "d"))
    assert client.hear() == []
    rig.commit()
    first, second = client.hear()
    assert isinstance(first, Content)
    assert first.method == BasicGetOk(1, False, "", "d", 0)
    assert second == BasicGetEmpty()
    rig.crash()
    assert rig.queue("d").get()[0].deliveries == 2  # type: ignore[index]


def test_a_get_without_ack_need_not_wait(rig: Rig, client: Client) -> None:
    client.do(DURABLE)
    client.do(publish(b"1", "d"))
    client.say(BasicGet(0, "d", True))
    assert len(client.hear()) == 1


def test_an_alarm_that_comes_and_goes_while_a_reply_waits_changes_no_order(
    rig: Rig, client: Client
) -> None:
    client.do(TRANSIENT)
    rig.broker.alarms.set("disk", True)
    client.say(publish(b"1", "t"))
    client.do(ChannelOpen(), channel=2)
    client.say(QueueDeclare(0, "d", durable=True), QueueDeclare(0, "t", passive=True), channel=2)
    rig.broker.alarms.set("disk", False)
    client.hear()
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 0, 0), QueueDeclareOk("t", 1, 0)]


# -- a client that does not read -----------------------------------------------------------------


def test_a_client_that_asks_and_does_not_read_is_not_read_from(rig: Rig) -> None:
    client = Client(rig, ConnectionLimits(outbox_high_bytes=100)).open()
    client.say(*[BasicQos(0, 1, False)] * 100)
    assert client.connection.paused
    assert client.connection.outbox.size < 300
    assert client.hear() == [BasicQosOk()] * 100
    assert (client.connection.paused, client.resumed > 0) == (False, True)


def test_a_client_that_does_not_read_and_waits_for_the_disk_resumes_after_both(rig: Rig) -> None:
    client = Client(rig, ConnectionLimits(outbox_high_bytes=100)).open()
    client.say(*[BasicQos(0, 1, False)] * 20, DURABLE, TRANSIENT)
    heard = client.hear()
    assert heard == [BasicQosOk()] * 20
    assert client.connection.paused
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 0, 0), QueueDeclareOk("t", 0, 0)]


def test_what_is_written_while_a_reply_waits_does_not_let_it_go(rig: Rig) -> None:
    client = Client(rig, ConnectionLimits(outbox_high_bytes=100)).open()
    client.do(TRANSIENT)
    client.do(ConfirmSelect())
    client.say(DURABLE)
    client.connection.flushed()
    assert (client.connection.paused, client.hear()) == (True, [])
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 0, 0)]


# -- errors --------------------------------------------------------------------------------------

SOFT = [
    (ExchangeDeclare(0, "amq.new"), 403, "ACCESS_REFUSED", 40, 10),
    (BasicGet(0, "none"), 404, "NOT_FOUND", 60, 70),
    (QueueDeclare(0, "locked"), 405, "RESOURCE_LOCKED", 50, 10),
    (BasicAck(1), 406, "PRECONDITION_FAILED", 60, 80),
]


@pytest.mark.parametrize(("method", "code", "name", "class_id", "method_id"), SOFT)
def test_a_soft_error_closes_its_channel_alone(
    client: Client,
    other: Client,
    method: Method,
    code: int,
    name: str,
    class_id: int,
    method_id: int,
) -> None:
    other.do(QueueDeclare(0, "locked", exclusive=True))
    client.do(ChannelOpen(), channel=2)
    (close,) = client.do(method)
    assert isinstance(close, ChannelClose)
    assert (close.reply_code, close.class_id, close.method_id) == (code, class_id, method_id)
    assert close.reply_text.startswith(name + " - ")
    assert client.do(TRANSIENT, channel=2) == [QueueDeclareOk("t", 0, 0)]
    assert client.do(BasicQos(), BasicAck(5), publish(b"1", "t")) == []
    assert client.do(ChannelCloseOk(), ChannelOpen()) == [ChannelOpenOk()]


HARD = [
    (
        b"\x01\x00\x01\x00\x00\x00\x00\xcd",
        501,
        "FRAME_ERROR - frame ends in 0xcd, not 0xce",
        (0, 0),
        "a frame without its end",
    ),
    (
        b"\x03\x00\x01\x7f\xff\xff\xff ",
        501,
        "FRAME_ERROR - frame of 2147483655 octets is over frame_max 131072",
        (0, 0),
        "a frame over frame_max",
    ),
    (
        frame(1, 1, b"\x00\x3c\x00\x14\x00"),
        502,
        "SYNTAX_ERROR - arguments of basic.consume are cut short",
        (60, 20),
        "a method cut short",
    ),
    (
        frame(1, 1, b"\x00\x3c\x03\xe7"),
        503,
        "COMMAND_INVALID - unimplemented method",
        (60, 999),
        "a method that does not exist",
    ),
    (
        method_frame(1, BasicDeliver("c", 1, False, "", "")),
        503,
        "COMMAND_INVALID - unimplemented method",
        (60, 60),
        "a method that only a broker sends",
    ),
    (
        method_frame(0, TRANSIENT),
        503,
        "COMMAND_INVALID - unimplemented method",
        (50, 10),
        "a channel's method on channel zero",
    ),
    (
        method_frame(0, ConnectionStartOk()),
        503,
        "COMMAND_INVALID - unimplemented method",
        (10, 11),
        "the handshake again",
    ),
    (
        method_frame(1, CLOSE),
        503,
        "COMMAND_INVALID - unimplemented method",
        (10, 50),
        "the connection's method on a channel",
    ),
    (
        publish(b"1", channel=0),
        503,
        "COMMAND_INVALID - unimplemented method",
        (60, 40),
        "a publish on channel zero",
    ),
    (
        method_frame(7, TRANSIENT),
        504,
        "CHANNEL_ERROR - expected 'channel.open'",
        (50, 10),
        "a method on a channel that is not open",
    ),
    (
        publish(b"1", channel=7),
        504,
        "CHANNEL_ERROR - expected 'channel.open'",
        (60, 40),
        "a publish on a channel that is not open",
    ),
    (
        frame(2, 7, b""),
        504,
        "CHANNEL_ERROR - expected 'channel.open'",
        (60, 40),
        "a content on a channel that is not open",
    ),
    (
        method_frame(1, ChannelOpen()),
        504,
        "CHANNEL_ERROR - second 'channel.open' seen",
        (20, 10),
        "a channel opened twice",
    ),
    (
        frame(8, 1, b""),
        505,
        "UNEXPECTED_FRAME - heartbeat on channel 1",
        (60, 40),
        "a heartbeat on a channel",
    ),
    (
        frame(4, 1, b""),
        505,
        "UNEXPECTED_FRAME - frame of unknown type 4",
        (60, 40),
        "a frame of a type that does not exist",
    ),
    (
        frame(0, 1, b"\x00\x3c\x00\x28"),
        505,
        "UNEXPECTED_FRAME - frame of unknown type 0",
        (60, 40),
        "a frame of type zero",
    ),
    (
        frame(3, 0, b""),
        505,
        "UNEXPECTED_FRAME - frame of type 3 on channel 0",
        (60, 40),
        "a content on channel zero",
    ),
    (
        method_frame(2048, ChannelOpen()),
        530,
        "NOT_ALLOWED - number of channels opened (2048) has reached the negotiated channel_max "
        "(2047)",
        (20, 10),
        "more channels than agreed",
    ),
]


@pytest.mark.parametrize(
    ("octets", "code", "text", "ids"), [pytest.param(*row[:4], id=row[4]) for row in HARD]
)
def test_a_hard_error_closes_the_connection(
    client: Client, octets: bytes, code: int, text: str, ids: tuple[int, int]
) -> None:
    assert client.do(octets) == [ConnectionClose(code, text, *ids)]
    assert (client.connection.state, client.connection.closed) == (State.CLOSING, False)


def test_a_reply_text_is_cut_to_what_a_short_string_holds(client: Client) -> None:
    (close,) = client.do(BasicGet(0, "q" * 250))
    assert isinstance(close, ChannelClose)
    assert close.reply_text == ("NOT_FOUND - no queue '" + "q" * 250)[:252] + "..."


def test_a_fault_of_ours_closes_the_connection_and_is_told(rig: Rig, client: Client) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    rig.queue("full", durable=False, max_length=0).dead_letter = fail
    text = "INTERNAL_ERROR - the broker failed; see its log"
    assert client.do(publish(b"1", "full")) == [ConnectionClose(541, text, 0, 0)]
    assert [type(fault) for fault in client.faults] == [ZeroDivisionError]


def test_a_second_error_is_not_told(client: Client) -> None:
    client.do(BasicDeliver("c", 1, False, "", ""))
    assert client.do(b"\x01\x00\x01\x00\x00\x00\x00\xcd") == []


def test_a_second_error_in_the_same_read_is_not_told_either(client: Client) -> None:
    (close,) = client.do(ChannelOpen(), b"\x01\x00\x01\x00\x00\x00\x00\xcd")
    assert isinstance(close, ConnectionClose)
    assert close.reply_code == 504


# -- after our close -----------------------------------------------------------------------------


def test_after_an_error_all_is_ignored_but_close_ok(rig: Rig, client: Client) -> None:
    client.do(BasicDeliver("c", 1, False, "", ""))
    assert client.do(TRANSIENT, publish(b"1"), frame(8, 0, b""), ChannelOpen(), channel=1) == []
    assert client.do(AccessRequest(), channel=0) == []
    assert "t" not in rig.vhost.queues
    client.say(ConnectionCloseOk(), channel=0)
    assert client.connection.closed


def test_close_ok_in_the_same_read_as_the_error_is_heard(client: Client) -> None:
    client.do(BasicDeliver("c", 1, False, "", ""), method_frame(0, ConnectionCloseOk()))
    assert client.connection.closed


def test_half_a_frame_behind_an_error_is_not_taken_for_a_whole(client: Client) -> None:
    octets = method_frame(1, TRANSIENT)
    client.do(BasicDeliver("c", 1, False, "", ""), octets[:9])
    client.say(octets[9:], method_frame(0, ConnectionCloseOk()))
    assert client.connection.closed


def test_when_both_close_at_once_both_are_answered(client: Client) -> None:
    client.do(BasicDeliver("c", 1, False, "", ""))
    assert client.do(CLOSE, channel=0) == [ConnectionCloseOk()]
    assert client.connection.closed


def test_an_error_returns_what_was_unacked_and_drops_the_consumers(
    rig: Rig, client: Client, other: Client
) -> None:
    client.do(TRANSIENT)
    client.do(BasicConsume(0, "t", "c"), publish(b"1", "t"))
    other.do(BasicConsume(0, "t", "o"))
    client.do(BasicDeliver("c", 1, False, "", ""))
    assert other.deliveries() == [(1, b"1", True)]


# -- channels ------------------------------------------------------------------------------------


def test_a_channel_closed_by_its_client_may_be_opened_again(client: Client) -> None:
    close = ChannelClose(200, "", 0, 0)
    assert client.do(close, ChannelOpen()) == [ChannelCloseOk(), ChannelOpenOk()]


def test_a_close_that_crosses_ours_is_answered_and_close_ok_still_awaited(client: Client) -> None:
    client.do(BasicAck(1))
    assert client.do(ChannelClose(200, "", 0, 0)) == [ChannelCloseOk()]
    assert client.do(ChannelCloseOk(), ChannelOpen()) == [ChannelOpenOk()]


def test_a_close_ok_that_comes_late_is_ignored(client: Client) -> None:
    client.do(ChannelClose(200, "", 0, 0))
    assert client.do(ChannelCloseOk()) == []
    assert client.do(ChannelOpen()) == [ChannelOpenOk()]
    assert client.do(ChannelCloseOk()) == []
    assert client.do(TRANSIENT) == [QueueDeclareOk("t", 0, 0)]


def test_contents_on_a_channel_that_is_closing_are_ignored(client: Client) -> None:
    client.do(BasicAck(1))
    assert client.do(content(b"1"), publish(b"2"), frame(8, 1, b"")) == []


def test_a_channel_that_ends_returns_its_messages_to_the_front_in_order(
    rig: Rig, client: Client, other: Client
) -> None:
    client.do(TRANSIENT)
    client.prefetch(3)
    client.do(BasicConsume(0, "t", "c"), *(publish(b"%d" % n, "t") for n in range(5)))
    heard = other.do(BasicConsume(0, "t", "o"))
    assert deliveries(heard) == [(1, b"3", False), (2, b"4", False)]
    client.do(ChannelClose(200, "", 0, 0))
    assert other.deliveries() == [(3, b"0", True), (4, b"1", True), (5, b"2", True)]


def test_a_channel_that_ends_undelivers_nothing_to_itself(client: Client) -> None:
    client.do(TRANSIENT)
    client.prefetch(1)
    client.do(BasicConsume(0, "t", "1"), BasicConsume(0, "t", "2"))
    client.do(*(publish(b"%d" % n, "t") for n in range(5)))
    assert client.do(ChannelClose(200, "", 0, 0)) == [ChannelCloseOk()]


def test_a_channel_that_ends_deletes_auto_delete_queues_once_its_messages_are_back(
    rig: Rig, client: Client
) -> None:
    client.do(QueueDeclare(0, "auto", auto_delete=True))
    client.do(BasicConsume(0, "auto", "c"), publish(b"1", "auto"))
    client.do(ChannelClose(200, "", 0, 0))
    assert "auto" not in rig.vhost.queues


# -- the end -------------------------------------------------------------------------------------


def test_exclusive_queues_are_gone_when_close_ok_comes(rig: Rig, client: Client) -> None:
    client.do(QueueDeclare(0, "x", exclusive=True))
    assert client.do(CLOSE, channel=0) == [ConnectionCloseOk()]
    assert ("x" in rig.vhost.queues, client.connection in rig.broker.connections) == (False, False)


def test_exclusive_queues_go_with_a_lost_connection_too(rig: Rig, client: Client) -> None:
    client.do(QueueDeclare(0, "x", exclusive=True), BasicConsume(0, "x", "c"))
    client.connection.lost(Cause.CONNECTION_LOST)
    assert "x" not in rig.vhost.queues
    client.connection.lost(Cause.CONNECTION_LOST)
    assert client.connection.closed


def test_what_was_held_returns_in_order_however_many_channels_held_it(
    rig: Rig, client: Client, other: Client
) -> None:
    client.do(TRANSIENT)
    client.do(ChannelOpen(), channel=2)
    client.prefetch(2)
    client.prefetch(2, channel=2)
    client.do(BasicConsume(0, "t", "1"))
    client.do(BasicConsume(0, "t", "2"), channel=2)
    client.do(*(publish(b"%d" % n, "t") for n in range(4)))
    other.prefetch(4)
    other.do(BasicConsume(0, "t", "o"))
    client.connection.lost(Cause.HEARTBEATS_MISSED)
    assert [body for _, body, _ in other.deliveries()] == [b"0", b"1", b"2", b"3"]


def test_a_shutdown_returns_what_was_held_and_hands_it_to_nobody(
    rig: Rig, client: Client, other: Client
) -> None:
    client.do(TRANSIENT)
    client.do(BasicConsume(0, "t", "c"), publish(b"1", "t"))
    other.do(BasicConsume(0, "t", "o"))
    client.connection.shut_down()
    assert (other.hear(), rig.queue("t").ready) == ([], 1)


def test_a_transaction_that_was_not_committed_gives_its_acks_back(rig: Rig, client: Client) -> None:
    client.do(TRANSIENT)
    client.do(publish(b"1", "t"), publish(b"2", "t"), BasicGet(0, "t"), BasicGet(0, "t"))
    client.do(TxSelect(), BasicAck(1), BasicNack(2, False, False), publish(b"3", "t"))
    client.connection.lost(Cause.CONNECTION_LOST)
    assert (rig.queue("t").ready, rig.queue("t").unacked) == (2, 0)


def test_a_close_before_the_end_of_the_handshake_needs_no_vhost(rig: Rig) -> None:
    client = Client(rig)
    client.feed(b"AMQP\x00\x00\x09\x01")
    client.connection.lost(Cause.CONNECTION_LOST)
    assert client.connection.closed


def test_a_close_ok_out_of_the_blue_is_ignored(client: Client) -> None:
    assert client.do(ConnectionCloseOk(), channel=0) == []
    assert client.do(TRANSIENT) == [QueueDeclareOk("t", 0, 0)]


def test_the_state_is_told_when_it_changes(rig: Rig) -> None:
    client, states = Client(rig), list[State]()
    client.connection.on_state = lambda: states.append(client.connection.state)
    client.open()
    client.do(BasicDeliver("c", 1, False, "", ""))
    client.do(ConnectionCloseOk(), channel=0)
    client.connection.lost(Cause.CONNECTION_LOST)
    assert states == [State.OPEN, State.CLOSING, State.CLOSED]


# -- update-secret -------------------------------------------------------------------------------


def test_a_secret_may_be_renewed(client: Client) -> None:
    renewed = ConnectionUpdateSecret(b"guest", "rotated")
    assert client.do(renewed, channel=0) == [ConnectionUpdateSecretOk()]


def test_with_a_renewed_secret_open_channels_have_the_tags_that_the_user_has_by_now(
    rig: Rig, client: Client
) -> None:
    claims = publish(b"m", properties=properties_of(user_id="somebody else"))
    rig.queue("q")
    rig.broker.users.put_user("guest", GUEST, ("impersonator",))
    client.do(ConnectionUpdateSecret(b"guest", "promoted"), channel=0)
    assert client.do(claims) == []
    assert rig.queue("q").ready == 1


def test_a_wrong_secret_ends_the_connection(client: Client) -> None:
    text = "NOT_ALLOWED - New secret was refused by one of the backends"
    assert client.do(ConnectionUpdateSecret(b"wrong", ""), channel=0) == [
        ConnectionClose(530, text, 10, 70)
    ]


def test_a_secret_of_somebody_who_may_not_enter_any_more_ends_the_connection(
    rig: Rig, client: Client
) -> None:
    rig.broker.users.clear_permissions("guest", "/")
    text = "NOT_ALLOWED - access to vhost '/' refused for user 'guest'"
    assert client.do(ConnectionUpdateSecret(b"guest", ""), channel=0) == [
        ConnectionClose(530, text, 10, 70)
    ]


# -- all together --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_nothing_depends_on_how_the_octets_are_cut(rig: Rig, client: Client, size: int) -> None:
    said: list[Method | bytes] = [
        DURABLE,
        ConfirmSelect(no_wait=True),
        BasicConsume(0, "d", "c"),
        publish(b"one", "d"),
        publish(b"two in pieces", "d", piece=3),
        publish(b"", "d"),
        BasicAck(2, True),
        BasicCancel("c", True),
        ExchangeDeclare(0, "x"),
        BasicGet(0, "d"),
    ]
    octets = b"".join(one if isinstance(one, bytes) else method_frame(1, one) for one in said)
    heard = []
    for at in range(0, len(octets), size):
        client.feed(octets[at : at + size])
        rig.commit()
        heard += client.hear()
    assert deliveries(heard) == [
        (1, b"one", False),
        (2, b"two in pieces", False),
        (3, b"", False),
    ]
    assert [type(one) for one in heard if not isinstance(one, Content | BasicAck)] == [
        QueueDeclareOk,
        type(heard[1]),
        ExchangeDeclareOk,
        BasicGetEmpty,
    ]
    assert max(one.delivery_tag for one in heard if isinstance(one, BasicAck)) == 3


def test_a_transaction_is_on_disk_when_commit_ok_comes(rig: Rig, client: Client) -> None:
    client.do(DURABLE)
    assert client.do(TxSelect()) == [TxSelectOk()]
    client.say(publish(b"1", "d"), TxCommit())
    assert client.hear() == []
    rig.commit()
    assert client.hear() == [TxCommitOk()]


def test_a_publish_of_which_the_method_alone_has_come_waits_for_its_content(
    rig: Rig, client: Client
) -> None:
    client.do(TRANSIENT)
    client.feed(method_frame(1, BasicPublish(0, "", "t")))
    assert rig.queue("t").ready == 0
    client.feed(content(b"1"))
    assert rig.queue("t").ready == 1

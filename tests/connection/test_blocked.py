"""Connections while an alarm is on: publishes wait, all else goes on."""

import pytest

from amqplite.connection import blocked
from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    BasicGetEmpty,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicQosOk,
    BasicReject,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConfirmSelect,
    ConfirmSelectOk,
    ConnectionBlocked,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionUnblocked,
    QueueDeclare,
    QueueDeclareOk,
)
from tests.connection.client import Client, Content, content, deliveries, frame, publish
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue that needs no disk."""
    rig = Rig()
    rig.queue("q", durable=False)
    return rig


def alarm(rig: Rig, low: bool, resource: str = "disk") -> None:
    rig.broker.alarms.set(resource, low)


def test_a_publisher_is_told_once_when_it_publishes_and_once_when_it_is_over(
    rig: Rig, client: Client
) -> None:
    alarm(rig, True)
    assert client.hear() == []
    assert client.do(publish(b"1")) == [ConnectionBlocked("low on disk")]
    assert client.do(publish(b"2")) == []
    assert rig.queue().ready == 0
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked()]
    assert rig.queue().ready == 2
    assert client.do(publish(b"3")) == []


def test_who_does_not_publish_is_not_told(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    alarm(rig, False)
    assert client.hear() == []


def test_two_alarms_are_one_episode(rig: Rig, client: Client) -> None:
    alarm(rig, True, "memory")
    alarm(rig, True)
    assert client.do(publish(b"1")) == [ConnectionBlocked("low on memory & low on disk")]
    alarm(rig, False)
    assert client.hear() == []
    alarm(rig, False, "memory")
    assert client.hear() == [ConnectionUnblocked()]


def test_each_episode_is_told_anew(rig: Rig, client: Client) -> None:
    for _ in range(2):
        alarm(rig, True)
        assert client.do(publish(b"1")) == [ConnectionBlocked("low on disk")]
        alarm(rig, False)
        assert client.hear() == [ConnectionUnblocked()]
    assert rig.queue().ready == 2


def test_who_can_not_hear_it_is_not_told_and_waits_the_same(rig: Rig) -> None:
    deaf = Client(rig).open(connection__blocked=False)
    alarm(rig, True)
    assert deaf.do(publish(b"1")) == []
    assert rig.queue().ready == 0
    alarm(rig, False)
    assert deaf.hear() == []
    assert rig.queue().ready == 1


def test_whoever_comes_while_an_alarm_is_on_is_blocked_too(rig: Rig) -> None:
    alarm(rig, True)
    late = Client(rig).open()
    assert late.do(publish(b"1")) == [ConnectionBlocked("low on disk")]


def test_consumers_go_on(rig: Rig, client: Client, other: Client) -> None:
    client.do(publish(b"1"), publish(b"2"))
    alarm(rig, True)
    other.prefetch(1)
    heard = other.do(BasicConsume(0, "q", "c"))
    assert deliveries(heard) == [(1, b"1", False)]
    assert deliveries(other.do(BasicAck(1))) == [(2, b"2", False)]


def test_what_follows_a_publish_on_its_channel_waits_behind_it(rig: Rig, client: Client) -> None:
    client.do(ChannelOpen(), channel=2)
    alarm(rig, True)
    client.do(ConfirmSelect())
    client.do(publish(b"1"), QueueDeclare(0, "q", passive=True))
    assert client.hear() == []
    assert client.do(QueueDeclare(0, "q", passive=True), channel=2) == [QueueDeclareOk("q", 0, 0)]
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked(), QueueDeclareOk("q", 1, 0), BasicAck(1, False)]


@pytest.mark.parametrize("settle", [BasicAck(1), BasicNack(1, False, True), BasicReject(1, True)])
def test_settling_goes_on_behind_a_publish(rig: Rig, client: Client, settle: Method) -> None:
    client.do(publish(b"1"), BasicGet(0, "q"))
    alarm(rig, True)
    client.do(publish(b"2"), settle)
    assert rig.queue().unacked == 0


def test_several_acks_at_once_go_on_behind_a_publish(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), publish(b"2"), BasicGet(0, "q"), BasicGet(0, "q"))
    alarm(rig, True)
    client.do(publish(b"3"), BasicAck(1), BasicAck(2))
    assert rig.queue().unacked == 0


@pytest.mark.parametrize("settle", [BasicAck(1), BasicNack(1, False, True), BasicReject(1, True)])
def begin_content(rig: Rig, client: Client) -> None:
    """Publish a content of which the alarm comes into the middle."""
    octets = publish(b"xy", piece=1)
    client.feed(octets[:-9])
    alarm(rig, True)
    client.feed(octets[-9:])
    assert client.hear() == [ConnectionBlocked("low on disk")]


def test_a_content_that_the_alarm_came_into_is_published_when_it_is_over(
    rig: Rig, client: Client
) -> None:
    begin_content(rig, client)
    assert rig.queue().ready == 0
    alarm(rig, False)
    (got,) = client.do(BasicGet(0, "q"))[-1:]
    assert isinstance(got, Content)
    assert got.body == b"xy"


@pytest.mark.parametrize("settle", [BasicAck(1), BasicNack(1, False, True), BasicReject(1, True)])
def test_settling_is_in_the_way_of_no_content_that_the_alarm_came_into(
    rig: Rig, client: Client, settle: Method
) -> None:
    client.do(publish(b"1"), BasicGet(0, "q"))
    begin_content(rig, client)
    assert client.do(settle) == []
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked()]
    assert rig.queue().unacked == 0


def test_a_channel_may_be_closed_behind_a_content_that_the_alarm_came_into(
    rig: Rig, client: Client
) -> None:
    begin_content(rig, client)
    assert client.do(ChannelClose(200, "", 0, 0)) == [ChannelCloseOk()]
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked()]
    assert rig.queue().ready == 0


def test_a_channel_that_is_closed_drops_what_it_held_back(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    client.do(publish(b"1"))
    assert client.do(ChannelClose(200, "", 0, 0)) == [ChannelCloseOk()]
    assert client.do(ChannelOpen(), BasicQos(0, 1, False)) == [ChannelOpenOk(), BasicQosOk()]
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked()]
    assert rig.queue().ready == 0


def test_a_closed_channel_keeps_what_others_held_back(rig: Rig, client: Client) -> None:
    client.do(ChannelOpen(), channel=2)
    alarm(rig, True)
    client.do(publish(b"1"), publish(b"2", channel=2))
    client.do(ChannelClose(200, "", 0, 0))
    alarm(rig, False)
    (got,) = client.do(BasicGet(0, "q"), channel=2)[-1:]
    assert isinstance(got, Content)
    assert (got.body, rig.queue().ready) == (b"2", 0)


def test_a_connection_that_is_closed_drops_all_it_held_back(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    client.do(publish(b"1"))
    assert client.do(ConnectionClose(200, "", 0, 0), channel=0) == [ConnectionCloseOk()]
    alarm(rig, False)
    assert (client.hear(), rig.queue().ready) == ([], 0)


def test_an_error_in_what_was_held_back_closes_its_channel_and_voids_the_rest(
    rig: Rig, client: Client
) -> None:
    alarm(rig, True)
    client.do(publish(b"1", exchange="none"), publish(b"2"))
    alarm(rig, False)
    assert client.hear() == [
        ConnectionUnblocked(),
        ChannelClose(404, "NOT_FOUND - no exchange 'none' in vhost '/'", 60, 40),
    ]
    assert rig.queue().ready == 0


def test_a_hard_error_in_what_was_held_back_closes_the_connection(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    client.do(method_frame(1, BasicPublish(0, "", "q", immediate=True)) + content(b"1"))
    alarm(rig, False)
    assert client.hear() == [
        ConnectionUnblocked(),
        ConnectionClose(540, "NOT_IMPLEMENTED - immediate=true", 60, 40),
    ]


def test_replies_to_what_was_held_back_wait_for_the_disk(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    client.do(publish(b"1"), QueueDeclare(0, "d", durable=True), BasicGet(0, "d"))
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked()]
    assert client.connection.paused
    rig.commit()
    assert client.hear() == [QueueDeclareOk("d", 0, 0), BasicGetEmpty()]
    assert client.resumed == 1


def test_when_too_much_is_held_back_nothing_more_is_read(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    client.do(publish(b"x" * blocked.HELD_MAX))
    assert client.connection.paused
    alarm(rig, False)
    assert not client.connection.paused
    assert client.resumed == 1
    assert rig.queue().ready == 1


def test_dropping_what_a_channel_held_back_lets_reading_go_on(rig: Rig, client: Client) -> None:
    client.do(ChannelOpen(), channel=2)
    alarm(rig, True)
    client.do(
        publish(b"x" * blocked.HELD_MAX), method_frame(1, ChannelClose(200, "", 0, 0)), channel=2
    )
    assert not client.connection.paused


def test_a_channel_closed_by_the_broker_is_passed_over_when_the_alarm_ends(
    rig: Rig, client: Client
) -> None:
    alarm(rig, True)
    client.do(publish(b"1"))
    client.do(BasicAck(7))
    alarm(rig, False)
    assert (client.hear(), rig.queue().ready) == ([ConnectionUnblocked()], 0)


def test_what_was_held_back_is_no_business_of_a_channel_that_was_opened_since(
    rig: Rig, client: Client
) -> None:
    alarm(rig, True)
    client.do(publish(b"old"), BasicAck(7))
    client.do(ChannelCloseOk(), ChannelOpen(), publish(b"new"))
    alarm(rig, False)
    (got,) = client.do(BasicGet(0, "q"))[-1:]
    assert isinstance(got, Content)
    assert (got.body, rig.queue().ready) == (b"new", 0)


def test_heartbeats_go_on(rig: Rig, client: Client) -> None:
    alarm(rig, True)
    client.do(publish(b"1"))
    client.feed(frame(8, 0, b""))
    assert client.hear() == []


def test_confirms_come_when_what_was_held_back_is_on_disk(rig: Rig, client: Client) -> None:
    rig.queue("d")
    rig.commit()
    assert client.do(ConfirmSelect()) == [ConfirmSelectOk()]
    alarm(rig, True)
    client.do(publish(b"1", "d"), publish(b"2", "d"))
    alarm(rig, False)
    assert client.hear() == [ConnectionUnblocked()]
    rig.commit()
    assert client.hear() == [BasicAck(2, True)]


class Faulty(Exception):
    """What nobody foresaw."""


def test_a_fault_in_what_was_held_back_ends_its_connection_alone(
    rig: Rig, client: Client, other: Client
) -> None:
    def fail(*_: object) -> None:
        raise Faulty

    rig.queue("full", durable=False, max_length=0).dead_letter = fail
    alarm(rig, True)
    client.do(publish(b"1", "full"))
    other.do(publish(b"2"))
    alarm(rig, False)
    text = "INTERNAL_ERROR - the broker failed; see its log"
    assert client.hear()[1:] == [ConnectionClose(541, text, 0, 0)]
    assert [type(fault) for fault in client.faults] == [Faulty]
    assert rig.queue().ready == 1

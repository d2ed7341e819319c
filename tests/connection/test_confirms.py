"""Publisher confirms: each publish is settled once, in as few frames as it takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.connection.confirms import Confirms
from amqplite.protocol.codec import METHODS, decode
from amqplite.protocol.frames import FrameReader
from amqplite.protocol.methods import (
    BasicAck,
    BasicConsume,
    BasicNack,
    BasicReturn,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ConfirmSelect,
    ConfirmSelectOk,
)
from tests.connection.client import Client, Content, publish
from tests.rig import Rig, tiny

Settled = list[BasicAck | BasicNack]


def heard(frames: bytes) -> Settled:
    """Return the acks and nacks in some frames."""
    read = FrameReader(1 << 20).receive(frames)
    return [decode(METHODS[payload[:4]], payload) for _, _, payload, _ in read]


def meant(settled: Settled) -> dict[int, bool]:
    """Return what acks and nacks say of each publish, as a client reads them."""
    outcomes: dict[int, bool] = {}
    for one in settled:
        first = max(outcomes, default=0) + 1 if one.multiple else one.delivery_tag
        for number in range(first, one.delivery_tag + 1):
            assert number not in outcomes, "settled twice"
            outcomes[number] = isinstance(one, BasicAck)
    return outcomes


@pytest.fixture
def publisher(client: Client, rig: Rig) -> Client:
    """A client in confirm mode, with a queue that is stored and one that is not."""
    rig.queue("d")
    rig.queue("t", durable=False)
    rig.commit()
    assert client.do(ConfirmSelect()) == [ConfirmSelectOk()]
    return client


# -- the ledger ----------------------------------------------------------------------------------


def test_what_needs_no_disk_is_confirmed_at_the_end_of_the_read() -> None:
    confirms = Confirms(1)
    confirms.published = 3
    assert heard(confirms.note(0)) == [BasicAck(3, True)]
    assert confirms.waiting_for is None


def test_a_lone_publish_is_confirmed_without_multiple() -> None:
    confirms = Confirms(1)
    confirms.published = 1
    assert heard(confirms.note(0)) == [BasicAck(1, False)]
    assert confirms.answers == [(1, True)]


def test_what_needs_the_disk_waits_for_its_position() -> None:
    confirms = Confirms(1)
    confirms.published, confirms.position = 2, 10
    assert confirms.note(9) == b""
    assert confirms.waiting_for == 10
    confirms.published, confirms.position = 5, 20
    assert confirms.note(9) == b""
    assert heard(confirms.settle(10)) == [BasicAck(2, True)]
    assert confirms.waiting_for == 20
    assert heard(confirms.settle(25)) == [BasicAck(5, True)]
    assert confirms.settle(30) == b""


def test_a_nack_stands_within_the_range_it_belongs_to() -> None:
    confirms = Confirms(1)
    for number in range(1, 8):
        confirms.published = number
        if number in (1, 4, 5):
            confirms.reject()
    assert heard(confirms.note(0)) == [
        BasicNack(1, False, False),
        BasicAck(3, True),
        BasicNack(4, False, False),
        BasicNack(5, False, False),
        BasicAck(7, True),
    ]
    assert confirms.answers == [(1, False), (3, True), (4, False), (5, False), (7, True)]


def test_a_nack_at_the_end_has_no_ack_behind_it() -> None:
    confirms = Confirms(1)
    confirms.published = 2
    confirms.reject()
    assert heard(confirms.note(0)) == [BasicAck(1, False), BasicNack(2, False, False)]


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=30),
    st.lists(st.integers(0, 40), max_size=30),
)
def test_each_publish_is_settled_exactly_once_and_no_sooner_than_it_is_stored(
    publishes: list[tuple[bool, bool, bool]], durables: list[int]
) -> None:
    confirms, settled, position, at = Confirms(1), Settled(), 0, {}
    marks = sorted(durables)
    for number, (stored, rejected, ends) in enumerate(publishes, 1):
        confirms.published = number
        if stored:
            position += 1
            confirms.position = position
        at[number] = (confirms.position, not rejected)
        if rejected:
            confirms.reject()
        durable = marks[min(number - 1, len(marks) - 1)] if marks else 0
        if ends:
            settled += heard(confirms.note(durable))
        settled += heard(confirms.settle(durable))
        assert all(at[number][0] <= durable for number in meant(settled))
    settled += heard(confirms.note(position))
    assert meant(settled) == {number: accepted for number, (_, accepted) in at.items()}


# -- on a channel --------------------------------------------------------------------------------


def test_a_persistent_message_is_confirmed_when_it_is_on_disk(rig: Rig, publisher: Client) -> None:
    publisher.say(publish(b"1", "d"))
    assert publisher.hear() == []
    assert rig.journal.urgent
    rig.take()
    assert publisher.hear() == []
    rig.write()
    assert publisher.hear() == [BasicAck(1, False)]


def test_a_message_that_is_not_stored_is_confirmed_at_once(publisher: Client) -> None:
    publisher.say(publish(b"1", "t"), publish(b"2", "nowhere"))
    assert publisher.hear() == [BasicAck(2, True)]


def test_a_flood_is_confirmed_by_one_ack_a_commit(rig: Rig, publisher: Client) -> None:
    publisher.say(*[publish(b"1", "d")] * 100)
    rig.take()
    publisher.say(*[publish(b"1", "d")] * 50)
    rig.write()
    assert publisher.hear() == [BasicAck(100, True)]
    rig.commit()
    assert publisher.hear() == [BasicAck(150, True)]


def test_what_is_not_stored_waits_for_what_was_published_before_it(
    rig: Rig, publisher: Client
) -> None:
    publisher.say(publish(b"1", "d"))
    publisher.say(publish(b"2", "t"))
    assert publisher.hear() == []
    rig.commit()
    assert publisher.hear() == [BasicAck(2, True)]


def test_a_return_comes_before_its_confirm(publisher: Client) -> None:
    returned, ack = publisher.do(publish(b"1", "nowhere", mandatory=True))
    assert isinstance(returned, Content)
    assert isinstance(returned.method, BasicReturn)
    assert ack == BasicAck(1, False)


def test_a_queue_that_refuses_gives_a_nack(rig: Rig, publisher: Client) -> None:
    rig.queue("full", durable=False, max_length=1, overflow="reject-publish")
    heard = publisher.do(*(publish(b"%d" % n, "full") for n in range(3)), publish(b"", "t"))
    assert heard == [
        BasicAck(1, False),
        BasicNack(2, False, False),
        BasicNack(3, False, False),
        BasicAck(4, False),
    ]


def test_a_message_that_is_acked_before_it_is_stored_is_confirmed_by_that(
    rig: Rig, publisher: Client, other: Client
) -> None:
    other.do(BasicConsume(0, "d", "c"))
    publisher.say(publish(b"1", "d"))
    assert publisher.hear() == []
    other.say(BasicAck(1))
    assert publisher.hear() == [BasicAck(1, False)]
    rig.commit()
    assert (publisher.hear(), rig.store.messages) == ([], {})


def test_a_message_that_is_acked_while_it_is_being_stored_is_confirmed_by_that(
    rig: Rig, publisher: Client, other: Client
) -> None:
    other.do(BasicConsume(0, "d", "c"))
    publisher.say(publish(b"1", "d"))
    rig.take()
    other.say(BasicAck(1))
    assert publisher.hear() == [BasicAck(1, False)]
    rig.commit()
    assert (publisher.hear(), rig.store.messages) == ([], {})


def test_an_ack_of_a_later_message_confirms_no_earlier_one(
    rig: Rig, publisher: Client, other: Client
) -> None:
    other.do(BasicConsume(0, "d", "c"))
    publisher.say(publish(b"1", "d"), publish(b"2", "d"))
    other.say(BasicAck(2))
    assert publisher.hear() == []
    other.say(BasicAck(1))
    assert publisher.hear() == [BasicAck(2, True)]


def test_each_publish_is_confirmed_once_though_its_turn_comes_late(
    rig: Rig, publisher: Client, other: Client
) -> None:
    """Another publisher waits for a later message when acks have settled this one's."""
    rival = Client(rig).open()
    rival.do(ConfirmSelect())
    other.do(BasicConsume(0, "d", "c"))
    publisher.say(publish(b"1", "d"))
    rig.take()
    publisher.say(publish(b"2", "d"))
    rival.say(publish(b"3", "d"))
    rig.write()
    heard = publisher.hear()
    other.say(BasicAck(2))
    publisher.say(publish(b"4", "t"))
    heard += publisher.hear()
    rig.commit()
    heard += publisher.hear()
    assert meant(heard) == {1: True, 2: True, 3: True}  # type: ignore[arg-type]
    assert rival.hear() == [BasicAck(1, False)]


def test_a_message_handed_to_no_ack_is_confirmed_at_once(publisher: Client, other: Client) -> None:
    other.do(BasicConsume(0, "d", "c", no_ack=True))
    publisher.say(publish(b"1", "d"))
    assert publisher.hear() == [BasicAck(1, False)]


def test_a_message_whose_queue_is_deleted_is_confirmed(
    rig: Rig, publisher: Client, other: Client
) -> None:
    publisher.say(publish(b"1", "d"))
    rig.vhost.remove_queue(rig.queue("d"))
    rig.commit()
    assert publisher.hear() == [BasicAck(1, False)]


def test_a_message_that_is_purged_is_confirmed(rig: Rig, publisher: Client) -> None:
    publisher.say(publish(b"1", "d"))
    rig.queue("d").purge()
    rig.commit()
    assert publisher.hear() == [BasicAck(1, False)]


def test_a_message_in_two_queues_is_confirmed_when_both_have_it(
    rig: Rig, publisher: Client
) -> None:
    rig.queue("d2")
    rig.vhost.bind_queue(None, rig, "amq.fanout", "d", "")
    rig.vhost.bind_queue(None, rig, "amq.fanout", "d2", "")
    rig.commit()
    publisher.say(publish(b"1", exchange="amq.fanout"))
    assert publisher.hear() == []
    rig.commit()
    assert publisher.hear() == [BasicAck(1, False)]


def test_a_transient_message_that_has_to_be_spilled_is_confirmed_once_it_is(
    publisher: Client,
) -> None:
    rig = Rig(tiny())
    rig.queue("t", durable=False)
    client = Client(rig).open()
    client.do(ConfirmSelect())
    client.say(*[publish(b"1", "t")] * 10)
    rig.commit()
    assert client.hear() == [BasicAck(10, True)]


def test_channels_count_each_for_itself(rig: Rig, publisher: Client) -> None:
    publisher.do(ChannelOpen(), ConfirmSelect(), channel=2)
    publisher.say(publish(b"1", "d"), publish(b"2", "d"), publish(b"1", "d", channel=2))
    rig.commit()
    assert publisher.hear_channels() == [(1, BasicAck(2, True)), (2, BasicAck(1, False))]


def test_confirms_count_from_the_select(client: Client, rig: Rig) -> None:
    rig.queue("t", durable=False)
    client.do(publish(b"1", "t"), publish(b"2", "t"))
    assert client.do(ConfirmSelect(), publish(b"3", "t")) == [
        ConfirmSelectOk(),
        BasicAck(1, False),
    ]


def test_selecting_again_counts_on(publisher: Client) -> None:
    publisher.do(publish(b"1", "t"))
    assert publisher.do(ConfirmSelect(), publish(b"2", "t")) == [
        ConfirmSelectOk(),
        BasicAck(2, False),
    ]
    assert publisher.do(ConfirmSelect(True)) == []


def test_a_channel_that_is_closed_confirms_nothing_more(rig: Rig, publisher: Client) -> None:
    publisher.say(publish(b"1", "d"))
    publisher.say(ChannelClose(200, "", 0, 0), ChannelOpen(), ConfirmSelect())
    rig.commit()
    heard = publisher.hear()
    assert [type(one) for one in heard[-3:]] == [ChannelCloseOk, type(heard[-2]), ConfirmSelectOk]
    assert publisher.do(publish(b"2", "d")) == [BasicAck(1, False)]


def test_a_channel_that_an_error_closes_in_the_same_read_confirms_nothing(
    publisher: Client,
) -> None:
    heard = publisher.do(publish(b"1", "t"), publish(b"2", exchange="none"))
    assert [type(one) for one in heard] == [ChannelClose]


def test_an_error_in_a_publish_leaves_those_before_it_stored(rig: Rig, publisher: Client) -> None:
    publisher.do(publish(b"1", "d"), publish(b"2", exchange="none"))
    assert len(rig.store.messages) == 1

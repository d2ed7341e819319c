"""A channel without a socket: requests, answers, contents."""

import pytest

from amqplite.client.channel_core import ANSWERS, ChannelCore, ChannelState
from amqplite.client.errors import Closed, ConnectionLost
from amqplite.client.events import (
    Answered,
    CameBack,
    Cancelled,
    ChannelEnded,
    Confirmed,
    Delivered,
    Delivery,
    Event,
    Returned,
)
from amqplite.errors import CommandInvalid, NotFound, UnexpectedFrame
from amqplite.protocol.codec import METHODS, Method, encode
from amqplite.protocol.frames import BODY, HEADER, METHOD
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicDeliver,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicQosOk,
    BasicReturn,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ConfirmSelect,
    ConfirmSelectOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
)
from amqplite.protocol.properties import Properties, encode_header, encode_properties
from tests.client.said import read

OCTETS = encode_properties(Properties(message_id="m1"))


class Talk:
    """A channel with what it said and told."""

    def __init__(self, frame_max: int = 4096) -> None:
        self.out = bytearray()
        self.told: list[Event] = []
        self.channel = ChannelCore(1, self.out.extend, self.told.append, frame_max)

    def hear(self, *methods: Method) -> None:
        for method in methods:
            self.channel.receive(METHOD, encode(method))

    def hear_content(self, carrier: Method, body: bytes = b"hi") -> None:
        self.hear(carrier)
        self.channel.receive(HEADER, encode_header(len(body), OCTETS))
        self.channel.receive(BODY, body)

    def said(self) -> list[Method | bytes | str]:
        said = [one for _, one in read(bytes(self.out))]
        self.out.clear()
        return said

    def confirming(self) -> "Talk":
        self.channel.request(ConfirmSelect())
        self.hear(ConfirmSelectOk())
        self.out.clear()
        self.told.clear()
        return self


def delivery(**changes: object) -> Delivery:
    """What `hear_content` brings."""
    about: dict[str, object] = {
        "body": b"hi",
        "header": encode_header(2, OCTETS),
        "exchange": "x",
        "routing_key": "k",
        "delivery_tag": 7,
        "redelivered": False,
    }
    return Delivery(**{**about, **changes})  # type: ignore[arg-type]


RETURN = BasicReturn(312, "NO_ROUTE", "x", "k")
RETURNED = Returned(
    body=b"hi",
    header=encode_header(2, OCTETS),
    exchange="x",
    routing_key="k",
    reply_code=312,
    reply_text="NO_ROUTE",
)


def test_what_asks_for_an_answer_has_one_in_the_table() -> None:
    asking = {kind.NAME for kind in ANSWERS}
    answers = {answer for kinds in ANSWERS.values() for answer in kinds}
    silent = {kind.NAME for kind in METHODS.values() if kind not in answers} - asking
    assert silent == {
        "basic.ack",
        "basic.deliver",
        "basic.nack",
        "basic.publish",
        "basic.recover-async",
        "basic.reject",
        "basic.return",
        "connection.blocked",
        "connection.unblocked",
    }
    assert ANSWERS[BasicGet] == (BasicGetOk, BasicGetEmpty)


def test_answers_come_in_the_order_of_the_questions() -> None:
    talk = Talk()
    questions = [BasicQos(0, 1), QueuePurge(0, "q"), BasicQos(0, 2)]
    answers = [BasicQosOk(), QueuePurgeOk(3), BasicQosOk()]
    for question in questions:
        talk.channel.request(question)
    assert talk.said() == questions
    talk.hear(*answers)
    assert talk.told == [Answered(1, answer) for answer in answers]


@pytest.mark.parametrize("answer", [QueueDeleteOk(1), BasicGetEmpty(), ConfirmSelectOk()])
def test_an_answer_to_another_question_is_refused(answer: Method) -> None:
    talk = Talk()
    talk.channel.request(QueuePurge(0, "q"))
    talk.channel.request(QueueDelete(0, "q"))
    with pytest.raises(CommandInvalid, match="answers nothing that was asked"):
        talk.hear(answer)


def test_get_is_answered_with_a_message_or_with_none() -> None:
    talk = Talk()
    talk.channel.request(BasicGet(0, "q"))
    talk.channel.request(BasicGet(0, "q"))
    got = BasicGetOk(7, False, "x", "k", 12)
    talk.hear_content(got)
    talk.hear(BasicGetEmpty())
    assert talk.told == [
        Answered(1, got, delivery(message_count=12)),
        Answered(1, BasicGetEmpty()),
    ]


def test_a_message_that_nobody_asked_for_is_refused() -> None:
    talk = Talk()
    with pytest.raises(CommandInvalid, match=r"basic\.get-ok answers nothing"):
        talk.hear_content(BasicGetOk(7, False, "x", "k", 12))


def test_deliveries_are_told_also_while_an_answer_is_awaited() -> None:
    talk = Talk()
    talk.channel.request(BasicGet(0, "q"))
    talk.hear_content(BasicDeliver("c1", 7, False, "x", "k"))
    talk.hear(BasicGetEmpty())
    assert talk.told == [Delivered(1, delivery(consumer_tag="c1")), Answered(1, BasicGetEmpty())]


def test_a_consumer_that_is_cancelled_is_told() -> None:
    talk = Talk()
    talk.hear(BasicCancel("c1", True))
    assert talk.told == [Cancelled(1, "c1")]


def test_flow_is_agreed_to() -> None:
    talk = Talk()
    talk.hear(ChannelFlow(False))
    assert (talk.said(), talk.told) == ([ChannelFlowOk(False)], [])


# -- publishing ----------------------------------------------------------------------------------


def test_a_publish_is_a_method_and_its_content_cut_to_the_frames() -> None:
    talk = Talk(frame_max=4096)
    body = bytes(5000)
    method = BasicPublish(0, "x", "k")
    assert talk.channel.publish(method, OCTETS, body) == 0
    assert talk.said() == [method, encode_header(5000, OCTETS), body[:4088], body[4088:]]


def test_publishes_are_numbered_and_confirmed_in_confirm_mode() -> None:
    talk = Talk().confirming()
    method = BasicPublish(0, "x", "k")
    assert [talk.channel.publish(method, OCTETS, b"") for _ in range(4)] == [1, 2, 3, 4]
    talk.hear(BasicAck(2, True), BasicNack(4, False), BasicAck(3, False))
    assert talk.told == [
        Confirmed(1, 1, True),
        Confirmed(1, 2, True),
        Confirmed(1, 4, False),
        Confirmed(1, 3, True),
    ]


def test_selecting_confirms_again_numbers_on() -> None:
    talk = Talk().confirming()
    talk.channel.publish(BasicPublish(0, "x", "k"), OCTETS, b"")
    talk.confirming()
    assert talk.channel.publish(BasicPublish(0, "x", "k"), OCTETS, b"") == 2


def test_a_mandatory_message_that_came_back_is_told_with_its_confirm() -> None:
    talk = Talk().confirming()
    talk.channel.publish(BasicPublish(0, "x", "k"), OCTETS, b"hi")
    talk.channel.publish(BasicPublish(0, "x", "k", mandatory=True), OCTETS, b"hi")
    talk.hear_content(RETURN)
    talk.hear(BasicAck(2, True))
    assert talk.told == [
        CameBack(1, RETURNED),
        Confirmed(1, 1, True),
        Confirmed(1, 2, True, RETURNED),
    ]


def test_a_return_needs_no_confirm_mode() -> None:
    talk = Talk()
    talk.hear_content(RETURN)
    assert talk.told == [CameBack(1, RETURNED)]


def test_a_confirm_without_confirm_mode_is_refused() -> None:
    with pytest.raises(CommandInvalid, match="no confirm mode"):
        Talk().hear(BasicAck(1))


# -- a mess --------------------------------------------------------------------------------------


def test_frames_out_of_place_are_refused() -> None:
    talk = Talk()
    with pytest.raises(UnexpectedFrame, match="frame of type 3 without a method"):
        talk.channel.receive(BODY, b"hi")
    with pytest.raises(CommandInvalid, match="unknown method 003c00ff"):
        talk.channel.receive(METHOD, b"\0\x3c\0\xff")
    talk.hear(RETURN)
    with pytest.raises(UnexpectedFrame, match="in the midst of a content"):
        talk.hear(BasicQosOk())


# -- the end -------------------------------------------------------------------------------------


def unusable(channel: ChannelCore, error: type[Exception]) -> None:
    """See that nothing can be said any more."""
    for say in (
        lambda: channel.send(BasicAck(1)),
        lambda: channel.request(BasicQos()),
        lambda: channel.publish(BasicPublish(), OCTETS, b""),
        lambda: channel.close(200, ""),
    ):
        with pytest.raises(error):
            say()


def test_our_goodbye_is_answered_and_all_else_is_passed_over() -> None:
    talk = Talk()
    talk.channel.request(BasicQos(0, 1))
    talk.channel.close(200, "goodbye")
    assert talk.said() == [BasicQos(0, 1), ChannelClose(200, "goodbye")]
    unusable(talk.channel, Closed)
    talk.hear(BasicQosOk(), BasicCancel("c1"), BasicAck(1), ChannelFlow(True))
    talk.hear_content(BasicDeliver("c1", 7, False, "x", "k"))
    assert (talk.said(), talk.told) == ([], [])
    talk.hear(ChannelCloseOk())
    assert (talk.said(), talk.told) == ([], [Answered(1, ChannelCloseOk())])
    assert talk.channel.state is ChannelState.CLOSED


def test_the_brokers_goodbye_is_agreed_to_and_told() -> None:
    talk = Talk()
    talk.hear(ChannelClose(404, "NOT_FOUND - no queue 'q'"))
    assert talk.said() == [ChannelCloseOk()]
    (event,) = talk.told
    assert isinstance(event, ChannelEnded)
    assert (type(event.error), str(event.error)) == (NotFound, "no queue 'q'")
    assert talk.channel.state is ChannelState.CLOSED
    unusable(talk.channel, NotFound)


def test_goodbyes_may_cross() -> None:
    talk = Talk()
    talk.channel.close(200, "goodbye")
    talk.hear(ChannelClose(404, "NOT_FOUND - no queue 'q'"))
    assert talk.said() == [ChannelClose(200, "goodbye"), ChannelCloseOk()]
    assert talk.told == []
    talk.hear(ChannelCloseOk())
    assert talk.told == [Answered(1, ChannelCloseOk())]


def test_the_end_of_the_connection_is_the_channels_unless_it_had_its_own() -> None:
    talk, other = Talk(), Talk()
    talk.channel.end(ConnectionLost("it broke"))
    unusable(talk.channel, ConnectionLost)
    other.channel.close(200, "")
    other.channel.end(ConnectionLost("it broke"))
    unusable(other.channel, Closed)

"""A connection without a socket: octets in, events and octets out."""

from typing import Any

import pytest

from amqplite import __version__
from amqplite.client.core import PROTOCOL_HEADER, Core, State
from amqplite.client.errors import Closed, ConnectionLost
from amqplite.client.events import Answered, Blocked, ChannelEnded, Ended, Opened
from amqplite.client.target import Target
from amqplite.errors import (
    CommandInvalid,
    ConnectionForced,
    FrameError,
    InvalidSyntax,
    LoginRefused,
    NotAllowed,
    NotFound,
    UnexpectedFrame,
)
from amqplite.protocol.codec import Method
from amqplite.protocol.fields import decode_table, to_python
from amqplite.protocol.frames import HEARTBEAT_FRAME
from amqplite.protocol.methods import (
    BasicDeliver,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionBlocked,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    ConnectionUnblocked,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
    QueueDeclareOk,
)
from tests.client.said import START, greeting, on, read


def opened(**changes: Any) -> Core:
    """A core that the broker has let in, and that has nothing to say."""
    core = Core(Target(**changes))
    core.receive_data(greeting())
    core.data_to_send()
    return core


def said(core: Core) -> list[Method | bytes | str]:
    """Take what the core has to say on channel zero."""
    return [one for number, one in read(core.data_to_send()) if number == 0]


def the_end(core: Core, data: bytes) -> Exception:
    """Feed it what ends it; return the error it ended with."""
    (*_, event) = core.receive_data(data)
    assert isinstance(event, Ended)
    assert (core.state, core.error) == (State.CLOSED, event.error)
    return event.error


# -- handshake -----------------------------------------------------------------------------------


def test_the_handshake_says_who_we_are_and_where_we_want_to() -> None:
    core = Core(Target(user="ann", password="höchst geheim", vhost="shop", name="p1"))
    assert core.data_to_send() == PROTOCOL_HEADER
    assert core.receive_data(on(0, START)) == []
    (start_ok,) = said(core)
    assert isinstance(start_ok, ConnectionStartOk)
    assert start_ok.mechanism == "PLAIN"
    assert start_ok.response == "\0ann\0höchst geheim".encode()
    properties = to_python(decode_table(start_ok.client_properties))
    assert properties["connection_name"] == "p1"
    assert properties["version"] == __version__
    assert properties["capabilities"] == {
        "authentication_failure_close": True,
        "basic.nack": True,
        "connection.blocked": True,
        "consumer_cancel_notify": True,
        "exchange_exchange_bindings": True,
        "publisher_confirms": True,
    }
    assert core.receive_data(on(0, ConnectionTune(2047, 131_072, 60))) == []
    assert said(core) == [ConnectionTuneOk(2047, 131_072, 60), ConnectionOpen("shop")]
    assert core.receive_data(on(0, ConnectionOpenOk())) == [Opened()]
    assert (core.state, core.server_properties) == (State.OPEN, {"product": "a broker"})


def test_a_connection_needs_no_name_and_may_have_more_properties() -> None:
    core = Core(Target(properties={"product": "mine", "team": 7}))
    core.data_to_send()
    core.receive_data(on(0, START))
    (start_ok,) = said(core)
    assert isinstance(start_ok, ConnectionStartOk)
    properties = to_python(decode_table(start_ok.client_properties))
    assert (properties["product"], properties["team"]) == ("mine", 7)
    assert "connection_name" not in properties


@pytest.mark.parametrize(
    ("asked", "offered", "agreed"),
    [
        ({}, (2047, 131_072, 60), (2047, 131_072, 60)),
        ({}, (0, 0, 0), (2047, 131_072, 0)),
        ({"channel_max": 5, "frame_max": 4096}, (2047, 131_072, 60), (5, 4096, 60)),
        ({"channel_max": 5, "frame_max": 8192}, (3, 4096, 60), (3, 4096, 60)),
        ({"heartbeat_s": 0}, (2047, 131_072, 60), (2047, 131_072, 0)),
        ({"heartbeat_s": 5}, (2047, 131_072, 60), (2047, 131_072, 5)),
        ({"heartbeat_s": 5}, (2047, 131_072, 0), (2047, 131_072, 5)),
    ],
)
def test_limits_are_agreed_on(
    asked: dict[str, int], offered: tuple[int, int, int], agreed: tuple[int, int, int]
) -> None:
    core = Core(Target(**asked))  # type: ignore[arg-type]
    core.data_to_send()
    core.receive_data(on(0, START))
    core.data_to_send()
    core.receive_data(on(0, ConnectionTune(*offered)))
    assert said(core)[0] == ConnectionTuneOk(*agreed)
    assert (core.channel_max, core.frame_max, core.heartbeat_s) == agreed


def test_a_user_that_is_not_wanted_learns_why() -> None:
    core = Core(Target())
    core.receive_data(on(0, START))
    core.data_to_send()
    error = the_end(core, on(0, ConnectionClose(403, "ACCESS_REFUSED - login was refused")))
    assert (type(error), str(error)) == (LoginRefused, "login was refused")
    assert said(core) == [ConnectionCloseOk()]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"AMQP\x01\x01\x00\x09", "another protocol"),
        (b"AMQP", "another protocol"),
        (b"", "hung up in the handshake"),
    ],
)
def test_what_is_no_broker_for_us_is_left(data: bytes, says: str) -> None:
    core = Core(Target())
    core.data_to_send()
    error = the_end(core, data)
    assert isinstance(error, ConnectionLost)
    assert says in str(error)
    assert core.data_to_send() == b""


def test_what_is_no_broker_at_all_is_left_without_a_word() -> None:
    core = Core(Target())
    core.data_to_send()
    assert isinstance(the_end(core, b"HTTP/1.1 400 Bad Request\r\n\r\n"), FrameError)
    assert core.data_to_send() == b""


# -- channels ------------------------------------------------------------------------------------


def test_channels_take_the_lowest_number_that_is_free() -> None:
    core = opened(channel_max=3)
    first, second, third = (core.open_channel() for _ in range(3))
    assert read(core.data_to_send()) == [(number, ChannelOpen()) for number in (1, 2, 3)]
    assert [first.number, second.number, third.number] == [1, 2, 3]
    with pytest.raises(NotAllowed, match="all of the 3 channels"):
        core.open_channel()
    assert core.receive_data(on(2, ChannelOpenOk())) == [Answered(2, ChannelOpenOk())]
    second.close(200, "")
    assert core.receive_data(on(2, ChannelCloseOk())) == [Answered(2, ChannelCloseOk())]
    assert core.open_channel().number == 2
    (event,) = core.receive_data(on(1, ChannelClose(404, "NOT_FOUND - no queue")))
    assert isinstance(event, ChannelEnded)
    assert isinstance(event.error, NotFound)
    assert core.open_channel().number == 1


def test_messages_of_channels_go_to_their_channels() -> None:
    core = opened()
    core.open_channel(), core.open_channel()
    events = core.receive_data(on(2, ChannelOpenOk()) + HEARTBEAT_FRAME + on(1, ChannelOpenOk()))
    assert events == [Answered(2, ChannelOpenOk()), Answered(1, ChannelOpenOk())]


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (on(3, ChannelOpenOk()), UnexpectedFrame, "frame on channel 3"),
        (b"\x02\0\0\0\0\0\0\xce", UnexpectedFrame, "frame of type 2 on channel 0"),
        (b"\x01\0\0\0\0\0\x04\0\x0a\0\x63\xce", CommandInvalid, "unknown method 000a0063"),
        (on(0, QueueDeclareOk("q", 0, 0)), CommandInvalid, "queue.declare-ok out of place"),
        (on(0, ConnectionCloseOk()), CommandInvalid, "connection.close-ok out of place"),
        (b"\x01\0\0\0\0\0\x04\0\x0a\0\x3c\xce", InvalidSyntax, "cut short"),
        (HEARTBEAT_FRAME[:-1] + b"\0", FrameError, "frame ends in 0x00"),
    ],
)
def test_a_broker_out_of_its_mind_is_told_and_left(
    data: bytes, kind: type[NotAllowed], says: str
) -> None:
    core = opened()
    error = the_end(core, data)
    assert isinstance(error, kind)
    assert says in str(error)
    assert said(core) == [ConnectionClose(kind.reply_code, error.reply_text)]


def test_a_handshake_out_of_order_is_refused() -> None:
    core = Core(Target())
    error = the_end(core, on(0, ConnectionBlocked("no")))
    assert str(error) == "connection.blocked out of place in the handshake"


# -- alarms, secrets, heartbeats -----------------------------------------------------------------


def test_a_blocked_connection_knows_why() -> None:
    core = opened()
    assert core.receive_data(on(0, ConnectionBlocked("low on disk"))) == [Blocked("low on disk")]
    assert core.blocked == "low on disk"
    assert core.receive_data(on(0, ConnectionUnblocked())) == [Blocked(None)]
    assert core.blocked is None


def test_a_secret_is_renewed() -> None:
    core = opened()
    core.update_secret("new", "it was old")
    assert said(core) == [ConnectionUpdateSecret(b"new", "it was old")]
    answer = ConnectionUpdateSecretOk()
    assert core.receive_data(on(0, answer)) == [Answered(0, answer)]


def test_heartbeats_are_sent_when_asked_and_once_we_are_in() -> None:
    core = Core(Target())
    core.data_to_send()
    core.heartbeat()
    assert core.data_to_send() == b""
    core.receive_data(greeting())
    core.data_to_send()
    core.heartbeat()
    assert core.pending_bytes == 8
    assert core.data_to_send() == HEARTBEAT_FRAME
    assert core.pending_bytes == 0


# -- the end -------------------------------------------------------------------------------------


def test_our_goodbye_waits_for_its_answer_and_hears_nothing_else() -> None:
    core = opened()
    channel = core.open_channel()
    core.data_to_send()
    core.close(200, "goodbye")
    core.close(200, "again")
    assert said(core) == [ConnectionClose(200, "goodbye")]
    with pytest.raises(Closed):
        channel.request(ChannelOpen())
    with pytest.raises(Closed):
        core.open_channel()
    deliver = BasicDeliver("c1", 1, False, "", "q")
    blocked = ConnectionBlocked("low on disk")
    assert core.receive_data(on(1, deliver) + on(0, blocked)) == []
    assert isinstance(the_end(core, on(0, ConnectionCloseOk())), Closed)


@pytest.mark.parametrize("answer", [b"", on(0, ConnectionClose(320, "CONNECTION_FORCED - stop"))])
def test_whatever_ends_a_connection_that_we_close_was_our_wish(answer: bytes) -> None:
    core = opened()
    core.close(200, "goodbye")
    assert isinstance(the_end(core, answer), Closed)


def test_the_brokers_goodbye_ends_all_channels() -> None:
    core = opened()
    channel = core.open_channel()
    core.data_to_send()
    error = the_end(core, on(0, ConnectionClose(320, "CONNECTION_FORCED - stop")))
    assert (type(error), str(error)) == (ConnectionForced, "stop")
    assert said(core) == [ConnectionCloseOk()]
    with pytest.raises(ConnectionForced, match="stop"):
        channel.request(ChannelOpen())
    assert core.receive_data(HEARTBEAT_FRAME) == []


def test_nothing_behind_the_end_is_heard() -> None:
    core = opened()
    end = on(0, ConnectionClose(320, "CONNECTION_FORCED - stop"))
    assert len(core.receive_data(end + on(9, ChannelOpenOk()))) == 1


def test_a_broker_that_hangs_up_is_lost() -> None:
    core = opened()
    error = the_end(core, b"")
    assert (type(error), str(error)) == (ConnectionLost, "the broker hung up")


def test_a_connection_that_broke_has_nothing_to_say() -> None:
    core = opened()
    core.open_channel()
    (event,) = core.lost("it broke")
    assert isinstance(event, Ended)
    assert str(event.error) == "it broke"
    assert (core.data_to_send(), core.pending_bytes) == (b"", 0)
    assert core.lost("it broke again") == []
    with pytest.raises(ConnectionLost, match=r"it broke$"):
        core.update_secret("new", "")


def test_frames_may_come_in_any_pieces() -> None:
    core = Core(Target())
    octets = greeting()
    events = [event for octet in octets for event in core.receive_data(bytes((octet,)))]
    assert events == [Opened()]

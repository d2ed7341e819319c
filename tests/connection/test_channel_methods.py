from amqplite.protocol.methods import (
    AccessRequest,
    AccessRequestOk,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionClose,
)
from tests.connection.client import Client


def test_open_is_answered_on_its_channel(client: Client) -> None:
    client.say(ChannelOpen(), channel=5)
    assert client.hear_channels() == [(5, ChannelOpenOk(b""))]


def test_the_highest_channel_agreed_on_may_be_opened(client: Client) -> None:
    assert client.do(ChannelOpen(), channel=2047) == [ChannelOpenOk()]


def test_a_flow_may_be_left_on(client: Client) -> None:
    assert client.do(ChannelFlow(True)) == [ChannelFlowOk(True)]


def test_a_flow_can_not_be_turned_off(client: Client) -> None:
    text = "NOT_IMPLEMENTED - active=false"
    assert client.do(ChannelFlow(False)) == [ConnectionClose(540, text, 20, 20)]


def test_close_is_answered(client: Client) -> None:
    assert client.do(ChannelClose(200, "", 0, 0)) == [ChannelCloseOk()]


def test_a_close_ok_on_an_open_channel_is_ignored(client: Client) -> None:
    assert client.do(ChannelCloseOk(), AccessRequest()) == [AccessRequestOk(1)]


def test_everybody_gets_the_same_ticket(client: Client) -> None:
    assert client.do(AccessRequest("/admin", True)) == [AccessRequestOk(1)]

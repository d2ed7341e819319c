"""The channel class, and access.request, which lives on in old clients (§1.5)."""

from amqplite.connection.channel import Channel, HandlerTable
from amqplite.errors import ChannelError, Unsupported
from amqplite.protocol.codec import decode
from amqplite.protocol.methods import (
    AccessRequest,
    AccessRequestOk,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ChannelOpen,
)


def on_channel_open(_channel: Channel, _payload: bytes) -> None:
    """channel.open on a channel that is open.

    Raises:
        ChannelError: always.
    """
    raise ChannelError("second 'channel.open' seen")


def on_channel_flow(channel: Channel, payload: bytes) -> None:
    """channel.flow: deliveries can be left on, and not be turned off (RabbitMQ does the same).

    Raises:
        Unsupported: it asks for a stop.
    """
    if not decode(ChannelFlow, payload).active:
        raise Unsupported("active=false")
    channel.send(ChannelFlowOk(True))


def on_channel_close(channel: Channel, _payload: bytes) -> None:
    """channel.close: what it holds goes back to the queues."""
    channel.connection.close_channel(channel)


def on_channel_close_ok(_channel: Channel, _payload: bytes) -> None:
    """channel.close-ok to a close that crossed the client's own: nothing is left to do."""


def on_access_request(channel: Channel, _payload: bytes) -> None:
    """access.request, of AMQP 0-8: everybody gets ticket 1, which means nothing."""
    channel.send(AccessRequestOk())


CHANNEL: HandlerTable = {
    ChannelOpen: on_channel_open,
    ChannelFlow: on_channel_flow,
    ChannelClose: on_channel_close,
    ChannelCloseOk: on_channel_close_ok,
    AccessRequest: on_access_request,
}

"""The channel class, and access.request, which lives on in old clients (§1.5)."""

from typing import TYPE_CHECKING

from amqplite.connection.channel import Channel, HandlerTable
from amqplite.errors import ChannelError, NotAllowed, Unsupported
from amqplite.protocol.codec import decode
from amqplite.protocol.frames import METHOD, PUBLISH
from amqplite.protocol.methods import (
    AccessRequest,
    AccessRequestOk,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ChannelOpen,
    ChannelOpenOk,
)

if TYPE_CHECKING:
    from amqplite.connection.connection import Connection


def open_channel(connection: "Connection", number: int, kind: int, payload: bytes) -> None:
    """channel.open, on a channel that isn't.

    Raises:
        ChannelError: the first frame on a channel is another.
        NotAllowed: it is beyond the negotiated channel_max.
    """
    is_method = kind in (METHOD, PUBLISH)
    if is_method and payload[:4] == ChannelCloseOk.KEY:
        return  # late, after both sides closed it
    if not is_method or payload[:4] != ChannelOpen.KEY:
        raise ChannelError("expected 'channel.open'")
    if number > connection.channel_max:
        raise NotAllowed(
            f"number of channels opened ({number}) has reached the negotiated channel_max "
            f"({connection.channel_max})"
        )
    connection.channels[number] = Channel(connection, number)
    connection.channels[number].send(ChannelOpenOk())


def await_channel_close_ok(channel: Channel, kind: int, payload: bytes) -> None:
    """Ignore all on a channel that we closed, but for what ends it (§1.5.2.5)."""
    if kind != METHOD:
        return
    if payload[:4] == ChannelClose.KEY:
        channel.send(ChannelCloseOk())
    elif payload[:4] == ChannelCloseOk.KEY:
        del channel.connection.channels[channel.number]


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

"""The connection class, on channel zero, once the handshake is over (§1.4)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from amqplite.broker.redelivery import Cause
from amqplite.connection.handshake import update_secret
from amqplite.connection.state import State
from amqplite.errors import CommandInvalid, UnexpectedFrame
from amqplite.protocol.codec import decode, method_frame
from amqplite.protocol.frames import HEARTBEAT, METHOD, PUBLISH
from amqplite.protocol.methods import (
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
)

if TYPE_CHECKING:
    from amqplite.connection.connection import Connection


def on_channel_zero(connection: "Connection", kind: int, payload: bytes) -> None:
    """Act on a frame of channel zero.

    Raises:
        UnexpectedFrame: it is neither a method nor a heartbeat.
        CommandInvalid: the method belongs elsewhere, or nowhere.
    """
    if kind == HEARTBEAT:
        return
    if kind not in (METHOD, PUBLISH):
        raise UnexpectedFrame(f"frame of type {kind} on channel 0")
    if connection.handshake is not None:
        connection.handshake.on_method(payload)
        if connection.state is State.OPEN:
            connection.handshake = None
        return
    handle = CONNECTION.get(payload[:4])
    if handle is None:
        raise CommandInvalid("unimplemented method")
    handle(connection, payload)


def await_close_ok(connection: "Connection", number: int, kind: int, payload: bytes) -> None:
    """Ignore all on a connection that we closed, but for what ends it (§1.4.2.9)."""
    if number or kind != METHOD:
        return
    if payload[:4] == ConnectionClose.KEY:  # both at once
        connection.send(ConnectionCloseOk())
    if payload[:4] in (ConnectionClose.KEY, ConnectionCloseOk.KEY):
        connection.become(State.CLOSED)


def on_connection_close(connection: "Connection", _payload: bytes) -> None:
    """connection.close: give back all the client held, and only then say so."""
    connection.end(Cause.CONNECTION_CLOSED)
    connection.become(State.CLOSED)
    connection.send_when_durable(method_frame(0, ConnectionCloseOk()))


def on_connection_close_ok(_connection: "Connection", _payload: bytes) -> None:
    """connection.close-ok to a close that was never sent: nothing is left to do."""


def on_connection_update_secret(connection: "Connection", payload: bytes) -> None:
    """connection.update-secret: a login with the new secret (RabbitMQ: OAuth 2).

    Raises:
        NotAllowed: see `update_secret`.
    """
    secret = decode(ConnectionUpdateSecret, payload).new_secret
    connection.user = update_secret(connection, secret)
    connection.send(ConnectionUpdateSecretOk())


CONNECTION: dict[bytes, Callable[["Connection", bytes], None]] = {
    ConnectionClose.KEY: on_connection_close,
    ConnectionCloseOk.KEY: on_connection_close_ok,
    ConnectionUpdateSecret.KEY: on_connection_update_secret,
}
"""What to do with each method, by the class-id and method-id that start its payload."""

"""From the protocol header to connection.open-ok (§2.2.4), with SASL PLAIN and AMQPLAIN."""

import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from amqplite import __version__
from amqplite.broker.users import User
from amqplite.connection.state import State
from amqplite.errors import (
    AmqpError,
    CommandInvalid,
    InvalidSyntax,
    LoginRefused,
    NotAllowed,
)
from amqplite.protocol.codec import decode
from amqplite.protocol.fields import decode_table, encode_table, from_python, to_python
from amqplite.protocol.methods import (
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
)

if TYPE_CHECKING:
    from amqplite.connection.connection import Connection

HEADER = b"AMQP\x00\x00\x09\x01"
_OLD_HEADER = b"AMQP\x01\x01\x00\x09"
"""AMQP 0-9, which RabbitMQ takes for 0-9-1 too."""

FRAME_MAX_MIN = 4096
"""The specification's FRAME-MIN-SIZE; RabbitMQ 4.1 asks for 8192, and so lost old clients."""

SERVER_PROPERTIES = encode_table(
    from_python(
        {
            "capabilities": {
                "publisher_confirms": True,
                "exchange_exchange_bindings": True,
                "basic.nack": True,
                "consumer_cancel_notify": True,
                "connection.blocked": True,
                "consumer_priorities": True,
                "authentication_failure_close": True,
                "per_consumer_qos": True,
                "direct_reply_to": False,
            },
            "cluster_name": "amqplite",
            "copyright": "The amqplite maintainers",
            "information": "MIT license",
            "platform": f"Python {platform.python_version()}",
            "product": "amqplite",
            "version": __version__,
        }
    )
)


class Handshake:
    """What a connection does until it is open."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._header = b""
        self._next: Callable[[bytes], None] = self._on_start_ok
        self._expected = ConnectionStartOk.KEY

    def receive_data(self, data: bytes) -> bytes:
        """Take the protocol header, if it is still to come; return what is behind it.

        A header we can't speak is answered with the one we can, and the connection ends
        (§4.2.2).
        """
        if len(self._header) == 8:
            return data
        self._header, data = (self._header + data)[:8], (self._header + data)[8:]
        connection = self._connection
        if (
            not HEADER.startswith(self._header[:5])
            and self._header != _OLD_HEADER[: len(self._header)]
        ):
            self._refuse()
        elif len(self._header) == 8:
            if self._header not in (HEADER, _OLD_HEADER):
                self._refuse()
            else:
                connection.send(
                    ConnectionStart(0, 9, SERVER_PROPERTIES, b"PLAIN AMQPLAIN", b"en_US")
                )
        return data if not connection.closed else b""

    def _refuse(self) -> None:
        self._connection.outbox.send(HEADER)
        self._connection.become(State.CLOSED)

    def on_method(self, payload: bytes) -> None:
        """Act on a method of channel zero.

        Raises:
            CommandInvalid: it is another than the one to come now.
        """
        if payload[:4] != self._expected:
            raise CommandInvalid("method out of place in the handshake")
        try:
            self._next(payload)
        except AmqpError as error:
            if error.ids == (0, 0):
                error.ids = int.from_bytes(payload[:2], "big"), int.from_bytes(payload[2:4], "big")
            raise

    def may_announce(self, error: AmqpError) -> bool:
        """Whether the client may be told why it is closed, rather than find itself alone.

        Before it is known, only that its login was refused, and only if it understands that
        (RabbitMQ: authentication failure notification).
        """
        if self._expected != ConnectionStartOk.KEY:
            return True
        understands = self._connection.client_can("authentication_failure_close")
        return isinstance(error, LoginRefused) and understands

    def _on_start_ok(self, payload: bytes) -> None:
        """connection.start-ok: log in."""
        connection = self._connection
        start_ok = decode(ConnectionStartOk, payload)
        connection.client_properties = to_python(decode_table(start_ok.client_properties))
        credentials = MECHANISMS.get(start_ok.mechanism)
        if credentials is None:
            raise CommandInvalid(f"unknown authentication mechanism '{start_ok.mechanism}'")
        name, password = credentials(start_ok.response)
        connection.user = connection.broker.users.authenticate(
            name, password, mechanism=start_ok.mechanism, loopback=connection.peer.loopback
        )
        limits = connection.limits
        connection.send(ConnectionTune(limits.channel_max, limits.frame_max, limits.heartbeat_s))
        self._next, self._expected = self._on_tune_ok, ConnectionTuneOk.KEY

    def _on_tune_ok(self, payload: bytes) -> None:
        """connection.tune-ok: take the client's limits, if they are below ours."""
        connection, limits = self._connection, self._connection.limits
        tune_ok = decode(ConnectionTuneOk, payload)
        _require_between("frame_max", tune_ok.frame_max, FRAME_MAX_MIN, limits.frame_max)
        _require_between("channel_max", tune_ok.channel_max, 1, limits.channel_max)
        connection.frame_max = connection.reader.frame_max = tune_ok.frame_max
        connection.channel_max = tune_ok.channel_max
        connection.heartbeat_s = tune_ok.heartbeat
        self._next, self._expected = self._on_open, ConnectionOpen.KEY

    def _on_open(self, payload: bytes) -> None:
        """connection.open: enter a vhost."""
        connection = self._connection
        broker, limits = connection.broker, connection.limits
        if limits.connection_max and len(broker.connections) >= limits.connection_max:
            raise NotAllowed(
                f"connection refused: node connection limit ({limits.connection_max}) is reached"
            )
        name = decode(ConnectionOpen, payload).virtual_host
        connection.vhost = broker.vhost(connection.user, name)
        broker.connections[connection] = None
        if broker.trace.on:
            broker.trace.connection_opened(connection)
        connection.become(State.OPEN)
        connection.send(ConnectionOpenOk())


def _require_between(name: str, value: int, low: int, high: int) -> None:
    error = None
    if value == 0 or value > high:
        shown = f"{value} (no limit)" if value == 0 else str(value)
        error = NotAllowed(
            f"negotiated {name} = {shown} is higher than the maximum allowed value ({high})"
        )
    elif value < low:
        error = NotAllowed(
            f"negotiated {name} = {value} is lower than the minimum allowed value ({low})"
        )
    if error is not None:
        error.ids = 10, 30  # connection.tune, as RabbitMQ says
        raise error


def _plain(response: bytes) -> tuple[str, str]:
    """PLAIN: NUL, user, NUL, password (RFC 4616), without another identity in front."""
    parts = response.split(b"\0")
    if len(parts) != 3 or parts[0]:
        raise InvalidSyntax("response to PLAIN is invalid: expected NUL, user, NUL, password")
    return _text(parts[1]), _text(parts[2])


def _amqplain(response: bytes) -> tuple[str, str]:
    """AMQPLAIN: a field table without its length, of LOGIN and PASSWORD."""
    table = decode_table(response)
    values: list[Any] = [table.get(key, ("V", None))[1] for key in ("LOGIN", "PASSWORD")]
    if not all(isinstance(value, bytes) for value in values):
        raise InvalidSyntax("response to AMQPLAIN is invalid: expected LOGIN and PASSWORD")
    return _text(values[0]), _text(values[1])


def _text(octets: bytes) -> str:
    return octets.decode(errors="surrogateescape")


MECHANISMS: dict[str, Callable[[bytes], tuple[str, str]]] = {
    "PLAIN": _plain,
    "AMQPLAIN": _amqplain,
}
"""How to read user and password from a SASL response."""


def update_secret(connection: "Connection", secret: bytes) -> User:
    """Return the user as of now, if `secret` is the password (RabbitMQ: connection.update-secret).

    Raises:
        NotAllowed: it isn't, or the user may not enter the vhost any more.
    """
    try:
        user = connection.broker.users.authenticate(
            connection.user.name, _text(secret), loopback=connection.peer.loopback
        )
    except LoginRefused:
        raise NotAllowed("New secret was refused by one of the backends") from None
    connection.broker.vhost(user, connection.vhost.name)
    return user

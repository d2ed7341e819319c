"""Publishing on a channel: from basic.publish and its content to the queues (§1.8.3.5).

*Hot.* A publisher sends the same method frame over and over. What follows from it — the exchange,
the permission to write there, the queues — is looked up once and remembered by the frame's very
octets, until an exchange, a binding, a queue or a permission changes.
"""

from collections.abc import Mapping
from struct import Struct
from typing import TYPE_CHECKING, Any

from amqplite.broker.exchanges import Exchange, Headers, resolve
from amqplite.broker.message import Message, address_of, whole_frames
from amqplite.broker.queue import Queue
from amqplite.errors import (
    AccessRefused,
    FrameError,
    PreconditionFailed,
    UnexpectedFrame,
    Unsupported,
)
from amqplite.protocol import properties
from amqplite.protocol.codec import decode
from amqplite.protocol.fields import decode_table, encode_table
from amqplite.protocol.frames import Octets
from amqplite.protocol.methods import BasicPublish

if TYPE_CHECKING:
    from amqplite.connection.channel import Channel

BODY_SIZE_MAX = 512 * 1024 * 1024
"""A larger declared body is taken for a broken client (RabbitMQ: command assembler)."""

_ROUTES_MAX = 1024
"""Method frames a channel remembers; with more it forgets all and starts again."""

_PLAIN = 15
"""Octets of a content header that has a delivery mode and nothing else."""

_unpack_content_head = Struct(">HHQ").unpack_from


class Route:
    """What a basic.publish frame leads to.

    Attributes:
        queues: where it goes; `None` if that depends on the message's headers.
        stamp: sum of the revisions it was looked up under.
    """

    __slots__ = ("address", "exchange", "mandatory", "queues", "routing_key", "stamp")

    def __init__(
        self,
        exchange: Exchange,
        routing_key: str,
        mandatory: bool,
        queues: tuple[Queue, ...] | None,
        stamp: int,
    ) -> None:
        self.address = address_of(exchange.name, routing_key)
        self.exchange = exchange
        self.routing_key = routing_key
        self.mandatory = mandatory
        self.queues = queues
        self.stamp = stamp


class Publishing:
    """The publishing half of a channel: assembles contents, and routes them.

    Attributes:
        in_content: a method was read whose content is not whole yet.
    """

    __slots__ = (
        "_body",
        "_channel",
        "_header",
        "_keep",
        "_missing",
        "_number",
        "_payload",
        "_routes",
        "_users",
        "_vhost",
        "in_content",
    )

    def __init__(self, channel: "Channel") -> None:
        self._channel = channel
        self._number = channel.number
        self._vhost = channel.vhost
        self._users = channel.broker.users
        self._routes: dict[bytes, Route] = {}
        self.in_content = False
        self._payload = b""
        self._header: bytes | None = None
        self._body = bytearray()  # of a content that is not whole: one block, which only grows
        self._missing = 0
        self._keep = True

    # -- the whole content at once ---------------------------------------------------------------

    def on_publish(self, payload: bytes, content: Octets) -> None:
        """Publish: a method's payload, and the header frame and body frame as they came.

        Raises:
            AccessRefused, NotFound, PreconditionFailed: see `_look_up` and `_inspect`.
        """
        channel = self._channel
        channel.publish_began()
        route = self._routes.get(payload)
        if route is None or route.stamp != self._vhost.revision + self._users.revision:
            route = self._look_up(payload)
        header_size = content[6] | content[5] << 8 | content[4] << 16 | content[3] << 24
        queues = route.queues
        if header_size == _PLAIN and content[19] == 0x10 and content[20] == 0:
            persistent = content[21] == 2
        else:
            header = bytes(content[7 : 7 + header_size])
            properties.check(header)
            persistent = properties.delivery_mode(header) == 2
            if content[19] & 0x21 or content[20] & 0x10:  # headers, expiration, user-id
                stripped, queues = self._inspect(route, header)
                if stripped is not header:
                    body = content[7 + header_size + 8 : -1]
                    content = whole_frames(stripped, (body,), self._number)
                    header_size = len(stripped)
        if len(content) > channel.message_size_max:
            channel.require_size(len(content) - header_size - 16)
        message = Message(route.address, content, self._number, header_size, persistent)
        if queues is None:
            queues = self._resolve(route, (route.routing_key,), None)
        channel.publish(message, queues, route.mandatory)

    # -- frame by frame --------------------------------------------------------------------------

    def on_method(self, payload: bytes) -> None:
        """Take a basic.publish whose content is to come."""
        self._payload = payload
        self._header = None
        self._body = bytearray()
        self.in_content = True

    def on_header(self, payload: bytes) -> None:
        """Take a content header (§4.2.6.1).

        Raises:
            UnexpectedFrame: there is no method before it, or it is of another class.
            FrameError: it declares an absurd size.
        """
        if not self.in_content or self._header is not None or len(payload) < 14:
            self._refuse("expected method frame, got non method frame instead")
        class_id, _, body_size = _unpack_content_head(payload, 0)
        if class_id != 60:
            self._refuse(
                f"expected content header for class 60, got one for class {class_id} instead"
            )
        if body_size > BODY_SIZE_MAX:
            raise FrameError(
                f"content body size {body_size} exceeds maximum allowed size {BODY_SIZE_MAX}"
            )
        self._header = payload
        self._missing = body_size
        self._keep = body_size <= self._channel.message_size_max  # else refused when it has ended
        if not body_size:
            self._complete()

    def on_body(self, payload: bytes) -> None:
        """Take a content body frame (§4.2.6.2).

        Raises:
            UnexpectedFrame: no header is before it.
            FrameError: it has more than was declared.
        """
        if not self.in_content:
            self._refuse("expected method frame, got non method frame instead")
        if self._header is None:
            self._refuse(
                "expected content header for class 60, got non content header frame instead"
            )
        if len(payload) > self._missing:
            raise FrameError("content body frame exceeds remaining content size")
        self._missing -= len(payload)
        if self._keep:
            self._body += payload
        if not self._missing:
            self._complete()

    def _complete(self) -> None:
        header, body = self._header or b"", self._body
        self._header, self._body, self.in_content = None, bytearray(), False
        size = int.from_bytes(header[4:12], "big")
        if size > self._channel.message_size_max:
            self._channel.require_size(size)
        content = whole_frames(header, (body,), self._number)
        body.clear()  # it is in `content` by now, and may be large
        self.on_publish(self._payload, content)

    def on_other_method(self) -> None:
        """Refuse a method in the middle of a content."""
        what = "content header for class 60" if self._header is None else "content body"
        kind = "header" if self._header is None else "body"
        self._refuse(f"expected {what}, got non content {kind} frame instead")

    def _refuse(self, text: str) -> None:
        raise UnexpectedFrame(text)

    # -- looking up ------------------------------------------------------------------------------

    def _look_up(self, payload: bytes) -> Route:
        """Decode a basic.publish and find out where it leads, and whether it may.

        Raises:
            Unsupported: `immediate` is set (540).
            NotFound: there is no such exchange.
            AccessRefused: the user may not write there, or it is internal.
        """
        publish = decode(BasicPublish, payload)
        if publish.immediate:
            raise Unsupported("immediate=true")
        vhost = self._vhost
        users = self._users
        name = publish.exchange
        users.check(self._channel.user, vhost.name, "write", "exchange", name)
        exchange = vhost.exchange(name)
        if exchange.internal:
            raise AccessRefused(
                f"cannot publish to internal exchange '{name}' in vhost '{vhost.name}'"
            )
        found, by_headers = resolve(exchange, (publish.routing_key,), None, vhost.exchanges.get)
        queues = None if by_headers else tuple(found)
        stamp = vhost.revision + users.revision
        route = Route(exchange, publish.routing_key, publish.mandatory, queues, stamp)
        if len(self._routes) >= _ROUTES_MAX:
            self._routes.clear()
        self._routes[payload] = route
        return route

    def _inspect(self, route: Route, header: bytes) -> tuple[bytes, tuple[Queue, ...] | None]:
        """Heed the properties that mean something to the broker.

        Returns:
            The header, without BCC, and the queues; `None` if nothing here changes them.

        Raises:
            PreconditionFailed: the expiration is no number, the user-id is not the user's, or CC
                or BCC are no lists of texts.
        """
        _check_expiration(properties.expiration(header))
        self._check_user(properties.user_id(header))
        table = properties.headers(header)
        if table is None:
            return header, route.queues
        if b"CC" not in table:
            if route.queues is not None:
                return header, route.queues
            return header, self._resolve(route, (route.routing_key,), lambda: decode_table(table))
        decoded = decode_table(table)
        keys = [route.routing_key, *_keys(decoded, "CC"), *_keys(decoded, "BCC")]
        queues = self._resolve(route, tuple(keys), lambda: decoded)
        if "BCC" in decoded:
            left = {name: value for name, value in decoded.items() if name != "BCC"}
            header = properties.with_headers(header, encode_table(left))
        return header, queues

    def _resolve(self, route: Route, keys: tuple[str, ...], headers: Headers) -> tuple[Queue, ...]:
        found, _ = resolve(route.exchange, keys, headers, self._vhost.exchanges.get)
        return tuple(found)

    def _check_user(self, user_id: bytes | None) -> None:
        user = self._channel.user
        if user_id is None or "impersonator" in user.tags:
            return
        claimed = user_id.decode(errors="surrogateescape")
        if claimed != user.name:
            raise PreconditionFailed(
                f"user_id property set to '{claimed}' but authenticated user was '{user.name}'"
            )


def _check_expiration(expiration: bytes | None) -> None:
    if expiration is not None and not (expiration.isdigit() and expiration.isascii()):
        shown = expiration.decode(errors="surrogateescape")
        raise PreconditionFailed(f"invalid expiration '{shown}': expected milliseconds, in digits")


def _keys(headers: Mapping[str, tuple[str, Any]], name: str) -> list[str]:
    """Return the routing keys in a CC or BCC header (RabbitMQ: sender-selected distribution)."""
    if name not in headers:
        return []
    tag, values = headers[name]
    if tag != "A" or not isinstance(values, list) or any(t != "S" for t, _ in values):
        raise PreconditionFailed(f"invalid message: '{name}' header must be an array of longstr")
    return [value.decode(errors="surrogateescape") for _, value in values]

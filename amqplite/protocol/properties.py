"""Content headers: the size of a body and the properties of its message (§4.2.6.1).

On the wire::

    0          2        4           12      14
    +----------+--------+-----------+-------+------------------+
    | class-id | weight | body size | flags | property list... |
    +----------+--------+-----------+-------+------------------+
       short     short    longlong    short

A header is passed on as the octets that came. What the broker has to know of a message is peeked at
in them, property by property; `decode_properties` is for people, and for dead-lettering.

Flags stand in the order of the list, the first property's in the highest bit. The two lowest bits
belong to no property, so a header that sets them can't be read.
"""

from dataclasses import dataclass, fields
from struct import Struct, error
from typing import Any, NoReturn

from amqplite.errors import InvalidSyntax
from amqplite.protocol.codec import Octet, ShortStr, TableOctets, Timestamp, step
from amqplite.protocol.fields import Table, decode_table, encode_table

_FLAGS_AT, _LIST_AT = 12, 14
_NO_PROPERTY = 0b11

# Flags of the first octet:
_CONTENT_TYPE, _CONTENT_ENCODING, _HEADERS, _DELIVERY_MODE = 0x80, 0x40, 0x20, 0x10
_PRIORITY, _CORRELATION_ID, _REPLY_TO, _EXPIRATION = 0x08, 0x04, 0x02, 0x01
# and of the second:
_MESSAGE_ID, _TIMESTAMP, _TYPE, _USER_ID, _APP_ID, _CLUSTER_ID = 0x80, 0x40, 0x20, 0x10, 0x08, 0x04

_pack_head = Struct(">HHQ").pack
_flags = Struct(">H")
_length = Struct(">L")
_unpack_length = _length.unpack_from


@dataclass(frozen=True, slots=True)
class Properties:
    """A message's properties; `None` is absent.

    Attributes:
        delivery_mode: 2 is persistent, 1 transient.
        expiration: time to live in milliseconds, in decimal digits if the client did well.
        timestamp: seconds since the epoch, or whatever else the client took it for.
    """

    content_type: str | None = None
    content_encoding: str | None = None
    headers: Table | None = None
    delivery_mode: int | None = None
    priority: int | None = None
    correlation_id: str | None = None
    reply_to: str | None = None
    expiration: str | None = None
    message_id: str | None = None
    timestamp: int | None = None
    type: str | None = None
    user_id: str | None = None
    app_id: str | None = None
    cluster_id: str | None = None


_WIRE_TYPES: dict[str, Any] = {field.name: ShortStr for field in fields(Properties)} | {
    "headers": TableOctets,
    "delivery_mode": Octet,
    "priority": Octet,
    "timestamp": Timestamp,
}
_STEPS = [
    (name, 0x8000 >> index, *step(wire_type))
    for index, (name, wire_type) in enumerate(_WIRE_TYPES.items())
]


def delivery_mode(header: bytes) -> int:
    """Return the delivery mode, 2 being persistent; 0 if absent.

    Raises:
        InvalidSyntax: the header is cut short; so with all functions that peek.
    """
    try:
        flags = header[_FLAGS_AT]  # a third of the time that unpacking both octets takes
        if not flags & _DELIVERY_MODE:
            return 0
        return header[_at_delivery_mode(header, flags)]
    except (IndexError, error):
        _cut_short()


def priority(header: bytes) -> int | None:
    """Return the priority, 0 to 255; `None` if absent."""
    try:
        flags = header[_FLAGS_AT]
        if not flags & _PRIORITY:
            return None
        return header[_at_priority(header, flags)]
    except (IndexError, error):
        _cut_short()


def expiration(header: bytes) -> bytes | None:
    """Return the expiration as the client wrote it; `None` if absent."""
    try:
        flags = header[_FLAGS_AT]
        if not flags & _EXPIRATION:
            return None
        return _short_string(header, _at_expiration(header, flags))
    except (IndexError, error):
        _cut_short()


def headers(header: bytes) -> bytes | None:
    """Return the octets of the headers' table, without their length; `None` if absent."""
    try:
        flags = header[_FLAGS_AT]
        if not flags & _HEADERS:
            return None
        at = _at_headers(header, flags)
        end = at + 4 + _unpack_length(header, at)[0]
        _reach(header, end)
        return header[at + 4 : end]
    except (IndexError, error):
        _cut_short()


def message_id(header: bytes) -> bytes | None:
    """Return the message-id as the client wrote it; `None` if absent."""
    try:
        if not header[_FLAGS_AT + 1] & _MESSAGE_ID:
            return None
        return _short_string(header, _at_message_id(header))
    except (IndexError, error):
        _cut_short()


def user_id(header: bytes) -> bytes | None:
    """Return the user that the publisher says it is; `None` if absent."""
    try:
        if not header[_FLAGS_AT + 1] & _USER_ID:
            return None
        return _short_string(header, _at_user_id(header))
    except (IndexError, error):
        _cut_short()


def check(header: bytes) -> None:
    """See to it that the flags and the list agree, before somebody else relies on it.

    Raises:
        InvalidSyntax: the list is cut short, or has what we can't skip.
    """
    try:
        at = _at_user_id(header)
        flags = header[_FLAGS_AT + 1]
        for flag in (_USER_ID, _APP_ID, _CLUSTER_ID):
            if flags & flag:
                at += 1 + header[at]
        _reach(header, at)
    except (IndexError, error):
        _cut_short()


def with_headers(header: bytes, table_octets: bytes | None) -> bytes:
    """Return `header` with another table of headers, or with none; the rest octet by octet.

    `table_octets` is the table without its length.

    Raises:
        InvalidSyntax: `header` is cut short.
    """
    try:
        flags = header[_FLAGS_AT]
        at = end = _at_headers(header, flags)
        if flags & _HEADERS:
            end += 4 + _unpack_length(header, at)[0]
        _reach(header, end)
    except (IndexError, error):
        _cut_short()
    if table_octets is None:
        flags &= ~_HEADERS
        table = b""
    else:
        flags |= _HEADERS
        table = _length.pack(len(table_octets)) + table_octets
    before = header[:_FLAGS_AT] + bytes((flags,)) + header[_FLAGS_AT + 1 : at]
    return before + table + header[end:]


def decode_properties(header: bytes) -> Properties:
    """Decode the properties of a content header's payload, headers and all.

    Raises:
        InvalidSyntax: the header or its table is malformed.
    """
    values: list[Any] = []
    at = _LIST_AT
    try:
        (flags,) = _flags.unpack_from(header, _FLAGS_AT)
        if flags & _NO_PROPERTY:
            raise InvalidSyntax(_UNKNOWN)
        for _, flag, read, _ in _STEPS:
            if flags & flag:
                at = read(header, at, values)
            else:
                values.append(None)
        _reach(header, at)
    except (IndexError, error):
        _cut_short()
    properties = dict(zip(_WIRE_TYPES, values, strict=True))
    if (table := properties["headers"]) is not None:
        properties["headers"] = decode_table(table)
    return Properties(**properties)


def encode_properties(properties: Properties) -> bytes:
    """Encode the flags and the property list, as they end a content header's payload.

    Raises:
        ValueError: a property doesn't fit its wire type.
    """
    flags, parts = 0, []
    for name, flag, _, write in _STEPS:
        if (value := getattr(properties, name)) is not None:
            flags |= flag
            try:
                parts.append(write(iter([encode_table(value) if name == "headers" else value])))
            except error as reason:
                raise ValueError(f"{name}: {reason}") from None
    return _flags.pack(flags) + b"".join(parts)


def encode_header(body_size: int, properties_octets: bytes) -> bytes:
    """Return a content header's payload, given what `encode_properties` returns."""
    return _pack_head(60, 0, body_size) + properties_octets


_UNKNOWN = "content header has properties that class 60 doesn't have"


def _cut_short() -> NoReturn:
    raise InvalidSyntax("content header is cut short") from None


def _reach(header: bytes, end: int) -> None:
    """Raise unless `header` goes up to `end`, as a slice would not."""
    if end > len(header):
        raise IndexError(end)


def _at_headers(header: bytes, flags: int) -> int:
    """Return where the headers are, or would be; so the others, for what they are called.

    `flags` is the first octet of flags.
    """
    if header[_FLAGS_AT + 1] & _NO_PROPERTY:
        raise InvalidSyntax(_UNKNOWN)
    at = _LIST_AT
    if flags & _CONTENT_TYPE:
        at += 1 + header[at]
    if flags & _CONTENT_ENCODING:
        at += 1 + header[at]
    return at


def _at_delivery_mode(header: bytes, flags: int) -> int:
    at = _at_headers(header, flags)
    if flags & _HEADERS:
        at += 4 + int(_unpack_length(header, at)[0])
    return at


def _at_priority(header: bytes, flags: int) -> int:
    at = _at_delivery_mode(header, flags)
    return at + 1 if flags & _DELIVERY_MODE else at


def _at_expiration(header: bytes, flags: int) -> int:
    at = _at_priority(header, flags)
    if flags & _PRIORITY:
        at += 1
    if flags & _CORRELATION_ID:
        at += 1 + header[at]
    if flags & _REPLY_TO:
        at += 1 + header[at]
    return at


def _at_message_id(header: bytes) -> int:
    flags = header[_FLAGS_AT]
    at = _at_expiration(header, flags)
    return at + 1 + header[at] if flags & _EXPIRATION else at


def _at_user_id(header: bytes) -> int:
    at = _at_message_id(header)
    flags = header[_FLAGS_AT + 1]
    if flags & _MESSAGE_ID:
        at += 1 + header[at]
    if flags & _TIMESTAMP:
        at += 8
    if flags & _TYPE:
        at += 1 + header[at]
    return at


def _short_string(header: bytes, at: int) -> bytes:
    end = at + 1 + header[at]
    _reach(header, end)
    return header[at + 1 : end]

"""What turns methods into octets and back: the wire types, and a codec built once per method.

A method is a tuple of its arguments in wire order, with names. That is what dataclasses would be
for, yet seventy of those take longer to import than a whole start may; a tuple is built at the
speed of C and frozen by nature.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from re import sub
from struct import Struct, error
from typing import Annotated, Any, ClassVar, NoReturn, TypeVar, dataclass_transform

from amqplite.errors import InvalidSyntax

Octet = Annotated[int, "B"]
Short = Annotated[int, "H"]
Long = Annotated[int, "L"]
LongLong = Annotated[int, "Q"]
Timestamp = Annotated[int, "Q"]
"""Seconds since the epoch; never made a date of, as clients send anything here."""
Bit = Annotated[bool, "bit"]
"""Up to eight in a row share an octet, the first in its lowest bit."""
ShortStr = Annotated[str, "short string"]
"""UTF-8, 255 octets at most; octets that aren't UTF-8 become surrogates, and octets again."""
LongStr = Annotated[bytes, "long string"]
TableOctets = Annotated[bytes, "long string"]
"""A field table as its octets, without their length: decoded by whoever looks into it."""

Reader = Callable[[bytes, int, list[Any]], int]
"""Appends what a payload has at a place to a list, and returns the place after it."""
Writer = Callable[[Iterator[Any]], bytes]
"""Takes as many values as it needs, and returns their octets."""
Step = tuple[Reader, Writer]

_pack_head = Struct(">BHL").pack
_pack_key = Struct(">HH").pack
_unpack_length = Struct(">L").unpack_from
_pack_length = Struct(">L").pack


@dataclass_transform(frozen_default=True)
class Method(tuple[Any, ...]):
    """A method and its arguments; annotations name them, `@method` gives the rest.

    Attributes:
        KEY: class-id and method-id as the four octets that start a payload.
        NAME: as the specification writes it, such as `queue.declare-ok`.
        FIELDS: the arguments' names, in wire order.
    """

    KEY: ClassVar[bytes]
    NAME: ClassVar[str]
    CLASS_ID: ClassVar[int]
    METHOD_ID: ClassVar[int]
    FIELDS: ClassVar[tuple[str, ...]]
    _DEFAULTS: ClassVar[dict[str, Any]]
    _READERS: ClassVar[tuple[Reader, ...]]
    _WRITERS: ClassVar[tuple[Writer, ...]]

    def __new__(cls, *args: object, **named: object) -> "Method":
        """Take arguments by place or by name.

        Raises:
            TypeError: one is missing, given twice, or not this method's.
        """
        values = cls._DEFAULTS | dict(zip(cls.FIELDS, args, strict=False)) | named
        twice = any(name in named for name in cls.FIELDS[: len(args)])
        if twice or len(args) > len(cls.FIELDS) or values.keys() != set(cls.FIELDS):
            raise TypeError(f"{cls.NAME} takes {', '.join(cls.FIELDS) or 'nothing'}")
        return tuple.__new__(cls, [values[name] for name in cls.FIELDS])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{self.NAME} is frozen")

    def __bool__(self) -> bool:
        return True  # also without arguments

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.KEY, *self))

    def __repr__(self) -> str:
        arguments = zip(self.FIELDS, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in arguments)})"


M = TypeVar("M", bound=Method)

METHODS: dict[bytes, type[Method]] = {}
"""Every method, by the class-id and method-id that start its payload."""


def method(class_id: int, method_id: int) -> Callable[[type[M]], type[M]]:
    """Register a class as the method of these ids, and build its codec."""

    def register(cls: type[M]) -> type[M]:
        wire_types = {n: t.__metadata__[0] for n, t in cls.__annotations__.items()}
        steps = [_STEPS.get(kind, _integers)(run) for kind, run in _runs(wire_types.values())]
        cls.KEY, cls.CLASS_ID, cls.METHOD_ID = _pack_key(class_id, method_id), class_id, method_id
        cls.NAME = sub("[a-z](?=[A-Z])", r"\g<0>-", cls.__name__).lower().replace("-", ".", 1)
        cls.FIELDS = tuple(wire_types)
        cls._DEFAULTS = {name: vars(cls)[name] for name in wire_types if name in vars(cls)}
        cls._READERS = tuple(read for read, _ in steps)
        cls._WRITERS = tuple(write for _, write in steps)
        for index, name in enumerate(wire_types):
            setattr(cls, name, property(itemgetter(index)))
        METHODS[cls.KEY] = cls
        return cls

    return register


def decode(cls: type[M], payload: bytes) -> M:
    """Decode a method frame's payload, which starts with the ids of `cls`.

    What may follow the last argument is ignored.

    Raises:
        InvalidSyntax: the arguments are cut short.
    """
    values: list[Any] = []
    at = 4
    try:
        for read in cls._READERS:
            at = read(payload, at, values)
    except (error, IndexError):
        at = len(payload) + 1
    if at > len(payload):  # slices don't complain
        raise InvalidSyntax(f"arguments of {cls.NAME} are cut short")
    return tuple.__new__(cls, values)


def encode(method: Method) -> bytes:
    """Encode `method` as a frame's payload.

    Raises:
        ValueError: an argument doesn't fit its wire type.
    """
    values = iter(method)
    try:
        return method.KEY + b"".join([write(values) for write in method._WRITERS])
    except error as reason:
        raise ValueError(f"{method.NAME}: {reason}") from None


def method_frame(channel: int, method: Method) -> bytes:
    """Encode `method` as a whole frame on `channel` (§4.2.3)."""
    payload = encode(method)
    return _pack_head(1, channel, len(payload)) + payload + b"\xce"


def step(wire_type: Any) -> Step:
    """Return how to read and to write one value, not a bit, of a wire type."""
    (kind,) = wire_type.__metadata__
    return _STEPS.get(kind, _integers)(kind)


def _runs(wire_types: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield neighbours that are read in one go: integers of any size as a format, bits, a string.

    The first is the kind, the second has one character a value.
    """
    for kind, run in groupby(wire_types, lambda kind: "integers" if len(kind) == 1 else kind):
        if kind in ("integers", "bit"):
            yield kind, "".join(code[0] for code in run)
        else:
            yield from ((kind, " ") for _ in run)


def _integers(run: str) -> Step:
    codec = Struct(">" + run)
    unpack, pack, size, count = codec.unpack_from, codec.pack, codec.size, len(run)

    def read(payload: bytes, at: int, values: list[Any]) -> int:
        values += unpack(payload, at)
        return at + size

    def write(values: Iterator[Any]) -> bytes:
        return pack(*islice(values, count))

    return read, write


def _bits(run: str) -> Step:
    masks = [1 << index for index in range(len(run))]

    def read(payload: bytes, at: int, values: list[Any]) -> int:
        octet = payload[at]
        values += [octet & mask != 0 for mask in masks]
        return at + 1

    def write(values: Iterator[Any]) -> bytes:
        return bytes([sum([mask for mask in masks if next(values)])])

    return read, write


def _short_string(_: str) -> Step:
    def read(payload: bytes, at: int, values: list[Any]) -> int:
        end = at + 1 + payload[at]
        values.append(payload[at + 1 : end].decode(errors="surrogateescape"))
        return end

    def write(values: Iterator[Any]) -> bytes:
        octets: bytes = next(values).encode(errors="surrogateescape")
        if len(octets) > 255:
            raise ValueError(f"short string of {len(octets)} octets is over 255")
        return bytes((len(octets),)) + octets

    return read, write


def _long_string(_: str) -> Step:
    def read(payload: bytes, at: int, values: list[Any]) -> int:
        start = at + 4
        end = start + _unpack_length(payload, at)[0]
        values.append(payload[start:end])
        return int(end)

    def write(values: Iterator[Any]) -> bytes:
        octets: bytes = next(values)
        return _pack_length(len(octets)) + octets

    return read, write


_STEPS: dict[str, Callable[[str], Step]] = {
    "bit": _bits,
    "short string": _short_string,
    "long string": _long_string,
}

"""Field tables: typed values by name, in arguments and in headers (§4.2.5.5).

A field keeps the tag it came with, so a table that is decoded and encoded again gives the same
octets, whatever width the peer chose for a number. Two things can't be kept: of fields with one
name the last wins, and their order is that of the first.

Tags mean what they mean to RabbitMQ, not what the specification says (RabbitMQ: AMQP 0-9-1
errata): `s` is a signed short and `l` and `L` are the same.
"""

from collections.abc import Callable, Iterable, Mapping
from struct import Struct, error
from typing import Any, TypeAlias, cast

from amqplite.errors import InvalidSyntax

Value: TypeAlias = "bytes | int | float | tuple[int, int] | Table | list[Field] | None"
"""What a field holds, by tag: `S` and `x` octets, `t` a truth value, `D` `(scale, number)` for
number · 10⁻ˢᶜᵃˡᵉ, `T` seconds since the epoch and never a date, `F` a table, `A` a list of fields,
`V` `None`, the others numbers."""

Field: TypeAlias = tuple[str, Value]
"""`(tag, value)`."""

Table: TypeAlias = dict[str, Field]
"""Fields by name; octets of a name that aren't UTF-8 become surrogates, and octets again."""

DEPTH_MAX = 64
"""Tables and arrays within each other; deeper ones are refused, as an attack on the stack."""

_unpack_length = Struct(">L").unpack_from
_pack_length = Struct(">L").pack
_double = Struct(">d")

_NUMBERS = {
    tag: Struct(">" + code)
    for tag, code in {
        "t": "B",
        "b": "b",
        "B": "B",
        "s": "h",
        "u": "H",
        "I": "i",
        "i": "I",
        "l": "q",
        "L": "q",
        "f": "f",
        "d": "d",
        "T": "Q",
    }.items()
}
_READ_NUMBER = {ord(tag): (tag, codec.unpack_from, codec.size) for tag, codec in _NUMBERS.items()}
_DECIMAL = Struct(">BL")


def decode_table(octets: bytes) -> Table:
    """Decode a table's octets, without the length in front of them.

    Raises:
        InvalidSyntax: they are cut short, have a tag we don't know, or nest too deeply.
    """
    try:
        return _decode_table(octets, DEPTH_MAX)
    except (error, IndexError):
        raise InvalidSyntax("field table is cut short") from None


def _decode_table(octets: bytes, depth: int) -> Table:
    table: Table = {}
    at, end = 0, len(octets)
    while at < end:
        start = at + 1
        at = start + octets[at]
        name = octets[start:at].decode(errors="surrogateescape")
        table[name], at = _decode_field(octets, at, depth)
    return table


def _decode_array(octets: bytes, depth: int) -> list[Field]:
    fields: list[Field] = []
    at, end = 0, len(octets)
    while at < end:
        field, at = _decode_field(octets, at, depth)
        fields.append(field)
    return fields


def _decode_field(octets: bytes, at: int, depth: int) -> tuple[Field, int]:
    """Return the field whose tag is at `at`, and where the next begins."""
    code = octets[at]
    at += 1
    if code in _READ_NUMBER:
        tag, unpack, size = _READ_NUMBER[code]
        number = unpack(octets, at)[0]
        if tag == "t" and number <= 1:  # any other octet is kept: it counts as true
            number = number == 1
        elif number != number and tag == "f":
            number = _widen_nan(octets[at : at + size])
        return (tag, number), at + size
    tag = chr(code)
    if tag == "V":
        return ("V", None), at
    if tag == "D":
        return ("D", cast("tuple[int, int]", _DECIMAL.unpack_from(octets, at))), at + _DECIMAL.size
    if tag not in "SxFA":
        raise InvalidSyntax(f"field table has a field of unknown type {code:#04x}")
    start = at + 4
    end = start + _unpack_length(octets, at)[0]
    if end > len(octets):
        raise InvalidSyntax("field table is cut short")
    inner = octets[start:end]
    if tag in "Sx":
        return (tag, inner), end
    if depth == 1:
        raise InvalidSyntax(f"field table is nested more than {DEPTH_MAX} deep")
    value = _decode_table(inner, depth - 1) if tag == "F" else _decode_array(inner, depth - 1)
    return (tag, value), end


def encode_table(table: Table) -> bytes:
    """Encode `table`, without a length in front.

    Raises:
        ValueError: a value doesn't fit its tag, or a name is over 255 octets.
    """
    out = bytearray()
    for name, (tag, value) in table.items():
        octets = name.encode(errors="surrogateescape")
        if len(octets) > 255:
            raise ValueError(f"field name of {len(octets)} octets is over 255")
        out.append(len(octets))
        out += octets
        out += _encode_field(tag, value)
    return bytes(out)


def _encode_field(tag: str, value: Any) -> bytes:
    code = tag.encode()
    if tag in _NUMBERS:
        if tag == "f" and value != value:
            return code + _narrow_nan(value)
        try:
            return code + _NUMBERS[tag].pack(value)
        except (error, OverflowError):
            raise ValueError(f"{value!r} is no value for a field of type {tag!r}") from None
    if tag == "V":
        return code
    if tag == "D":
        try:
            return code + _DECIMAL.pack(*value)
        except error:
            raise ValueError(f"{value!r} is no value for a field of type 'D'") from None
    if tag == "F":
        value = encode_table(value)
    elif tag == "A":
        value = b"".join(_encode_field(*field) for field in value)
    elif tag not in ("S", "x"):
        raise ValueError(f"no field has type {tag!r}")
    return code + _pack_length(len(value)) + bytes(value)


def _widen_nan(octets: bytes) -> float:
    """Return the NaN of these four octets; a plain conversion would alter its payload."""
    bits = int.from_bytes(octets)
    wide = (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    return float(_double.unpack(wide.to_bytes(8))[0])


def _narrow_nan(value: float) -> bytes:
    """Return the four octets `_widen_nan` made `value` of."""
    wide = int.from_bytes(_double.pack(value))
    payload = wide >> 29 & 0x7FFFFF or 0x400000  # all zeroes would be infinity
    return ((wide >> 63) << 31 | 0xFF << 23 | payload).to_bytes(4)


def from_python(mapping: Mapping[str, Any]) -> Table:
    """Give each value the tag a client library would.

    `str` and `bytes` become `S`, `bool` `t`, `int` `I` or `l`, `float` `d`, `None` `V`, a mapping
    `F`, a list or tuple `A`.

    Raises:
        ValueError: there is no tag for a value, or it nests too deeply.
    """
    return _from_mapping(mapping, DEPTH_MAX)


def _from_mapping(mapping: Mapping[str, Any], depth: int) -> Table:
    if not depth:
        raise ValueError(f"nested more than {DEPTH_MAX} deep")
    return {name: _from_value(value, depth) for name, value in mapping.items()}


def _from_items(items: Iterable[Any], depth: int) -> list[Field]:
    if not depth:
        raise ValueError(f"nested more than {DEPTH_MAX} deep")
    return [_from_value(item, depth) for item in items]


def _from_value(value: Any, depth: int) -> Field:
    match value:
        case str():
            return "S", value.encode(errors="surrogateescape")
        case bytes():
            return "S", value
        case bool():
            return "t", value
        case int() if -(1 << 31) <= value < 1 << 31:
            return "I", value
        case int() if -(1 << 63) <= value < 1 << 63:
            return "l", value
        case float():
            return "d", value
        case None:
            return "V", None
        case Mapping():
            return "F", _from_mapping(value, depth - 1)
        case list() | tuple():
            return "A", _from_items(value, depth - 1)
    raise ValueError(f"{value!r} has no place in a field table")


def to_python(table: Table) -> dict[str, Any]:
    """Return plain values without their tags, for people and for JSON.

    `S` becomes `str` (with surrogates where it isn't UTF-8), `D` a `Decimal`; `T` stays a number.
    """
    return {name: _to_value(field) for name, field in table.items()}


def _to_value(field: Field) -> Any:
    tag, value = field
    convert = _TO_PYTHON.get(tag)
    return value if convert is None else convert(value)


def _to_decimal(value: tuple[int, int]) -> Any:
    from decimal import Decimal  # rare, and slow to import

    scale, number = value
    return Decimal(number).scaleb(-scale)


_TO_PYTHON: dict[str, Callable[[Any], Any]] = {
    "S": lambda octets: octets.decode(errors="surrogateescape"),
    "t": bool,
    "D": _to_decimal,
    "F": to_python,
    "A": lambda fields: [_to_value(field) for field in fields],
}

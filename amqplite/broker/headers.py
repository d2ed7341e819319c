"""Binding arguments of headers exchanges, and when a message's headers meet them (§3.1.3.4).

A message is taken for the set of what is true of it: `(name, value)` for each header, and
`(name, void)`, which says no more than that there is one. A binding wants all of some such set, or
any of it. So to match is one operation on sets.
"""

from collections.abc import Hashable

from amqplite.broker.arguments import INTEGERS, TYPE_NAMES, Arguments
from amqplite.errors import PreconditionFailed

Facts = frozenset[Hashable]
"""`(name, canonical value)` pairs."""

Wanted = tuple[bool, Facts]
"""`(all, facts)`: whether all of the facts have to be true, or one of them."""

X_MATCH = {
    b"all": (True, False),
    b"any": (False, False),
    b"all-with-x": (True, True),
    b"any-with-x": (False, True),
}
"""Whether all arguments have to match, and whether those that start with `x-` are looked at."""

VOID = ("V", None)
"""A field without a value: as an argument, it asks for presence alone."""


def wanted_by(arguments: Arguments) -> Wanted:
    """Return what a binding with `arguments` wants of a message.

    Raises:
        PreconditionFailed: `x-match` is there, but none of `X_MATCH`.
    """
    tag, value = arguments.get("x-match", ("S", b"all"))
    if tag != "S":
        raise PreconditionFailed(
            f"Invalid x-match field type {TYPE_NAMES[tag]} (value {value!r}); expected longstr"
        )
    if value not in X_MATCH:
        text = value.decode(errors="surrogateescape")
        raise PreconditionFailed(
            f"Invalid x-match field value '{text}'; expected all, any, all-with-x, or any-with-x"
        )
    wants_all, with_x = X_MATCH[value]
    return wants_all, frozenset(
        (name, canonical(field))
        for name, field in arguments.items()
        if name != "x-match" and (with_x or not name.startswith("x-"))
    )


def facts_of(headers: Arguments) -> Facts:
    """Return what is true of a message with `headers`."""
    values = [(name, canonical(field)) for name, field in headers.items()]
    return frozenset(values + [(name, VOID) for name in headers])


def is_met(wanted: Wanted, facts: Facts) -> bool:
    """Return whether a message of which `facts` are true is `wanted`."""
    wants_all, wanted_facts = wanted
    return wanted_facts <= facts if wants_all else not wanted_facts.isdisjoint(facts)


def canonical(field: tuple[str, object]) -> Hashable:
    """Return what equals that of another field just if the two mean the same.

    Integers mean the same whatever their width, and so do floats; a text, a number and a truth
    value never do. Tables compare without their order, arrays with it.
    """
    tag, value = field
    if isinstance(value, dict):
        return tag, frozenset((name, canonical(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return tag, tuple(map(canonical, value))
    if tag in INTEGERS:
        return "integer", value
    if tag in "fd":
        return "float", value if value == value else "NaN"  # which would not equal itself
    if tag == "t":
        return tag, bool(value)  # any octet but 0 is true
    return tag, value

"""Policies: what is to be otherwise when a trace is run again."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from amqplite.lab.rerun.refusal import CannotRerun

Overflow = Literal["drop-head", "reject-publish"]

PREFETCH_MAX = 65_535
PARTITIONS_MAX = 64
_TIMEOUT_MAX_MS = 24 * 60 * 60 * 1000
_LENGTH_MAX = 1_000_000

_WORDS = {
    **{"on": True, "true": True, "yes": True, "1": True},
    **{"off": False, "false": False, "no": False, "0": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is otherwise than it was recorded; `None`, or off: nothing of the kind.

    Attributes:
        prefetch: of every consumer; 0 is no limit.
        single_active: of every queue's consumers only one is served (x-single-active-consumer).
        queue_per_consumer: each has a queue of its own, and messages are dealt out among these.
        partitions: as many queues in place of one, with a single active consumer each; messages of
            a key go to the same.
        ack_timeout: how long a delivery may stay unacked, in milliseconds; 0 is for ever.
        max_length: of every queue; more is given up, or refused, as `overflow` says.
        no_faults: nobody dies, and nobody gives a message back.
    """

    prefetch: int | None = None
    single_active: bool | None = None
    queue_per_consumer: bool = False
    partitions: int = 0
    ack_timeout: int | None = None
    max_length: int | None = None
    overflow: Overflow = "drop-head"
    no_faults: bool = False

    def told(self) -> dict[str, Any]:
        """Return what is otherwise, by name."""
        return {name: value for name, value in asdict(self).items() if value != _DEFAULTS[name]}


_DEFAULTS = {field.name: field.default for field in fields(Policy)}

RECORDED = Policy()
"""Nothing is otherwise."""


def read_policy(settings: Mapping[str, object]) -> Policy:
    """Return the policy that settings make; texts will do, and `unlimited` for a prefetch of 0.

    Raises:
        CannotRerun: there is no such setting, or a value can't be, or two contradict each other.
    """
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if name not in _READ:
            raise CannotRerun("whatif.err.setting", name=name, known=", ".join(_READ))
        if value is not None:
            found[name] = _READ[name](name, value)
    policy = Policy(**found)
    if policy.queue_per_consumer and policy.partitions:
        raise CannotRerun("whatif.err.both")
    return policy


def _flag(name: str, value: object) -> bool:
    text = str(value).strip().lower()
    if text not in _WORDS:
        raise CannotRerun("whatif.err.flag", name=name, value=value)
    return _WORDS[text]


def _number(least: int, most: int) -> Callable[[str, object], int]:
    def read(name: str, value: object) -> int:
        text = str(value).strip().lower()
        text = "0" if text in ("unlimited", "never") and not least else text
        if isinstance(value, bool) or not text.isascii() or not text.isdigit():
            raise CannotRerun("whatif.err.number", name=name, value=value)
        number = int(text) if len(text) < 19 else most + 1
        if not least <= number <= most:
            raise CannotRerun("whatif.err.range", name=name, value=text, least=least, most=most)
        return number

    return read


def _overflow(name: str, value: object) -> str:
    known = get_args(Overflow)
    if value not in known:
        raise CannotRerun("whatif.err.choice", name=name, value=value, known=", ".join(known))
    return str(value)


_READ: Mapping[str, Callable[[str, object], object]] = {
    "prefetch": _number(0, PREFETCH_MAX),
    "single_active": _flag,
    "queue_per_consumer": _flag,
    "partitions": _number(0, PARTITIONS_MAX),
    "ack_timeout": _number(0, _TIMEOUT_MAX_MS),
    "max_length": _number(0, _LENGTH_MAX),
    "overflow": _overflow,
    "no_faults": _flag,
}

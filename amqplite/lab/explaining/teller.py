"""Says things in one language: times in the trace's own unit, lists, and whatever has a text."""

import re
from collections.abc import Sequence

from amqplite.lab.texts import text, texts
from amqplite.lab.trace import SECOND_US

_CHINESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")
_EDGE = "\ue000"
"""Stands where Chinese begins or ends within a text; no character of any language."""

CONSUMERS_MAX = 3
"""Consumers that are named in a list."""


class Teller:
    """Looks up texts; called with a key and the values of its slots.

    Args:
        language: `en` or `zh`.
        tick_us: microseconds of the unit people see; where that is a second, times are in seconds.
    """

    def __init__(self, language: str, tick_us: int) -> None:
        self.language = language
        self._tick_us = tick_us
        self._unit = "second" if tick_us == SECOND_US else "tick"

    def __call__(self, key: str, /, **slots: object) -> str:
        """Return a text; of one that counts, the slot `n` chooses the form."""
        if self.language == "en":
            return text(self.language, key, **slots)
        marked = {name: _mark(value) for name, value in slots.items()}
        said = text(self.language, key, **marked)
        return said.replace(f"{_EDGE} ", "").replace(f" {_EDGE}", "").replace(_EDGE, "")

    def knows(self, key: str) -> bool:
        """Return whether there is such a text."""
        return key in texts("en")

    def at(self, t: int) -> str:
        """Return an instant: `t=3.4`, or `3.42 s`."""
        return self(f"time.{self._unit}", t=_decimal(t / self._tick_us))

    def span(self, us: int) -> str:
        """Return how long something took: `1.8 ticks`, or `0.72 s`, or `3.1 ms`."""
        if self._unit == "second" and us < SECOND_US // 10:
            return self("span.ms", t=_decimal(us / 1000))
        return self(f"span.{self._unit}", t=_decimal(us / self._tick_us))

    def lasts(self, us: int) -> bool:
        """Return whether something took so long that it is worth telling: a tenth of a tick."""
        return us * 10 >= self._tick_us

    def cause(self, cause: str, sub: str = "") -> str:
        """Return a cause in words; of one without words its name."""
        key = f"cause.{'heartbeat_timeout' if sub == 'heartbeat_timeout' else cause}"
        return self(key) if self.knows(key) else cause

    def names(self, labels: Sequence[str], total: int = 0) -> str:
        """Return `m4`, `m4 and m5`, or `m4, m5 and 3 more`, if there are `total` of them."""
        more = max(0, total - len(labels))
        if more:
            return self("list.more", some=self("list.comma").join(labels), n=more)
        if len(labels) < 2:
            return "".join(labels)
        return self("list.and", some=self("list.comma").join(labels[:-1]), last=labels[-1])

    def consumers(self, names: Sequence[str]) -> str:
        """Return consumers as a list, each once; a few by name."""
        told = list(dict.fromkeys(self.consumer(name) for name in names))
        return self.names(told) if len(told) <= CONSUMERS_MAX else self("list.others")

    def consumer(self, name: str) -> str:
        """Return a consumer's name; who gets messages one by one has none."""
        return name or self("list.getter")


def _mark(value: object) -> object:
    """Mark the ends of a value that are Chinese: between those and more Chinese is no space."""
    if not isinstance(value, str) or not value:
        return value
    before, after = (_EDGE if _CHINESE.match(value[i]) else "" for i in (0, -1))
    return f"{before}{value}{after}"


def _decimal(value: float) -> str:
    """Return a number with one decimal at least and two at most."""
    written = f"{value:.2f}"
    return written[:-1] if written.endswith("0") else written

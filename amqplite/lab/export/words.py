"""The words of an export, in the reader's language, with its times as people read them."""

from amqplite.lab.diagram.boxes import WAITS, Bar
from amqplite.lab.texts import text

SECOND_US = 1_000_000

GIVEN_BACK = {"nack_requeue", "reject_requeue", "recover"}
"""Causes of a requeue that the consumer wanted."""


class Words:
    """Looks up texts; called with a key and the values of its slots.

    Args:
        lang: `en` or `zh`.
        tick_us: µs of a tick; where that is a second, times are told in seconds.
    """

    def __init__(self, lang: str, tick_us: int) -> None:
        self.lang = lang
        self.tick_us = tick_us
        self._unit = "second" if tick_us == SECOND_US else "tick"

    def __call__(self, key: str, **slots: object) -> str:
        """Return a text; of one that counts, the slot `n` chooses the form."""
        return text(self.lang, key, **slots)

    def at(self, us: int) -> str:
        """Return an instant: `t=3.4`, or `3.42 s`."""
        return self(f"dia.{self._unit}", t=decimal(us / self.tick_us))

    def span(self, us: int) -> str:
        """Return how long something took: `1.4`, or `1.4 s`."""
        return self(f"dia.span.{self._unit}", t=decimal(us / self.tick_us))

    def until(self, us: int) -> str:
        """Return the second of two instants: `3.4` behind a `t=2.0`, or `3.42 s`."""
        return decimal(us / self.tick_us) if self._unit == "tick" else self.at(us)

    @property
    def unit(self) -> str:
        """What times are counted in."""
        return self(f"dia.axis.{self._unit}")

    def cause(self, cause: str, sub: str = "") -> str:
        """Return a cause in words; a silent death is told from other lost connections."""
        return self(f"cause.{sub if sub == 'heartbeat_timeout' else cause or 'unexplained'}")

    def bar(self, bar: Bar) -> str:
        """Return a bar in a sentence: `c2 works on m3, attempt 1, t=2.0 to 3.4, lost`."""
        place = bar.lane[2:]
        slots = {"m": bar.m, "q": place, "c": place, "k": bar.attempt, "a": self.at(bar.start)}
        if bar.auto:
            return self("name.auto", **slots)
        if bar.kind in WAITS:
            key = "name.again" if bar.kind == "requeued" else "name.waits"
        else:
            key = "name.works" if bar.told else "name.holds"
        if bar.stop is None:
            return self(f"{key}.open", **slots)
        return self(key, **slots, b=self.until(bar.stop), end=self.end(bar))

    def end(self, bar: Bar) -> str:
        """Return how a bar ended."""
        if bar.end != "requeued":
            return self(f"end.{bar.end}")
        return self("end.back" if bar.cause in GIVEN_BACK else "end.lost")


def decimal(value: float) -> str:
    """Return a number with one decimal at least and two at most."""
    written = f"{value:.2f}"
    return written[:-1] if written.endswith("0") else written


def plain(value: float) -> str:
    """Return a number with two decimals at most, and no zeros behind."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written

"""Traces told event by event, and what the analysis makes of them."""

from collections.abc import Iterable
from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.order import Analysis
from amqplite.lab.trace import SECOND_US, Header

TICK = 400_000


def told(*lines: tuple[Any, ...]) -> list[Event]:
    """Return events from lines of tick, type, message (or 0), and whatever else there is."""
    events = []
    for n, (tick, type_, id_, *more) in enumerate(lines, 1):
        facts: dict[str, Any] = {"q": "q"} if type_ != "published" else {}
        if id_:
            facts |= {"id": id_, "m": f"m{id_}", "s": id_}
        for one in more:
            facts |= one
        if type_ in ("published", "gap"):
            facts.pop("s", None)
        events.append(Event(n=n, t=round(tick * TICK), type=type_, **facts))
    return events


def analysed(events: Iterable[Event], *, live: bool = False) -> Analysis:
    """Return the analysis of events, in ticks, or in seconds if they are `live`."""
    analysis = Analysis(Header(tick_us=SECOND_US if live else TICK))
    for event in events:
        analysis.feed(event)
    return analysis


def measures(analysis: Analysis) -> dict[str, Metrics]:
    """Return what it has measured, each by scope, name and what was measured."""
    metrics = analysis.report().metrics
    return {f"{one.scope} {one.name} {one.at}": one for one in metrics}

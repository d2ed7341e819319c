"""What a run came to, in a few sentences of both languages."""

from collections.abc import Iterator

from amqplite.lab.analysis.counts import Counts
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.explaining.teller import Teller
from amqplite.lab.order import Analysis, Report
from amqplite.lab.why import LANGUAGES

NAMED_MAX = 5
"""Messages that are named."""

_FASTER = {"parallel_consumers", "out_of_order_ack", "cancelled_consumer_holding"}
_OTHERWISE = {"priority", "delay_or_dead_letter", "repartitioned", "unexplained"}
"""Causes that are no return from a consumer: those of rule B, and all others."""


def verdict(analysis: Analysis) -> dict[str, str]:
    """Return what became of the order, of effects and of messages, by language."""
    report = analysis.report()
    told = {}
    for language in LANGUAGES:
        tell = Teller(language, analysis.header.tick_us)
        told[language] = tell("why.join").join(_sentences(analysis, report, tell))
    return told


def _sentences(analysis: Analysis, report: Report, tell: Teller) -> Iterator[str]:
    counts = report.counts
    done = [one for one in report.metrics if (one.scope, one.at) == ("queue", "completion")]
    yield from _of_order(analysis, done, counts, tell)
    yield from _of_effects(analysis, counts, tell)
    if counts.dropped:
        names = tell.names(counts.dropped_names[:NAMED_MAX], counts.dropped)
        yield tell("verdict.dropped", n=counts.dropped, names=names)
    if counts.ready + counts.unacked:
        yield tell("verdict.open", n=counts.ready + counts.unacked)
    yield from _of_faults(counts, any(one.approximate for one in done), tell)


def _of_order(
    analysis: Analysis, done: list[Metrics], counts: Counts, tell: Teller
) -> Iterator[str]:
    reordered = sum(one.reordered for one in done)
    if not counts.acked:
        yield tell("verdict.none")
    elif reordered:
        latest = max(done, key=lambda one: one.late)
        late = tell.span(latest.late)
        total = max(counts.completed, reordered)
        yield tell("verdict.reordered", n=reordered, total=total, x=latest.late_by, late=late)
        yield from _of_causes(counts, tell)
    elif not analysis.repartitioned:
        yield tell("verdict.done" if counts.lost else "why.ok", n=max(1, counts.completed))
    if analysis.repartitioned:
        yield tell("verdict.repartitioned", n=analysis.repartitioned)
    if analysis.reordered_across:
        yield tell("verdict.across", n=analysis.reordered_across)
    if counts.redeliveries and not reordered:
        yield tell("verdict.redelivered", n=counts.redeliveries)


def _of_causes(counts: Counts, tell: Teller) -> Iterator[str]:
    causes = counts.by_cause
    told = [tell("verdict.cause", cause=tell.cause(c), n=by.reordered) for c, by in causes.items()]
    yield tell("verdict.causes", causes=tell("list.comma").join(told))
    if not _FASTER.issuperset(causes) and not _OTHERWISE & set(causes):
        yield tell("first.ok")
    elif _FASTER.issuperset(causes):
        yield tell("first.parallel")


def _of_effects(analysis: Analysis, counts: Counts, tell: Teller) -> Iterator[str]:
    if counts.reported_duplicates:
        repeated = [label for label, _ in analysis.following.effects.repeated]
        names = tell.names(repeated[:NAMED_MAX], len(repeated))
        yield tell("verdict.duplicates", n=counts.reported_duplicates, names=names)
    elif counts.possible_duplicates and not counts.effects:
        yield tell("verdict.possible", n=counts.possible_duplicates)
    if counts.lost:
        names = tell.names(counts.lost[:NAMED_MAX], len(counts.lost))
        yield tell("verdict.lost", n=len(counts.lost), names=names)


def _of_faults(counts: Counts, approximate: bool, tell: Teller) -> Iterator[str]:
    if counts.unexplained:
        yield tell("verdict.unexplained", n=counts.unexplained)
    if counts.violations:
        yield tell("verdict.violations", n=counts.violations)
    if counts.lost_events:
        yield tell("verdict.gap", n=counts.lost_events)
    elif approximate:
        yield tell("verdict.approximate")

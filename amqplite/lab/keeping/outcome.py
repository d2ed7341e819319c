"""What came of a run, as it is told: numbers, sentences, and whether it is what had to come."""

from msgspec import Struct

from amqplite.lab.analysis.counts import Counts
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.order import Analysis
from amqplite.lab.scripts.expect import Check, Expect, check_report
from amqplite.lab.verdict import verdict
from amqplite.lab.why import WHYS_MAX, Why, all_whys


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a run so far.

    Attributes:
        metrics: of each queue, consumer, key and publisher.
        counts: what isn't about order.
        whys: what befell messages, in words.
        verdict: all of it in a few sentences, by language.
        expect: what had to come of it; empty where nobody knows.
    """

    metrics: list[Metrics]
    counts: Counts
    whys: list[Why]
    verdict: dict[str, str]
    expect: list[Check]


def outcome_of(
    analysis: Analysis, expect: Expect | None = None, whys_max: int = WHYS_MAX
) -> Outcome:
    """Return what came of the events that an analysis has taken."""
    report, header = analysis.report(), analysis.header
    checks = [] if expect is None else check_report(report, expect, header.tick_us, header.mode)
    return Outcome(
        metrics=report.metrics,
        counts=report.counts,
        whys=all_whys(analysis, whys_max),
        verdict=verdict(analysis),
        expect=checks,
    )

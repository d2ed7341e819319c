"""A run and what came of it: what every export is made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from amqplite.broker.trace import Event
from amqplite.lab.analysis.counts import Counts
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.diagram.layout import Layout, lay_out
from amqplite.lab.diagram.scales import INSTANT
from amqplite.lab.export.words import Words
from amqplite.lab.order import Analysis, Annotation, Report
from amqplite.lab.scenario import Scenario, ScenarioError, find
from amqplite.lab.texts import text
from amqplite.lab.trace import Header, Trace
from amqplite.lab.verdict import verdict
from amqplite.lab.why import Why, all_whys

FINE = 400
"""Parts of a picture: what takes less than one can hardly be seen."""


@dataclass(frozen=True)
class Account:
    """A trace and its analysis, which has taken all of its events.

    What is derived from them is made when it is asked for, once.
    """

    trace: Trace
    analysis: Analysis

    @property
    def header(self) -> Header:
        """What the trace is of."""
        return self.trace.header

    @property
    def events(self) -> list[Event]:
        """The trace's events."""
        return self.trace.events

    @cached_property
    def report(self) -> Report:
        """The numbers."""
        return self.analysis.report()

    @property
    def counts(self) -> Counts:
        """The numbers that are not about order."""
        return self.report.counts

    @cached_property
    def annotations(self) -> Mapping[int, Annotation]:
        """What is to be said of events, by their number."""
        return self.analysis.annotations

    @cached_property
    def whys(self) -> list[Why]:
        """What befell messages, in words."""
        return all_whys(self.analysis)

    @cached_property
    def layout(self) -> Layout:
        """The diagram, without units of length."""
        late = {n: told.late for n, told in self.annotations.items()}
        queues = [(queue.v, queue.q) for queue in self.header.queues]
        return lay_out(self.events, late, queues, instant_us=self._instant_us)

    @property
    def _instant_us(self) -> int:
        """What is too short to be seen: a fiftieth of a tick, and of the whole a 400th."""
        if not self.events:
            return 0
        whole = self.events[-1].t - self.events[0].t
        return min(self.header.tick_us // INSTANT, whole // FINE)

    @cached_property
    def verdict(self) -> dict[str, str]:
        """What came of it, in a few sentences, by language."""
        return verdict(self.analysis)

    @cached_property
    def _scenario(self) -> Scenario | None:
        try:
            return find(self.header.scenario)
        except ScenarioError:
            return None

    def title(self, lang: str) -> str:
        """Return what the run is called; of a scenario, in the reader's language."""
        scenario, name = self._scenario, self.header.name
        if scenario is not None and name in ("", scenario.title.en):
            return scenario.title.zh if lang == "zh" else scenario.title.en
        return name or self.header.scenario or text(lang, "out.untitled")

    def price(self, lang: str) -> str:
        """Return what a scenario says about the price of what it mends; empty if nothing."""
        scenario = self._scenario
        if scenario is None or scenario.price is None:
            return ""
        return scenario.price.zh if lang == "zh" else scenario.price.en

    def sentences(self, lang: str, most: int) -> list[str]:
        """Return the verdict, then what befell `most` messages, the worst hit, and how many more.

        Worst are loss and repetition, then who was latest; they are told as they happened.
        """
        worst = sorted(self.whys, key=lambda why: (why.kind == "overtaken", -why.late))[:most]
        chosen = [why for why in self.whys if any(why is one for one in worst)]
        told = [self.verdict[lang], *(why.text[lang] for why in chosen)]
        if len(self.whys) > most:
            told.append(text(lang, "out.more", n=len(self.whys) - most))
        return [sentence for sentence in told if sentence]

    @cached_property
    def orders(self) -> list[Metrics]:
        """How messages completed in each queue."""
        return [m for m in self.report.metrics if (m.scope, m.at) == ("queue", "completion")]

    def headline(self, words: Words) -> list[tuple[str, str, bool]]:
        """Return the numbers that say most: name, value, and whether it is one to worry about."""
        done = self.orders
        late = max((one.late for one in done), default=0)
        told = [
            ("m.inv", self._counted(sum(one.inversions for one in done)), late),
            ("m.moved", str(sum(one.moved for one in done)), late),
            ("m.late", words.span(late) if late else "0", late),
            ("m.buf", str(max((one.buffer for one in done), default=0)), late),
            ("m.redel", str(self.counts.redeliveries), 0),
            ("m.dup", str(self.counts.reported_duplicates), self.counts.reported_duplicates),
            ("m.lost", str(len(self.counts.lost)), len(self.counts.lost)),
            ("m.dropped", str(self.counts.dropped), self.counts.dropped),
        ]
        return [(words(key), value, bool(bad)) for key, value, bad in told[:5]] + [
            (words(key), value, True) for key, value, bad in told[5:] if bad
        ]

    def _counted(self, inversions: int) -> str:
        least = any(one.approximate for one in self.orders)
        return f"≥{inversions}" if least else str(inversions)

    def numbers(self, words: Words) -> list[tuple[str, str]]:
        """Return names and values of what a report tells."""
        counts, done = self.counts, self.orders
        told = [(name, value) for name, value, _ in self.headline(words)[:5]]
        told += [
            (words("m.dup?"), str(counts.possible_duplicates)),
            (words("m.dup"), str(counts.reported_duplicates)),
            (words("m.lost"), str(len(counts.lost))),
            (words("m.dropped"), str(counts.dropped)),
            (
                words("out.reordered"),
                f"{sum(m.reordered for m in done)} / {sum(m.n for m in done)}",
            ),
            (words("out.wasted"), words.span(counts.wasted)),
            (words("out.end"), words.span(counts.end)),
        ]
        return told


def account(trace: Trace) -> Account:
    """Take all events of a trace, and return what came of it."""
    analysis = Analysis(trace.header)
    for event in trace.events:
        analysis.feed(event)
    return Account(trace, analysis)

"""What if: a recorded trace once more, with the broker's own code, under another policy.

A model's word is worth what it says of the known. So the trace is run again as it was recorded
first, and how far that comes out as it did is told before anything else.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from amqplite.lab.order import Analysis
from amqplite.lab.rerun.assumptions import Assumption, assumptions
from amqplite.lab.rerun.measuring import measure
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.rerun import Rerun, rerun
from amqplite.lab.rerun.rows import Row, row, sentence
from amqplite.lab.rerun.selfcheck import SelfCheck, check
from amqplite.lab.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What would have come of another policy.

    Attributes:
        policy: what is otherwise.
        since: from when on, in microseconds of the trace; 0 is from the begin.
        check: whether the model does what reality did.
        trace: the run's; its mode is `simulated`.
        analysis: of that.
        assumptions: what was taken for granted.
        recorded: the numbers, where nothing is otherwise.
        row: the numbers.
        sentence: what the policy would have made of it, and at what price, by language.
    """

    policy: Policy
    since: int
    check: SelfCheck
    trace: Trace
    analysis: Analysis
    assumptions: list[Assumption]
    recorded: Row
    row: Row
    sentence: dict[str, str]

    def told(self) -> dict[str, Any]:
        """Return all but the trace and its analysis, for JSON."""
        return {
            "policy": self.policy.told(),
            "since": self.since,
            "check": self.check,
            "assumptions": self.assumptions,
            "rows": [self.recorded, self.row],
            "sentence": self.sentence,
        }


class Study:
    """A trace that questions are asked about.

    Attributes:
        check: whether the model does what reality did.
        recorded: the numbers, where nothing is otherwise.

    Raises:
        CannotRerun: events are missing in the trace, or it tells of no publish, or of too many.
    """

    def __init__(self, trace: Trace) -> None:
        self._header = trace.header
        self._inputs = measure(trace)
        run = self._run(RECORDED)
        self.check: SelfCheck = check(self._inputs, run.trace)
        self.recorded: Row = row(self._inputs, RECORDED, run, _analysis(run.trace))

    def what_if(self, policy: Policy, since: int = 0) -> WhatIf:
        """Return what would have come of a policy, from a time on.

        Raises:
            CannotRerun: a queue can't be had so.
        """
        run = self._run(policy, since)
        analysis = _analysis(run.trace)
        told = row(self._inputs, policy, run, analysis)
        return WhatIf(
            policy=policy,
            since=since,
            check=self.check,
            trace=run.trace,
            analysis=analysis,
            assumptions=assumptions(self._inputs, policy, run, since),
            recorded=self.recorded,
            row=told,
            sentence=sentence(self.recorded, [told]),
        )

    def compare(self, policies: Iterable[Policy]) -> "Comparison":
        """Return what would have come of several; raises as above."""
        rows = []
        for policy in policies:
            run = self._run(policy)
            rows.append(row(self._inputs, policy, run, _analysis(run.trace)))
        told = sentence(self.recorded, rows)
        return Comparison(check=self.check, rows=[self.recorded, *rows], sentence=told)

    def _run(self, policy: Policy, since: int = 0) -> Rerun:
        return rerun(self._inputs, self._header, policy, since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Policies side by side.

    Attributes:
        check: whether the model does what reality did.
        rows: the numbers; first those where nothing is otherwise.
        sentence: what the policies would have made of it, and at what price, by language.
    """

    check: SelfCheck
    rows: list[Row]
    sentence: dict[str, str]


def what_if(trace: Trace, policy: Policy) -> WhatIf:
    """Return what would have come of a recorded trace under a policy.

    Raises:
        CannotRerun: events are missing in the trace, or it tells of no publish, or of too many; or
            the policy can't be.
    """
    return Study(trace).what_if(policy)


def fork(trace: Trace, at_us: int, policy: Policy) -> WhatIf:
    """Return what would have come of a recorded trace under a policy that begins `at_us`.

    Up to then all is as it was recorded. Raises as `what_if` does.
    """
    return Study(trace).what_if(policy, max(0, at_us))


def compare_policies(trace: Trace, policies: Iterable[Policy]) -> Comparison:
    """Return what would have come of a recorded trace under policies, side by side.

    Raises as `what_if` does.
    """
    return Study(trace).compare(policies)


def _analysis(trace: Trace) -> Analysis:
    analysis = Analysis(trace.header)
    for event in trace.events:
        analysis.feed(event)
    return analysis

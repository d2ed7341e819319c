"""Runs under several policies side by side, in numbers and in a sentence that names the price."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from msgspec import Struct

from amqplite.broker.trace import Event
from amqplite.lab.explaining.teller import Teller
from amqplite.lab.order import Analysis
from amqplite.lab.rerun.inputs import Inputs
from amqplite.lab.rerun.policy import Policy
from amqplite.lab.rerun.rerun import Rerun
from amqplite.lab.rerun.words import policy_words
from amqplite.lab.why import LANGUAGES

_SHARE = 0.95


class Row(Struct, frozen=True, kw_only=True):
    """What came of a policy. Times are in microseconds.

    Attributes:
        policy: what is otherwise than it was recorded.
        label: it in words, by language.
        inversions: pairs done with the wrong way round, each queue by itself.
        moved: the fewest messages to lift out so that the rest is in order, each queue by itself.
        late: longest time from the first that overtook a message to that message.
        buffer: most messages that an in-order releaser behind a queue would have had to hold.
        across: pairs done with the wrong way round, of all that a publisher published.
        within_keys: pairs of the same key done with the wrong way round, whatever their queues; 0
            if nothing has a key.
        redeliveries: hand-outs beyond the first of each message.
        wait_p95: time from coming in to the first hand-out, of the message that waited longer than
            95 % of them.
        wait_max: the same of the one that waited longest.
        end: when the last thing happened to a message.
        took: how long that was after the first publish.
        done: messages that were done with.
        open: messages that were not, though nothing more was to come.
        dropped: messages given up by policy.
        refused: publishes that a queue did not take.
        endless: it would have gone on without an end, and was stopped.
    """

    policy: dict[str, Any]
    label: dict[str, str]
    inversions: int
    moved: int
    late: int
    buffer: int
    across: int
    within_keys: int
    redeliveries: int
    wait_p95: int
    wait_max: int
    end: int
    took: int
    done: int
    open: int
    dropped: int
    refused: int
    endless: bool


def row(inputs: Inputs, policy: Policy, run: Rerun, analysis: Analysis) -> Row:
    """Return what came of a policy."""
    report = analysis.report()
    counts, header = report.counts, run.trace.header
    queues = [one for one in report.metrics if (one.scope, one.at) == ("queue", "completion")]
    across = {"publish": 0, "key": 0}
    for one in report.metrics:
        if one.scope in across and one.at == "completion":
            across[one.scope] += one.inversions
    return Row(
        policy=policy.told(),
        label={
            language: policy_words(inputs, policy, Teller(language, header.tick_us))
            for language in LANGUAGES
        },
        inversions=sum(one.inversions for one in queues),
        moved=sum(one.moved for one in queues),
        late=max((one.late for one in queues), default=0),
        buffer=max((one.buffer for one in queues), default=0),
        across=across["publish"],
        within_keys=across["key"],
        redeliveries=counts.redeliveries,
        wait_p95=waited(run.trace.events),
        wait_max=counts.wait_max,
        end=counts.end,
        took=max(0, counts.end - inputs.sent[0].at),
        done=counts.acked,
        open=counts.ready + counts.unacked,
        dropped=counts.dropped,
        refused=counts.refused,
        endless=run.stopped,
    )


def waited(events: Sequence[Event]) -> int:
    """Return how long the message waited that waited longer than 95 % of them."""
    came = {}
    waits = []
    for event in events:
        place = (event.v, event.q, event.id)
        if event.type == "enqueued":
            came[place] = event.t
        elif event.type == "delivered" and place in came:
            waits.append(event.t - came.pop(place))
    waits.sort()
    return waits[ceil(_SHARE * len(waits)) - 1] if waits else 0


def sentence(recorded: Row, rows: Sequence[Row]) -> dict[str, str]:
    """Return what policies would have made of it, and at what price, by language."""
    told = {}
    for language in LANGUAGES:
        tell = Teller(language, 1)
        clauses: list[str] = []
        was_cut = False
        for one in rows:
            clauses.append(_clause(tell, recorded, one, was_cut=was_cut))
            was_cut = one.inversions < recorded.inversions and not one.endless
        joined = tell("whatif.join").join(clauses)
        told[language] = joined[:1].upper() + joined[1:] + tell("whatif.stop") if clauses else ""
    return told


def _clause(tell: Teller, recorded: Row, row: Row, *, was_cut: bool) -> str:
    slots = {
        "policy": row.label[tell.language],
        "n": recorded.inversions,
        "b": row.inversions,
        "price": _price(tell, recorded, row),
    }
    if row.endless:
        return tell("whatif.endless", **slots)
    if row.inversions == recorded.inversions:
        return tell("whatif.kept", **slots)
    if row.inversions > recorded.inversions:
        return tell("whatif.raised", **slots)
    return tell("whatif.cut.more" if was_cut else "whatif.cut", **slots)


def _price(tell: Teller, recorded: Row, row: Row) -> str:
    told = [
        tell(f"whatif.price.{name}", n=more)
        for name in ("redeliveries", "open", "dropped", "refused")
        if (more := getattr(row, name) - getattr(recorded, name)) > 0
    ]
    if row.across > max(row.inversions, recorded.across):
        told.append(tell("whatif.price.across"))
    time = _time(tell, recorded, row) if row.done == recorded.done else ""
    return time + (tell("whatif.price", what=tell("list.comma").join(told)) if told else "")


def _time(tell: Teller, recorded: Row, row: Row) -> str:
    percent = round(100 * (row.took - recorded.took) / max(1, recorded.took))
    if not percent:
        return tell("whatif.price.same")
    sign = "+" if percent > 0 else "−"
    return tell("whatif.price.time", percent=f"{sign}{abs(percent)} %")

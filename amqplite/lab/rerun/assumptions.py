"""What a re-run takes for granted, said one by one."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from amqplite.lab.explaining.teller import Teller
from amqplite.lab.rerun.inputs import Inputs
from amqplite.lab.rerun.policy import Policy
from amqplite.lab.rerun.rerun import Rerun
from amqplite.lab.rerun.standin import Ending
from amqplite.lab.why import LANGUAGES

EACH_MAX = 5
"""Faults that are told of one by one, and consumers that are named."""

_SPANS = {"after", "usual"}


class Assumption(Struct, frozen=True, kw_only=True):
    """One of them.

    Attributes:
        key: of its text.
        slots: what is to be put in there; times in microseconds.
        text: it in words, by language.
    """

    key: str
    slots: dict[str, Any]
    text: dict[str, str]


def assumptions(inputs: Inputs, policy: Policy, run: Rerun, since: int = 0) -> list[Assumption]:
    """Return what is taken for granted in a re-run."""
    tellers = [Teller(language, run.trace.header.tick_us) for language in LANGUAGES]
    told = [
        *_of_time(inputs, since),
        *_of_publishers(inputs, policy, run),
        *_of_work(inputs, run),
        *_of_faults(inputs, policy, run),
        *_of_queues(inputs, policy, run),
    ]
    return [
        Assumption(
            key=f"whatif.assume.{key}",
            slots=slots,
            text={tell.language: _text(tell, f"whatif.assume.{key}", slots) for tell in tellers},
        )
        for key, slots in told
    ]


Said = Iterator[tuple[str, dict[str, Any]]]


def _of_time(inputs: Inputs, since: int) -> Said:
    if since:
        yield "fork", {"at": since}
    yield "time", {}
    before = sum(sent.there_before for sent in inputs.sent)
    if before:
        yield "before", {"n": before}
    if inputs.open:
        yield "open", {"n": len(inputs.open)}


def _of_publishers(inputs: Inputs, policy: Policy, run: Rerun) -> Said:
    yield "sent", {"n": sum(not sent.there_before for sent in inputs.sent)}
    if any(sent.again for sent in inputs.sent):
        yield "retries", {}
    elif policy.max_length is not None and policy.overflow == "reject-publish":
        yield "refused", {}


def _of_work(inputs: Inputs, run: Rerun) -> Said:
    estimates = run.cast.estimates
    yield "measured", {"n": estimates.measured}
    if estimates.guessed:
        cs = list(estimates.guessed)[:EACH_MAX]
        usual = [{"c": c, "usual": estimates.usual(c)} for c in cs]
        yield "guessed", {"n": estimates.guessed.total(), "usual": usual}
    desks = [desk for line in inputs.lines for desk in line.desks]
    for key, is_serial in (("serial", True), ("parallel", False)):
        takers = [taker.c for desk in desks if desk.serial is is_serial for taker in desk.takers]
        if takers:
            yield key, {"cs": list(dict.fromkeys(takers))}
    gets = sum(len(desk.gets) for desk in desks)
    if gets:
        yield "gets", {"n": gets}
    if inputs.batched:
        yield "batched", {"n": inputs.batched}
    if inputs.guessed:
        yield "prefetch", {"cs": sorted(inputs.guessed)}


def _of_faults(inputs: Inputs, policy: Policy, run: Rerun) -> Said:
    if policy.no_faults:
        yield "no_faults", {}
        return
    labels = {sent.id: sent.m for sent in inputs.sent}
    endings = run.cast.endings
    for ending in endings[:EACH_MAX]:
        yield _fault(ending, labels)
    if len(endings) > EACH_MAX:
        yield "faults", {"n": len(endings) - EACH_MAX}
    returned = sum(
        work.outcome in ("nack", "reject", "discard", "recover")
        for works in inputs.works.values()
        for work in works
    )
    if returned:
        yield "returned", {"n": returned}
    for number, line in enumerate(inputs.lines):
        end = None if line.follows is None else inputs.lines[line.follows].end
        if end is not None and number <= EACH_MAX:
            yield "back", {"c": _name(run, number), "after": line.at - end.at}
    leaving = [
        _name(run, number)
        for number, line in enumerate(inputs.lines)
        if line.end is not None and not line.end.fault
    ]
    if leaving:
        yield "goodbyes", {"cs": list(dict.fromkeys(leaving))}


def _fault(ending: Ending, labels: dict[int, str]) -> tuple[str, dict[str, Any]]:
    end = ending.end
    cause, sub = end.cause.trace
    slots = {"c": ending.owner.c or ending.owner.line.conn, "cause": [cause, sub]}
    if end.anchor is None:
        return "fault.at", slots | {"at": end.died}
    slots["m"] = labels.get(end.anchor.place[2], f"m{end.anchor.place[2]}")
    if ending.moved and ending.struck is not None:
        return "fault.moved", slots | {"at": ending.struck}
    if ending.struck is None:
        return "fault.never", slots
    return "fault", slots | {"after": end.anchor.after}


def _of_queues(inputs: Inputs, policy: Policy, run: Rerun) -> Said:
    parts = [q for own in run.topology.parts.values() for _, q in own]
    if policy.queue_per_consumer and parts:
        yield "dealt", {"qs": parts}
    if policy.partitions and parts:
        keys = {sent.key for sent in inputs.sent}
        yield ("keys", {"n": len(keys)}) if len(keys) > 1 else ("keyless", {})


def _name(run: Rerun, number: int) -> str:
    standin = run.cast.lines[number]
    return standin.c or standin.line.conn


def _text(tell: Teller, key: str, slots: dict[str, Any]) -> str:
    return tell(key, **{name: _said(tell, name, value) for name, value in slots.items()})


def _said(tell: Teller, name: str, value: Any) -> object:
    match name:
        case "at":
            return tell.at(value)
        case "cause":
            return tell.cause(*value)
        case "cs" | "qs":
            return _names(tell, value)
        case "usual" if isinstance(value, list):
            return tell("list.comma").join(f"{one['c']} {tell.span(one['usual'])}" for one in value)
        case _ if name in _SPANS:
            return tell.span(value)
        case _:
            return value


def _names(tell: Teller, names: Sequence[str]) -> str:
    return tell.names(list(names[:EACH_MAX]), len(names))

"""What has to come of a scenario, and whether it has."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from amqplite.lab.order import Analysis, Report
from amqplite.lab.trace import Trace

TIMES = frozenset(
    {"late", "key_late", "buffered", "wait", "depth", "end"}
    | {"detection_gap", "wasted", "requeue_wait", "rework"}
)
"""What depends on the very instant of things, so that only a virtual clock gives it."""


class Expect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Numbers that have to come out; `None` is not looked at. Orders are labels with spaces.

    Where a field is a table, it is by queue unless it says otherwise. Times are in ticks.

    Attributes:
        completion: in what order the messages were acked.
        first: in what order they were handed out for the first time.
        views: in what order each consumer saw them, by consumer.
        inversions: in how many pairs of completions the later published one is first.
        moved: how few messages have to be lifted out, that the rest is in order.
        buffer: how many it takes to hold, to release them in order.
        buffered: how long the one held longest would be.
        late: how late the latest is, behind the first that overtook it.
        key_completion: in what order the messages of a key were acked, in whatever queues, by key.
        key_inversions: inversions among these, by key.
        key_late: how late the latest of these is, by key.
        publishers: inversions among the messages of each publisher, by publisher.
        published: how many times something was published.
        ready: messages that nobody has taken when all is over.
        redeliveries: hand-outs beyond the first of each message.
        requeued: how often messages came back, by cause.
        causes: how many messages were overtaken, by cause.
        possible_duplicates: messages that came back without anybody's knowing their effect.
        effects: how many times a message's work took effect.
        duplicates: effects beyond the first of each message.
        skipped: hand-outs whose work was skipped, as it had been done.
        gone: how many messages left their queue without being acked, by cause.
        dropped: messages that a queue threw away, oldest first.
        refused: how many publishes a queue would not take.
        lost: messages that are gone from the broker without having had their effect.
        late_acks: acks that came when the delivery had been taken back.
        released: in what order a resequencer let them go.
        depth: most messages that were ready.
        wait: longest time from enqueued to handed out.
        detection_gap: time that the broker did not know of a consumer's death.
        wasted: time that went into hand-outs which came back.
        requeue_wait: time from coming back to the next hand-out, together.
        rework: time from there to the ack, together.
        end: when the last thing happened.
        timed: no number, but names of those that depend on the very instant of things here, like
            `TIMES` everywhere: as where a play goes on until it is cut off.
    """

    completion: dict[str, str] | None = None
    first: dict[str, str] | None = None
    views: dict[str, str] | None = None
    inversions: dict[str, int] | None = None
    moved: dict[str, int] | None = None
    buffer: dict[str, int] | None = None
    buffered: dict[str, float] | None = None
    late: dict[str, float] | None = None
    key_completion: dict[str, str] | None = None
    key_inversions: dict[str, int] | None = None
    key_late: dict[str, float] | None = None
    publishers: dict[str, int] | None = None
    published: int | None = None
    ready: int | None = None
    redeliveries: int | None = None
    requeued: dict[str, int] | None = None
    causes: dict[str, int] | None = None
    possible_duplicates: int | None = None
    effects: int | None = None
    duplicates: int | None = None
    skipped: int | None = None
    gone: dict[str, int] | None = None
    dropped: str | None = None
    refused: int | None = None
    lost: str | None = None
    late_acks: int | None = None
    released: str | None = None
    depth: dict[str, int] | None = None
    wait: dict[str, float] | None = None
    detection_gap: float | None = None
    wasted: float | None = None
    requeue_wait: float | None = None
    rework: float | None = None
    end: float | None = None
    timed: tuple[str, ...] | None = None

    def overridden(self, other: "Expect") -> "Expect":
        """Return this with what `other` says instead."""
        said = {name: getattr(self, name) for name in self.__struct_fields__}
        for name in self.__struct_fields__:
            value = getattr(other, name)
            if value is not None:
                said[name] = value
        return Expect(**said)


class Check(Struct, frozen=True, kw_only=True):
    """One number that was to come out.

    Attributes:
        what: a field of `Expect`, and behind a space whose, if it is a table's.
        ok: whether it has.
    """

    what: str
    expected: str | float
    got: str | float
    ok: bool


def check(trace: Trace, expect: Expect) -> list[Check]:
    """Return what was to come out of a trace, and what has.

    Of a trace that is not exact the times don't matter. That nothing is unexplained, and that the
    broker has kept its promises, is always to be so.
    """
    analysis = Analysis(trace.header)
    for event in trace.events:
        analysis.feed(event)
    return check_report(analysis.report(), expect, trace.header.tick_us, trace.header.mode)


def check_report(report: Report, expect: Expect, tick_us: int, mode: str) -> list[Check]:
    """Return the same of an analysis that is there already."""
    found = _found(report, tick_us)
    checks = [
        _check(name, 0, getattr(report.counts, name)) for name in ("unexplained", "violations")
    ]
    left_out = set() if mode == "exact" else TIMES.union(expect.timed or ())
    for name in expect.__struct_fields__:
        expected = getattr(expect, name)
        if expected is None or name == "timed" or name in left_out:
            continue
        if name in _WHOLE or not isinstance(expected, dict):
            checks.append(_check(name, expected, found[name]))
            continue
        for whose, value in expected.items():
            got = found[name].get(whose, "" if isinstance(value, str) else "nothing")
            checks.append(_check(f"{name} {whose}", value, got))
    return checks


_WHOLE = {"requeued", "causes", "gone"}
"""Tables in which nothing else may stand than what is expected."""


def _check(what: str, expected: Any, got: Any) -> Check:
    return Check(what=what, expected=_shown(expected), got=_shown(got), ok=expected == got)


def _shown(value: Any) -> str | float:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {count}" for name, count in sorted(value.items()))
    return value if isinstance(value, (str, int)) else float(value)


def _found(report: Report, tick_us: int) -> dict[str, Any]:
    """Return what has come out, as `Expect` has it."""

    def ticks(microseconds: int) -> float:
        return round(microseconds / tick_us, 4)

    def by_name(scope: str, at: str, what: Callable[[Any], Any]) -> dict[str, Any]:
        return {one.name: what(one) for one in report.metrics if (one.scope, one.at) == (scope, at)}

    def done(what: Callable[[Any], Any]) -> dict[str, Any]:
        return by_name("queue", "completion", what)

    def of_key(what: Callable[[Any], Any]) -> dict[str, Any]:
        return by_name("key", "completion", what)

    counts = report.counts
    return {
        "completion": done(lambda one: " ".join(one.completion)),
        "first": by_name("queue", "first", lambda one: " ".join(one.completion)),
        "views": by_name("consumer", "view", lambda one: " ".join(one.completion)),
        "inversions": done(lambda one: one.inversions),
        "moved": done(lambda one: one.moved),
        "buffer": done(lambda one: one.buffer),
        "buffered": done(lambda one: ticks(one.buffer_us)),
        "late": done(lambda one: ticks(one.late)),
        "key_completion": of_key(lambda one: " ".join(one.completion)),
        "key_inversions": of_key(lambda one: one.inversions),
        "key_late": of_key(lambda one: ticks(one.late)),
        "publishers": _of_publishers(report),
        "requeued": dict(counts.requeued),
        "causes": {cause: by.reordered for cause, by in counts.by_cause.items()},
        "duplicates": counts.reported_duplicates,
        "gone": dict(counts.gone_by_cause),
        "dropped": " ".join(counts.dropped_names),
        "lost": " ".join(counts.lost),
        "released": " ".join(counts.released),
        "depth": {one.q: one.depth_max for one in counts.queues},
        "wait": {one.q: ticks(one.wait_max) for one in counts.queues},
        **{name: getattr(counts, name) for name in _COUNTS},
        **{name: ticks(getattr(counts, name)) for name in _DURATIONS},
    }


def _of_publishers(report: Report) -> dict[str, int]:
    """Return inversions by publisher, in all queues together."""
    found: dict[str, int] = {}
    for one in report.metrics:
        if one.scope == "publisher":
            found[one.name] = found.get(one.name, 0) + one.inversions
    return found


_COUNTS = (
    *("published", "ready", "redeliveries", "possible_duplicates", "effects", "skipped"),
    *("late_acks", "refused"),
)
_DURATIONS = ("detection_gap", "wasted", "requeue_wait", "rework", "end")

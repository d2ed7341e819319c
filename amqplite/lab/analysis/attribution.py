"""Who caused it: the rules that find why a message was overtaken."""

from dataclasses import dataclass

from amqplite.lab.analysis.message import Place

UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a message was overtaken.

    Attributes:
        rule: `0`, `A`, `B`, `C1` or `C2`; see `attribute`.
        cause: in one word.
        sub: the cause more closely.
        who: the consumer that had to do with it; empty if none had.
    """

    rule: str
    cause: str
    sub: str = ""
    who: str = ""


def attribute(place: Place, over: list[Place]) -> Verdict:
    """Find why a message was overtaken by others in its queue; the first rule that applies counts.

    C1: it left the queue and came back as a new message, or was delayed.
    A: it came back from a consumer; the last return counts.
    B: it was handed out in its turn, and yet others were done sooner.
    C2: it was handed out behind them, due to their priority; or for no reason that is known, which
    the broker has to answer for.
    """
    if place.absence is not None:
        return Verdict("C1", "delay_or_dead_letter")
    if place.returns:
        back = place.returns[-1]
        return Verdict("A", back.cause, back.sub, back.c)
    if place.attempts > 1:  # it came back before anybody recorded
        return Verdict("A", "broker_restart")
    who = place.last.c if place.last else ""
    told = place.passed_by == "priority" or not place.unsure
    if place.passed_by and told and _is_behind(place, over):
        return Verdict("C2", place.passed_by, who=who)
    if place.cancelled:
        return Verdict("B", "cancelled_consumer_holding", who=who)
    if place.last and over and all(_same_channel(place, other) for other in over):
        return Verdict("B", "out_of_order_ack", who=who)
    return Verdict("B", "parallel_consumers", who=who)


def across(place: Place, *, same_key: bool) -> Verdict:
    """Tell why a message was overtaken only by such as went to other queues: rule 0.

    Args:
        place: the message.
        same_key: the others have its key.
    """
    who = place.last.c if place.last else ""
    if not same_key:
        return Verdict("0", "different_queues", who=who)
    if any(other.absence for other in place.message.places.values()):
        return Verdict("C1", "delay_or_dead_letter", who=who)
    return Verdict("0", "repartitioned", who=who)


def _is_behind(place: Place, over: list[Place]) -> bool:
    """Whether one that overtook it was handed out before it, as far as they are remembered."""
    if place.first is None or not over:
        return True
    return any(other.first is None or other.first.n < place.first.n for other in over)


def _same_channel(place: Place, other: Place) -> bool:
    if place.last is None or other.last is None:
        return False
    return place.last.channel == other.last.channel

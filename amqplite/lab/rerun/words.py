"""Policies in words."""

from collections.abc import Iterator

from amqplite.lab.explaining.teller import Teller
from amqplite.lab.rerun.inputs import Inputs
from amqplite.lab.rerun.policy import Policy


def policy_words(inputs: Inputs, policy: Policy, tell: Teller) -> str:
    """Return what is otherwise than it was recorded, as a few words in the midst of a sentence."""
    return tell("whatif.pol.and").join(_words(inputs, policy, tell)) or tell("whatif.pol.recorded")


def _words(inputs: Inputs, policy: Policy, tell: Teller) -> Iterator[str]:
    if policy.prefetch is not None:
        was = dict.fromkeys(taker.prefetch for line in inputs.lines for taker in line.takers)
        before = "/".join(_prefetch(number, tell) for number in was)
        yield tell("whatif.pol.prefetch", a=before, b=_prefetch(policy.prefetch, tell))
    if policy.single_active is not None:
        yield tell("whatif.pol.single" if policy.single_active else "whatif.pol.shared")
    if policy.queue_per_consumer:
        yield tell("whatif.pol.per_consumer")
    if policy.partitions:
        yield tell("whatif.pol.partitions", n=policy.partitions)
    if policy.ack_timeout is not None:
        span = tell.span(policy.ack_timeout * 1000)
        yield (
            tell("whatif.pol.timeout", t=span) if policy.ack_timeout else tell("whatif.pol.patient")
        )
    if policy.max_length is not None:
        yield tell(f"whatif.pol.{policy.overflow}", n=policy.max_length)
    if policy.no_faults:
        yield tell("whatif.pol.no_faults")


def _prefetch(number: int, tell: Teller) -> str:
    return str(number) if number else tell("whatif.pol.unlimited")

"""How far a model is to be trusted: what was recorded, run again, against the recording."""

from msgspec import Struct

from amqplite.lab.explaining.teller import Teller
from amqplite.lab.rerun.inputs import Inputs, QueueName
from amqplite.lab.trace import Trace
from amqplite.lab.why import LANGUAGES

NAMED_MAX = 5
"""Messages that are named."""


class SelfCheck(Struct, frozen=True, kw_only=True):
    """Whether the model does what reality did.

    Attributes:
        messages: how many were done with, in the recording.
        differ: how many of these are done with at another place in the order, or not at all; and
            those that are, and weren't.
        names: what these are called, `NAMED_MAX` at most.
        text: it in a sentence, by language.
    """

    messages: int
    differ: int
    names: list[str]
    text: dict[str, str]


def check(inputs: Inputs, trace: Trace) -> SelfCheck:
    """Hold a trace that was run again as it was recorded against the recording."""
    labels = {sent.id: sent.m for sent in inputs.sent}
    again = _done(trace)
    differ: list[int] = []
    for queue in {**inputs.done, **again}:
        differ += _differing(inputs, queue, again.get(queue, []))
    messages = sum(map(len, inputs.done.values()))
    names = [labels.get(id_, f"m{id_}") for id_ in differ[:NAMED_MAX]]
    text = {
        language: _text(Teller(language, trace.header.tick_us), messages, names, len(differ))
        for language in LANGUAGES
    }
    return SelfCheck(messages=messages, differ=len(differ), names=names, text=text)


def _done(trace: Trace) -> dict[QueueName, list[int]]:
    done: dict[QueueName, list[int]] = {}
    for event in trace.events:
        if event.type == "acked":
            done.setdefault((event.v, event.q), []).append(event.id)
    return done


def _differing(inputs: Inputs, queue: QueueName, again: list[int]) -> list[int]:
    """Return the messages of a queue whose rank differs.

    What was in the queue still when the recording ended is none of them: nobody knows its rank.
    """
    recorded = inputs.done.get(queue, [])
    known = set(recorded)
    ranked = [id_ for id_ in again if id_ in known or (*queue, id_) not in inputs.open]
    rank = {id_: at for at, id_ in enumerate(ranked)}
    moved = [id_ for at, id_ in enumerate(recorded) if rank.get(id_) != at]
    return moved + [id_ for id_ in ranked if id_ not in known]


def _text(tell: Teller, messages: int, names: list[str], differ: int) -> str:
    if not differ:
        return tell("whatif.check.same", n=messages)
    return tell("whatif.check.differs", n=messages, k=differ, names=tell.names(names, differ))

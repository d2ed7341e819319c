"""Why messages were overtaken, and what else befell them, in sentences of both languages."""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from amqplite.lab.analysis.message import Message
from amqplite.lab.explaining import sentences
from amqplite.lab.explaining.sentences import Clause
from amqplite.lab.explaining.teller import Teller
from amqplite.lab.order import Analysis, Story

LANGUAGES = ("en", "zh")

WHYS_MAX = 200
"""Messages of a run that are explained unasked."""

Telling = Callable[[Teller], Iterator[Clause]]


class Why(Struct, frozen=True, kw_only=True):
    """What befell a message, in words.

    Attributes:
        m: what it is called.
        id: its number in the trace.
        kind: `overtaken`, `repeated` (it took effect more than once), `lost`, or `plain`.
        rule: by which the cause was found; empty if it wasn't overtaken.
        cause: in one word.
        sub: the cause more closely.
        who: the consumer that had to do with it.
        over: what those that overtook it are called, a few of them.
        over_n: how many there are.
        late: how late it was, in microseconds.
        events: numbers of the events that prove it.
        parts: clauses by language, each with the event that proves it, or 0.
        text: the same in one piece.
    """

    m: str
    id: int
    kind: str
    rule: str = ""
    cause: str = ""
    sub: str = ""
    who: str = ""
    over: list[str] = []
    over_n: int = 0
    late: int = 0
    events: list[int]
    parts: dict[str, list[Clause]]
    text: dict[str, str]


def explain(analysis: Analysis, what: int | str) -> Why | None:
    """Explain a message, by its label or by the number of an event that has to do with it.

    Returns:
        `None`: nothing is known of it (any more).
    """
    if isinstance(what, int):
        story = _story_of_event(analysis, what)
        return _of_story(analysis, story) if story else None
    message = analysis.following.messages.called(what)
    for stories in (analysis.stories, analysis.unpromised):
        for story in reversed(stories.values()):
            if story.place.message.m == what:
                return _of_story(analysis, story, asked=True)
    for why in _effects(analysis):
        if why.m == what:
            return why
    return _of_message(analysis, message) if message else None


def all_whys(analysis: Analysis, limit: int = WHYS_MAX) -> list[Why]:
    """Explain all messages that were overtaken, took effect more than once, or are lost.

    There are `limit` at most.
    """
    stories = list(analysis.stories.values())[:limit]
    return ([_of_story(analysis, story) for story in stories] + _effects(analysis))[:limit]


def _story_of_event(analysis: Analysis, n: int) -> Story | None:
    told = [*analysis.stories.values(), *analysis.unpromised.values()]
    return next((story for story in told if n in _events_of(story)), None)


def _events_of(story: Story) -> set[int]:
    place = story.place
    moments = (place.end, place.first, place.last, place.cancelled, *place.returns)
    return {moment.n for moment in moments if moment}


def _of_story(analysis: Analysis, story: Story, *, asked: bool = False) -> Why:
    annotation, message = story.annotation, story.place.message
    tellings: list[Telling] = [partial(sentences.overtaken, story)]
    if asked and story.place.doubtful:
        tellings.append(partial(sentences.doubtful, story.place))
    return _tell(
        analysis,
        message.m,
        message.id,
        "overtaken",
        tellings,
        rule=annotation.rule,
        cause=annotation.cause,
        sub=annotation.sub,
        who=annotation.who,
        over=annotation.over,
        over_n=annotation.over_n,
        late=annotation.late,
    )


def _effects(analysis: Analysis) -> list[Why]:
    effects = analysis.following.effects
    told: list[tuple[str, str, Telling]] = [
        *((m, "repeated", partial(sentences.repeated, m, it)) for m, it in effects.repeated),
        *((it.m, "lost", partial(sentences.lost, it)) for it in effects.lost),
    ]
    return [_tell(analysis, m, _id_of(analysis, m), kind, [it]) for m, kind, it in told]


def _id_of(analysis: Analysis, label: str) -> int:
    message = analysis.following.messages.called(label)
    return message.id if message else 0


def _of_message(analysis: Analysis, message: Message) -> Why:
    tellings: list[Telling] = [partial(sentences.plain, message)]
    tellings += [
        partial(sentences.doubtful, place) for place in message.places.values() if place.doubtful
    ]
    return _tell(analysis, message.m, message.id, "plain", tellings)


def _tell(
    analysis: Analysis, m: str, id_: int, kind: str, tellings: list[Telling], **facts: object
) -> Why:
    parts = {}
    for language in LANGUAGES:
        tell = Teller(language, analysis.header.tick_us)
        clauses = [clause for telling in tellings for clause in telling(tell)]
        parts[language] = _joined(clauses, tell("why.join"))
    told = {
        "events": sorted({n for _, n in parts["en"] if n}),
        "parts": parts,
        "text": {language: "".join(words for words, _ in said) for language, said in parts.items()},
    }
    return Why(m=m, id=id_, kind=kind, **told, **facts)  # type: ignore[arg-type]


def _joined(clauses: list[Clause], between: str) -> list[Clause]:
    """Put what stands between clauses where it belongs, which is proven by nothing."""
    if not between:
        return clauses
    return [part for clause in clauses for part in ((between, 0), clause)][1:]

"""What happened to a message, clause by clause, each with the event that proves it."""

from collections.abc import Iterator

from amqplite.lab.analysis.effects import Effect, Unproven
from amqplite.lab.analysis.message import Message, Place, Return
from amqplite.lab.explaining.teller import Teller
from amqplite.lab.order import Story

Clause = tuple[str, int]
"""Words, and the number of the event that proves them; 0 if none does."""


def overtaken(story: Story, tell: Teller) -> Iterator[Clause]:
    """Tell why a message was overtaken."""
    rule = story.verdict.rule
    if rule == "A":
        yield from _came_back(story, tell)
    elif rule == "B":
        yield from _others_were_faster(story, tell)
    elif rule == "C1":
        yield from _was_away(story, tell)
    elif rule == "C2":
        yield from _was_passed_by(story, tell)
    else:
        yield from _went_elsewhere(story, tell)


# -- A: it came back from a consumer -------------------------------------------------------------


def _came_back(story: Story, tell: Teller) -> Iterator[Clause]:
    place, x = story.place, story.place.message.m
    if place.first:
        at, c = tell.at(place.first.t), tell.consumer(place.first.c)
        yield tell("why.first", x=x, c=c, t=at), place.first.n
    if place.returned > 1:
        yield tell("why.times", n=place.returned), place.returns[0].n
    back = place.returns[-1] if place.returns else None
    if back:
        yield _back(back, x, tell), back.n
        if tell.lasts(back.gap):
            yield tell("why.gap", c=back.c, gap=tell.span(back.gap)), 0
    else:
        yield tell("why.back.broker_restart"), 0
    yield from _over("why.over", story, tell)
    if place.last and (back is None or place.last.n > back.n):
        again = tell("why.again", x=x, c=tell.consumer(place.last.c), t=tell.at(place.last.t))
        yield again, place.last.n
        yield from _done("why.again.done", story, tell)
    else:
        yield from _done("why.done", story, tell)


def _back(back: Return, x: str, tell: Teller) -> str:
    for key in (f"why.back.{back.sub}", f"why.back.{back.cause}"):
        if tell.knows(key):
            return tell(key, x=x, c=tell.consumer(back.c), t=tell.at(back.t))
    cause = tell.cause(back.cause, back.sub)
    return tell("why.back", x=x, c=tell.consumer(back.c), t=tell.at(back.t), cause=cause)


# -- B: others were done sooner ------------------------------------------------------------------


def _others_were_faster(story: Story, tell: Teller) -> Iterator[Clause]:
    place, x, cause = story.place, story.place.message.m, story.verdict.cause
    if place.last:
        at, c = tell.at(place.last.t), tell.consumer(place.last.c)
        yield tell("why.B.first", x=x, c=c, t=at), place.last.n
    if cause == "cancelled_consumer_holding" and place.cancelled:
        at, c = tell.at(place.cancelled.t), story.verdict.who
        yield tell(f"why.B.{cause}", x=x, c=c, t=at), place.cancelled.n
        yield from _over("why.B.cancelled.over", story, tell)
    else:
        yield from _over(f"why.B.{cause}", story, tell)
    yield from _done("why.done", story, tell)


# -- C: it was handed out behind them ------------------------------------------------------------


def _was_away(story: Story, tell: Teller) -> Iterator[Clause]:
    place, x = story.place, story.place.message.m
    absence = place.absence or next(p.absence for p in place.message.places.values() if p.absence)
    back = absence.returned
    if absence.left is None and back:
        yield tell("why.C1.delayed", x=x, t=tell.at(back.t)), back.n
    elif absence.left:
        reason = tell.cause(absence.reason)
        yield tell("why.C1.left", x=x, t=tell.at(absence.left.t), reason=reason), absence.left.n
        if back:
            yield tell("why.C1.returned", t=tell.at(back.t)), back.n
        else:
            yield tell("why.C1.elsewhere", q=place.queue[1]), place.since.n
    yield from _over("why.C1.over", story, tell)
    yield from _done("why.done", story, tell)


def _was_passed_by(story: Story, tell: Teller) -> Iterator[Clause]:
    if story.verdict.cause == "priority":
        yield from _over("why.C2.priority", story, tell)
    elif story.place.first:
        first, names = story.place.first, tell.names(story.annotation.over, story.annotation.over_n)
        x, at = story.place.message.m, tell.at(first.t)
        yield tell("why.C2.unexplained", x=x, t=at, ys=names), first.n
    yield from _done("why.done", story, tell)


# -- 0: they went to other queues ----------------------------------------------------------------


def _went_elsewhere(story: Story, tell: Teller) -> Iterator[Clause]:
    queues = list(dict.fromkeys(other.queue[1] for other in story.over))
    facts = {"key": story.place.message.key, "q": story.place.queue[1], "q2": tell.names(queues)}
    yield from _over(f"why.0.{story.verdict.cause}", story, tell, **facts)
    yield from _done("why.done", story, tell)


# -- clauses that several share ------------------------------------------------------------------


def _over(key: str, story: Story, tell: Teller, /, **more: str) -> Iterator[Clause]:
    """Tell of those that overtook it, if they are remembered."""
    if not story.over:
        return
    annotation = story.annotation
    text = tell(
        key,
        n=annotation.over_n,
        x=story.place.message.m,
        c=story.verdict.who,
        ys=tell.names(annotation.over, annotation.over_n),
        cs=tell.consumers([other.last.c for other in story.over if other.last]),
        **more,
    )
    yield text, min(other.end.n for other in story.over if other.end)


def _done(key: str, story: Story, tell: Teller) -> Iterator[Clause]:
    end, annotation = story.place.end, story.annotation
    if end:
        late, at = tell.span(annotation.late), tell.at(end.t)
        x = story.place.message.m
        yield tell(key, x=x, t=at, n=annotation.over_n, late=late), end.n


# -- what befell messages that weren't overtaken -------------------------------------------------


def repeated(label: str, effect: Effect, tell: Teller) -> Iterator[Clause]:
    """Tell that a message took effect more than once."""
    yield tell("why.dup.known", x=label, n=effect.times), effect.last


def doubtful(place: Place, tell: Teller) -> Iterator[Clause]:
    """Tell that a message may have taken effect more than once."""
    back = place.returns[-1]
    yield tell("why.dup", x=place.message.m, n=place.attempts), back.n


def lost(unproven: Unproven, tell: Teller) -> Iterator[Clause]:
    """Tell that a message is done with, and never took effect."""
    key = "why.lost.auto" if unproven.auto else "why.lost"
    yield tell(key, x=unproven.m, c=unproven.c, t=tell.at(unproven.t)), unproven.n


def plain(message: Message, tell: Teller) -> Iterator[Clause]:
    """Tell where a message is, of which there is nothing else to tell."""
    places = list(message.places.values())
    ended = [place for place in places if place.end and not place.is_open]
    if message.is_open or not ended:
        yield tell("why.open", x=message.m), places[-1].since.n if places else 0
        return
    place = max(ended, key=lambda one: one.end.n if one.end else 0)
    assert place.end is not None
    if place.state == "done":
        yield tell("why.in_order", x=message.m, t=tell.at(place.end.t)), place.end.n
    else:
        reason = tell.cause(place.reason)
        yield tell("why.gone", x=message.m, t=tell.at(place.end.t), reason=reason), place.end.n

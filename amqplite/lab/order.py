"""What became of the order, and why: derived from a trace's events while they come.

Four orders are told apart: of publishing; of the first hand-outs; what each consumer saw; and how
messages were done with. The last three are measured against the first.
"""

from dataclasses import dataclass

from msgspec import Struct

from amqplite.broker.order import Arrival
from amqplite.broker.trace import Event
from amqplite.lab.analysis.attribution import Verdict, across, attribute
from amqplite.lab.analysis.counts import Counts
from amqplite.lab.analysis.following import Following
from amqplite.lab.analysis.message import Place, Return
from amqplite.lab.analysis.metrics import Metrics
from amqplite.lab.analysis.scopes import Overtaken
from amqplite.lab.trace import Header

NAMED_MAX = 5
"""Of those that overtook a message, how many are named."""

STORIES_MAX = 10_000
"""Messages that were overtaken of which it is remembered how: of more, the latest."""


class Step(Struct, frozen=True, kw_only=True):
    """A message came back from a consumer.

    Attributes:
        n: the event.
        t: when.
        c: the consumer.
        cause: why.
        sub: the cause more closely.
    """

    n: int
    t: int
    c: str
    cause: str
    sub: str


class Annotation(Struct, kw_only=True, omit_defaults=True):
    """What is to be said of the event by which a message was done with.

    Attributes:
        inv: how many overtook it.
        ext: messages from the first of these to it.
        nreo: messages right before it that all overtook it.
        late: time since the first of these, in microseconds.
        disp: places that it came too late; `None` while others are missing that belong before it.
        over: what those that overtook it are called, `NAMED_MAX` at most.
        over_n: how many there are.
        rule: by which the cause was found; see `attribution`.
        cause: why.
        sub: the cause more closely.
        who: the consumer that had to do with it.
        chain: how it came back from consumers, the last times.
        scope: among whom it was overtaken: `queue`, or `key` if only by others of its key, in other
            queues.
    """

    inv: int
    ext: int
    nreo: int
    late: int
    disp: int | None = None
    over: list[str]
    over_n: int
    rule: str
    cause: str
    sub: str = ""
    who: str = ""
    chain: list[Step] = []
    scope: str = "queue"


class Report(Struct, frozen=True, kw_only=True):
    """What a trace came to."""

    metrics: list[Metrics]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Story:
    """All that is to be told of a message that was overtaken.

    Attributes:
        place: the message.
        over: those that overtook it, as far as they are remembered, `NAMED_MAX` at most.
        verdict: why.
        annotation: in short.
        arrival: how late it was.
    """

    place: Place
    over: list[Place]
    verdict: Verdict
    annotation: Annotation
    arrival: Arrival


class Analysis:
    """Takes the events of a trace in order, and says at any time what they came to.

    Attributes:
        header: of the trace.
        following: where each message is.
        stories: of messages that were overtaken, by the number of the event they were done with by.
        unpromised: of such as were overtaken only by messages in other queues, which is no fault.
        reordered_across: how many of these there were.
        repartitioned: how many were overtaken only by others of the same key in other queues.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self.following = Following()
        self.stories: dict[int, Story] = {}
        self.unpromised: dict[int, Story] = {}
        self.reordered_across = self.repartitioned = 0
        self._open: list[Story] = []

    def feed(self, event: Event) -> Annotation | None:
        """Take the next event; return what is to be said of it, if it tells of an overtaken one."""
        completion = self.following.feed(event)
        if completion is None:
            return None
        place = completion.place
        if completion.queue:
            verdict = attribute(place, completion.queue.over)
            return self._tell(place, completion.queue, verdict, "queue")
        if completion.key:
            self.repartitioned += 1
            return self._tell(place, completion.key, across(place, same_key=True), "key")
        if completion.publish:
            self.reordered_across += 1
            verdict = across(place, same_key=False)
            _remember(self.unpromised, _story(place, completion.publish, verdict, "publish"))
        return None

    @property
    def annotations(self) -> dict[int, Annotation]:
        """What is to be said of events, by their number, the latest `STORIES_MAX`."""
        self._place_late_ones()
        return {n: story.annotation for n, story in self.stories.items()}

    def report(self) -> Report:
        """Return what it has come to so far."""
        following = self.following
        queues = list(following.queues.values())
        metrics = [one for queue in queues for one in queue.metrics()]
        return Report(
            metrics=metrics + following.publishers.metrics(),
            counts=following.counts.result(following.effects, following.messages, queues),
        )

    def _tell(self, place: Place, overtaken: Overtaken, verdict: Verdict, scope: str) -> Annotation:
        story = _story(place, overtaken, verdict, scope)
        self.following.counts.reordered(
            verdict.cause, overtaken.arrival.inversions, overtaken.arrival.late
        )
        _remember(self.stories, story)
        if story.annotation.disp is None:
            self._open.append(story)
            del self._open[:-STORIES_MAX]
        return story.annotation

    def _place_late_ones(self) -> None:
        """Say how many places too late those came that others still had to come before."""
        for story in self._open:
            story.annotation.disp = story.arrival.displacement
        self._open = [story for story in self._open if story.annotation.disp is None]


def _story(place: Place, overtaken: Overtaken, verdict: Verdict, scope: str) -> Story:
    arrival, over = overtaken.arrival, overtaken.over[:NAMED_MAX]
    annotation = Annotation(
        inv=arrival.inversions,
        ext=arrival.extent,
        nreo=arrival.n_reordering,
        late=arrival.late,
        disp=arrival.displacement,
        over=[other.message.m for other in over],
        over_n=arrival.inversions,
        rule=verdict.rule,
        cause=verdict.cause,
        sub=verdict.sub,
        who=verdict.who,
        chain=[_step(back) for back in place.returns],
        scope=scope,
    )
    return Story(place, over, verdict, annotation, arrival)


def _step(back: Return) -> Step:
    return Step(n=back.n, t=back.t, c=back.c, cause=back.cause, sub=back.sub)


def _remember(stories: dict[int, Story], story: Story) -> None:
    if story.place.end is not None:
        stories[story.place.end.n] = story
        if len(stories) > STORIES_MAX:
            del stories[next(iter(stories))]

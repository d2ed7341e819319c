"""Stands in for a recorded channel: works on what comes, as long as it took."""

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from amqplite.broker.trace import Event
from amqplite.lab.rerun.bench import Call
from amqplite.lab.rerun.estimates import Task
from amqplite.lab.rerun.inputs import Desk, Place
from amqplite.protocol.codec import Method
from amqplite.protocol.methods import BasicAck, BasicNack, BasicRecover, BasicReject

if TYPE_CHECKING:
    from amqplite.lab.rerun.standin import StandIn


@dataclass(slots=True, eq=False)
class Held:
    """A message that was handed out to it.

    Attributes:
        event: that tells so.
        c: the consumer's name, as it was recorded.
        place: the message, in the recorded queue.
        task: the work on it, once that has begun.
        calls: what is to happen to it.
        told: its effect was.
    """

    event: Event
    c: str
    place: Place
    task: Task | None = None
    calls: list[Call] = field(default_factory=list)
    told: bool = False


class Worker:
    """A channel's work.

    Args:
        owner: the connection.
        desk: what was recorded of the channel.
    """

    def __init__(self, owner: "StandIn", desk: Desk) -> None:
        self.desk = desk
        self._owner = owner
        self._cast = owner.cast
        self._waiting: deque[Held] = deque()
        self._working: list[Held] = []
        self._held: dict[int, Held] = {}  # by delivery tag
        self._paused = False  # between two messages

    @property
    def idle(self) -> bool:
        """Whether it has nothing in hand."""
        return not self._held and not self._working and not self._waiting

    @property
    def current(self) -> Held | None:
        """What it has worked on longest."""
        return self._working[0] if self._working else None

    # -- what comes, and goes --------------------------------------------------------------------

    def deliver(self, event: Event, c: str, place: Place) -> None:
        """A message was handed out to it."""
        held = Held(event, c, place)
        inputs = self._cast.inputs
        if event.auto and c not in inputs.starting | inputs.reporting:
            return
        if not event.auto:
            self._held[event.tag] = held
        if self._paused or (self.desk.serial and self._working):
            self._waiting.append(held)
        else:
            self._begin(held)

    def take_back(self, event: Event) -> None:
        """A message was taken back from it, and goes to others: it is not to be settled."""
        held = self._held.pop(event.tag, None)
        if held is None:
            return
        self._stop(held)
        if held in self._waiting:
            self._waiting.remove(held)
        if held in self._working:
            self._working.remove(held)
            self._go_on()

    def pause(self) -> None:
        """Begin nothing, for the moment."""
        self._paused = True

    def resume(self) -> None:
        """Begin what is to be begun."""
        self._paused = False
        while self._waiting and not (self.desk.serial and self._working):
            self._begin(self._waiting.popleft())

    def drop(self) -> None:
        """Whatever it does is over: it is dead."""
        for held in self._working:
            self._stop(held)
        self._waiting.clear()
        self._working.clear()
        self._held.clear()

    # -- its work --------------------------------------------------------------------------------

    def _begin(self, held: Held) -> None:
        cast, bench = self._cast, self._cast.bench
        held.task = task = cast.begin(held.place, held.c, self._owner.number)
        self._working.append(held)
        if held.c in cast.inputs.starting:
            cast.marks.tell("started", held.c, held.event)
        rank = cast.rank(held.c)
        for after in task.effects:
            if task.us is None or after < task.us:
                apply = partial(self._apply, held)
                held.calls.append(bench.call_at(bench.now + after, rank, apply))
        if task.us is not None:
            finish = partial(self._finish, held)
            held.calls.append(bench.call_at(bench.now + task.us, rank, finish))
        self._owner.began(self.desk, held.place)

    def _finish(self, held: Held) -> None:
        task = held.task
        assert task is not None
        for after in task.effects:
            if after >= (task.us or 0):
                self._apply(held)
        if not held.told and task.outcome == "ack" and held.c in self._cast.inputs.reporting:
            self._apply(held)
        self._working.remove(held)
        self._held.pop(held.event.tag, None)
        self._go_on()
        if not held.event.auto:
            self._owner.say(self.desk, _settling(held))

    def _apply(self, held: Held) -> None:
        """It takes effect, unless its consumer recognises that it did already."""
        held.told = True
        self._cast.marks.tell_effect(held.c, held.event)

    def _go_on(self) -> None:
        """Take the next message, once all has come of this one that does."""
        if self.desk.serial and not self._paused:
            self.pause()
            held = self._waiting[0] if self._waiting else None
            rank = self._cast.rank(held.c if held else self._owner.c)
            self._cast.bench.call_at(self._cast.bench.now, rank, self.resume)

    def _stop(self, held: Held) -> None:
        for call in held.calls:
            self._cast.bench.cancel(call)


def _settling(held: Held) -> Method:
    """Return what is said of a message that was worked on."""
    tag, task = held.event.tag, held.task
    assert task is not None
    match task.outcome:
        case "nack":
            return BasicNack(tag, False, True)
        case "reject":
            return BasicReject(tag, True)
        case "discard":
            return BasicNack(tag, False, False)
        case "recover":
            return BasicRecover(True)
        case _:
            return BasicAck(tag, False)

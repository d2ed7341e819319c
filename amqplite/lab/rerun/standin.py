"""Stands in for a recorded connection: is there when it was, and dies of what it died of."""

from typing import TYPE_CHECKING

from amqplite.broker.redelivery import Cause
from amqplite.broker.trace import Event
from amqplite.errors import PreconditionFailed
from amqplite.lab.rerun.bench import BROKERS, Client
from amqplite.lab.rerun.inputs import Desk, End, Get, Line, Place, Taker
from amqplite.lab.rerun.policy import PREFETCH_MAX
from amqplite.lab.rerun.topology import Subscription
from amqplite.lab.rerun.worker import Worker
from amqplite.protocol.codec import Method
from amqplite.protocol.methods import (
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicQos,
    ChannelClose,
    ChannelCloseOk,
    ConnectionClose,
)

if TYPE_CHECKING:
    from amqplite.lab.rerun.cast import Cast

LAST = 1 << 30
"""Whatever befalls a client comes after all that others do at the same time."""


class Ending:
    """A fault that is to come: of a connection, or of one of its channels.

    Attributes:
        end: what was recorded of it.
        moved: it struck at another moment than it is anchored to, as that did not come.
        struck: when it did; `None`: not yet.
    """

    def __init__(self, owner: "StandIn", end: End, desk: Desk | None) -> None:
        self.end = end
        self.moved = False
        self.struck: int | None = None
        self._owner = owner
        self._desk = desk
        self._due = False

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for what it is anchored to."""
        return self._owner.is_up and not self._due

    @property
    def owner(self) -> "StandIn":
        """The connection that it befalls."""
        return self._owner

    def began(self, desk: Desk, place: Place) -> None:
        """The work on a message has begun."""
        anchor = self.end.anchor
        if anchor is not None and place == anchor.place and self._desk in (None, desk):
            self._strike_in(anchor.after)

    def strike_at(self, when: int, *, moved: bool = False) -> None:
        """Strike at a time, or now if that is over."""
        if self.is_waiting:
            self.moved = moved
            self._strike_in(when - self._owner.cast.bench.now)

    def _strike_in(self, after: int) -> None:
        if not self._due:
            self._due = True
            bench = self._owner.cast.bench
            bench.call_at(bench.now + after, LAST, self._strike)

    def _strike(self) -> None:
        owner = self._owner
        if not owner.is_up or not owner.cast.faults:
            return
        self.struck = owner.cast.bench.now
        owner.die(self.end, self._desk)
        if not self.end.detection:
            self._be_noticed()
            return
        owner.last_word()
        bench = owner.cast.bench
        bench.call_at(bench.now + self.end.detection, BROKERS, self._be_noticed)

    def _be_noticed(self) -> None:
        self._owner.be_lost(self.end.cause, self._desk)


class StandIn:
    """One connection, once it is there.

    Args:
        cast: all that is played.
        number: which connection, as a place in `Inputs.lines`.

    Attributes:
        line: what was recorded of it.
        endings: what is to befall it.
        shift: how much later it is there than it was recorded.
        ended: when it was gone; `None`: it isn't.
    """

    def __init__(self, cast: "Cast", number: int, line: Line) -> None:
        self.cast = cast
        self.number = number
        self.line = line
        self.shift = 0
        self.ended: int | None = None
        self.endings = [
            Ending(self, end, desk)
            for end, desk in [(line.end, None), *((desk.end, desk) for desk in line.desks)]
            if end is not None and end.fault
        ]
        self._client: Client | None = None
        self._silent = self._leaving = False
        self._workers: dict[int, Worker] = {}  # by channel number
        self._dead: set[int] = set()  # channels, by the identity of their desks
        self._tags: dict[str, tuple[Desk, Taker]] = {}

    @property
    def is_up(self) -> bool:
        """Whether it is there, and alive."""
        return self._client is not None and self.ended is None and not self._silent

    def consumes(self, taker: Taker) -> bool:
        """Return whether one of its consumers is there."""
        return self.is_up and any(there is taker for _, there in self._tags.values())

    @property
    def c(self) -> str:
        """The name of its first consumer."""
        return self.line.takers[0].c if self.line.takers else ""

    # -- beginnings ------------------------------------------------------------------------------

    def come(self) -> None:
        """Connect, if it isn't yet; what befalls it may be due by now."""
        if self._client is not None or self.ended is not None:
            return
        self._client = self.cast.connect(self)
        for ending in self.endings:
            anchor = ending.end.anchor
            if anchor is None:
                ending.strike_at(ending.end.died + self.shift)
            elif self.cast.is_done(anchor.place):
                ending.strike_at(ending.end.died + self.shift, moved=True)

    def register(self, desk: Desk, taker: Taker, subscription: Subscription) -> None:
        """Have a consumer, unless its connection or channel is gone already."""
        self.come()
        if not self.is_up or id(desk) in self._dead:
            return
        worker = self._worker(desk)
        policy = self.cast.policy
        prefetch = taker.prefetch if policy.prefetch is None else policy.prefetch
        prefetch = max(0, min(prefetch, PREFETCH_MAX))
        tag = self.cast.tag(taker)
        self._tags[tag] = (desk, taker)
        queue = self.cast.ground.name_of(subscription.queue)
        methods: list[Method] = [BasicQos(0, prefetch, False)]
        methods.append(BasicConsume(0, queue, tag, False, taker.auto, False, True))
        worker.pause()
        self.say(worker.desk, *methods)
        if not subscription.standby:
            self.cast.marks.tell_recovered(taker, subscription.queue)
        worker.resume()

    def get(self, desk: Desk, get: Get) -> None:
        """Ask for a message."""
        self.come()
        queue = self.cast.to_get_from(get.queue)
        if queue is not None and self.is_up and id(desk) not in self._dead:
            self._worker(desk)
            self.say(desk, BasicGet(0, queue, get.auto))

    def _worker(self, desk: Desk) -> Worker:
        worker = self._workers.get(desk.ch)
        if worker is None or worker.desk is not desk:
            worker = self._workers[desk.ch] = Worker(self, desk)
            assert self._client is not None
            self._client.open_channel(desk.ch)
        return worker

    # -- what comes ------------------------------------------------------------------------------

    def deliver(self, event: Event, place: Place) -> None:
        """A message was handed out to it."""
        worker = self._workers.get(event.ch)
        if worker is not None and not self._silent:
            taker = self.cast.named(event.c)
            worker.deliver(event, "" if taker is None else taker.c, place)

    def take_back(self, event: Event) -> None:
        """A message was taken back from it."""
        worker = self._workers.get(event.ch)
        if worker is not None:
            worker.take_back(event)
            self._leave_if_idle()

    def began(self, desk: Desk, place: Place) -> None:
        """The work on a message has begun."""
        for ending in self.endings:
            ending.began(desk, place)

    def say(self, desk: Desk, *methods: Method) -> None:
        """Say something on a channel."""
        if self._client is not None and self.is_up:
            self._client.say(desk.ch, *methods)
            self._leave_if_idle()

    # -- ends ------------------------------------------------------------------------------------

    def cancel(self, c: str) -> None:
        """Cancel a consumer, by its name."""
        for tag, (desk, taker) in list(self._tags.items()):
            if taker.c == c:
                del self._tags[tag]
                self.say(desk, BasicCancel(tag, True))

    def leave(self, end: End, desk: Desk | None) -> None:
        """Say goodbye; who had nothing in hand then finishes first what it has in hand now."""
        if not self.is_up:
            return
        if desk is not None:
            self._dead.add(id(desk))
            worker = self._workers.pop(desk.ch, None)
            if worker is not None:
                worker.drop()
                self.say(desk, ChannelClose(200, "goodbye", 0, 0))
            return
        if end.held or all(worker.idle for worker in self._workers.values()):
            self._close()
            return
        self._leaving = True
        for c in {taker.c: None for _, taker in self._tags.values()}:
            self.cancel(c)

    def _leave_if_idle(self) -> None:
        if self._leaving and all(worker.idle for worker in self._workers.values()):
            self._leaving = False
            self._close()

    def _close(self) -> None:
        assert self._client is not None
        self._drop()
        self._client.say(0, ConnectionClose(200, "goodbye", 0, 0))
        self._end()

    def die(self, end: End, desk: Desk | None) -> None:
        """Do nothing any more; whoever told of its death then tells of it now."""
        workers = [worker for worker in self._workers.values() if desk in (None, worker.desk)]
        current = next((worker.current for worker in workers if worker.current), None)
        self.cast.marks.tell_end(end, None if current is None else current.event)
        for worker in workers:
            worker.drop()
        self._silent = desk is None

    def last_word(self) -> None:
        """Say that it is there, before nothing is heard of it any more."""
        if self._client is not None:
            self._client.beat()

    def be_lost(self, cause: Cause, desk: Desk | None) -> None:
        """The broker notices."""
        assert self._client is not None
        if desk is None:
            self._client.lose(cause)
            self._end()
            return
        channel = self._client.connection.channels.get(desk.ch)
        self._dead.add(id(desk))
        self._workers.pop(desk.ch, None)
        if channel is not None:
            channel.close(PreconditionFailed("as it was recorded"), 0, 0)
            self.say(desk, ChannelCloseOk())

    def _drop(self) -> None:
        for worker in self._workers.values():
            worker.drop()

    def _end(self) -> None:
        self.ended = self.cast.bench.now
        self.cast.ended(self)

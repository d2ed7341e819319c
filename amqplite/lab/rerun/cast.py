"""All who consume in a re-run: they come and go, work, and die, as it was recorded."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from amqplite.broker.trace import Event
from amqplite.lab.rerun.bench import Bench, Client
from amqplite.lab.rerun.estimates import Estimates, Task
from amqplite.lab.rerun.ground import Ground
from amqplite.lab.rerun.inputs import Desk, End, Inputs, Place, QueueName, Taker
from amqplite.lab.rerun.marks import Marks
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.standin import LAST, Ending, StandIn
from amqplite.lab.rerun.topology import Subscription, Topology

FIRST = 0
"""What comes from outside comes before what consumers do at the same time."""

_GONE = {"acked", "dropped", "expired", "discarded", "dead_lettered"}
_TIMEOUT = "ack_timeout"


class Action(NamedTuple):
    """Something that comes from outside.

    Attributes:
        at: when.
        n: its place among what happens at the same time.
        rank: see `Bench.call_at`.
        call: does it.
    """

    at: int
    n: int
    rank: int
    call: Callable[[], object]


class Cast:
    """Connections that consume, and what they have in common.

    Args:
        inputs: what was recorded.
        policy: what is otherwise.
        topology: the policy's queues.
        ground: these, on the broker.
        bench: the broker.
        since: when the policy begins; before, all is as it was recorded.

    Attributes:
        estimates: how long work takes.
        marks: tells what they do.
        lines: the connections, as in `Inputs.lines`.
    """

    def __init__(
        self,
        inputs: Inputs,
        policy: Policy,
        topology: Topology,
        ground: Ground,
        bench: Bench,
        since: int = 0,
    ) -> None:
        self.inputs = inputs
        self.bench = bench
        self.ground = ground
        self.estimates = Estimates(inputs)
        self.marks = Marks(inputs, topology, ground, bench)
        self.lines = [StandIn(self, at, line) for at, line in enumerate(inputs.lines)]
        self._following = {
            standin.line.follows: standin
            for standin in self.lines
            if standin.line.follows is not None
        }
        self._policy = policy
        self._topology = topology
        self._since = since
        self._clients: dict[str, StandIn] = {}
        self._tags: dict[str, Taker] = {}
        self._anchored: dict[Place, list[Ending]] = {}
        self._done: set[Place] = set()
        self._ranks = _ranks(inputs)
        self._last_sent = {sent.at: sent.n for sent in inputs.sent}
        for ending in self.endings:
            if ending.end.anchor is not None:
                self._anchored.setdefault(ending.end.anchor.place, []).append(ending)

    # -- what holds now --------------------------------------------------------------------------

    @property
    def policy(self) -> Policy:
        """What is otherwise by now."""
        return self._policy if self.bench.now >= self._since else RECORDED

    @property
    def faults(self) -> bool:
        """Whether what failed then fails now."""
        return not self.policy.no_faults

    @property
    def endings(self) -> list[Ending]:
        """All that is to befall them, or has."""
        return [ending for standin in self.lines for ending in standin.endings]

    def rank(self, c: str) -> int:
        """Return the rank of a consumer among those that act at the same time."""
        return self._ranks.get(c, LAST - 1)

    def is_done(self, place: Place) -> bool:
        """Return whether a message is done with, or gone."""
        return place in self._done

    def subscriptions(self, taker: Taker) -> tuple[Subscription, ...]:
        """Return where a consumer consumes by now."""
        own = (Subscription(taker.queue),)
        if self.bench.now < self._since:
            return own
        told = self._topology.subscriptions(taker)
        return told if not self._since or told == own else own + told

    def to_get_from(self, queue: QueueName) -> str | None:
        """Return the queue to ask for a message, by its name there; `None`: nobody may, or none."""
        parts = self._topology.parts.get(queue, [queue])
        for part in parts if queue in parts or not self._since else [queue, *parts]:
            found = self.ground.queue(part)
            if found.ready and not found.settings.single_active_consumer:
                return self.ground.name_of(part)
        return None

    def named(self, tag: str) -> Taker | None:
        """Return the consumer that has a tag in this run."""
        return self._tags.get(tag)

    def connected(self, conn: str) -> StandIn | None:
        """Return the connection of a name in this run."""
        return self._clients.get(conn)

    # -- what comes from outside -----------------------------------------------------------------

    def actions(self) -> Iterator[Action]:
        """Yield what comes by itself, in any order."""
        for standin in self.lines:
            if standin.line.follows is None:
                yield from self._beginnings(standin)
            yield from self._goodbyes(standin)

    def _beginnings(self, standin: StandIn) -> Iterator[Action]:
        for desk in standin.line.desks:
            for taker in desk.takers:
                call = partial(self._register, standin, desk, taker)
                before = taker.n < self._last_sent.get(taker.at, 0)
                rank = FIRST if before else self.rank(taker.c)
                yield Action(taker.at + standin.shift, taker.n, rank, call)
            for get in desk.gets:
                call = partial(standin.get, desk, get)
                yield Action(get.at + standin.shift, get.n, FIRST, call)

    def _goodbyes(self, standin: StandIn) -> Iterator[Action]:
        line = standin.line
        if line.end is not None and not line.end.fault:
            call = partial(self._leave, standin, line.end)
            yield Action(line.end.at, line.end.n, LAST, call)
        for desk in line.desks:
            if desk.end is not None and not desk.end.fault:
                call = partial(standin.leave, desk.end, desk)
                yield Action(desk.end.at, desk.end.n, LAST, call)
            for taker in desk.takers:
                if taker.cancelled is not None:
                    call = partial(self._cancel, standin, taker)
                    yield Action(*taker.cancelled, LAST, call)

    def _register(self, standin: StandIn, desk: Desk, taker: Taker) -> None:
        standby_from = self._topology.standby_from
        for subscription in self.subscriptions(taker):
            call = partial(standin.register, desk, taker, subscription)
            if subscription.standby and self.bench.now <= standby_from:
                self.bench.call_at(standby_from, LAST, call)
            else:
                call()

    def subscribe_anew(self) -> None:
        """Have those that are there consume where the policy wants it, as of now."""
        for standin in self.lines:
            for desk in standin.line.desks:
                for taker in desk.takers:
                    if standin.consumes(taker):
                        told = self.subscriptions(taker)[1:]
                        for subscription in sorted(told, key=lambda one: one.standby):
                            standin.register(desk, taker, subscription)

    def _leave(self, standin: StandIn, end: End) -> None:
        self._there(standin).leave(end, None)

    def _cancel(self, standin: StandIn, taker: Taker) -> None:
        self._there(standin).cancel(taker.c)

    def _there(self, standin: StandIn) -> StandIn:
        """Return who is there in its place: what it would follow may live on, without faults."""
        while not standin.is_up and standin.line.follows is not None:
            standin = self.lines[standin.line.follows]
        return standin

    def ended(self, standin: StandIn) -> None:
        """A connection is gone: what followed it follows."""
        now = self.bench.now
        following, end = self._following.get(standin.number), standin.line.end
        if following is not None and end is not None:
            following.shift = now - end.at
            for action in self._beginnings(following):
                self.bench.call_at(action.at, self.rank(following.c), action.call)

    def strike_what_waits(self) -> bool:
        """Nothing is to come, so have the first fault strike that waits; return whether one did."""
        waiting = [ending for ending in self.endings if ending.is_waiting]
        if not waiting or not self.faults:
            return False
        min(waiting, key=lambda ending: ending.end.n).strike_at(self.bench.now, moved=True)
        return True

    # -- what they do ----------------------------------------------------------------------------

    def connect(self, standin: StandIn) -> Client:
        """Connect one of them."""
        client = self.bench.connect(f"c{standin.number}")
        self._clients[client.name] = standin
        return client

    def tag(self, taker: Taker) -> str:
        """Return a new consumer tag for one of them."""
        tag = f"t{len(self._tags)}"
        self._tags[tag] = taker
        return tag

    def begin(self, place: Place, c: str, line: int) -> Task:
        """Somebody begins to work on a message."""
        return self.estimates.begin(place, c, line, faults=self.faults)

    # -- what happens ----------------------------------------------------------------------------

    def take(self, event: Event, place: Place) -> None:
        """Something happened to a message, or because of one."""
        if event.type == "enqueued":
            self.marks.enqueued(event)
        elif event.type in _GONE:
            self._done.add(place)
            for ending in self._anchored.get(place, ()):
                if ending.is_waiting:
                    ending.strike_at(ending.end.died + ending.owner.shift, moved=True)
        standin = self._clients.get(event.conn)
        if standin is None:
            return
        if event.type == "delivered":
            standin.deliver(event, place)
        elif event.type == "requeued" and event.cause != _TIMEOUT:
            standin.take_back(event)


def _ranks(inputs: Inputs) -> dict[str, int]:
    """Return the order in which consumers came, by name."""
    takers = [taker for line in inputs.lines for taker in line.takers]
    ordered = sorted(takers, key=lambda taker: (taker.at, taker.n))
    return {c: 1 + at for at, c in enumerate(dict.fromkeys(taker.c for taker in ordered))}

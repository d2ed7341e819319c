"""Has a re-run's trace tell what a broker can't see, as far as the recorded one told of it."""

from amqplite.broker.trace import Event
from amqplite.lab.playing.resequencer import Resequencer
from amqplite.lab.rerun.bench import Bench
from amqplite.lab.rerun.ground import Ground
from amqplite.lab.rerun.inputs import End, Inputs, QueueName, Taker
from amqplite.lab.rerun.topology import Topology

EFFECTS = ("applied", "skipped_duplicate")


class Marks:
    """Tells what consumers do, and what a resequencer behind them does."""

    def __init__(self, inputs: Inputs, topology: Topology, ground: Ground, bench: Bench) -> None:
        self._inputs = inputs
        self._topology = topology
        self._ground = ground
        self._bench = bench
        self._effects: set[str] = set()  # labels
        self._enqueued: dict[str, Event] = {}  # by label
        self._resequencer: Resequencer | None = None
        if inputs.resequenced is not None:
            labels = dict.fromkeys(sent.m for sent in inputs.sent)
            self._resequencer = Resequencer(labels, self._release)

    def enqueued(self, event: Event) -> None:
        """A message came into a queue."""
        self._enqueued[event.m] = event

    def tell(self, type_: str, c: str, event: Event) -> None:
        """Tell what a consumer does with a message that was handed out to it."""
        self._bench.mark(
            type_,
            q=event.q,
            m=event.m,
            id=event.id,
            s=event.s,
            c=c,
            tag=event.tag,
            attempt=event.attempt,
        )

    def tell_effect(self, c: str, event: Event) -> None:
        """Tell that a message took effect, or that its consumer recognised that it had before."""
        known = c in self._inputs.skipping and event.m in self._effects
        self._effects.add(event.m)
        self.tell("skipped_duplicate" if known else "applied", c, event)
        if self._resequencer is not None:
            self._resequencer.done(event.m)

    def tell_end(self, end: End, current: Event | None) -> None:
        """Tell what was told when somebody died; `current`: what it worked on."""
        for mark in end.marks:
            if mark.type != "fault" and current is not None:
                self.tell(mark.type, mark.c, current)
                continue
            queue = (mark.v, mark.q)
            known = queue in self._inputs.queues
            name = self._ground.name_of(self._topology.first(queue)) if known else ""
            self._bench.mark(mark.type, q=name, c=mark.c, text=mark.text, by=mark.by)

    def tell_recovered(self, taker: Taker, queue: QueueName) -> None:
        """Tell that a consumer works again, if such were told of."""
        if taker.recovered and taker.c in self._inputs.starting:
            self._bench.mark("recovered", q=self._ground.name_of(queue), c=taker.c)

    def _release(self, m: str) -> None:
        event = self._enqueued[m]
        self._bench.mark("released", q=event.q, m=m, id=event.id, s=event.s, by="resequencer")

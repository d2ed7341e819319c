"""A broker that clients talk to without streams, tasks or time: what is next happens at once.

It is the broker's own code, from the octets of a connection on. Between two things that happen, all
that comes of the first one has come of it.
"""

from collections.abc import Callable
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

from amqplite.broker.redelivery import Cause
from amqplite.broker.trace import Event
from amqplite.broker.vhost import Vhost
from amqplite.client.core import Core
from amqplite.connection.connection import Connection, ConnectionLimits, Peer
from amqplite.lab.playing.virtual import EPOCH_MS, TARGET, commit, new_broker
from amqplite.protocol.codec import Method, method_frame
from amqplite.protocol.frames import HEARTBEAT_FRAME
from amqplite.protocol.methods import ChannelOpen

BROKERS = -1
"""The broker's own deadlines come before what clients do at the same time."""

_STEP_EVENTS = 1000
_LIMITS = ConnectionLimits(heartbeat_s=0, outbox_high_bytes=1 << 40)

Call = list[Any]
"""`[when, rank, number, call]`; the call is `None` once it was cancelled."""


class Bench:
    """A broker, its clients' connections, and a clock.

    Args:
        on_event: takes each event of the trace, when all that came with it has happened.

    Attributes:
        broker: everything in it may be looked at.
        now: microseconds since the begin.
    """

    def __init__(self, on_event: Callable[[Event], object]) -> None:
        self.now = 0
        self._on_event = on_event
        self._due: list[Call] = []
        self._calls = 0
        self._read = 0
        self._output: dict[Connection, None] = {}
        self.broker = new_broker(lambda: self.now)
        self.broker.on_deadline = lambda: self.call_at(self.now, BROKERS, self._advance)

    # -- time ------------------------------------------------------------------------------------

    def call_at(self, when: int, rank: int, call: Callable[[], object]) -> Call:
        """Have `call()` called at a time; of those at the same time, the lower rank comes first."""
        self._calls += 1
        due = [max(when, self.now), rank, self._calls, call]
        heappush(self._due, due)
        return due

    @staticmethod
    def cancel(call: Call) -> None:
        """Call nobody."""
        call[3] = None

    def step(self) -> bool:
        """Let the next thing happen, and all that comes of it; return whether there was one."""
        while self._due:
            when, _, _, call = heappop(self._due)
            if call is not None:
                self.now = when
                self.broker.now = self._now_ms()
                call()
                self.settle()
                return True
        return False

    def settle(self) -> None:
        """Let all have come of what was done so far that comes of it at once."""
        self._flush()
        while told := self.broker.trace.read(self._read, _STEP_EVENTS):
            self._read = told[-1].n
            for event in told:
                self._on_event(event)
            self._flush()

    def _flush(self) -> None:
        journal = self.broker.journal
        while self._output or journal.position > journal.taken:
            commit(self.broker)
            output, self._output = self._output, {}
            for connection in output:
                connection.data_to_send()
                connection.flushed()

    def _now_ms(self) -> int:
        return EPOCH_MS + round(self.now / 1000)

    def _advance(self) -> None:
        deadline = self.broker.advance(self._now_ms())
        if deadline is not None:
            self.call_at((deadline - EPOCH_MS) * 1000, BROKERS, self._advance)

    # -- clients ---------------------------------------------------------------------------------

    @property
    def vhost(self) -> Vhost:
        """The vhost that clients enter."""
        return self.broker.vhosts[TARGET.vhost]

    def connect(self, name: str) -> "Client":
        """Connect a client, by a name that no other has."""
        return Client(self, name)

    def link(self, name: str) -> Connection:
        """Return the broker's end of a new connection."""

        def has_output() -> None:
            self._output[connection] = None

        connection = Connection(self.broker, Peer(name, True), has_output, _LIMITS, _raise)
        return connection

    def mark(self, type_: str, **fields: Any) -> None:
        """Have the trace tell what the broker can't see."""
        self.broker.trace.mark(type_, **fields)


class Client:
    """One client's connection: it says what it is told to say, and never listens.

    What it would hear, the trace tells.

    Attributes:
        name: by which the trace calls it.
        connection: the broker's end.
    """

    def __init__(self, bench: Bench, name: str) -> None:
        self.name = name
        self._bench = bench
        self.connection = bench.link(name)
        core = Core(replace(TARGET, name=name))
        while octets := core.data_to_send():
            self.connection.receive_data(octets)
            core.receive_data(b"".join(self.connection.data_to_send()))

    def open_channel(self, number: int) -> None:
        """Open a channel by its number."""
        self.say(number, ChannelOpen())

    def say(self, channel: int, *methods: Method) -> None:
        """Say something, in one piece."""
        self.send(b"".join(method_frame(channel, method) for method in methods))

    def send(self, octets: bytes) -> None:
        """Send octets."""
        self.connection.receive_data(octets)
        self._bench.settle()

    def beat(self) -> None:
        """Say that it is there."""
        self.send(HEARTBEAT_FRAME)

    def lose(self, cause: Cause) -> None:
        """Its connection is lost."""
        self.connection.lost(cause)
        self._bench.settle()


def _raise(fault: Exception) -> None:
    raise fault

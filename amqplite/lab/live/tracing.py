"""Queues that are traced live: their last events, for as long as somebody looks at them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import trio

from amqplite.broker.broker import Broker
from amqplite.broker.trace import Event
from amqplite.lab.keeping.recording import Recording, printable_text
from amqplite.lab.live.marks import HandedOut
from amqplite.lab.live.pump import Pump, Spawn
from amqplite.lab.trace import SECOND_US, Header, TracedQueue

UNWATCHED_S = 15 * 60
"""How long a queue is traced without a viewer."""

TRACED_MAX = 8


class TooMany(Exception):
    """So many queues are traced already; `str()` says so."""


class Traced:
    """A queue that is traced.

    Attributes:
        vhost: of the queue.
        name: the queue's.
        by: the user who asked for it first.
        recording: its last events.
        until: when it ends if nobody looks, in seconds as trio counts them.
        on: it is traced still.
        reason: why it isn't, if that is the lab's fault.
        ended: set once it isn't.
    """

    def __init__(self, vhost: str, name: str, by: str, recording: Recording) -> None:
        self.vhost = vhost
        self.name = name
        self.by = by
        self.recording = recording
        self.viewers = 0
        self.until = 0.0
        self.on = True
        self.reason = ""
        self.ended = trio.Event()
        self._handed_out = HandedOut()
        self.look()

    def look(self) -> None:
        """Somebody has looked at it."""
        self.until = trio.current_time() + UNWATCHED_S

    def watch(self, viewers: int) -> None:
        """So many more look at it from now on, or fewer if negative."""
        self.viewers += viewers
        self.look()

    @property
    def left_s(self) -> int:
        """Seconds until it ends, if nobody looks from now on."""
        if self.viewers:
            self.look()
        return max(0, round(self.until - trio.current_time()))

    # -- as the pump's sink ----------------------------------------------------------------------

    def add(self, event: Event) -> None:
        """Take the next event."""
        self.recording.add(self._handed_out.explained(event))

    def rest(self) -> None:
        """There are no more for now."""
        self.recording.rest()

    def fail(self, error: Exception) -> None:
        """It is over."""
        self.reason = f"the lab failed at an event: {type(error).__name__}"
        self.ended.set()


class Tracing:
    """The queues that are traced.

    Args:
        spawn: starts the task that ends one whose time is over.
    """

    def __init__(self, broker: Broker, pump: Pump, spawn: Spawn) -> None:
        self._broker = broker
        self._pump = pump
        self._spawn = spawn
        self._traced: dict[tuple[str, str], Traced] = {}
        self._origin = 0
        self._started = ""

    def __iter__(self) -> Iterator[Traced]:
        """Yield what is traced, oldest first."""
        return iter(list(self._traced.values()))

    def get(self, vhost: str, name: str) -> Traced | None:
        """Return a queue that is traced, else `None`."""
        return self._traced.get((vhost, name))

    def start(self, vhost: str, name: str, by: str, arguments: Mapping[str, Any]) -> Traced:
        """Trace a queue, whether it is there or not; if it is traced, go on for longer.

        Args:
            vhost: of the queue.
            name: the queue's.
            by: the user who wants it.
            arguments: the queue's, as plain values.

        Raises:
            TooMany: there are `TRACED_MAX`.
        """
        traced = self._traced.get((vhost, name))
        if traced is not None:
            traced.look()
            return traced
        if len(self._traced) >= TRACED_MAX:
            raise TooMany(f"{TRACED_MAX} queues are traced already; stop one of them first")
        if not self._traced:
            self._origin = self._broker.trace.clock()
            self._started = datetime.now(UTC).isoformat(timespec="milliseconds")
        header = Header(
            name=printable_text(name),
            mode="live",
            tick_us=SECOND_US,
            started=self._started,
            queues=[
                TracedQueue(
                    v=printable_text(vhost), q=printable_text(name), arguments=dict(arguments)
                )
            ],
        )
        recording = Recording(header, rolling=True)
        traced = self._traced[vhost, name] = Traced(vhost, name, by, recording)
        self._pump.add(traced, (vhost, name), origin=self._origin)
        self._spawn(self._end_in_time, traced)
        return traced

    def stop(self, traced: Traced) -> None:
        """Trace a queue no longer; what was recorded is forgotten once its readers have gone."""
        if traced.on:
            traced.on = False
            del self._traced[traced.vhost, traced.name]
            self._pump.remove(traced, passing_on=False)
            traced.ended.set()
            traced.rest()

    async def _end_in_time(self, traced: Traced) -> None:
        while traced.on:
            with trio.move_on_at(traced.until):
                await traced.ended.wait()
                break
            if traced.viewers:
                traced.look()
            elif traced.until <= trio.current_time():
                break
        self.stop(traced)

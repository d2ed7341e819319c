"""One connection's reader and writer: octets between a stream and a `Connection`."""

from collections.abc import Callable

import trio

from amqplite.broker.broker import Broker
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.connection.connection import Connection, ConnectionLimits, Peer
from amqplite.connection.state import State
from amqplite.protocol.frames import HEARTBEAT_FRAME
from amqplite.server.clock import Clock
from amqplite.server.flusher import Flusher
from amqplite.server.transport import transport_over
from amqplite.server.wakeup import Wakeup

CLOSE_TIMEOUT_S = 10
"""How long a client may take to read our last words, and to answer our close."""

PRESSED_BYTES_PER_S = 8 * 1024 * 1024
"""How fast a publisher is read from, at least, while its messages pile up."""

JOURNAL_HIGH_BYTES = 32 * 1024 * 1024
"""Octets of messages that may wait for the disk before publishers have to."""

PATIENCE_MIN_S = 0.001
"""Less isn't worth waiting: whoever sends little at a time is no flood."""


class Session:
    """Moves octets between a stream and a `Connection` until either is done.

    One task reads and acts, one writes what has gathered in a single send. They are two so that a
    client slow to read can't keep us from reading its acks.

    Args:
        flusher: gathers who has output.
        handshake_timeout_s: time to get to connection.open-ok.
        on_fault: called with an exception that is a fault of ours.

    Attributes:
        connection: the protocol's side of it.
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        broker: Broker,
        clock: Clock,
        peer: Peer,
        limits: ConnectionLimits,
        flusher: Flusher | None = None,
        *,
        handshake_timeout_s: float = 10,
        on_fault: Callable[[Exception], object] = lambda _: None,
    ) -> None:
        self._transport = transport_over(stream)
        self._flusher = flusher or Flusher()
        self._sending = False
        self._broker = broker
        self._clock = clock
        self._handshake_timeout_s = handshake_timeout_s
        self._on_fault = on_fault
        self._output = Wakeup()
        self._resumed = Wakeup()
        self._changed = Wakeup()
        self._cause = Cause.CONNECTION_LOST
        self._held_up = False  # it is we who don't read
        self._state_since = self._heard = self._wrote = trio.current_time()
        self.connection = Connection(broker, peer, self._has_output, limits, on_fault)
        self.connection.on_resumed = self._resumed.set
        self.connection.on_state = self._on_state

    async def run(self) -> None:
        """Serve until the peer hangs up, a close is done, or two heartbeats pass (§4.2.7)."""
        connection = self.connection
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, nursery.cancel_scope)
                nursery.start_soon(self._watch, nursery.cancel_scope)
                await self._read()
                connection.lost(self._cause)
                self._output.set()  # let the writer send what is left
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            if self._cause is Cause.CONNECTION_LOST:
                self._cause = Cause.CONNECTION_RESET
        except* Exception as faults:  # of ours, where no frame was to blame: end this session alone
            self._on_fault(faults)
        finally:
            connection.lost(self._cause)
            await self._transport.close()

    def shut_down(self) -> None:
        """Tell the client that the broker stops."""
        self.connection.shut_down()

    # -- reading and writing ---------------------------------------------------------------------

    async def _read(self) -> None:
        """Read and act until nothing more is to be read."""
        connection, broker = self.connection, self._broker
        pressure, journal = broker.pressure, broker.journal
        while not connection.closed:
            if connection.paused:
                await self._resumed.wait()
                self._heard = trio.current_time()
                continue
            received = self._act(await self._transport.receive())
            if not received:
                return
            if pressure.queues:
                await self._ease(pressure.take(), received)
            if journal.pending_bytes > JOURNAL_HIGH_BYTES:
                await self._wait_for_disk()
        self._cause = Cause.CONNECTION_CLOSED

    def _act(self, data: bytes) -> int:
        """Act on what has come, and write what it causes; return how many octets it was."""
        if data:
            self._heard = trio.current_time()
            self._broker.now = self._clock.now_ms()
            self._flusher.begin()
            try:
                self.connection.receive_data(data)
            finally:
                self._flusher.end()
        return len(data)

    async def _write(self, scope: trio.CancelScope) -> None:
        """Write what gathers; once the connection is closed and all is written, end the session."""
        connection, outbox = self.connection, self.connection.outbox
        while True:
            if outbox.chunks:
                self._sending = True
                await self._transport.write(outbox)
                self._sending = False
                self._wrote = trio.current_time()
                if outbox.size <= outbox.high_bytes:
                    connection.flushed()
            elif connection.closed:
                break
            else:
                await self._output.wait()
        scope.cancel()

    def _has_output(self) -> None:
        self._flusher.has_output(self)

    def write_soon(self) -> None:
        """Have the writer's task write what has gathered."""
        self._output.set()

    def write_now(self) -> None:
        """Write what the socket takes of what has gathered; the writer's task does the rest."""
        connection, outbox = self.connection, self.connection.outbox
        if outbox.chunks and not self._sending:
            self._transport.write_now(outbox)
            if not outbox.chunks:
                self._wrote = self._heard
                connection.flushed()
        if outbox.chunks or connection.closed:
            self._output.set()

    async def _ease(self, queues: list[Queue], received: int) -> None:
        """Let the consumers of `queues` catch up before more is read from a publisher that floods.

        However slow they are, it is read from at `PRESSED_BYTES_PER_S`.
        """
        patience = received / PRESSED_BYTES_PER_S
        pressed = [queue for queue in queues if not queue.eased]
        if patience < PATIENCE_MIN_S or not pressed:
            return
        with trio.move_on_after(patience):
            for queue in pressed:
                while not queue.eased:
                    await _until_eased(queue)
        self._heard = trio.current_time()

    async def _wait_for_disk(self) -> None:
        """Read nothing more from a publisher while too much waits to be written."""
        journal = self._broker.journal
        written = trio.Event()
        journal.hurry()
        journal.call_when_durable(journal.position, lambda _: written.set())
        self._held_up = True
        await written.wait()
        self._held_up = False
        self._heard = trio.current_time()

    # -- time ------------------------------------------------------------------------------------

    async def _watch(self, scope: trio.CancelScope) -> None:
        """Send heartbeats, and end the session when what has to come does not.

        A task of its own, so that no read or write has to set a deadline and take it back.
        """
        while True:
            now = trio.current_time()
            deadline, cause = self._deadline()
            if deadline <= now:
                self._cause = cause
                scope.cancel()
                return
            with trio.move_on_at(min(deadline, self._beat(now))):
                await self._changed.wait()

    def _deadline(self) -> tuple[float, Cause]:
        """Return by when something has to come, and what it means if it doesn't."""
        state, heartbeat = self.connection.state, self.connection.heartbeat_s
        if state is State.HANDSHAKE:
            return self._state_since + self._handshake_timeout_s, Cause.CONNECTION_LOST
        if state is not State.OPEN:
            return self._state_since + CLOSE_TIMEOUT_S, self._cause
        if heartbeat and self._sending:  # whether or not we read, our octets have to be taken
            return max(self._heard, self._wrote) + 2 * heartbeat, Cause.HEARTBEATS_MISSED
        if heartbeat and not (self.connection.paused or self._held_up):
            return self._heard + 2 * heartbeat, Cause.HEARTBEATS_MISSED
        return float("inf"), self._cause

    def _beat(self, now: float) -> float:
        """Send a heartbeat if nothing was for half an interval; return when to look again."""
        heartbeat = self.connection.heartbeat_s
        if not heartbeat or self.connection.state is not State.OPEN:
            return float("inf")
        if self._sending:  # what waits to be taken is heard as well, and isn't written yet
            return now + heartbeat / 2
        if now >= self._wrote + heartbeat / 2:
            self._wrote = now
            self.connection.outbox.send(HEARTBEAT_FRAME)
        return self._wrote + heartbeat / 2

    def _on_state(self) -> None:
        self._state_since = trio.current_time()
        self._changed.set()
        self._output.set()  # closed without a word, there is nothing else to wake the writer


async def _until_eased(queue: Queue) -> None:
    eased = trio.Event()
    queue.on_eased[eased.set] = None
    try:
        await eased.wait()
    finally:
        queue.on_eased.pop(eased.set, None)

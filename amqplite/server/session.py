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
from amqplite.server.wakeup import Wakeup

READ_SIZE = 256 * 1024
"""Octets asked of the socket at a time: a busy publisher fills hundreds of frames into one read."""

CLOSE_TIMEOUT_S = 10
"""How long a client may take to read our last words, and to answer our close."""


PRESSED_BYTES_PER_S = 8 * 1024 * 1024
"""How fast a publisher is read from, at least, while its messages pile up."""

PATIENCE_MIN_S = 0.001
"""Less isn't worth waiting: whoever sends little at a time is no flood."""


class Session:
    """Moves octets between a stream and a `Connection` until either is done.

    One task reads and acts, one writes what has gathered in a single send. They are two so that a
    client slow to read can't keep us from reading its acks.

    Args:
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
        *,
        handshake_timeout_s: float = 10,
        on_fault: Callable[[Exception], object] = lambda _: None,
    ) -> None:
        self._stream = stream
        self._broker = broker
        self._clock = clock
        self._handshake_timeout_s = handshake_timeout_s
        self._output = Wakeup()
        self._resumed = Wakeup()
        self._reading = trio.CancelScope()
        self._writing = trio.CancelScope()
        self._started = self._heard = trio.current_time()
        self.connection = Connection(broker, peer, self._output.set, limits, on_fault)
        self.connection.on_resumed = self._resumed.set

    async def run(self) -> None:
        """Serve until the peer hangs up, a close is done, or two heartbeats pass (§4.2.7)."""
        connection = self.connection
        cause = Cause.CONNECTION_LOST
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                with self._reading:
                    cause = await self._read()
                connection.lost(cause)
                self._writing.deadline = trio.current_time() + CLOSE_TIMEOUT_S
                self._output.set()  # let the writer send what is left
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # reset by the peer: to us the same as hanging up
        finally:
            connection.lost(cause)
            await trio.aclose_forcefully(self._stream)

    def shut_down(self) -> None:
        """Tell the client that the broker stops."""
        self.connection.shut_down()

    # -- reading ---------------------------------------------------------------------------------

    async def _read(self) -> Cause:
        """Read and act until nothing more is to be read; return what the end is to be called."""
        connection, stream, clock, broker = self.connection, self._stream, self._clock, self._broker
        self._heard = trio.current_time()
        while not connection.closed:
            if connection.paused:
                await self._resumed.wait()
                self._heard = trio.current_time()
                continue
            deadline, cause = self._deadline()
            data: bytes | bytearray = b""
            with trio.move_on_at(deadline) as scope:
                data = await stream.receive_some(READ_SIZE)
            if scope.cancelled_caught:
                return cause
            if not data:
                return Cause.CONNECTION_LOST
            self._heard = trio.current_time()
            broker.now = clock.now_ms()
            connection.receive_data(data if type(data) is bytes else bytes(data))
            if broker.pressure.queues:
                await self._ease(broker.pressure.take(), len(data))
        return Cause.CONNECTION_CLOSED

    async def _ease(self, queues: list[Queue], received: int) -> None:
        """Let the consumers of `queues` catch up before more is read from a publisher that floods.

        However slow they are, it is read from at `PRESSED_BYTES_PER_S`.
        """
        patience = received / PRESSED_BYTES_PER_S
        if patience < PATIENCE_MIN_S:
            return
        with trio.move_on_after(patience):
            for queue in queues:
                if not queue.eased:
                    await _until_eased(queue)
        self._heard = trio.current_time()

    def _deadline(self) -> tuple[float, Cause]:
        """Return by when something has to come, and what it means if it doesn't."""
        state, heartbeat = self.connection.state, self.connection.heartbeat_s
        if state is State.HANDSHAKE:
            return self._started + self._handshake_timeout_s, Cause.CONNECTION_LOST
        if state is State.CLOSING:
            return self._heard + CLOSE_TIMEOUT_S, Cause.CONNECTION_ERROR
        if heartbeat:
            return self._heard + 2 * heartbeat, Cause.HEARTBEATS_MISSED
        return float("inf"), Cause.CONNECTION_LOST

    # -- writing ---------------------------------------------------------------------------------

    async def _write(self) -> None:
        connection = self.connection
        with self._writing:
            while True:
                chunks = connection.data_to_send()
                if chunks:
                    await self._send(chunks)
                    connection.flushed()
                elif connection.closed:
                    break
                else:
                    await self._wait_for_output()
        self._reading.cancel()

    async def _wait_for_output(self) -> None:
        """Wait for output; send a heartbeat when half an interval has passed without any."""
        heartbeat = self.connection.heartbeat_s
        with trio.move_on_after(heartbeat / 2 if heartbeat else float("inf")) as scope:
            await self._output.wait()
        if scope.cancelled_caught and self.connection.state is State.OPEN:
            self.connection.outbox.send(HEARTBEAT_FRAME)

    async def _send(self, chunks: list[bytes]) -> None:
        await self._stream.send_all(b"".join(chunks))


async def _until_eased(queue: Queue) -> None:
    eased = trio.Event()
    queue.on_eased[eased.set] = None
    try:
        await eased.wait()
    finally:
        queue.on_eased.pop(eased.set, None)

"""A connection on a stream of trio's: reads, writes, heartbeats, and the end (§2.2.4)."""

import struct
from collections import deque
from collections.abc import Callable

import trio

from amqplite.client.channel import Channel
from amqplite.client.core import Core, State
from amqplite.client.errors import Closed, again
from amqplite.client.events import Answered, Blocked, ChannelEnded, Ended, Event, Opened
from amqplite.client.result import Result
from amqplite.client.signal import Signal
from amqplite.client.target import Target
from amqplite.protocol.methods import ChannelCloseOk

READ_SIZE = 64 * 1024
"""Octets asked of the stream at a time."""

HIGH_BYTES = 64 * 1024
"""With more waiting to be written, publishers wait."""


class Connection:
    """A client's connection; `client.connect` makes one.

    Attributes:
        target: what was asked for.
        on_blocked: called with the broker's reason when it stops reading from publishers, and with
            `None` when it goes on (RabbitMQ: connection.blocked).
    """

    def __init__(self, stream: trio.abc.Stream, target: Target) -> None:
        self.target = target
        self.on_blocked: Callable[[str | None], object] = lambda _: None
        self._stream = stream
        self._core = Core(target)
        self._channels: dict[int, Channel] = {}
        self._secrets: deque[Result[None]] = deque()
        self._opened = trio.Event()
        self._ended = trio.Event()
        self._output = trio.Event()
        self._written, self._unblocked = Signal(), Signal()
        self._life, self._talk = trio.CancelScope(), trio.CancelScope()
        self._silent = self._sending = False
        self._heard = self._wrote = trio.current_time()

    # -- what it is ------------------------------------------------------------------------------

    @property
    def error(self) -> Exception | None:
        """Why it can't be used any more; `None` while it can."""
        return self._core.error

    @property
    def blocked(self) -> str | None:
        """Why the broker reads from no publisher; `None` while it does."""
        return self._core.blocked

    @property
    def heartbeat_s(self) -> int:
        """The interval agreed on, in seconds; 0 is none."""
        return self._core.heartbeat_s

    @property
    def server_properties(self) -> dict[str, object]:
        """What the broker told of itself."""
        return self._core.server_properties

    # -- what it does ----------------------------------------------------------------------------

    async def channel(self) -> Channel:
        """Open a channel.

        Raises:
            NotAllowed: all are in use.
            Exception: what the connection ended with, if it has; so below.
        """
        core = self._core.open_channel()
        channel = self._channels[core.number] = Channel(core, self.wake, self.room)
        await channel.opened()
        return channel

    async def update_secret(self, secret: str, reason: str = "renewed") -> None:
        """Renew the password (RabbitMQ: connection.update-secret)."""
        self._core.update_secret(secret, reason)
        result = Result[None]()
        self._secrets.append(result)
        self.wake()
        await result.wait()

    async def wait_unblocked(self) -> None:
        """Return once the broker reads from publishers, at once if it does."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while self._core.error is None and self._core.blocked is not None:
            await self._unblocked.wait()
        self.check()

    async def wait_closed(self) -> None:
        """Return once the connection is over because we closed it.

        Raises:
            Exception: what else it ended with.
        """
        await self._ended.wait()
        if not isinstance(self._core.error, Closed):
            self.check()

    def check(self) -> None:
        """Raise what the connection ended with, if it has."""
        if self._core.error is not None:
            raise again(self._core.error)

    def heartbeat(self) -> None:
        """Say that we are there, now."""
        self._core.heartbeat()
        self.wake()

    async def flush(self) -> None:
        """Return once all that was said is written, or never will be."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while (self._sending or self._core.pending_bytes) and not self._ended.is_set():
            await self._written.wait()

    async def room(self) -> None:
        """Return once not too much waits to be written."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._core.pending_bytes > HIGH_BYTES:
            await self.flush()

    def wake(self) -> None:
        """Write soon what there is to be written."""
        self._output.set()

    # -- how it ends -----------------------------------------------------------------------------

    async def close(self, reply_code: int = 200, reply_text: str = "goodbye") -> None:
        """Say goodbye and wait for the answer; nothing happens if it is over already."""
        if not self._silent:
            self._core.close(reply_code, reply_text)
            self.wake()
            with trio.move_on_after(self.target.timeout_s):
                await self._ended.wait()
        self._end("we hung up")
        self._life.cancel()

    def abort(self) -> None:
        """Die at once: what waits to be written is lost, and over TCP the broker sees a reset."""
        if isinstance(self._stream, trio.SocketStream) and not self._ended.is_set():
            linger = struct.pack("ii", 1, 0)
            self._stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, linger)
        self._end("we aborted the connection")
        self._life.cancel()

    def fall_silent(self) -> None:
        """Neither read nor write any more and keep the stream open, like a process that hangs.

        Whoever waits for an answer waits for ever; `abort` or `close` end it, without a goodbye.
        """
        self._silent = True
        self._talk.cancel()

    def _end(self, why: str) -> None:
        self._tell(self._core.lost(why))

    # -- the rim ---------------------------------------------------------------------------------

    async def opened(self) -> None:
        """Return once the broker has let us in.

        Raises:
            Exception: it didn't.
        """
        await self._opened.wait()
        self.check()

    async def run(self) -> None:
        """Talk until either side is done, then close the stream."""
        try:
            with self._life:
                with self._talk:
                    await self._converse()
                if self._silent:
                    await trio.sleep_forever()
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            self._end("the connection was reset")
        finally:
            self._end("we hung up")
            await trio.aclose_forcefully(self._stream)

    async def _converse(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write, nursery.cancel_scope)
            nursery.start_soon(self._watch)
            await self._read()

    async def _read(self) -> None:
        """Read and act until the connection is over."""
        core = self._core
        while core.state is not State.CLOSED:
            data = await self._stream.receive_some(READ_SIZE)
            self._heard = trio.current_time()
            self._tell(core.receive_data(bytes(data)))
            self.wake()

    async def _write(self, scope: trio.CancelScope) -> None:
        """Write what gathers, and end the conversation when all is said."""
        core = self._core
        while True:
            if octets := core.data_to_send():
                self._sending = True
                await self._stream.send_all(octets)
                self._sending = False
                self._wrote = trio.current_time()
                self._written.give()
            elif core.state is State.CLOSED:
                break
            else:
                await self._output.wait()
                self._output = trio.Event()
        scope.cancel()

    async def _watch(self) -> None:
        """Send heartbeats, and end the connection when two of the broker's are missing (§4.2.7)."""
        await self._opened.wait()
        interval = self._core.heartbeat_s
        while interval:
            now = trio.current_time()
            if now >= self._heard + 2 * interval:
                self._end("the broker's heartbeats are missing")
                self._life.cancel()
            elif now >= self._wrote + interval / 2 and not self._sending:
                self._wrote = now
                self.heartbeat()
            await trio.sleep_until(
                min(self._heard + 2 * interval, max(now, self._wrote) + interval / 2)
            )

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Opened():
                    self._opened.set()
                case Ended(error):
                    self._on_ended(error)
                case Blocked(reason):
                    self._unblocked.give()
                    self.on_blocked(reason)
                case Answered(channel=0):
                    self._secrets.popleft().set(None)
                case ChannelEnded() | Answered(method=ChannelCloseOk()):
                    self._channels.pop(event.channel).tell(event)
                case _:
                    self._channels[event.channel].tell(event)

    def _on_ended(self, error: Exception) -> None:
        for result in self._secrets:
            result.fail(error)
        for channel in self._channels.values():
            channel.end(error)
        self._channels.clear()
        self._opened.set()
        self._ended.set()
        self._written.give()
        self._unblocked.give()

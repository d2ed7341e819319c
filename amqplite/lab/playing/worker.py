"""An actor that consumes: works on one message at a time, and may die of it."""

from collections import Counter
from contextlib import suppress

import trio

from amqplite.client.channel import Channel
from amqplite.client.connection import Connection
from amqplite.client.consumer import Consumer
from amqplite.client.errors import ConnectionLost, ConsumerCancelled
from amqplite.client.events import Delivery
from amqplite.errors import AmqpError, SoftError
from amqplite.lab.actors import ConsumerSpec
from amqplite.lab.playing.stage import Connect, Mark, Pace


class Worker:
    """Consumes as its spec says, from its start until it is cancelled or gone for good.

    It tells by `mark`: `started`, then `applied` or `skipped_duplicate`, of each message;
    `ack_lost` and `crashed` when it dies, `recovered` when it is back. A message that is taken from
    it while it works takes effect all the same, as no broker can reach into a program: if its
    channel is closed by then, `late_ack_ignored` is what becomes of the ack.

    Args:
        done: message-ids that had their effect, for whoever remembers them.
        attempts: the last hand-out that was worked on, by message-id.
        rank: of those that act at the same instant, the lower comes first.

    Attributes:
        gone: it is down for good, unless it is run again.
    """

    def __init__(
        self,
        spec: ConsumerSpec,
        connect: Connect,
        pace: Pace,
        mark: Mark,
        *,
        done: set[str] | None = None,
        attempts: Counter[str] | None = None,
        rank: int = 0,
    ) -> None:
        self.spec = spec
        self._connect = connect
        self._pace = pace
        self._mark = mark
        self._done = set() if done is None else done
        self._attempts = Counter() if attempts is None else attempts
        self._rank = rank
        self._nack, self._lose_ack = set(spec.nack), set(spec.lose_ack)
        self._nack_next = self._lose_next = False
        self._factor = 1.0
        self._connection: Connection | None = None  # while it is alive
        self._consumer: Consumer | None = None
        self._current: Delivery | None = None
        self._shift = trio.CancelScope()
        self._silent = False
        self._restart: float | None = None
        self._wanted = trio.Event()  # somebody wants it back that hangs
        self._lives = 0
        self.gone = False

    @property
    def resting(self) -> bool:
        """Whether it will do nothing unless something comes to it, or befalls it."""
        if self._connection is None:
            return self.gone
        if self._silent:
            return self._restart is None
        waiting = 0 if self._consumer is None else self._consumer.waiting
        return self._current is None and not waiting

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Play; it has started once it is registered, or at once if it begins later.

        Who is gone may be run again.
        """
        self.gone = False
        try:
            await self._run(task_status)
        finally:
            self.gone = True

    async def _run(self, task_status: trio.TaskStatus[None]) -> None:
        if self.spec.start > 0:
            task_status.started()
            task_status = trio.TASK_STATUS_IGNORED
            await self._pace.sleep_until(self.spec.start, self._rank)
        while True:
            await self._live(task_status, again=self._lives > 0)
            self._lives += 1
            if self._restart is None:
                return
            task_status = trio.TASK_STATUS_IGNORED
            await self._pace.sleep(self._restart, self._rank)

    # -- what befalls it -------------------------------------------------------------------------

    def crash(self, restart: float | None) -> None:
        """Die: the connection is reset, and the work in hand is lost. Back after so many ticks."""
        if self._cut(restart):
            self._tell("crashed", self._current)
            assert self._connection is not None
            self._connection.abort()

    def fall_silent(self, restart: float | None) -> None:
        """Hang, with the connection open; the work in hand is lost. A heartbeat is the last word.

        So the broker's patience begins now, whatever was said before.
        """
        if self._cut(restart):
            self._silent = True
            self._tell("crashed", self._current)

    def close(self, restart: float | None) -> None:
        """Close the connection in good order; the work in hand is lost."""
        self._cut(restart)

    async def cancel(self) -> None:
        """Cancel the consumer, and finish what it holds."""
        if self._consumer is not None:
            with suppress(ConnectionLost, AmqpError):
                await self._consumer.cancel()

    def slow_down(self, factor: float) -> None:
        """Take so many times as long from the next message on."""
        self._factor *= factor

    def nack_next(self) -> None:
        """Nack the message in hand, or the next one."""
        self._nack_next = True

    def lose_next_ack(self) -> None:
        """Die in the instant between the effect and the ack of the message in hand, or the next."""
        self._lose_next = True

    def come_back(self) -> None:
        """Be there anew: who hangs does so no longer, who is alive dies first."""
        self.crash(0.0)
        self._wanted.set()

    def _cut(self, restart: float | None) -> bool:
        """End what it does; return whether it was alive."""
        if self._connection is None or self._shift.cancel_called:
            return False
        self._restart = restart
        self._shift.cancel()
        return True

    # -- its life --------------------------------------------------------------------------------

    async def _live(self, task_status: trio.TaskStatus[None], *, again: bool) -> None:
        """Connect, consume, and leave: in good order, unless something befalls it."""
        self._restart, self._silent, self._shift = None, False, trio.CancelScope()
        async with self._connect(self.spec.tag, self.spec.heartbeat_s) as connection:
            try:
                channel = await connection.channel()
                with self._shift:
                    await self._register(connection, channel)
                    if again:
                        self._tell("recovered", None)
                    task_status.started()
                    await self._serve(channel)
                if self._silent:
                    await self._hang(connection)
            except SoftError:
                pass  # its channel was closed: that is the end of it
            except ConsumerCancelled:
                pass
            except (ConnectionLost, AmqpError):
                self._restart = self.spec.restart
            finally:
                self._connection = self._consumer = self._current = None

    async def _register(self, connection: Connection, channel: Channel) -> None:
        spec = self.spec
        if spec.prefetch:
            await channel.qos(spec.prefetch)
        self._consumer = await channel.consume(
            spec.queue, tag=spec.tag, no_ack=spec.auto_ack, arguments=spec.arguments
        )
        self._connection = connection

    async def _hang(self, connection: Connection) -> None:
        connection.heartbeat()
        await connection.flush()
        connection.fall_silent()
        self._wanted = trio.Event()
        if self._restart is None:
            await self._wanted.wait()
        else:
            await self._pace.sleep(self._restart, self._rank)
        self._restart = 0.0
        connection.abort()

    async def _serve(self, channel: Channel) -> None:
        """Work on what comes, in its order, until nothing more comes."""
        assert self._consumer is not None
        async for delivery in self._consumer:
            self._current = delivery
            await self._work(channel, delivery)
            self._current = None
            await self._pace.settle(self._rank)

    async def _work(self, channel: Channel, delivery: Delivery) -> None:
        m = _label(delivery)
        attempt = self._attempt(m, delivery)
        await self._say("started", delivery)
        await self._pace.sleep(self.spec.ticks_for(m, attempt) * self._factor, self._rank)
        if m in self.spec.poison:
            self.crash(self.spec.restart)
            await trio.lowlevel.checkpoint()
        if self._is_to_be_nacked(m):
            channel.nack(delivery, requeue=self.spec.nack_requeue)
            return
        if self.spec.dedupe and m in self._done:
            await self._say("skipped_duplicate", delivery)
        else:
            self._done.add(m)
            await self._say("applied", delivery)
        if self.spec.auto_ack:
            return
        if self._is_to_lose_its_ack(m):
            await self._say("ack_lost", delivery)
            self.crash(self.spec.restart)
            await trio.lowlevel.checkpoint()
        await self._ack(channel, delivery)

    async def _ack(self, channel: Channel, delivery: Delivery) -> None:
        try:
            channel.ack(delivery)
        except (AmqpError, ConnectionLost):
            self._tell("late_ack_ignored", delivery)
            raise

    def _attempt(self, m: str, delivery: Delivery) -> int:
        """Return which hand-out it is, as far as one can tell that sees its own alone."""
        attempt = max(2, self._attempts[m] + 1) if delivery.redelivered else 1
        self._attempts[m] = attempt
        return attempt

    def _is_to_be_nacked(self, m: str) -> bool:
        if self.spec.auto_ack or not (self._nack_next or m in self._nack):
            return False
        self._nack_next = False
        self._nack.discard(m)
        return True

    def _is_to_lose_its_ack(self, m: str) -> bool:
        if not (self._lose_next or m in self._lose_ack):
            return False
        self._lose_next = False
        self._lose_ack.discard(m)
        return True

    async def _say(self, type_: str, delivery: Delivery) -> None:
        """Tell what happens; what befalls it at that very moment strikes before it goes on."""
        self._tell(type_, delivery)
        await trio.lowlevel.checkpoint_if_cancelled()

    def _tell(self, type_: str, delivery: Delivery | None) -> None:
        about = {} if delivery is None else {"m": _label(delivery), "tag": delivery.delivery_tag}
        self._mark(type_, c=self.spec.tag, q=self.spec.queue, **about)


def _label(delivery: Delivery) -> str:
    return delivery.properties.message_id or ""

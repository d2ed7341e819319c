"""Connections, to the broker itself and to one that does as the test says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import (
    MemorySendStream,
    MockClock,
    memory_stream_pair,
    wait_all_tasks_blocked,
)

from amqplite.client.connect import connect_over
from amqplite.client.connection import HIGH_BYTES, Connection
from amqplite.client.errors import Closed, ConnectionLost
from amqplite.client.target import Target
from amqplite.errors import ConnectionForced, NotAllowed
from amqplite.protocol.codec import Method
from amqplite.protocol.frames import HEARTBEAT_FRAME
from amqplite.protocol.methods import (
    BasicAck,
    ChannelOpenOk,
    ConfirmSelectOk,
    ConnectionBlocked,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionUnblocked,
)
from tests.client.said import greeting, on, read
from tests.client.served import Served, served


@pytest.fixture
async def broker() -> AsyncIterator[Served]:
    async with served() as broker:
        yield broker


class Scripted:
    """A broker that says what the test says.

    Attributes:
        theirs: what the client sends by.
        heard: all octets that came from the client.
    """

    def __init__(self, stream: trio.abc.HalfCloseableStream, theirs: MemorySendStream) -> None:
        self.stream, self.theirs = stream, theirs
        self.heard = bytearray()

    async def say(self, octets: bytes) -> None:
        await self.stream.send_all(octets)
        await wait_all_tasks_blocked()

    async def hang_up(self) -> None:
        await self.stream.send_eof()

    async def listen(self) -> None:
        """Hear the client out."""
        async for octets in self.stream:
            self.heard += octets

    def said(self) -> list[Method | bytes | str]:
        """Take what the client said but for the protocol header."""
        said = [one for _, one in read(bytes(self.heard).removeprefix(b"AMQP\0\0\x09\x01"))]
        self.heard.clear()
        return said


@asynccontextmanager
async def scripted(
    target: Target | None = None, *, heartbeat: int = 0
) -> AsyncIterator[tuple[Scripted, Connection]]:
    """Have a client on a scripted broker that let it in, and has heard what it said so far."""
    ours, theirs = memory_stream_pair()
    broker = Scripted(ours, theirs.send_stream)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.listen)
        await ours.send_all(greeting(heartbeat=heartbeat))
        async with connect_over(theirs, target or Target(timeout_s=5)) as connection:
            await wait_all_tasks_blocked()
            broker.said()
            yield broker, connection
        nursery.cancel_scope.cancel()


# -- life ----------------------------------------------------------------------------------------


async def test_the_broker_learns_who_we_are_and_we_who_it_is(broker: Served) -> None:
    async with broker.connection(Target(name="p1", heartbeat_s=7)) as connection:
        theirs = broker.sessions[0].connection
        assert theirs.client_properties["connection_name"] == "p1"
        assert theirs.heartbeat_s == connection.heartbeat_s == 7
        assert connection.server_properties["product"] == "amqplite"
        assert (connection.error, connection.blocked) == (None, None)
    assert broker.rig.broker.connections == {}


async def test_a_vhost_that_is_not_there_is_told(broker: Served) -> None:
    with pytest.raises(NotAllowed, match="vhost shop not found"):
        async with broker.connection(Target(vhost="shop")):
            pass


async def test_channels_live_side_by_side(broker: Served) -> None:
    async with broker.connection(Target(channel_max=2)) as connection:
        first, second = await connection.channel(), await connection.channel()
        assert (first.number, second.number) == (1, 2)
        with pytest.raises(NotAllowed, match="all of the 2 channels"):
            await connection.channel()
        await first.close()
        assert (await connection.channel()).number == 1
        assert (await second.declare_queue("q")).queue == "q"


async def test_a_secret_is_renewed(broker: Served) -> None:
    async with broker.connection() as connection:
        await connection.update_secret("guest")
        with pytest.raises(NotAllowed, match="secret was refused"):
            await connection.update_secret("wrong")


# -- blocked -------------------------------------------------------------------------------------


async def test_a_publisher_may_wait_until_the_broker_reads_on() -> None:
    async with scripted() as (broker, connection), trio.open_nursery() as nursery:
        reasons = list[str | None]()
        connection.on_blocked = reasons.append
        await connection.wait_unblocked()
        await broker.say(on(0, ConnectionBlocked("low on disk")))
        assert connection.blocked == "low on disk"
        nursery.start_soon(connection.wait_unblocked)
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 1
        await broker.say(on(0, ConnectionUnblocked()))
        assert (len(nursery.child_tasks), reasons) == (0, ["low on disk", None])
        connection.abort()


async def test_who_waits_for_a_blocked_connection_learns_of_its_end() -> None:
    async with scripted() as (broker, connection), trio.open_nursery() as nursery:
        await broker.say(on(0, ConnectionBlocked("low on disk")))

        async def wait() -> None:
            with pytest.raises(ConnectionLost, match="hung up"):
                await connection.wait_unblocked()

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        await broker.hang_up()


# -- writing -------------------------------------------------------------------------------------


async def test_publishes_wait_while_too_much_is_to_be_written() -> None:
    async with scripted() as (broker, connection), trio.open_nursery() as nursery:
        nursery.start_soon(broker.say, on(1, ChannelOpenOk()))
        channel = await connection.channel()
        gate = trio.Event()
        broker.theirs.send_all_hook = gate.wait
        await channel.publish(b"small")
        await wait_all_tasks_blocked()
        nursery.start_soon(channel.publish, bytes(HIGH_BYTES))
        await wait_all_tasks_blocked()
        nursery.start_soon(channel.publish, b"small")
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 2
        gate.set()
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 0
        connection.abort()


async def test_flushing_waits_for_all_that_was_said() -> None:
    async with scripted() as (broker, connection):
        connection.heartbeat()
        await connection.flush()
        await wait_all_tasks_blocked()
        assert broker.heard == HEARTBEAT_FRAME
        await connection.flush()
        connection.abort()


# -- heartbeats ----------------------------------------------------------------------------------


async def test_silence_is_filled_with_heartbeats(autojump_clock: MockClock) -> None:
    async with scripted(heartbeat=10) as (broker, connection):
        started, beats = trio.current_time(), list[float]()
        while len(beats) < 4:
            await trio.sleep(1)
            if broker.heard == HEARTBEAT_FRAME:
                beats.append(trio.current_time() - started)
                broker.heard.clear()
                await broker.say(HEARTBEAT_FRAME)
        assert beats == [6, 11, 16, 21]  # each seen at the next look
        connection.abort()


async def test_a_broker_that_falls_silent_is_left(autojump_clock: MockClock) -> None:
    async with scripted(heartbeat=10) as (broker, connection):
        await trio.sleep(15)
        await broker.say(HEARTBEAT_FRAME)
        heard = trio.current_time()
        with pytest.raises(ConnectionLost, match="heartbeats are missing"):
            await connection.wait_closed()
        assert trio.current_time() - heard == 20
        with pytest.raises(ConnectionLost, match="heartbeats are missing"):
            await connection.channel()


async def test_heartbeats_keep_a_quiet_connection_to_the_broker(
    broker: Served, autojump_clock: MockClock
) -> None:
    async with broker.connection(Target(heartbeat_s=1)) as connection:
        await trio.sleep(1000)
        assert connection.error is None
        await connection.channel()


# -- the end -------------------------------------------------------------------------------------


async def test_our_goodbye_is_said_once_and_waited_for(broker: Served) -> None:
    async with broker.connection() as connection:
        await connection.close()
        assert broker.rig.broker.connections == {}
        await connection.wait_closed()
        with pytest.raises(Closed, match="we closed the connection"):
            await connection.channel()
        await connection.close()


async def test_a_broker_that_does_not_answer_our_goodbye_is_left(
    autojump_clock: MockClock,
) -> None:
    started = trio.current_time()
    async with scripted(Target(timeout_s=5)) as (broker, connection):
        pass
    assert trio.current_time() - started == 5
    assert broker.said() == [ConnectionClose(200, "goodbye")]
    assert isinstance(connection.error, Closed)


async def test_the_brokers_goodbye_is_answered_and_raised() -> None:
    async with scripted() as (broker, connection):
        await broker.say(on(0, ConnectionClose(320, "CONNECTION_FORCED - shutdown")))
        with pytest.raises(ConnectionForced, match="shutdown"):
            await connection.wait_closed()
        assert broker.said() == [ConnectionCloseOk()]
        with pytest.raises(ConnectionForced):
            connection.check()


async def test_an_error_in_the_body_comes_out_as_it_is_and_hangs_up(broker: Served) -> None:
    with pytest.raises(KeyError, match="oops"):
        async with broker.channel():
            raise KeyError("oops")
    await wait_all_tasks_blocked()
    assert broker.rig.broker.connections == {}


async def test_a_broker_that_hangs_up_is_noticed_by_all_who_wait() -> None:
    async with scripted() as (broker, connection):
        async with trio.open_nursery() as nursery:

            async def wait() -> None:
                with pytest.raises(ConnectionLost, match="the broker hung up"):
                    await connection.channel()

            async def renew() -> None:
                with pytest.raises(ConnectionLost):
                    await connection.update_secret("new")

            nursery.start_soon(wait)
            nursery.start_soon(renew)
            await wait_all_tasks_blocked()
            await broker.hang_up()
        await connection.flush()


async def test_a_reset_is_a_broker_that_is_lost() -> None:
    ours, theirs = memory_stream_pair()

    async def break_off(_: int) -> bytes:
        raise trio.BrokenResourceError

    await ours.send_all(greeting())
    async with connect_over(theirs) as connection:
        theirs.receive_some = break_off  # type: ignore[method-assign,assignment]
        await ours.send_all(HEARTBEAT_FRAME)
        with pytest.raises(ConnectionLost, match="was reset"):
            await connection.wait_closed()


async def test_an_aborted_connection_says_nothing_more(broker: Served) -> None:
    async with broker.channel() as channel:
        await channel.declare_queue("q")
        await channel.publish(b"1", routing_key="q")
        delivery = await channel.get("q")
        assert delivery is not None
    async with broker.connection() as connection:
        channel = await connection.channel()
        await channel.declare_queue("q")
        await channel.publish(b"2", routing_key="q")
        delivery = await channel.get("q")
        assert delivery is not None
        channel.ack(delivery)
        connection.abort()
        with pytest.raises(ConnectionLost, match="we aborted"):
            await channel.qos(1)
        await wait_all_tasks_blocked()
        assert broker.rig.broker.connections == {}
        assert (broker.rig.queue("q").ready, broker.rig.queue("q").unacked) == (2, 0)


async def test_a_silent_client_is_given_up_by_the_broker(
    broker: Served, autojump_clock: MockClock
) -> None:
    async with broker.connection(Target(heartbeat_s=3)) as connection:
        channel = await connection.channel()
        await channel.declare_queue("q")
        await channel.publish(b"1", routing_key="q")
        await channel.consume("q")
        await trio.sleep(100)
        connection.heartbeat()
        await connection.flush()
        connection.fall_silent()
        silent = trio.current_time()
        await trio.sleep(10)
        assert broker.ended == [silent + 6]
        queue = broker.rig.queue("q")
        assert (queue.ready, connection.error) == (1, None)
    assert isinstance(connection.error, ConnectionLost)


async def test_a_silent_client_gets_no_answer_until_it_is_aborted(broker: Served) -> None:
    async with broker.connection() as connection:
        channel = await connection.channel()
        connection.fall_silent()
        with trio.move_on_after(0) as scope:
            await channel.qos(1)
        assert scope.cancelled_caught
        await wait_all_tasks_blocked()
        assert len(broker.rig.broker.connections) == 1
        connection.abort()
        await wait_all_tasks_blocked()
        assert broker.rig.broker.connections == {}


async def test_confirms_come_as_the_broker_sends_them() -> None:
    async with scripted() as (broker, connection), trio.open_nursery() as nursery:
        nursery.start_soon(broker.say, on(1, ChannelOpenOk()))
        channel = await connection.channel()
        nursery.start_soon(broker.say, on(1, ConfirmSelectOk()))
        await channel.select_confirms()
        confirms = [await channel.publish(b"") for _ in range(3)]
        await broker.say(on(1, BasicAck(2, True)))
        assert [confirm.done for confirm in confirms] == [True, True, False]
        connection.abort()
        with pytest.raises(ConnectionLost):
            await channel.wait_confirms()

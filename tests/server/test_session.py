"""Sessions, on streams in memory and in time that is not real."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import (
    MockClock,
    lockstep_stream_pair,
    memory_stream_pair,
    wait_all_tasks_blocked,
)

from amqplite.broker.redelivery import Cause
from amqplite.connection.connection import ConnectionLimits
from amqplite.protocol.codec import method_frame
from amqplite.protocol.frames import HEARTBEAT_FRAME
from amqplite.protocol.methods import (
    BasicConsume,
    BasicConsumeOk,
    BasicDeliver,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicQos,
    BasicQosOk,
    ConnectionClose,
    ConnectionCloseOk,
    QueueDeclare,
    QueueDeclareOk,
)
from amqplite.server.flusher import Flusher
from amqplite.server.session import CLOSE_TIMEOUT_S, JOURNAL_HIGH_BYTES, Session
from tests.broker.takers import message_of
from tests.connection.client import publish
from tests.rig import Rig
from tests.server.caller import PROTOCOL_HEADER, Caller, Faults, session_on

BAD_FRAME = HEARTBEAT_FRAME[:-1] + b"\x00"
TOLD = ConnectionClose(501, "FRAME_ERROR - frame ends in 0x00, not 0xce", 0, 0)


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue that needs no disk."""
    rig = Rig()
    rig.queue("q", durable=False)
    return rig


@asynccontextmanager
async def call(
    rig: Rig,
    limits: ConnectionLimits | None = None,
    *,
    flusher: Flusher | None = None,
    faults: Faults | None = None,
    lockstep: bool = False,
    heartbeat: int = 0,
) -> AsyncIterator[tuple[Caller, Session]]:
    """Have a session serve an open caller; it is over when the body is."""
    ours, theirs = lockstep_stream_pair() if lockstep else memory_stream_pair()
    session = session_on(ours, rig, limits, flusher=flusher, faults=faults)
    caller = Caller(theirs)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(session.run)
        await caller.open(heartbeat=heartbeat)
        yield caller, session
        await theirs.aclose()


async def talk_on(caller: Caller, *, every_s: float) -> None:
    """Say something until nobody listens."""
    while True:
        await trio.sleep(every_s)
        await caller.say(BasicQos())


# -- handshake -----------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [b"", b"AMQP", PROTOCOL_HEADER])
async def test_a_handshake_that_takes_too_long_is_cut_off(
    rig: Rig, autojump_clock: MockClock, said: bytes
) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(said)
    started = trio.current_time()
    await session_on(ours, rig).run()
    assert trio.current_time() - started == 10


async def test_talking_does_not_prolong_the_handshake(rig: Rig, autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    started = trio.current_time()

    async def dawdle() -> None:
        for octet in PROTOCOL_HEADER + HEARTBEAT_FRAME * 10:
            await trio.sleep(1)
            await theirs.send_all(bytes((octet,)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dawdle)
        await session_on(ours, rig).run()
        nursery.cancel_scope.cancel()
    assert trio.current_time() - started == 10


async def test_a_protocol_we_do_not_speak_is_answered_before_we_hang_up(rig: Rig) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(b"GET / HTTP/1.1\r\n\r\n")
    await session_on(ours, rig).run()
    assert await theirs.receive_some() == PROTOCOL_HEADER
    assert await theirs.receive_some() == b""


# -- heartbeats ----------------------------------------------------------------------------------


async def test_a_silent_client_is_dropped_after_two_heartbeats(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig, heartbeat=60) as (caller, session):
        await caller.say(BasicConsume(0, "q", "c"), publish(b"1"))
        await caller.hear(BasicDeliver)
        started = trio.current_time()
        heard = await caller.read_to_the_end()
    assert trio.current_time() - started == 120
    assert [one for one in heard[2:] if one != "heartbeat"] == []
    assert (rig.queue().ready, session.connection in rig.broker.connections) == (1, False)


async def test_any_octet_counts_as_a_heartbeat(rig: Rig, autojump_clock: MockClock) -> None:
    async with call(rig, heartbeat=60) as (caller, _):
        octets = method_frame(1, BasicQos())
        for octet in octets:
            await trio.sleep(119)
            await caller.say(bytes((octet,)))
        await caller.hear(BasicQosOk)


async def test_half_an_interval_without_output_brings_a_heartbeat(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig, heartbeat=60) as (caller, _):
        started, beats = trio.current_time(), list[float]()
        for _ in range(5):
            await caller.hear("heartbeat")
            beats.append(trio.current_time() - started)
            await caller.say(HEARTBEAT_FRAME)
    assert beats == [30, 60, 90, 120, 150]


async def test_output_puts_the_heartbeat_off(rig: Rig, autojump_clock: MockClock) -> None:
    async with call(rig, heartbeat=60) as (caller, _):
        for _ in range(10):
            await trio.sleep(29)
            await caller.say(BasicQos())
            await caller.hear(BasicQosOk)
        assert caller.heard == []
        started = trio.current_time()
        await caller.hear("heartbeat")
        assert trio.current_time() - started == 30


async def test_zero_is_no_heartbeat(rig: Rig, autojump_clock: MockClock) -> None:
    async with call(rig, heartbeat=0) as (caller, _):
        await trio.sleep(80_000)
        await caller.say(BasicQos())
        await caller.hear(BasicQosOk)
        assert caller.heard == []


async def test_while_we_do_not_read_silence_is_not_held_against_a_client(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig, heartbeat=60) as (caller, session):
        await caller.say(QueueDeclare(0, "d", durable=True))
        await wait_all_tasks_blocked()
        assert session.connection.paused
        await trio.sleep(1000)
        rig.commit()
        await caller.hear(QueueDeclareOk)
        await trio.sleep(119)
        await caller.say(BasicQos())
        await caller.hear(BasicQosOk)


# -- the end -------------------------------------------------------------------------------------


async def test_the_reason_is_sent_before_the_stream_is_closed(rig: Rig) -> None:
    async with call(rig) as (caller, _):
        await caller.say(BAD_FRAME)
        assert await caller.hear(ConnectionClose) == TOLD
        await caller.say(ConnectionCloseOk(), channel=0)
        assert await caller.read_to_the_end() == []


async def test_a_client_that_does_not_answer_our_close_is_hung_up_on(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig) as (caller, _):
        started = trio.current_time()
        await caller.say(BAD_FRAME)
        assert await caller.read_to_the_end() == [TOLD]
        assert trio.current_time() - started == CLOSE_TIMEOUT_S


async def test_talking_on_does_not_keep_a_closed_connection_open(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig) as (caller, session):
        started = trio.current_time()
        await caller.say(BAD_FRAME)
        with pytest.raises(trio.BrokenResourceError):
            await talk_on(caller, every_s=1)
        assert trio.current_time() - started <= CLOSE_TIMEOUT_S + 2
    assert session.connection.closed


async def test_a_client_that_closes_is_answered_and_hung_up_on(rig: Rig) -> None:
    async with call(rig) as (caller, _):
        await caller.say(ConnectionClose(200, "", 0, 0), channel=0)
        assert await caller.read_to_the_end() == [ConnectionCloseOk()]


async def test_close_ok_that_waits_for_the_disk_is_sent_before_the_end(rig: Rig) -> None:
    rig.queue("d")
    rig.commit()
    async with call(rig) as (caller, _):
        await caller.say(publish(b"1", "d"))
        await caller.say(ConnectionClose(200, "", 0, 0), channel=0)
        await wait_all_tasks_blocked()
        assert caller.heard == []
        rig.commit()
        assert await caller.read_to_the_end() == [ConnectionCloseOk()]


async def test_a_client_that_hangs_up_gives_back_what_it_held(rig: Rig) -> None:
    async with call(rig) as (caller, session):
        await caller.say(BasicConsume(0, "q", "c"), publish(b"1"))
        await caller.hear(BasicDeliver)
        assert rig.queue().unacked == 1
    assert (rig.queue().ready, session.connection.closed) == (1, True)
    assert rig.broker.connections == {}


async def test_a_stream_that_breaks_is_a_client_that_hung_up_and_told_apart(rig: Rig) -> None:
    ours, theirs = memory_stream_pair()

    async def break_off(_: int) -> bytes:
        raise trio.BrokenResourceError

    session = session_on(ours, rig)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(session.run)
        caller = await Caller(theirs).open()
        await caller.say(BasicConsume(0, "q", "c"), publish(b"1"))
        await caller.hear(BasicDeliver)
        ours.receive_some = break_off  # type: ignore[method-assign,assignment]
        with pytest.raises(trio.BrokenResourceError):
            await talk_on(caller, every_s=0)
    assert session.connection.closed
    assert rig.queue().returned == {Cause.CONNECTION_RESET: 1}


async def test_a_shutdown_is_told_and_waits_for_the_answer(rig: Rig) -> None:
    async with call(rig) as (caller, session):
        session.shut_down()
        text = "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'"
        assert await caller.hear(ConnectionClose) == ConnectionClose(320, text, 0, 0)
        assert rig.broker.connections == {}
        await caller.say(ConnectionCloseOk(), channel=0)
        assert await caller.read_to_the_end() == []


async def test_a_client_that_does_not_read_our_last_words_is_left(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig, lockstep=True) as (caller, session):
        await caller.say(BAD_FRAME)
        await trio.sleep(CLOSE_TIMEOUT_S + 1)
        assert session.connection.closed


# -- reading and writing -------------------------------------------------------------------------


async def test_a_client_that_does_not_read_is_still_read_from(rig: Rig) -> None:
    async with call(rig, lockstep=True) as (caller, _):
        await caller.say(BasicConsume(0, "q", "c", no_ack=True, no_wait=True))
        for _ in range(5):
            await caller.say(publish(b"1"))  # in lockstep: each was received
        await wait_all_tasks_blocked()
        assert rig.queue().ready == 0
        for _ in range(5):
            await caller.hear(BasicDeliver)


async def test_a_client_that_neither_reads_nor_talks_is_dropped_while_we_write(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig, lockstep=True, heartbeat=60) as (caller, session):
        await caller.say(BasicQos())
        await trio.sleep(119)
        assert session.connection in rig.broker.connections
        await trio.sleep(2)
        assert session.connection not in rig.broker.connections


async def test_a_client_that_talks_and_does_not_read_is_kept(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig, lockstep=True, heartbeat=60) as (caller, session):
        await caller.say(BasicQos())
        for _ in range(10):
            await trio.sleep(100)
            await caller.say(HEARTBEAT_FRAME)
        assert session.connection in rig.broker.connections


async def test_what_one_read_causes_leaves_in_one_piece(rig: Rig) -> None:
    async with call(rig) as (caller, _):
        await caller.say(*[BasicQos()] * 5, BasicGet(0, "q"))
        assert await caller.read()
        assert [type(one) for one in caller.heard] == [BasicQosOk] * 5 + [BasicGetEmpty]


async def test_a_large_message_comes_in_frames_and_whole(rig: Rig) -> None:
    async with call(rig) as (caller, _):
        body = bytes(range(256)) * 2000
        await caller.say(publish(body), BasicGet(0, "q"))
        await caller.hear(BasicGetOk)
        while sum(len(one) for one in caller.heard if isinstance(one, bytes)) < len(body):
            assert await caller.read()
        _, *bodies = caller.heard  # behind the header
        assert b"".join(one for one in bodies if isinstance(one, bytes)) == body


async def test_reading_goes_on_when_a_reply_has_had_its_disk(rig: Rig) -> None:
    async with call(rig) as (caller, session):
        await caller.say(QueueDeclare(0, "d", durable=True))
        await caller.say(BasicQos())
        await wait_all_tasks_blocked()
        assert session.connection.paused
        rig.commit()
        await caller.hear(QueueDeclareOk)
        await caller.hear(BasicQosOk)


async def test_a_publisher_is_read_from_slowly_while_its_consumers_are_behind(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig) as (caller, _):
        await caller.say(BasicQos(0, 1, False), BasicConsume(0, "q", "c"))
        await caller.hear(BasicConsumeOk)
        flood = publish(b"x" * 1000) * 3000
        started = trio.current_time()
        await caller.say(flood)
        await caller.say(BasicGet(0, "q"))
        await caller.hear(BasicGetOk)
        assert 0.1 < trio.current_time() - started < 1


async def test_a_publisher_goes_on_at_once_when_its_consumers_have_caught_up(
    rig: Rig, autojump_clock: MockClock
) -> None:
    async with call(rig) as (caller, _), call(rig) as (consumer, _):
        await consumer.say(BasicQos(0, 1, False), BasicConsume(0, "q", "c"))
        await consumer.hear(BasicConsumeOk)
        await caller.say(publish(b"x" * 100) * 1500)
        await wait_all_tasks_blocked()
        started = trio.current_time()
        rig.queue().purge()
        await caller.say(BasicGet(0, "q"))
        await caller.hear(BasicGetEmpty)
        assert trio.current_time() == started


async def test_a_publisher_waits_for_every_queue_it_has_flooded(
    rig: Rig, autojump_clock: MockClock
) -> None:
    rig.queue("q2", durable=False)
    async with call(rig) as (caller, _), call(rig) as (consumer, _):
        await consumer.say(BasicQos(0, 1, False))
        await consumer.say(BasicConsume(0, "q", "1"), BasicConsume(0, "q2", "2"))
        await consumer.hear(BasicConsumeOk)
        await caller.say(publish(b"x" * 100, "q") * 1500 + publish(b"x" * 100, "q2") * 1500)
        await wait_all_tasks_blocked()
        started = trio.current_time()
        rig.queue("q2").purge()
        await wait_all_tasks_blocked()
        await caller.say(BasicGet(0, "q"))
        await wait_all_tasks_blocked()
        assert caller.heard == []
        rig.queue("q").purge()
        await caller.hear(BasicGetEmpty)
        assert trio.current_time() == started


async def test_a_publisher_waits_while_too_much_waits_for_the_disk(
    rig: Rig, autojump_clock: MockClock
) -> None:
    rig.queue("d")
    rig.commit()
    async with call(rig, heartbeat=60) as (caller, _):
        body = b"x" * 100_000
        count = JOURNAL_HIGH_BYTES // len(body) + 3
        for _ in range(count):
            await caller.say(publish(body, "d"))
        await wait_all_tasks_blocked()
        assert rig.queue("d").ready < count
        assert rig.journal.urgent
        await trio.sleep(1000)
        while rig.queue("d").ready < count:
            rig.commit()
            await wait_all_tasks_blocked()


# -- faults --------------------------------------------------------------------------------------


async def test_a_fault_in_a_frame_is_reported_and_told(rig: Rig) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    rig.queue("full", durable=False, max_length=0).dead_letter = fail
    faults = Faults()
    async with call(rig, faults=faults) as (caller, _):
        await caller.say(publish(b"1", "full"))
        close = await caller.hear(ConnectionClose)
        assert isinstance(close, ConnectionClose)
        assert close.reply_code == 541
    assert [type(fault) for fault in faults] == [ZeroDivisionError]


async def test_a_fault_elsewhere_ends_its_session_alone(rig: Rig) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    faults = Faults()
    async with call(rig) as (healthy, _), call(rig, faults=faults) as (caller, session):
        session.connection.flushed = fail  # type: ignore[method-assign]
        await caller.say(BasicQos())
        heard = await caller.read_to_the_end()
        assert heard == [BasicQosOk()]
        await healthy.say(BasicQos())
        await healthy.hear(BasicQosOk)
    assert len(faults) == 1


async def test_a_fault_does_not_hold_up_what_was_to_be_written_to_others(rig: Rig) -> None:
    def fail(_: bytes) -> None:
        rig.queue().push(message_of(b"1", persistent=False))
        raise ZeroDivisionError

    flusher, faults = Flusher(), Faults()
    async with (
        call(rig, flusher=flusher) as (consumer, _),
        call(rig, flusher=flusher, faults=faults) as (caller, session),
    ):
        await consumer.say(BasicConsume(0, "q", "c"))
        await consumer.hear(BasicConsumeOk)
        session.connection.receive_data = fail  # type: ignore[method-assign]
        await caller.say(BasicQos())
        with trio.fail_after(5):
            await consumer.hear(BasicDeliver)
    assert len(faults) == 1


# -- sockets -------------------------------------------------------------------------------------


@asynccontextmanager
async def call_by_socket(
    rig: Rig, flusher: Flusher, limits: ConnectionLimits | None = None
) -> AsyncIterator[tuple[Caller, Session]]:
    one, two = trio.socket.socketpair()
    session = session_on(trio.SocketStream(one), rig, limits, flusher=flusher)
    caller = Caller(trio.SocketStream(two))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(session.run)
        await caller.open()
        yield caller, session
        await caller.stream.aclose()


async def test_what_a_read_causes_on_a_socket_is_there_when_the_read_is_done(rig: Rig) -> None:
    async with call_by_socket(rig, Flusher()) as (caller, session):
        await caller.say(BasicConsume(0, "q", "c"), publish(b"1"))
        await caller.hear(BasicDeliver)
        assert session.connection.outbox.chunks == []


async def test_what_goes_on_when_the_outbox_was_written_is_written_too(rig: Rig) -> None:
    small = ConnectionLimits(outbox_high_bytes=1000)
    async with call_by_socket(rig, Flusher(), small) as (caller, _):
        await caller.say(*[BasicQos()] * 1000)
        for _ in range(1000):
            await caller.hear(BasicQosOk)


async def test_a_commit_writes_to_whoever_waited_for_it(rig: Rig) -> None:
    flusher = Flusher()
    async with call_by_socket(rig, flusher) as (caller, session):
        await caller.say(QueueDeclare(0, "d", durable=True))
        while not session.connection.paused:
            await trio.lowlevel.checkpoint()
        with flusher.gathering():
            rig.commit()
        await caller.hear(QueueDeclareOk)


async def test_a_socket_that_takes_no_more_is_written_to_by_the_writers_task(rig: Rig) -> None:
    body = bytes(100_000)
    async with call_by_socket(rig, Flusher()) as (caller, _):
        await caller.say(BasicConsume(0, "q", "c", no_ack=True))
        await caller.hear(BasicConsumeOk)
        received = 0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_flood, caller, body, 40)
            while received < 40 * len(body):
                assert await caller.read()
                bodies = [one for one in caller.heard if isinstance(one, bytes) and len(one) > 20]
                received += sum(len(one) for one in bodies)
                caller.heard.clear()
        assert received == 40 * len(body)


async def test_a_message_larger_than_a_socket_takes_arrives_whole(rig: Rig) -> None:
    small = ConnectionLimits(outbox_high_bytes=1000)
    async with call_by_socket(rig, Flusher(), small) as (caller, _):
        await caller.say(BasicConsume(0, "q", "c", no_ack=True))
        await caller.hear(BasicConsumeOk)
        for body in (bytes(10_000_000), b"behind it"):
            rig.queue().push(message_of(body, persistent=False))
        await caller.hear(BasicDeliver)
        while not caller.heard or caller.heard[-1] != b"behind it":
            assert await caller.read()
        bodies = [one for one in caller.heard if isinstance(one, bytes)][1:-2]  # between headers
        assert b"".join(bodies) == bytes(10_000_000)


async def _flood(caller: Caller, body: bytes, count: int) -> None:
    for _ in range(count):
        await caller.say(publish(body))


async def test_a_socket_whose_peer_is_gone_ends_its_session(rig: Rig) -> None:
    async with call_by_socket(rig, Flusher()) as (caller, session):
        await caller.say(BasicConsume(0, "q", "c", no_ack=True))
        await caller.hear(BasicConsumeOk)
        await caller.stream.aclose()
        for _ in range(3):
            rig.queue().push(message_of(b"1", persistent=False))
    assert session.connection.closed

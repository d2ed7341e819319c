"""Listening, accepting and draining, on sockets of this machine."""

import errno
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from socket import IPPROTO_TCP, TCP_CONGESTION

import pytest
import trio
from trio.testing import MockClock

from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.protocol.methods import BasicQos, BasicQosOk, ConnectionClose, ConnectionCloseOk
from amqplite.server.clock import Clock
from amqplite.server.flusher import Flusher
from amqplite.server.listener import Listener, listen, peer_of
from tests.rig import Rig
from tests.server.caller import Caller

FORCED = ConnectionClose(
    320, "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'", 0, 0
)


def listener_of(rig: Rig) -> Listener:
    return Listener(
        rig.broker,
        Clock(),
        ConnectionLimits(),
        Flusher(),
        handshake_timeout_s=10,
        on_fault=lambda _: None,
    )


@asynccontextmanager
async def calls(listener: Listener, count: int) -> AsyncIterator[list[Caller]]:
    """Have so many callers be served, and hang up at the end."""
    (socket,) = await listen("127.0.0.1", 0)
    port = socket.socket.getsockname()[1]
    async with socket, trio.open_nursery() as nursery, AsyncExitStack() as stack:
        callers = []
        for _ in range(count):
            stream = await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", port))
            nursery.start_soon(listener.serve, await socket.accept())
            callers.append(await Caller(stream).open())
        yield callers


async def test_a_free_port_is_the_same_on_every_address() -> None:
    sockets = await listen("localhost", 0)
    assert len({socket.socket.getsockname()[1] for socket in sockets}) == 1
    port = sockets[0].socket.getsockname()[1]
    for socket in sockets:
        await socket.aclose()
    (again,) = await listen("127.0.0.1", port)
    assert again.socket.getsockname() == ("127.0.0.1", port)
    await again.aclose()


async def test_a_port_in_use_is_an_error() -> None:
    (first,) = await listen("127.0.0.1", 0)
    with pytest.raises(OSError) as caught:  # noqa: PT011
        await listen("127.0.0.1", first.socket.getsockname()[1])
    assert caught.value.errno == errno.EADDRINUSE
    await first.aclose()


async def test_nothing_slows_down_a_connection_within_the_machine() -> None:
    (listening,) = await listen("127.0.0.1", 0)
    async with listening, trio.open_nursery() as nursery:
        theirs = await trio.open_tcp_stream("127.0.0.1", listening.socket.getsockname()[1])
        ours = await listening.accept()
        async with theirs:
            nursery.start_soon(listener_of(Rig()).serve, ours)
            await Caller(theirs).open()
            control = ours.getsockopt(IPPROTO_TCP, TCP_CONGESTION, 16)
            assert control.rstrip(b"\0") == b"reno"


async def test_who_is_at_the_other_end() -> None:
    (socket,) = await listen("127.0.0.1", 0)
    port = socket.socket.getsockname()[1]
    theirs = await trio.open_tcp_stream("127.0.0.1", port)
    ours = await socket.accept()
    their_port = theirs.socket.getsockname()[1]
    assert peer_of(ours) == Peer(f"127.0.0.1:{their_port} -> 127.0.0.1:{port}", True)
    for stream in (theirs, ours, socket):
        await stream.aclose()
    assert peer_of(ours) == Peer("gone", False)


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("128.0.0.1", False),
    ],
)
def test_who_is_on_this_machine(address: str, loopback: bool) -> None:
    class Socket:
        def getpeername(self) -> tuple[str, int]:
            return address, 1234

        def getsockname(self) -> tuple[str, int]:
            return "1.2.3.4", 5672

    class Stream:
        socket = Socket()

    peer = peer_of(Stream())  # type: ignore[arg-type]
    assert peer == Peer(f"{address}:1234 -> 1.2.3.4:5672", loopback)


async def test_sessions_are_known_while_they_run() -> None:
    rig = Rig()
    listener = listener_of(rig)
    async with calls(listener, 2) as callers:
        await callers[0].say(BasicQos())
        await callers[0].hear(BasicQosOk)
        assert len(listener.sessions) == len(rig.broker.connections) == 2
    assert listener.sessions == {}


async def test_a_drain_tells_everybody_and_waits_for_their_answers() -> None:
    listener = listener_of(Rig())
    async with calls(listener, 3) as callers, trio.open_nursery() as nursery:
        nursery.start_soon(listener.drain, 1000)
        for caller in callers:
            assert await caller.hear(ConnectionClose) == FORCED
        assert len(listener.sessions) == 3
        for caller in callers:
            await caller.say(ConnectionCloseOk(), channel=0)
            assert await caller.read_to_the_end() == []
    assert listener.sessions == {}


async def test_a_drain_waits_for_no_answer_longer_than_it_may(autojump_clock: MockClock) -> None:
    listener = listener_of(Rig())
    async with calls(listener, 1):
        started = trio.current_time()
        await listener.drain(5)
        assert trio.current_time() - started == 5


async def test_a_drain_of_nobody_is_done_at_once() -> None:
    with trio.fail_after(5):
        await listener_of(Rig()).drain(1000)

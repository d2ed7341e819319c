"""Transports: what goes in comes out, in order, however little a socket takes at a time."""

import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from amqplite.connection.outbox import Outbox
from amqplite.server.transport import READ_SIZE, SocketTransport, Transport, transport_over

SENT = [
    pytest.param([b"a", b"bc"], id="small pieces"),
    pytest.param([b"x" * 5000], id="one large piece"),
    pytest.param([b"a", b"b" * 300_000, b"", b"c", b"d" * 300_000, b"e"], id="of both kinds"),
    pytest.param([bytes((n % 256,)) * 100_000 for n in range(50)], id="more than fits"),
    pytest.param([bytes((n % 256,)) * 5000 for n in range(2500)], id="more than go in one call"),
    pytest.param([b"x" * 4096, memoryview(b"abc" * 9000)[1:]], id="a view among them"),
]


def gathered(pieces: Sequence[bytes | memoryview]) -> Outbox:
    outbox = Outbox(1 << 20, lambda: None, lambda: None)
    for piece in pieces:
        outbox.send(piece)
    return outbox


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[SocketTransport, trio.SocketStream]]:
    """Yield a socket's transport, and the other end."""
    ours, theirs = (trio.SocketStream(end) for end in trio.socket.socketpair())
    transport = transport_over(ours)
    assert isinstance(transport, SocketTransport)
    async with ours, theirs:
        yield transport, theirs


# -- writing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", SENT)
async def test_what_is_written_when_there_is_room_comes_out(pieces: list[bytes]) -> None:
    outbox, heard = gathered(pieces), b""
    async with connected() as (transport, theirs), trio.open_nursery() as nursery:

        @nursery.start_soon
        async def write() -> None:
            while outbox.chunks:
                await transport.write(outbox)

        while len(heard) < sum(map(len, pieces)):
            heard += await theirs.receive_some()
    assert heard == b"".join(pieces)


@pytest.mark.parametrize("pieces", SENT)
async def test_what_is_written_at_once_and_what_is_left_are_all_there_was(
    pieces: list[bytes],
) -> None:
    outbox, heard = gathered(pieces), b""
    async with connected() as (transport, theirs):
        while outbox.chunks:
            transport.write_now(outbox)
            heard += await theirs.receive_some()
        while len(heard) < sum(map(len, pieces)):
            heard += await theirs.receive_some()
    assert heard == b"".join(pieces)


async def test_where_there_is_no_room_nothing_is_lost_and_nobody_waits() -> None:
    async with connected() as (transport, _):
        outbox = gathered([])
        while outbox.size < 1_000_000:
            outbox.send(b"x" * 100_000)
            transport.write_now(outbox)
        before = outbox.size
        outbox.send(b"y")
        transport.write_now(outbox)
        assert (outbox.size, b"".join(outbox.chunks)[-1:]) == (before + 1, b"y")


async def test_what_gathers_while_there_is_no_room_is_written_with_the_rest() -> None:
    async with connected() as (transport, theirs), trio.open_nursery() as nursery:
        outbox = gathered([b"x" * 10_000_000])
        transport.write_now(outbox)
        nursery.start_soon(transport.write, outbox)
        await wait_all_tasks_blocked()
        left = outbox.size
        outbox.send(b"y")
        assert left
        heard = b""
        while not heard.endswith(b"y"):
            heard += await theirs.receive_some()
            transport.write_now(outbox)
    assert heard == b"x" * 10_000_000 + b"y"


async def test_a_client_that_is_gone_breaks_what_waits_and_nothing_else() -> None:
    async with connected() as (transport, theirs):
        await theirs.aclose()
        outbox = gathered([b"a", b"b"])
        transport.write_now(outbox)
        assert b"".join(outbox.chunks) == b"ab"
        with pytest.raises(trio.BrokenResourceError):
            await transport.write(outbox)


async def test_a_number_that_is_another_files_by_now_is_not_written_to() -> None:
    async with connected() as (transport, _):
        await transport.close()
        one, two = socket.socketpair()
        with one, two:
            two.setblocking(False)
            outbox = gathered([b"a"])
            transport.write_now(outbox)
            assert outbox.chunks == [b"a"]
            with pytest.raises(BlockingIOError):
                two.recv(1)


# -- reading -------------------------------------------------------------------------------------


async def test_what_has_come_is_read_at_once_up_to_a_limit() -> None:
    async with connected() as (transport, theirs), trio.open_nursery() as nursery:
        sent = bytes(range(256)) * (READ_SIZE // 100)
        nursery.start_soon(theirs.send_all, sent)
        heard = b""
        while len(heard) < len(sent):
            data = await transport.receive()
            assert 0 < len(data) <= READ_SIZE
            heard += data
        assert heard == sent


async def test_the_end_is_no_octets() -> None:
    async with connected() as (transport, theirs):
        await theirs.send_all(b"last")
        await theirs.aclose()
        assert await transport.receive() == b"last"
        assert await transport.receive() == b""


async def test_who_comes_too_late_for_an_octet_waits_for_the_next() -> None:
    async with connected() as (transport, theirs), trio.open_nursery() as nursery:
        twin = trio.socket.from_stdlib_socket(socket.socket(fileno=os.dup(transport.fd)))
        heard: list[bytes] = []

        async def read(one: Transport) -> None:
            heard.append(await one.receive())

        async with trio.SocketStream(twin) as other:
            nursery.start_soon(read, transport)
            nursery.start_soon(read, transport_over(other))
            await wait_all_tasks_blocked()
            await theirs.send_all(b"1")
            await wait_all_tasks_blocked()
            assert heard == [b"1"]
            await theirs.send_all(b"2")
            await wait_all_tasks_blocked()
            assert heard == [b"1", b"2"]


async def test_a_client_that_resets_breaks_the_stream() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        theirs = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
        ours = await listener.accept()
        async with ours:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            await theirs.aclose()
            with pytest.raises(trio.BrokenResourceError):
                await transport_over(ours).receive()


async def test_closing_ends_a_read() -> None:
    async with connected() as (transport, _), trio.open_nursery() as nursery:

        @nursery.start_soon
        async def read() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await transport.receive()

        await wait_all_tasks_blocked()
        await transport.close()


# -- any other stream ----------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", SENT)
async def test_a_stream_of_any_kind_gets_all_in_one_piece(pieces: list[bytes]) -> None:
    ours, theirs = memory_stream_pair()
    transport, outbox = transport_over(ours), gathered(pieces)
    transport.write_now(outbox)
    assert outbox.chunks == pieces
    await transport.write(outbox)
    assert outbox.chunks == []
    assert await theirs.receive_some() == b"".join(pieces)
    await theirs.send_all(b"x")
    assert await transport.receive() == b"x"
    await transport.close()
    assert await theirs.receive_some() == b""

import socket

import pytest
import trio

from amqplite.server.gather import send_all, write_some


class Sink:
    """A stream that is no socket: keeps what it is sent, call by call."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    async def send_all(self, data: bytes) -> None:
        self.sent.append(data)


async def received(pieces: list[bytes]) -> bytes:
    """Send `pieces` through a socket whose reader is slow; return what came out."""
    one, two = (trio.SocketStream(end) for end in trio.socket.socketpair())
    octets = b""

    async def read() -> None:
        nonlocal octets
        async for data in two:
            octets += bytes(data)

    async with two, trio.open_nursery() as nursery:
        nursery.start_soon(read)
        async with one:
            await send_all(one, pieces, sum(map(len, pieces)))
    return octets


@pytest.mark.parametrize("pieces", [[], [b"a", b"bc"], [b"x" * 10_000] * 3])
async def test_what_is_no_socket_gets_all_in_one_piece(pieces: list[bytes]) -> None:
    sink = Sink()
    await send_all(sink, pieces, sum(map(len, pieces)))  # type: ignore[arg-type]
    assert sink.sent == [b"".join(pieces)]


@pytest.mark.parametrize(
    ("size", "count"), [(10, 3), (5000, 1), (5000, 3), (100_000, 50), (5000, 2500), (0, 3)]
)
async def test_what_goes_in_comes_out(size: int, count: int) -> None:
    pieces = [bytes((number % 256,)) * size for number in range(count)]
    assert await received(pieces) == b"".join(pieces)


async def test_small_and_large_pieces_keep_their_order() -> None:
    pieces = [b"a", b"b" * 300_000, b"", b"c", b"d" * 300_000, b"e"]
    assert await received(pieces) == b"".join(pieces)


async def test_a_peer_that_is_gone_breaks_the_stream() -> None:
    one, two = (trio.SocketStream(end) for end in trio.socket.socketpair())
    await two.aclose()
    async with one:
        with pytest.raises(trio.BrokenResourceError):
            await send_all(one, [b"x" * 100_000], 100_000)


# -- without waiting -----------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "count"), [(10, 3), (5000, 3), (8000, 1), (5000, 1500), (0, 2)])
def test_what_is_written_and_what_is_left_are_all_there_was(size: int, count: int) -> None:
    one, two = socket.socketpair()
    with one, two:
        one.setblocking(False)
        two.setblocking(False)
        pieces = [bytes((number % 256,)) * size for number in range(count)]
        octets, left = b"".join(pieces), list(pieces)
        received = b""
        while left:
            left = write_some(one.fileno(), left, sum(map(len, left)))
            if left or len(received) < len(octets):
                received += two.recv(1 << 20)
        while len(received) < len(octets):
            received += two.recv(1 << 20)
        assert received == octets


def test_where_there_is_no_room_all_is_left() -> None:
    one, two = socket.socketpair()
    with one, two:
        one.setblocking(False)
        while write_some(one.fileno(), [b"x" * 100_000], 100_000) == []:
            pass
        assert write_some(one.fileno(), [b"x" * 100_000, b"y"], 100_001)[-1] == b"y"


def test_where_there_is_no_peer_all_is_left() -> None:
    one, two = socket.socketpair()
    with one:
        two.close()
        assert write_some(one.fileno(), [b"a", b"b"], 2) == [b"ab"]

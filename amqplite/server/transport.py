"""Octets from a client and to it: over a socket by system calls, over any other stream by trio's.

trio's own calls give other tasks a turn whether or not they had to wait, and read before they wait,
mostly in vain. A turn costs as much as several small messages do: here a read takes one, and a
write that needn't wait takes none.
"""

import os
from typing import Protocol

import trio
from trio.lowlevel import wait_readable, wait_writable

from amqplite.connection.outbox import Outbox
from amqplite.protocol.frames import Octets

READ_SIZE = 512 * 1024
"""Octets asked for at a time: a busy publisher fills hundreds of frames into one read."""

COPY_MAX = 4096
"""Pieces that are on average no larger are joined: copying them costs less than listing them."""

PIECES_MAX = 1024
"""Pieces the kernel takes in one call (IOV_MAX)."""


class Transport(Protocol):
    """Where a connection's octets come from and go to.

    Calls that wait raise `trio.BrokenResourceError` or `trio.ClosedResourceError` once the client
    is gone.
    """

    async def receive(self) -> bytes:
        """Return what has come, as soon as there is something; nothing at the end."""
        ...

    async def write(self, outbox: Outbox) -> None:
        """Wait until something of what has gathered can be written, and write that."""
        ...

    def write_now(self, outbox: Outbox) -> None:
        """Write what can be written without waiting, and leave the rest."""
        ...

    async def close(self) -> None:
        """Hang up, without waiting for anybody."""
        ...


def transport_over(stream: trio.abc.Stream) -> Transport:
    """Return the transport for a stream."""
    return SocketTransport(stream) if isinstance(stream, trio.SocketStream) else Plain(stream)


class Plain:
    """A `Transport` over a stream of any kind. It writes nothing without waiting."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def receive(self) -> bytes:
        """See `Transport`."""
        return bytes(await self._stream.receive_some(READ_SIZE))

    async def write(self, outbox: Outbox) -> None:
        """See `Transport`."""
        await self._stream.send_all(b"".join(outbox.take()))

    def write_now(self, outbox: Outbox) -> None:
        """See `Transport`."""

    async def close(self) -> None:
        """See `Transport`."""
        await trio.aclose_forcefully(self._stream)


class SocketTransport:
    """A `Transport` over a socket.

    Attributes:
        fd: the socket's file descriptor; -1 once it is closed.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self.fd = stream.socket.fileno()

    async def receive(self) -> bytes:
        """See `Transport`."""
        while True:
            await wait_readable(self.fd)
            try:
                return os.read(self.fd, READ_SIZE)
            except BlockingIOError:
                continue
            except OSError as error:
                raise trio.BrokenResourceError from error

    async def write(self, outbox: Outbox) -> None:
        """See `Transport`."""
        await wait_writable(self.fd)
        error = self._write(outbox)
        if error is not None:
            raise trio.BrokenResourceError from error

    def write_now(self, outbox: Outbox) -> None:
        """See `Transport`. Whoever waits for the rest finds out if there is no client any more."""
        self._write(outbox)

    async def close(self) -> None:
        """See `Transport`."""
        self.fd = -1  # the number may soon be another file's
        await trio.aclose_forcefully(self._stream)

    def _write(self, outbox: Outbox) -> OSError | None:
        """Write what there is room for; return why there never will be any."""
        size = outbox.size
        pieces = outbox.take()
        if size <= COPY_MAX * len(pieces):
            pieces = [b"".join(pieces)]
        try:
            sent = os.writev(self.fd, pieces[:PIECES_MAX])
        except OSError as error:
            outbox.put_back(pieces)
            return None if isinstance(error, BlockingIOError) else error
        left = _behind(pieces, sent)
        if left:
            outbox.put_back(left)
        return None


def _behind(pieces: list[Octets], sent: int) -> list[Octets]:
    """Return what is left of `pieces` after `sent` octets."""
    for index, piece in enumerate(pieces):
        if sent < len(piece):
            return [memoryview(piece)[sent:], *pieces[index + 1 :]]
        sent -= len(piece)
    return []

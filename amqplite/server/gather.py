"""Sending many pieces in one go."""

import os

import trio

COPY_MAX = 4096
"""Pieces that are on average no larger are joined: copying them costs less than listing them."""

_PIECES_MAX = 1024
"""Pieces the kernel takes in one call (IOV_MAX)."""


def write_some(fd: int, pieces: list[bytes], size: int) -> list[bytes]:
    """Write what the socket `fd` takes without waiting; return what is left of `pieces`.

    Also when there is no peer any more: whoever waits for the rest will find out.
    """
    if size <= COPY_MAX * len(pieces) or len(pieces) > _PIECES_MAX:
        pieces = [b"".join(pieces)]
    try:
        sent = os.writev(fd, pieces)
    except OSError:
        return pieces
    return _behind(pieces, sent)


async def send_all(stream: trio.abc.SendStream, pieces: list[bytes], size: int) -> None:
    """Send `pieces` in order; `size` is about what they have together.

    Raises:
        trio.BrokenResourceError: the peer is gone.
    """
    if size <= COPY_MAX * len(pieces) or not isinstance(stream, trio.SocketStream):
        await stream.send_all(b"".join(pieces))
        return
    for start in range(0, len(pieces), _PIECES_MAX):
        await _gather(stream, pieces[start : start + _PIECES_MAX])


async def _gather(stream: trio.SocketStream, pieces: list[bytes]) -> None:
    """Send at most `_PIECES_MAX` pieces without a copy."""
    left = sum(map(len, pieces))
    while left:
        try:
            sent = await stream.socket.sendmsg(pieces)
        except OSError as error:
            raise trio.BrokenResourceError from error
        left -= sent
        if left:
            pieces = _behind(pieces, sent)


def _behind(pieces: list[bytes], sent: int) -> list[bytes]:
    """Return what is left of `pieces` after `sent` octets."""
    for index, piece in enumerate(pieces):
        if sent < len(piece):
            return [piece[sent:], *pieces[index + 1 :]]
        sent -= len(piece)
    return []

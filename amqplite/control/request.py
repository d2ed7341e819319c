"""A request as it came, before anybody has looked at its path."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import trio


@dataclass(frozen=True, slots=True)
class Peer:
    """Who asks.

    Attributes:
        address: of the socket's other end, without its port.
        loopback: it is this very machine.
    """

    address: str
    loopback: bool


def peer_of(stream: trio.SocketStream) -> Peer:
    """Return who is at the other end of a socket."""
    try:
        address = stream.socket.getpeername()[0].removeprefix("::ffff:")
    except OSError:
        return Peer("gone", False)
    return Peer(address, address == "::1" or address.startswith("127."))


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        target: raw, as it stood in the request line: nothing is decoded or joined.
        headers: by name, in small letters.
        read: reads the whole body, once. It raises HttpError if it is too large, and what it
            raises beside that must be passed on. A client that waits for 100 (Continue) gets it
            by this call, so that nobody sends what would be refused.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    peer: Peer
    read: Callable[[], Awaitable[bytes]]

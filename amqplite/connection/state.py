"""Where a connection is in its life."""

from enum import Enum


class State(Enum):
    """The states of a connection, in order."""

    HANDSHAKE = "handshake"
    OPEN = "open"
    CLOSING = "we have said close and wait for close-ok"
    CLOSED = "closed"

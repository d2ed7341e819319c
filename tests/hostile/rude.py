"""A peer without manners."""

import select
from itertools import repeat

from tests.wire.peer import HEADER, Peer

STUCK_S = 2.0
"""A broker that has read nothing for that long has stopped to read."""


class Rude(Peer):
    """A peer that can also talk without listening, and be refused before it is let in."""

    def expect_header_and_end(self) -> None:
        """See that the broker answers with the protocol header it speaks, and hangs up."""
        octets = b""
        while piece := self.read():
            octets += piece
        assert octets == HEADER

    def shout(self, octets: bytes, times: int) -> int:
        """Send `octets` so many times, or until the broker reads no more; return how many were."""
        self._socket.setblocking(False)
        for done, piece in enumerate(repeat(memoryview(octets), times)):
            rest = piece
            while rest:
                if not select.select([], [self._socket], [], STUCK_S)[1]:
                    return done
                rest = rest[self._socket.send(rest) :]
        return times

"""Streams in memory, between a client and a broker that share a timeline.

What one end writes comes to the other in one piece, when all tasks have done what they could: into
how many pieces it was written, and who wrote first, leaves no trace.
"""

import trio

from amqplite.lab.playing.timeline import Timeline


class End(trio.abc.Stream):
    """One end of a wire.

    Args:
        address: which wire, and which end of it: what arrives at the same instant does so in this
            order.
        resets: closing it looks like a crash to the peer, and not like a goodbye.
    """

    def __init__(self, timeline: Timeline, address: tuple[int, int], *, resets: bool) -> None:
        self._timeline = timeline
        self._address = address
        self._resets = resets
        self._peer: End = self
        self._outgoing = bytearray()
        self._incoming = bytearray()
        self._arrived = trio.Event()
        self._closed = self._over = self._broken = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send octets; see `trio.abc.SendStream.send_all`."""
        await trio.lowlevel.checkpoint()
        self._require_open()
        if self._broken:
            raise trio.BrokenResourceError("reset")
        self._outgoing += data
        self._timeline.cross(self._address, self._cross)

    async def wait_send_all_might_not_block(self) -> None:
        """Return at once."""
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive octets; see `trio.abc.ReceiveStream.receive_some`."""
        await trio.lowlevel.checkpoint()
        while True:
            self._require_open()
            if self._broken:
                raise trio.BrokenResourceError("reset")
            if self._incoming or self._over:
                break
            self._arrived = trio.Event()
            await self._arrived.wait()
        size = len(self._incoming) if max_bytes is None else max_bytes
        received = bytes(self._incoming[:size])
        del self._incoming[:size]
        return received

    async def aclose(self) -> None:
        """Close it; what was sent before still arrives."""
        if not self._closed:
            self._closed = True
            self._arrived.set()
            self._timeline.cross(self._address, self._cross)
        await trio.lowlevel.checkpoint()

    def _require_open(self) -> None:
        if self._closed:
            raise trio.ClosedResourceError

    def _cross(self) -> None:
        peer = self._peer
        peer._incoming += self._outgoing
        self._outgoing.clear()
        if self._closed:
            peer._over, peer._broken = True, self._resets
        peer._arrived.set()


def wire(timeline: Timeline, number: int) -> tuple[End, End]:
    """Return a client's end and a broker's of a new wire; numbers are unique, and rank the wires.

    A client's process that dies leaves nobody to say goodbye: its end resets.
    """
    client = End(timeline, (number, 0), resets=True)
    broker = End(timeline, (number, 1), resets=False)
    client._peer, broker._peer = broker, client
    return client, broker

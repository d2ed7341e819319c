"""What waits to be written to one connection."""

from collections.abc import Callable

from amqplite.protocol.frames import Octets


class Outbox:
    """Octets in order, until the writer takes them.

    Attributes:
        chunks: what has gathered; append by `send`, or on the hot path by hand, with `size` kept.
        size: octets in `chunks`, give or take a few a delivery.
        high_bytes: a connection with more than that has no credit for deliveries.
        full_bytes: a connection with more than that is not read from: what it asks for would
            gather here.
        on_output: called when there is something to take again.
        on_full: called when there is more than `full_bytes`.
    """

    __slots__ = ("chunks", "full_bytes", "high_bytes", "on_full", "on_output", "size")

    def __init__(
        self, high_bytes: int, on_output: Callable[[], object], on_full: Callable[[], object]
    ) -> None:
        self.chunks: list[Octets] = []
        self.size = 0
        self.high_bytes = high_bytes
        self.full_bytes = 2 * high_bytes
        self.on_output = on_output
        self.on_full = on_full

    def send(self, octets: bytes) -> None:
        """Add `octets`."""
        if not self.chunks:
            self.on_output()
        self.chunks.append(octets)
        self.size += len(octets)
        if self.size > self.full_bytes:
            self.on_full()

    def take(self) -> list[Octets]:
        """Return what has gathered, and start anew."""
        chunks, self.chunks = self.chunks, []
        self.size = 0
        return chunks

    def put_back(self, chunks: list[Octets]) -> None:
        """Return what could not be written, in front of all else."""
        self.chunks[:0] = chunks
        self.size += sum(map(len, chunks))

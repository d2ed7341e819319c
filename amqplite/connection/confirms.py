"""Publisher confirms: one ledger a channel, which settles each publish once (RabbitMQ: confirms).

Publishes are numbered from 1 at confirm.select. At the end of each read the ledger notes up to
which number, and up to which position of the journal, the channel has come; when all up to there is
on disk, or was acked and need not be, one ack with `multiple` confirms it. Nothing is kept per
message.
"""

from collections import deque

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import BasicAck, BasicNack


class Confirms:
    """What a channel in confirm mode has published, and not heard of yet.

    Attributes:
        published: the number of the last publish.
        noted: the number of the last publish that an end of a read has noted.
        position: the journal's position that the last publish to be stored has; 0 if none was.
        answers: what the last frames said, in order: up to which number, and whether it is an ack
            of all up to there, or a nack of that one.
    """

    __slots__ = (
        "_channel",
        "_confirmed",
        "_pending",
        "_rejected",
        "answers",
        "noted",
        "position",
        "published",
    )

    def __init__(self, channel: int) -> None:
        self.published = 0
        self.noted = 0
        self.position = 0
        self.answers: list[tuple[int, bool]] = []
        self._channel = channel
        self._confirmed = 0
        self._pending: deque[tuple[int, int]] = deque()  # (position, number)
        self._rejected: deque[int] = deque()

    def reject(self) -> None:
        """The last publish was refused by a queue: it will get a nack."""
        self._rejected.append(self.published)

    def note(self, settled: int) -> bytes:
        """End a read: return what can be confirmed at once, given the journal's settled position.

        The rest waits for `settle`.
        """
        self.noted = self.published
        self._pending.append((self.position, self.published))
        return self.settle(settled)

    @property
    def waiting_for(self) -> int | None:
        """The next position of the journal that settles something; `None` if there is none."""
        return self._pending[0][0] if self._pending else None

    def settle(self, settled: int) -> bytes:
        """Return the frames for every publish up to the position `settled`."""
        number = 0
        while self._pending and self._pending[0][0] <= settled:
            number = self._pending.popleft()[1]
        if number <= self._confirmed:
            return b""
        frames, self.answers = [], []
        while self._rejected and self._rejected[0] <= number:
            rejected = self._rejected.popleft()
            frames.append(self._ack(rejected - 1))
            frames.append(method_frame(self._channel, BasicNack(rejected, False, False)))
            self.answers.append((rejected, False))
            self._confirmed = rejected
        frames.append(self._ack(number))
        return b"".join(frames)

    def _ack(self, number: int) -> bytes:
        """Confirm all up to `number`, which none of those before contradicts."""
        if number <= self._confirmed:
            return b""
        multiple = number > self._confirmed + 1
        self._confirmed = number
        self.answers.append((number, True))
        return method_frame(self._channel, BasicAck(number, multiple))

"""What happens to a connection that publishes while an alarm is on (RabbitMQ: connection.blocked).

Its publishes, and what follows them on the same channel, are held back until the alarm is over; it
is told so once, if it can hear it. All else goes on: acks free what is scarce, heartbeats flow, and
a close is answered, which drops what was held: none of it was confirmed.
"""

from typing import TYPE_CHECKING

from amqplite.connection.channel import Channel
from amqplite.protocol.frames import METHOD, Octets
from amqplite.protocol.methods import (
    BasicAck,
    BasicNack,
    BasicPublish,
    BasicReject,
    ChannelClose,
    ConnectionBlocked,
    ConnectionUnblocked,
)

if TYPE_CHECKING:
    from amqplite.connection.connection import Connection

HELD_MAX = 1024 * 1024
"""Octets held back before nothing more is read from the connection."""

_SETTLING = (BasicAck.KEY, BasicNack.KEY, BasicReject.KEY)

Held = tuple[Channel, int, bytes, Octets]


class Blocked:
    """The frames a connection may not have acted on yet.

    Attributes:
        active: an alarm is on.
    """

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._alarms = connection.broker.alarms
        self._alarms.listeners[self._on_alarm] = None
        self.active = self._alarms.on
        self._told = False
        self._held: list[Held] = []
        self._holding: set[Channel] = set()
        self._size = 0

    @property
    def full(self) -> bool:
        """Whether so much is held that nothing more may be read."""
        return self._size > HELD_MAX

    def receive(self, channel: Channel, kind: int, payload: bytes, content: Octets) -> None:
        """Act on a frame, or hold it."""
        key = payload[:4] if kind == METHOD else b""
        is_content = kind != METHOD or key == BasicPublish.KEY
        if key == ChannelClose.KEY and channel in self._holding:
            self._drop(channel)
        may_pass = key in _SETTLING and not channel.publishing.in_content
        if is_content or (channel in self._holding and not may_pass):
            self._hold((channel, kind, payload, content))
        else:
            self._connection.act_on(channel, kind, payload, content)

    def _hold(self, frame: Held) -> None:
        self._tell()
        self._held.append(frame)
        self._holding.add(frame[0])
        self._size += len(frame[2]) + len(frame[3])

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            if self._connection.client_can("connection.blocked"):
                self._connection.send(ConnectionBlocked(self._alarms.text))

    def _drop(self, channel: Channel) -> None:
        channel.publishing.in_content = False  # the rest of it, if the alarm came into one, is here
        self._held = [frame for frame in self._held if frame[0] is not channel]
        self._holding.discard(channel)
        self._size = sum(len(payload) + len(content) for _, _, payload, content in self._held)

    def _on_alarm(self) -> None:
        """An alarm came, or the last one went."""
        self.active = self._alarms.on
        if self.active:
            return
        if self._told:
            self._told = False
            if self._connection.client_can("connection.blocked"):
                self._connection.send(ConnectionUnblocked())
        held, self._held, self._size = self._held, [], 0
        self._holding.clear()
        if held:
            self._connection.go_on_with(held)

    def end(self) -> None:
        """The connection has ended."""
        self._alarms.listeners.pop(self._on_alarm, None)
        self._held, self._size = [], 0
        self._holding.clear()

"""A client on a stream: says methods, hears what comes."""

import trio

from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.protocol.codec import METHODS, Method, decode, method_frame
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.frames import HEARTBEAT, METHOD, FrameReader
from amqplite.protocol.methods import (
    ChannelOpen,
    ConnectionOpen,
    ConnectionStartOk,
    ConnectionTuneOk,
)
from amqplite.server.clock import Clock
from amqplite.server.flusher import Flusher
from amqplite.server.session import Session
from tests.rig import Rig

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"


class Caller:
    """The other end of a session's stream.

    Attributes:
        heard: methods, `heartbeat`, and bodies, as far as they were read.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.heard: list[Method | str | bytes] = []
        self._frames = FrameReader(1 << 30)

    async def say(self, *said: Method | bytes, channel: int = 1) -> None:
        octets = [one if isinstance(one, bytes) else method_frame(channel, one) for one in said]
        await self.stream.send_all(b"".join(octets))

    async def hear(self, kind: type[Method] | str) -> Method | str | bytes:
        """Read until something of that kind has come; return it."""
        while True:
            for index, one in enumerate(self.heard):
                if one == kind or type(one) is kind:
                    del self.heard[: index + 1]
                    return one
            assert await self.read(), f"it ended without {kind}"

    async def read(self) -> bool:
        """Read once; return whether there is more to come."""
        data = bytes(await self.stream.receive_some())
        for form, _, payload, _ in self._frames.receive(data):
            if form == METHOD:
                self.heard.append(decode(METHODS[payload[:4]], payload))
            else:
                self.heard.append("heartbeat" if form == HEARTBEAT else payload)
        return bool(data)

    async def read_to_the_end(self) -> list[Method | str | bytes]:
        """Read until the broker hangs up; return all that was heard since."""
        while await self.read():
            pass
        heard, self.heard = self.heard, []
        return heard

    async def open(self, *, heartbeat: int = 0, frame_max: int = 131_072) -> "Caller":
        """Go through the handshake, and open channel 1."""
        table = encode_table(from_python({"capabilities": {}}))
        await self.say(
            PROTOCOL_HEADER,
            ConnectionStartOk(table, "PLAIN", b"\0guest\0guest", "en_US"),
            ConnectionTuneOk(2047, frame_max, heartbeat),
            ConnectionOpen("/"),
            channel=0,
        )
        await self.say(ChannelOpen())
        while await self.read():
            if len(self.heard) == 4:
                break
        self.heard.clear()
        return self


class Faults(list[Exception]):
    """What was reported as a fault of the broker's own."""


def session_on(
    stream: trio.abc.Stream,
    rig: Rig,
    limits: ConnectionLimits | None = None,
    *,
    flusher: Flusher | None = None,
    faults: Faults | None = None,
) -> Session:
    """Return a session of the rig's broker."""
    return Session(
        stream,
        rig.broker,
        Clock(),
        Peer("client -> broker", True),
        limits or ConnectionLimits(),
        flusher,
        on_fault=(faults if faults is not None else Faults()).append,
    )

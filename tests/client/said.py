"""Reads what a core has to send, and writes what a broker might."""

from amqplite.protocol.codec import METHODS, Method, decode, method_frame
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.frames import HEARTBEAT, METHOD, FrameReader
from amqplite.protocol.methods import (
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionTune,
)

START = ConnectionStart(0, 9, encode_table(from_python({"product": "a broker"})))


def read(octets: bytes) -> list[tuple[int, Method | bytes | str]]:
    """Return what the frames say, each with its channel."""
    said: list[tuple[int, Method | bytes | str]] = []
    for kind, number, payload, content in FrameReader(1 << 30).receive(octets):
        if kind == METHOD:
            said.append((number, decode(METHODS[payload[:4]], payload)))
        elif kind == HEARTBEAT:
            said.append((number, "heartbeat"))
        elif content:
            said.append((number, decode(METHODS[payload[:4]], payload)))
            said += read(content)
        else:
            said.append((number, payload))
    return said


def on(number: int, *methods: Method) -> bytes:
    """Return what a broker says on a channel."""
    return b"".join(method_frame(number, method) for method in methods)


def greeting(channel_max: int = 2047, frame_max: int = 131_072, heartbeat: int = 60) -> bytes:
    """Return all that a broker says up to connection.open-ok."""
    tune = ConnectionTune(channel_max, frame_max, heartbeat)
    return on(0, START, tune, ConnectionOpenOk())

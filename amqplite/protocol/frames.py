"""Frames, the envelope of everything on a connection (§4.2.3).

On the wire::

    0      1         3          7             7+size
    +------+---------+----------+-------------+------+
    | type | channel |   size   |   payload   | 0xCE |
    +------+---------+----------+-------------+------+
      octet   short      long     size octets   octet

A publish is three frames: the method, the content header, the body. Nearly always they come side by
side, so the reader cuts them out in one piece: a third of the steps, and the content stays in the
very octets that a consumer will be sent. Acks come in runs, one for each delivery: a run is a piece
as well, if whoever reads wants it so.
"""

import re
from collections.abc import Iterator
from struct import Struct

from amqplite.errors import FrameError

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8
PUBLISH = 256
"""No type on the wire, which is an octet: a basic.publish with all its content, see `Frame`."""

ACKS = 257
"""Neither: two or more basic.acks, of one delivery each, of one channel; see `Frame`."""

FRAME_END = 0xCE
OVERHEAD = 8
"""Octets that a frame adds to its payload: seven before it, one after."""

SIZE_TOLERANCE = 8
"""Octets a frame may be over frame_max: some clients forget the overhead (RabbitMQ: reader)."""

HEARTBEAT_FRAME = b"\x08\x00\x00\x00\x00\x00\x00\xce"

Octets = bytes | memoryview
"""Octets of a content: a view where a copy would cost more than it is worth, see `SHARE`."""

Frame = tuple[int, int, bytes, Octets]
"""`(type, channel, payload, content)`: a plain tuple, since one is made for every frame read.

`content` is empty but for a `PUBLISH`, where `payload` is the method's and `content` holds the
header frame and the body frame as they came, envelope and all (no body frame if it is empty); and
for `ACKS`, where `payload` is the first one's and `content` holds the frames of all.
"""

VIEWED_MIN = 16 * 1024
"""Octets in a content from which a view of it costs less than a copy."""

SHARE = 4
"""The part of a read that a content must be to be left where it lies, as one in so many: whoever
keeps the view keeps the whole read, and so at most so many times what it is worth."""

_PUBLISH_KEY = b"\x00\x3c\x00\x28"  # class 60, method 40
_LAST = (
    b"\x01\x00\x00\x00\x00\x00\x09\x00\x3c\x00\x28\x00\x00\x00\x00\x00\xce",
    0,
    b"\x00\x3c\x00\x28" + bytes(5),
)
"""Before there is one: what it would be of the emptiest of publishes."""

_ACK_KEY = b"\x00\x3c\x00\x50"  # class 60, method 80
_ACK_SIZE = 21
_match_acks = re.compile(
    rb"\x01(..)\x00\x00\x00\x0d\x00\x3c\x00\x50.{8}\x00\xce"
    rb"(?:\x01\1\x00\x00\x00\x0d\x00\x3c\x00\x50.{8}\x00\xce)+",
    re.DOTALL,
).match
_HEADER_MIN = 14
"""Octets of a content header without a property."""

_CONTENT_HEAD = 19
"""Octets up to the end of the body size: the envelope's seven, class, weight, size."""

_unpack_head = Struct(">BHL").unpack_from
_unpack_content_head = Struct(">BHLHHQ").unpack_from
_unpack_acks = Struct(">7x13sx").iter_unpack


def acks_apart(content: Octets) -> Iterator[bytes]:
    """Yield the payload of each method in the content of `ACKS`."""
    for (payload,) in _unpack_acks(content):
        yield payload


class FrameReader:
    """Cuts what the socket gives into frames, keeping the unfinished one.

    Args:
        runs: whether a run of acks comes as one `ACKS`.

    Attributes:
        frame_max: largest frame accepted, in octets with its overhead; the
            connection lowers it at tune-ok, in the middle of a read if need be.
    """

    __slots__ = ("_last", "_method", "_missing", "_pieces", "_runs", "frame_max")

    def __init__(self, frame_max: int, *, runs: bool = False) -> None:
        self.frame_max = frame_max
        self._runs = runs
        self._pieces: list[bytes] = []  # of what is unfinished, in order
        self._method = b""  # if that is the content of a publish, the frame before it
        self._last = _LAST  # method frame, channel and payload of the publish read last
        self._missing = 0  # octets after which it is worth another look; 0 if all is finished

    def receive(self, data: bytes) -> Iterator[Frame]:
        """Yield each frame that `data` completes, in order; iterate to the end.

        Raises:
            FrameError: a frame is over `frame_max` or does not end in 0xCE.
                Frames before it have been yielded; the stream is lost after it.
        """
        start = 0
        while missing := self._missing:
            if len(data) - start < missing:
                self._pieces.append(data[start:])
                self._missing -= len(data) - start
                return
            # only what is missing is copied, not all that came with it, and only once
            unfinished = b"".join((*self._pieces, memoryview(data)[start : start + missing]))
            start += missing
            method, self._method, self._pieces, self._missing = self._method, b"", [], 0
            if method:
                yield from self._publish(method, unfinished)
            else:
                yield from self._cut(unfinished, 0)
        yield from self._cut(data, start)

    def _cut(self, data: bytes, start: int) -> Iterator[Frame]:
        """Yield the frames in `data` from `start` on, and keep what is left."""
        received = len(data)
        needed = OVERHEAD
        method, publisher, publish = self._last  # nearly always the next one is the same
        while received - start >= OVERHEAD:
            if data.startswith(method, start):
                channel, payload, end = publisher, publish, start + len(method)
            else:
                kind, channel, size = _unpack_head(data, start)
                if size > self.frame_max - OVERHEAD + SIZE_TOLERANCE:
                    raise FrameError(
                        f"frame of {size + OVERHEAD} octets is over frame_max {self.frame_max}"
                    )
                end = start + 8 + size
                if end > received:
                    needed = size + OVERHEAD
                    break
                if data[end - 1] != FRAME_END:
                    raise FrameError(f"frame ends in {data[end - 1]:#04x}, not 0xce")
                payload = data[start + 7 : end - 1]
                if kind != METHOD or payload[:4] != _PUBLISH_KEY:
                    run = None
                    if self._runs and payload[:4] == _ACK_KEY and received - end >= _ACK_SIZE:
                        run = _match_acks(data, start)
                    if run is None:
                        start = end
                        yield kind, channel, payload, b""
                    else:
                        start = run.end()
                        yield ACKS, channel, payload, run[0]
                    continue
                method, publisher, publish = data[start:end], channel, payload
                self._last = method, channel, payload
            content_end = self._content_end(data, end, channel)
            if content_end > received:
                self._keep(method, data[end:], content_end - received)
                return
            if not content_end:
                start = end
                yield METHOD, channel, payload, b""
                continue
            content: Octets
            if content_end - end < VIEWED_MIN or (content_end - end) * SHARE < received:
                content = data[end:content_end]
            else:
                content = memoryview(data)[end:content_end]
            start = content_end
            yield PUBLISH, channel, payload, content
        if start < received:
            self._keep(b"", data[start:], needed - received + start)

    def _publish(self, method: bytes, content: bytes) -> Iterator[Frame]:
        """Yield a publish, if its content is whole by now."""
        channel = method[1] << 8 | method[2]
        end = self._content_end(content, 0, channel)
        if end > len(content):
            self._keep(method, content, end - len(content))
        elif end:
            yield PUBLISH, channel, method[7:-1], content
        else:
            yield from self._cut(method + content, 0)

    def _keep(self, method: bytes, unfinished: bytes, missing: int) -> None:
        self._method, self._pieces, self._missing = method, [unfinished], missing

    def _content_end(self, data: bytes, start: int, channel: int) -> int:
        """Return where the content at `start` ends, or beyond `data` what to wait for; 0 if odd.

        Odd is a content in several body frames, and what is no content: whoever takes the frames
        one by one makes of it what is right.
        """
        received = len(data)
        if received - start < OVERHEAD:
            return start + OVERHEAD if received == start or data[start] == HEADER else 0
        if received - start < _CONTENT_HEAD:
            kind, _, size = _unpack_head(data, start)
            return start + _CONTENT_HEAD if kind == HEADER and size >= _HEADER_MIN else 0
        kind, number, size, class_id, _, body_size = _unpack_content_head(data, start)
        limit = self.frame_max - OVERHEAD
        if kind != HEADER or number != channel or class_id != 60:
            return 0
        if size < _HEADER_MIN or size > limit or body_size > limit:
            return 0
        header_end = start + 7 + size
        end = header_end
        if body_size:
            if received <= header_end + 7:
                return int(header_end + OVERHEAD)
            if _unpack_head(data, header_end + 1) != (BODY, channel, body_size):
                return 0
            end += OVERHEAD + body_size
        if end < received and (data[header_end] != FRAME_END or data[end] != FRAME_END):
            return 0
        return int(end + 1)

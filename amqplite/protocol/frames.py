"""Frames, the envelope of everything on a connection (§4.2.3).

On the wire::

    0      1         3          7             7+size
    +------+---------+----------+-------------+------+
    | type | channel |   size   |   payload   | 0xCE |
    +------+---------+----------+-------------+------+
      octet   short      long     size octets   octet

A publish is three frames: the method, the content header, the body. Nearly always they lie side by
side in what the socket gave, so the reader cuts them out in one piece: a third of the steps, and
the content stays in the very octets that a consumer will be sent.
"""

from collections.abc import Iterator
from struct import Struct

from amqplite.errors import FrameError

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8
PUBLISH = 0
"""Not a type on the wire: a basic.publish with its whole content, see `Frame`."""

FRAME_END = 0xCE
OVERHEAD = 8
"""Octets that a frame adds to its payload: seven before it, one after."""

SIZE_TOLERANCE = 8
"""Octets a frame may be over frame_max: some clients forget the overhead (RabbitMQ: reader)."""

HEARTBEAT_FRAME = b"\x08\x00\x00\x00\x00\x00\x00\xce"

Frame = tuple[int, int, bytes, bytes]
"""`(type, channel, payload, content)`: a plain tuple, since one is made for every frame read.

`content` is empty but for a `PUBLISH`, where `payload` is the method's and `content` holds the
header frame and the body frame as they came, envelope and all (no body frame if it is empty).
"""

_PUBLISH_KEY = b"\x00\x3c\x00\x28"  # class 60, method 40
_CONTENT_HEAD = 19
"""Octets up to the end of the body size: the envelope's seven, class, weight, size."""

_unpack_head = Struct(">BHL").unpack_from
_unpack_content_head = Struct(">BHLHHQ").unpack_from


class FrameReader:
    """Cuts what the socket gives into frames, keeping the unfinished one.

    Attributes:
        frame_max: largest frame accepted, in octets with its overhead; the
            connection lowers it at tune-ok, in the middle of a read if need be.
    """

    __slots__ = ("_tail", "frame_max")

    def __init__(self, frame_max: int) -> None:
        self.frame_max = frame_max
        self._tail = b""

    def receive(self, data: bytes) -> Iterator[Frame]:
        """Yield each frame that `data` completes, in order; iterate to the end.

        Raises:
            FrameError: a frame is over `frame_max` or does not end in 0xCE.
                Frames before it have been yielded; the stream is lost after it.
        """
        if self._tail:  # shorter than one frame: joining copies frame_max at most
            data = self._tail + data
            self._tail = b""
        start, received = 0, len(data)
        while received - start >= OVERHEAD:
            kind, channel, size = _unpack_head(data, start)
            if size > self.frame_max - OVERHEAD + SIZE_TOLERANCE:
                raise FrameError(
                    f"frame of {size + OVERHEAD} octets is over frame_max {self.frame_max}"
                )
            end = start + 7 + size
            if end >= received:
                break
            if data[end] != FRAME_END:
                raise FrameError(f"frame ends in {data[end]:#04x}, not 0xce")
            payload = data[start + 7 : end]
            start = end + 1
            if kind == METHOD and payload[:4] == _PUBLISH_KEY:
                end = self._content_end(data, start, received, channel)
                if end:
                    yield PUBLISH, channel, payload, data[start:end]
                    start = end
                    continue
            yield kind, channel, payload, b""
        self._tail = data[start:]

    def _content_end(self, data: bytes, start: int, received: int, channel: int) -> int:
        """Return where the content at `start` ends, or 0 unless it is whole and in one body frame.

        Whatever is odd about it is left to whoever takes the frames one by one.
        """
        if received - start < _CONTENT_HEAD:
            return 0
        kind, number, size, class_id, _, body_size = _unpack_content_head(data, start)
        if kind != HEADER or number != channel or class_id != 60 or size < 14:
            return 0
        limit = self.frame_max - OVERHEAD
        header_end = start + 7 + size
        if size > limit or body_size > limit:
            return 0
        end = header_end + OVERHEAD + body_size if body_size else header_end
        if end >= received or data[header_end] != FRAME_END or data[end] != FRAME_END:
            return 0
        if body_size and _unpack_head(data, header_end + 1) != (BODY, channel, body_size):
            return 0
        return int(end + 1)

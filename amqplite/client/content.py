"""Contents of messages: cut into frames, and put together again (§4.2.6)."""

from struct import Struct
from typing import TypeAlias

from amqplite.client.events import Delivery, Returned
from amqplite.errors import UnexpectedFrame
from amqplite.protocol.frames import BODY, HEADER, OVERHEAD
from amqplite.protocol.methods import BasicDeliver, BasicGetOk, BasicReturn
from amqplite.protocol.properties import encode_header

CARRIERS = (BasicDeliver, BasicGetOk, BasicReturn)
"""The methods that a content follows when the broker sends them."""

Carrier: TypeAlias = BasicDeliver | BasicGetOk | BasicReturn

_HEADER_MIN = 14
"""Octets of a content header without a property."""

_pack_head = Struct(">BHL").pack
_body_size = Struct(">Q").unpack_from


def frame(kind: int, number: int, payload: bytes) -> bytes:
    """Return a frame as its octets."""
    return _pack_head(kind, number, len(payload)) + payload + b"\xce"


def content_frames(number: int, frame_max: int, properties: bytes, body: bytes) -> list[bytes]:
    """Return a content's frames: its header, and as many of its body as it takes."""
    frames = [frame(HEADER, number, encode_header(len(body), properties))]
    step = frame_max - OVERHEAD
    frames += [frame(BODY, number, body[at : at + step]) for at in range(0, len(body), step)]
    return frames


class Assembly:
    """A content on its way in.

    Attributes:
        carrier: the method in front of it.
    """

    __slots__ = ("_header", "_missing", "_pieces", "carrier")

    def __init__(self, carrier: Carrier) -> None:
        self.carrier = carrier
        self._header = b""
        self._missing = 0
        self._pieces: list[bytes] = []

    def receive(self, kind: int, payload: bytes) -> Delivery | Returned | None:
        """Take a frame; return the message once it is whole.

        Raises:
            UnexpectedFrame: it is another than the one to come now.
        """
        if kind == HEADER and not self._header and len(payload) >= _HEADER_MIN:
            self._header = payload
            (self._missing,) = _body_size(payload, 4)
        elif kind == BODY and self._header and len(payload) <= self._missing:
            self._pieces.append(payload)
            self._missing -= len(payload)
        else:
            raise UnexpectedFrame(f"frame of type {kind} in the midst of a content")
        return None if self._missing else self._message()

    def _message(self) -> Delivery | Returned:
        carrier, header, body = self.carrier, self._header, b"".join(self._pieces)
        if isinstance(carrier, BasicReturn):
            return Returned(
                body=body,
                header=header,
                exchange=carrier.exchange,
                routing_key=carrier.routing_key,
                reply_code=carrier.reply_code,
                reply_text=carrier.reply_text,
            )
        return Delivery(
            body=body,
            header=header,
            exchange=carrier.exchange,
            routing_key=carrier.routing_key,
            delivery_tag=carrier.delivery_tag,
            redelivered=carrier.redelivered,
            consumer_tag=carrier.consumer_tag if isinstance(carrier, BasicDeliver) else "",
            message_count=carrier.message_count if isinstance(carrier, BasicGetOk) else 0,
        )

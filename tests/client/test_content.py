"""Contents, cut and put together."""

import pytest

from amqplite.client.content import Assembly, Carrier, content_frames, frame
from amqplite.client.events import Delivery, Returned
from amqplite.errors import UnexpectedFrame
from amqplite.protocol.frames import BODY, HEADER, FrameReader
from amqplite.protocol.methods import BasicDeliver, BasicGetOk, BasicReturn
from amqplite.protocol.properties import Properties, encode_header, encode_properties

OCTETS = encode_properties(Properties(message_id="m1"))
DELIVER = BasicDeliver("c1", 7, True, "x", "k")


def carried(carrier: Carrier, body: bytes, frame_max: int = 4096) -> Delivery | Returned | None:
    """Send a content through the wire, and put it together."""
    octets = b"".join(content_frames(1, frame_max, OCTETS, body))
    assembly = Assembly(carrier)
    *frames, last = FrameReader(frame_max).receive(octets)
    for kind, number, payload, _ in frames:
        assert number == 1
        assert assembly.receive(kind, payload) is None
    return assembly.receive(last[0], last[2])


@pytest.mark.parametrize("size", [0, 1, 4088, 4089, 10_000])
def test_a_body_is_cut_to_the_frames_and_put_together(size: int) -> None:
    body = bytes(size)
    frames = content_frames(1, 4096, OCTETS, body)
    assert len(frames) == 1 + -(-size // 4088)
    assert max(map(len, frames)) <= 4096
    assert carried(DELIVER, body) == Delivery(
        body=body,
        header=encode_header(size, OCTETS),
        exchange="x",
        routing_key="k",
        delivery_tag=7,
        redelivered=True,
        consumer_tag="c1",
    )


def test_what_was_got_tells_how_many_stay() -> None:
    assert carried(BasicGetOk(7, False, "x", "k", 12), b"hi") == Delivery(
        body=b"hi",
        header=encode_header(2, OCTETS),
        exchange="x",
        routing_key="k",
        delivery_tag=7,
        redelivered=False,
        message_count=12,
    )


def test_what_came_back_tells_why() -> None:
    assert carried(BasicReturn(312, "NO_ROUTE", "x", "k"), b"hi") == Returned(
        body=b"hi",
        header=encode_header(2, OCTETS),
        exchange="x",
        routing_key="k",
        reply_code=312,
        reply_text="NO_ROUTE",
    )


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param([(BODY, b"hi")], id="a body without a header"),
        pytest.param([(HEADER, b"\0" * 13)], id="a header that is cut short"),
        pytest.param([(HEADER, encode_header(2, OCTETS))] * 2, id="two headers"),
        pytest.param([(HEADER, encode_header(2, OCTETS)), (BODY, b"hi!")], id="too long a body"),
        pytest.param([(HEADER, encode_header(2, OCTETS)), (9, b"hi")], id="another frame"),
    ],
)
def test_frames_that_make_no_content_are_refused(frames: list[tuple[int, bytes]]) -> None:
    assembly = Assembly(DELIVER)
    *first, (kind, payload) = frames
    for one in first:
        assert assembly.receive(*one) is None
    with pytest.raises(UnexpectedFrame):
        assembly.receive(kind, payload)


def test_a_frame_has_its_envelope() -> None:
    assert frame(BODY, 258, b"hi") == b"\x03\x01\x02\x00\x00\x00\x02hi\xce"

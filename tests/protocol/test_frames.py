"""Frames, under any cut of the stream, whole or odd, and publishes in one piece or in three."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.errors import FrameError
from amqplite.protocol.codec import method_frame
from amqplite.protocol.frames import (
    ACKS,
    BODY,
    HEADER,
    HEARTBEAT,
    HEARTBEAT_FRAME,
    METHOD,
    OVERHEAD,
    PUBLISH,
    SHARE,
    SIZE_TOLERANCE,
    VIEWED_MIN,
    Frame,
    FrameReader,
    acks_apart,
)
from amqplite.protocol.methods import BasicAck, QueueDeclare

FRAME_MAX = 64
"""Small, so that chance finds its edge."""

Plain = tuple[int, int, bytes]


def frame(kind: int, channel: int, payload: bytes, end: bytes = b"\xce") -> bytes:
    head = bytes((kind,)) + channel.to_bytes(2, "big") + len(payload).to_bytes(4, "big")
    return head + payload + end


def header(size: int, properties: bytes = b"\x00\x00", class_id: int = 60) -> bytes:
    return class_id.to_bytes(2, "big") + b"\x00\x00" + size.to_bytes(8, "big") + properties


METHOD_PAYLOAD = b"\x00\x3c\x00\x28\x00\x00\x00\x01q\x00"


def publish(body: bytes, channel: int = 1, piece: int = 50, properties: bytes = b"\0\0") -> bytes:
    bodies = [body[at : at + piece] for at in range(0, len(body), piece)]
    return (
        frame(METHOD, channel, METHOD_PAYLOAD)
        + frame(HEADER, channel, header(len(body), properties))
        + b"".join(frame(BODY, channel, one) for one in bodies)
    )


def read(reader: FrameReader, *reads: bytes) -> list[Frame]:
    return [one for data in reads for one in reader.receive(data)]


def taken_apart(frames: list[Frame]) -> Iterator[Plain]:
    """Yield frames one by one, those of a publish in one piece too, and those of a run of acks."""
    for kind, channel, payload, content in frames:
        if kind == ACKS:
            acks = list(acks_apart(content))
            assert len(acks) > 1
            assert acks[0] == payload
            yield from ((METHOD, channel, ack) for ack in acks)
            continue
        if kind != PUBLISH:
            assert content == b""
            yield kind, channel, payload
            continue
        yield METHOD, channel, payload
        yield from plain(content, 1 << 20)[0]


def plain(stream: bytes, frame_max: int) -> tuple[list[Plain], str]:
    """Read a stream frame by frame; return the frames, and the error that ends it."""
    frames: list[Plain] = []
    while len(stream) >= OVERHEAD:
        size = int.from_bytes(stream[3:7], "big")
        if size > frame_max - OVERHEAD + SIZE_TOLERANCE:
            return frames, f"frame of {size + OVERHEAD} octets is over frame_max {frame_max}"
        if len(stream) < size + OVERHEAD:
            break
        if stream[7 + size] != 0xCE:
            return frames, f"frame ends in {stream[7 + size]:#04x}, not 0xce"
        frames.append((stream[0], int.from_bytes(stream[1:3], "big"), stream[7 : 7 + size]))
        stream = stream[size + OVERHEAD :]
    return frames, ""


# -- one by one ----------------------------------------------------------------------------------


def test_frames_come_in_order() -> None:
    one, two = QueueDeclare(0, "q"), BasicAck(1)
    stream = method_frame(1, one) + HEARTBEAT_FRAME + method_frame(2, two)
    assert read(FrameReader(4096), stream) == [
        (METHOD, 1, method_frame(1, one)[7:-1], b""),
        (HEARTBEAT, 0, b"", b""),
        (METHOD, 2, method_frame(2, two)[7:-1], b""),
    ]


def test_a_channel_may_be_any_number() -> None:
    assert read(FrameReader(4096), frame(BODY, 65_535, b"x")) == [(BODY, 65_535, b"x", b"")]


def test_nothing_is_yielded_before_it_is_whole() -> None:
    octets, reader = frame(BODY, 1, b"body"), FrameReader(4096)
    for at in range(len(octets) - 1):
        assert read(reader, octets[at : at + 1]) == []
    assert read(reader, octets[-1:]) == [(BODY, 1, b"body", b"")]


def test_frame_max_holds_from_the_next_frame() -> None:
    reader = FrameReader(4096)
    frames = reader.receive(frame(BODY, 1, b"x" * 100) * 2)
    assert next(frames)[0] == BODY
    reader.frame_max = 64
    with pytest.raises(FrameError, match="frame of 108 octets is over frame_max 64"):
        next(frames)


@pytest.mark.parametrize("over", [0, SIZE_TOLERANCE])
def test_some_octets_over_are_tolerated(over: int) -> None:
    body = b"x" * (FRAME_MAX - OVERHEAD + over)
    assert read(FrameReader(FRAME_MAX), frame(BODY, 1, body)) == [(BODY, 1, body, b"")]


def test_a_frame_that_is_too_large_is_refused_by_its_head() -> None:
    octets = frame(BODY, 1, b"x" * (FRAME_MAX - OVERHEAD + SIZE_TOLERANCE + 1))[:OVERHEAD]
    with pytest.raises(FrameError, match="frame of 73 octets is over frame_max 64"):
        read(FrameReader(FRAME_MAX), octets)


def test_a_frame_that_does_not_end_is_refused_and_those_before_it_are_not_lost() -> None:
    frames = FrameReader(4096).receive(HEARTBEAT_FRAME + frame(BODY, 1, b"x", end=b"\x00"))
    assert next(frames) == (HEARTBEAT, 0, b"", b"")
    with pytest.raises(FrameError, match="frame ends in 0x00, not 0xce"):
        next(frames)


def test_an_empty_read_changes_nothing() -> None:
    reader = FrameReader(4096)
    assert read(reader, b"", HEARTBEAT_FRAME[:3], b"", HEARTBEAT_FRAME[3:], b"") == [
        (HEARTBEAT, 0, b"", b"")
    ]


# -- publishes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b"x", b"a body"])
def test_a_publish_that_lies_in_one_piece_comes_in_one(body: bytes) -> None:
    octets = publish(body, 7)
    method = frame(METHOD, 7, METHOD_PAYLOAD)
    assert read(FrameReader(4096), octets) == [(PUBLISH, 7, METHOD_PAYLOAD, octets[len(method) :])]


def test_a_publish_comes_in_one_however_its_octets_come() -> None:
    octets = publish(b"a body")
    for cut in range(1, len(octets)):
        frames = read(FrameReader(4096), octets[:cut], octets[cut:])
        assert [kind for kind, *_ in frames] == [PUBLISH]
    frames = read(FrameReader(4096), *(octets[at : at + 1] for at in range(len(octets))))
    assert [kind for kind, *_ in frames] == [PUBLISH]


@pytest.mark.parametrize("other", [HEARTBEAT_FRAME, frame(METHOD, 2, b"\x00\x14\x00\x29")])
def test_what_comes_in_a_contents_stead_is_not_held_up(other: bytes) -> None:
    method = frame(METHOD, 1, METHOD_PAYLOAD)
    frames = read(FrameReader(4096), method, other)
    assert [(kind, channel) for kind, channel, *_ in frames] == [
        (METHOD, 1),
        (other[0], other[2]),
    ]


def test_a_content_may_turn_out_odd_when_it_has_come() -> None:
    octets = publish(b"ab")[:-1] + b"\x00"
    reader = FrameReader(4096)
    assert read(reader, octets[:-1]) == []
    frames = reader.receive(octets[-1:])
    assert [next(frames)[0], next(frames)[0]] == [METHOD, HEADER]
    with pytest.raises(FrameError, match="frame ends in 0x00"):
        next(frames)


@pytest.mark.parametrize(
    ("size", "others", "viewed"),
    [
        pytest.param(VIEWED_MIN - 40, 0, False, id="small"),
        pytest.param(VIEWED_MIN, 0, True, id="large"),
        pytest.param(100_000, 2, True, id="a good part of the read"),
        pytest.param(100_000, 3, False, id="little of the read"),
    ],
)
def test_a_large_content_is_left_where_it_lies_if_little_is_kept_with_it(
    size: int, others: int, viewed: bool
) -> None:
    octets = publish(b"x" * size, piece=size)
    reader = FrameReader(1 << 20)
    frames = read(reader, octets + octets * others)
    assert [type(content) for *_, content in frames] == [memoryview if viewed else bytes] * (
        1 + others
    )
    assert {bytes(content) for *_, content in frames} == {octets[len(METHOD_PAYLOAD) + OVERHEAD :]}


LARGEST = FRAME_MAX - OVERHEAD

APART = [
    (publish(b"abcd", piece=2), [METHOD, HEADER, BODY, BODY], "a body in two frames"),
    (
        publish(b"x" * (LARGEST + 1), piece=100),
        [METHOD, HEADER, BODY],
        "a body just over what a frame holds",
    ),
    (
        publish(b"x", properties=b"\x80\x00" + b"x" * (LARGEST - 13)),
        [METHOD, HEADER, BODY],
        "a header just over what a frame holds",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 2, header(0)),
        [METHOD, HEADER],
        "a header on another channel",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 1, header(0, class_id=50)),
        [METHOD, HEADER],
        "a header of another class",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 1, header(0)[:13]),
        [METHOD, HEADER],
        "a header that is too short",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 1, b""),
        [METHOD, HEADER],
        "a header that is empty",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 1, header(2)) + frame(BODY, 2, b"ab"),
        [METHOD, HEADER, BODY],
        "a body on another channel",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 1, header(2)) + frame(BODY, 1, b"abc"),
        [METHOD, HEADER, BODY],
        "a body longer than declared",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + frame(HEADER, 1, header(2)) + HEARTBEAT_FRAME,
        [METHOD, HEADER, HEARTBEAT],
        "a heartbeat between header and body",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + HEARTBEAT_FRAME + frame(HEADER, 1, header(0)),
        [METHOD, HEARTBEAT, HEADER],
        "a heartbeat between method and header",
    ),
    (
        frame(METHOD, 1, METHOD_PAYLOAD) + publish(b""),
        [METHOD, PUBLISH],
        "a publish behind a method alone",
    ),
]


@pytest.mark.parametrize(("octets", "kinds"), [pytest.param(*row[:2], id=row[2]) for row in APART])
def test_whatever_is_odd_about_a_publish_comes_frame_by_frame(
    octets: bytes, kinds: list[int]
) -> None:
    assert [kind for kind, *_ in read(FrameReader(FRAME_MAX), octets)] == kinds


def test_a_header_too_large_to_wait_for_is_refused_at_once() -> None:
    octets = frame(METHOD, 1, METHOD_PAYLOAD) + b"\x02\x00\x01\x7f\xff\xff\xff" + header(0)
    frames = FrameReader(FRAME_MAX).receive(octets)
    assert next(frames)[0] == METHOD
    with pytest.raises(FrameError, match="is over frame_max 64"):
        next(frames)


@pytest.mark.parametrize(
    ("header_end", "kinds"), [(b"\x00", [METHOD]), (b"\xce", [METHOD, HEADER])]
)
def test_a_content_that_does_not_end_is_refused_where_it_does_not(
    header_end: bytes, kinds: list[int]
) -> None:
    method = frame(METHOD, 1, METHOD_PAYLOAD)
    head = frame(HEADER, 1, header(2), header_end)
    frames = FrameReader(FRAME_MAX).receive(method + head + frame(BODY, 1, b"ab", b"\x00"))
    assert [next(frames)[0] for _ in kinds] == kinds
    with pytest.raises(FrameError, match="frame ends in 0x00"):
        next(frames)


# -- runs of acks --------------------------------------------------------------------------------


def ack(tag: int, channel: int = 1, *, multiple: bool = False) -> bytes:
    return method_frame(channel, BasicAck(tag, multiple))


def kinds_of(*octets: bytes) -> list[int]:
    return [kind for kind, *_ in read(FrameReader(4096, runs=True), b"".join(octets))]


def test_acks_side_by_side_come_in_one_piece() -> None:
    octets = ack(1) + ack(2) + ack(1 << 63)
    assert read(FrameReader(4096, runs=True), octets) == [(ACKS, 1, ack(1)[7:-1], octets)]
    assert list(acks_apart(octets)) == [ack(tag)[7:-1] for tag in (1, 2, 1 << 63)]


def test_an_ack_alone_is_a_method() -> None:
    assert kinds_of(ack(1)) == [METHOD]
    assert kinds_of(ack(1), HEARTBEAT_FRAME, ack(2)) == [METHOD, HEARTBEAT, METHOD]


def test_acks_of_many_and_of_other_channels_end_a_run() -> None:
    assert kinds_of(ack(1), ack(2), ack(4, multiple=True), ack(5), ack(6)) == [ACKS, METHOD, ACKS]
    assert kinds_of(ack(1), ack(2), ack(1, 2), ack(2, 2), ack(3)) == [ACKS, ACKS, METHOD]


def test_a_run_goes_as_far_as_the_read_does() -> None:
    octets, reader = ack(1) + ack(2) + ack(3) + ack(4), FrameReader(4096, runs=True)
    frames = read(reader, octets[:50], octets[50:])
    assert [(kind, len(content)) for kind, _, _, content in frames] == [
        (ACKS, 42),
        (METHOD, 0),
        (METHOD, 0),
    ]


def test_whoever_wants_no_runs_gets_none() -> None:
    assert [kind for kind, *_ in read(FrameReader(4096), ack(1) + ack(2))] == [METHOD, METHOD]


# -- by chance -----------------------------------------------------------------------------------

payloads = st.one_of(
    st.binary(max_size=20),
    st.binary(min_size=LARGEST - 2, max_size=LARGEST + 10),
    st.just(METHOD_PAYLOAD),
    st.builds(header, st.integers(0, 3), class_id=st.sampled_from([60, 60, 50])),
)
channels = st.integers(0, 2)
ends = st.sampled_from([b"\xce"] * 30 + [b"\x00"])
single = st.builds(frame, st.integers(0, 9), channels, payloads, ends)
published = st.builds(
    publish,
    st.one_of(st.binary(max_size=12), st.binary(min_size=LARGEST - 2, max_size=LARGEST + 2)),
    channels,
    st.integers(1, LARGEST + 4),
    st.sampled_from([b"\x00\x00", b"\x10\x00\x02", b"\x00", b"x" * (LARGEST - 12)]),
)
acks = st.builds(
    lambda channel, *ack: method_frame(channel, BasicAck(*ack)),
    channels,
    st.integers(0, (1 << 64) - 1),
    st.sampled_from([False] * 9 + [True]),
)
acked = st.builds(lambda ack, times: ack * times, acks, st.integers(1, 4))
streams = st.lists(st.one_of(single, published, published, acked), max_size=8).map(b"".join)


@given(streams, st.booleans(), st.data())
@settings(max_examples=600)
def test_frames_do_not_depend_on_how_the_stream_is_cut(
    stream: bytes, runs: bool, data: st.DataObject
) -> None:
    """Nor on whether publishes, or acks, come in one piece; and an error comes where it stands."""
    stream += HEARTBEAT_FRAME  # so that nobody waits for a content any more
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=12)))
    reader, frames, error = FrameReader(FRAME_MAX, runs=runs), list[Frame](), ""
    try:
        for start, end in pairwise([0, *cuts, len(stream)]):
            frames += iter(reader.receive(stream[start:end]))
    except FrameError as raised:
        error = str(raised)
    expected, failure = plain(stream, FRAME_MAX)
    assert (list(taken_apart(frames)), error) == (expected, failure)


@given(st.lists(st.tuples(st.binary(max_size=12), channels), max_size=6), st.data())
def test_publishes_come_in_one_piece_whatever_the_cuts(
    messages: list[tuple[bytes, int]], data: st.DataObject
) -> None:
    stream = b"".join(publish(body, channel) for body, channel in messages)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)))))
    reads = [stream[a:b] for a, b in pairwise([0, *cuts, len(stream)])]
    frames = read(FrameReader(FRAME_MAX), *reads)
    assert [(kind, channel) for kind, channel, *_ in frames] == [
        (PUBLISH, channel) for _, channel in messages
    ]


@given(
    st.lists(st.sampled_from([0, 9, VIEWED_MIN - 50, VIEWED_MIN, 70_000, 130_000]), max_size=6),
    st.data(),
)
@settings(max_examples=50)
def test_large_contents_come_whole_and_keep_little_else(
    sizes: list[int], data: st.DataObject
) -> None:
    messages = [publish(bytes((n,)) * size, piece=1 << 20) for n, size in enumerate(sizes)]
    stream = b"".join(messages)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=8)))
    reader, contents = FrameReader(1 << 20), list[bytes | memoryview]()
    for start, end in pairwise([0, *cuts, len(stream)]):
        contents += [content for *_, content in reader.receive(stream[start:end])]
    method = frame(METHOD, 1, METHOD_PAYLOAD)
    assert [method + content for content in contents] == messages
    for content in contents:
        if isinstance(content, memoryview):
            assert len(content.obj) <= SHARE * len(content)

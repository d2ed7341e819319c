import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.message import (
    Entry,
    Message,
    address_of,
    frames_of,
    restored,
    whole_frames,
)
from amqplite.protocol.frames import FrameReader
from amqplite.protocol.properties import encode_header

names = st.text(max_size=80)


def made(body: bytes, properties: bytes = b"\x10\x00\x02", channel: int = 1) -> Message:
    header = encode_header(len(body), properties)
    octets = whole_frames(header, (body,), channel)
    return Message(address_of("x", "key"), octets, channel, len(header), True)


@pytest.mark.parametrize("body", [b"", b"x", b"a body", bytes(70_000)])
def test_a_message_is_what_went_in(body: bytes) -> None:
    message = made(body)
    assert (message.exchange, message.routing_key) == ("x", "key")
    assert message.header == encode_header(len(body), b"\x10\x00\x02")
    assert message.properties == b"\x10\x00\x02"
    assert (message.body, message.body_size) == (body, len(body))
    assert bytes(message.stored_body) == body


def test_a_large_body_is_given_to_the_store_uncopied() -> None:
    assert isinstance(made(bytes(70_000)).stored_body, memoryview)
    assert isinstance(made(bytes(100)).stored_body, bytes)


def test_octets_may_be_a_view() -> None:
    message = made(b"body" * 20_000)
    viewed = Message(
        message.address,
        memoryview(b"before" + message.octets + b"after")[6:-5],
        message.channel,
        message.header_size,
        message.persistent,
    )
    assert (viewed.header, viewed.properties) == (message.header, message.properties)
    assert (viewed.body, viewed.body_size) == (message.body, message.body_size)
    assert viewed.stored_body == message.body
    assert viewed.framed(7, 5000) == message.framed(7, 5000)


@pytest.mark.parametrize("channel", [1, 2, 65_535])
@pytest.mark.parametrize("frame_max", [4096, 5000])
@pytest.mark.parametrize("size", [0, 1, 4087, 4088, 4089, 12_000])
def test_frames_are_made_to_fit(channel: int, frame_max: int, size: int) -> None:
    message = made(bytes(size))
    frames = list(FrameReader(1 << 20).receive(message.framed(channel, frame_max)))
    assert {number for _, number, _, _ in frames} == {channel}
    assert frames[0][2] == message.header
    assert b"".join(payload for _, _, payload, _ in frames[1:]) == message.body
    assert all(0 < len(payload) + 8 <= frame_max for _, _, payload, _ in frames)


@given(names, names, st.binary(max_size=30), st.binary(max_size=60), st.booleans())
def test_what_the_store_keeps_makes_the_message_again(
    exchange: str, routing_key: str, properties: bytes, body: bytes, persistent: bool
) -> None:
    exchange, routing_key = exchange[:60], routing_key[:60]
    message = restored(exchange, routing_key, properties, body, persistent)
    assert (message.exchange, message.routing_key) == (exchange, routing_key)
    assert (message.properties, message.body) == (properties, body)
    assert message.header == encode_header(len(body), properties)
    assert (message.persistent, message.body_size) == (persistent, len(body))


def test_names_that_are_not_utf8_stay_what_they_are() -> None:
    name = b"\xff\xfe".decode(errors="surrogateescape")
    message = restored(name, name, b"\0\0", b"", False)
    assert message.address == b"\x02\xff\xfe\x02\xff\xfe"
    assert (message.exchange, message.routing_key) == (name, name)


@given(st.lists(st.binary(max_size=10), max_size=5))
def test_a_body_in_pieces_is_put_together(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    header = encode_header(len(body), b"\0\0")
    assert whole_frames(header, pieces, 3) == frames_of(header, body, 3, 1 << 20)


def test_an_entry_is_new_at_its_place() -> None:
    entry = Entry(7, made(b""))
    assert (entry.seq, entry.deliveries, entry.cause, entry.key, entry.position) == (
        7,
        0,
        None,
        0,
        0,
    )
    assert not entry < Entry(7, made(b""))
    assert entry < Entry(8, made(b""))

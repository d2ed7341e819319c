import pytest

from amqplite.connection.content_headers import ContentHeaders
from amqplite.protocol.properties import decode_properties, encode_header
from tests.connection.client import properties_of

CODEC = ContentHeaders()


def header_of(**properties: object) -> bytes:
    return encode_header(7, properties_of(**properties))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "table"),
    [
        (header_of(headers={"a": 1}), {"a": ("I", 1)}),
        (header_of(headers={}), {}),
        (header_of(), {}),
        (encode_header(7, b"\x20\x00\x00\x00\x00\x03\x01a?"), {}),
    ],
    ids=["a table", "an empty one", "none", "one that is none"],
)
def test_read(header: bytes, table: dict[str, object]) -> None:
    assert CODEC.read(header) == table


def test_write_replaces_the_headers_and_takes_the_expiration_off() -> None:
    header = header_of(headers={"a": 1}, expiration="100", message_id="m", app_id="é\udcff")
    assert CODEC.expiration(header) == b"100"
    written = CODEC.write(header, {"b": ("I", 2)})
    assert written == header_of(headers={"b": 2}, message_id="m", app_id="é\udcff")
    assert CODEC.expiration(written) is None


def test_write_replaces_headers_that_are_no_table() -> None:
    written = CODEC.write(encode_header(7, b"\x20\x00\x00\x00\x00\x03\x01a?"), {"b": ("I", 2)})
    assert decode_properties(written).headers == {"b": ("I", 2)}


@pytest.mark.parametrize(("mode", "persistent"), [(2, True), (1, False), (0, False)])
def test_persistent_is_delivery_mode_2(mode: int, persistent: bool) -> None:
    assert CODEC.persistent(header_of(mode=mode)) is persistent


def test_a_message_id_is_text_for_people() -> None:
    assert CODEC.message_id(header_of(message_id="order-1")) == "order-1"
    assert CODEC.message_id(header_of()) == ""
    assert CODEC.message_id(header_of(message_id="\udcff")) == "\ufffd"

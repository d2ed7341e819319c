from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.errors import InvalidSyntax
from amqplite.protocol.codec import (
    METHODS,
    Bit,
    LongLong,
    LongStr,
    Method,
    Octet,
    Short,
    ShortStr,
    Timestamp,
    decode,
    encode,
    method,
    method_frame,
)
from amqplite.protocol.methods import (
    BasicAck,
    BasicQosOk,
    ConnectionBlocked,
    ConnectionTune,
    ConnectionUpdateSecretOk,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
)

WIRE_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bit": st.booleans(),
    "B": st.integers(0, 2**8 - 1),
    "H": st.integers(0, 2**16 - 1),
    "L": st.integers(0, 2**32 - 1),
    "Q": st.integers(0, 2**64 - 1),
    "short string": st.binary(max_size=255).map(lambda o: o.decode(errors="surrogateescape")),
    "long string": st.binary(max_size=300),
}


def arguments(cls: type[Method]) -> st.SearchStrategy[Method]:
    """Any method of a class, with any arguments."""
    kinds = [wire_type.__metadata__[0] for wire_type in cls.__annotations__.values()]
    return st.tuples(*[WIRE_VALUES[kind] for kind in kinds]).map(lambda values: cls(*values))


any_method = st.sampled_from(list(METHODS.values())).flatmap(arguments)
every_method = pytest.mark.parametrize("cls", METHODS.values(), ids=lambda cls: cls.NAME)


@given(any_method)
def test_a_method_comes_back_from_its_octets(method: Method) -> None:
    payload = encode(method)
    assert decode(METHODS[payload[:4]], payload) == method


@given(any_method, st.binary(max_size=9))
def test_what_follows_the_last_argument_is_ignored(method: Method, more: bytes) -> None:
    assert decode(type(method), encode(method) + more) == method


@given(any_method, st.data())
def test_a_method_cut_short_is_a_syntax_error(method: Method, data: st.DataObject) -> None:
    payload = encode(method)
    cut = payload[: data.draw(st.integers(4, len(payload)))]
    if cut == payload:
        return
    with pytest.raises(InvalidSyntax, match=f"{method.NAME} are cut short"):
        decode(type(method), cut)


@given(st.sampled_from(list(METHODS.values())), st.binary(max_size=64))
@settings(max_examples=1000)
def test_random_octets_raise_a_syntax_error_and_nothing_else(
    cls: type[Method], octets: bytes
) -> None:
    with suppress(InvalidSyntax):
        decode(cls, cls.KEY + octets)


@every_method
def test_a_class_knows_its_ids_and_its_name(cls: type[Method]) -> None:
    assert METHODS[cls.KEY] is cls
    assert METHODS[cls.CLASS_ID.to_bytes(2) + cls.METHOD_ID.to_bytes(2)] is cls
    assert cls.NAME.replace(".", "").replace("-", "") == cls.__name__.lower()


def test_names_are_written_as_in_the_specification() -> None:
    assert QueueDeclare.NAME == "queue.declare"
    assert ConnectionUpdateSecretOk.NAME == "connection.update-secret-ok"


def test_a_frame_is_whole() -> None:
    assert method_frame(258, BasicAck(1)) == bytes.fromhex(
        "01 0102 0000000d 003c0050 0000000000000001 00 ce"
    )


TOO_MUCH = [
    (QueueDeclareOk("q" * 256, 0, 0), "short string of 256 octets is over 255"),
    (QueueDeclareOk("ü" * 128, 0, 0), "short string of 256 octets is over 255"),
    (QueueDeclareOk("q", 2**32, 0), "queue.declare-ok"),
    (ConnectionTune(-1, 0, 0), "connection.tune"),
    (BasicAck(2**64), "basic.ack"),
]


@pytest.mark.parametrize(("method", "text"), TOO_MUCH)
def test_an_argument_that_does_not_fit_is_not_encoded(method: Method, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        encode(method)


def test_a_name_that_is_not_utf_8_comes_back_as_the_same_octets() -> None:
    payload = QueueDelete.KEY + b"\x00\x00\x02\xff\xfe\x00"
    delete = decode(QueueDelete, payload)
    assert delete.queue == "\udcff\udcfe"
    assert encode(delete) == payload


def test_arguments_go_by_place_or_by_name() -> None:
    declare = QueueDeclare(0, "q", durable=True)
    assert declare == QueueDeclare(queue="q", durable=True)
    assert declare.queue == "q"
    assert (declare.durable, declare.exclusive, declare.arguments) == (True, False, b"")


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ((), {}),
        (("q", 1), {}),
        (("q", 1, 2, 3), {}),
        (("q", 1), {"queue": "p", "consumer_count": 2}),
        (("q", 1, 2), {"colour": "red"}),
    ],
    ids=["none", "one is missing", "one too many", "one twice", "one unknown"],
)
def test_wrong_arguments_are_a_type_error(places: Any, names: Any) -> None:
    with pytest.raises(TypeError, match="takes queue, message_count, consumer_count"):
        QueueDeclareOk(*places, **names)
    with pytest.raises(TypeError, match="takes nothing"):
        QueueBindOk(1)  # type: ignore[call-arg]


def test_a_method_equals_its_like_alone() -> None:
    assert QueueBindOk() == QueueBindOk()
    assert QueueBindOk() != BasicQosOk()
    assert QueueBindOk() != ()
    assert hash(ConnectionBlocked("r")) == hash(ConnectionBlocked("r"))
    assert len({QueueBindOk(), BasicQosOk(), QueueBindOk()}) == 2


def test_a_method_without_arguments_is_true_nevertheless() -> None:
    assert QueueBindOk()


def test_a_method_is_frozen() -> None:
    blocked = ConnectionBlocked("low on disk")
    with pytest.raises(AttributeError, match="frozen"):
        blocked.reason = "low on memory"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        blocked.colour = "red"  # type: ignore[attr-defined]


def test_a_method_shows_its_arguments() -> None:
    assert repr(BasicAck(7, True)) == "BasicAck(delivery_tag=7, multiple=True)"


@pytest.fixture
def sample_class() -> Any:
    """A method with everything next to everything; gone after the test."""

    @method(9, 1)
    class SampleMethod(Method):
        octet: Octet
        first: Bit
        name: ShortStr
        bits: Bit
        more_bits: Bit
        short: Short
        time: Timestamp
        octets: LongStr
        tag: LongLong
        last: Bit

    yield SampleMethod
    del METHODS[SampleMethod.KEY]


def test_bits_share_an_octet_with_their_neighbours_only(sample_class: Any) -> None:
    sample = sample_class(7, True, "n", False, True, 258, 2**64 - 1, b"\xff", 1, True)
    payload = bytes.fromhex(
        "00090001 07 01 01 6e 02 0102 ffffffffffffffff 00000001 ff 0000000000000001 01"
    )
    assert encode(sample) == payload
    assert decode(sample_class, payload) == sample
    assert sample.NAME == "sample.method"


def test_bits_without_a_meaning_are_ignored() -> None:
    assert decode(BasicAck, BasicAck.KEY + bytes(8) + b"\xfe") == BasicAck(0, False)

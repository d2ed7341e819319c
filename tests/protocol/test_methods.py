from typing import Any

import pamqp.commands
import pamqp.frame
import pytest

from amqplite.protocol import methods as m
from amqplite.protocol.codec import METHODS, Method, decode, encode, method_frame
from amqplite.protocol.fields import decode_table, to_python

VECTORS: list[tuple[Method, str]] = [
    # the ids first, then an argument at a time, lengths apart and bits together
    (
        m.ConnectionStart(0, 9, b"\x01pt\x01", b"PLAIN", b"en_US"),
        "000a 000a 00 09 00000004 01707401 00000005 504c41494e 00000005 656e5f5553",
    ),
    (
        m.ConnectionStartOk(b"\x01pt\x01", "PLAIN", b"\x00u\x00p", "en"),
        "000a 000b 00000004 01707401 05 504c41494e 00000004 00750070 02 656e",
    ),
    (m.ConnectionSecure(b"?"), "000a 0014 00000001 3f"),
    (m.ConnectionSecureOk(b"\x00u\x00p"), "000a 0015 00000004 00750070"),
    (m.ConnectionTune(2047, 131072, 60), "000a 001e 07ff 00020000 003c"),
    (m.ConnectionTuneOk(2047, 131072, 60), "000a 001f 07ff 00020000 003c"),
    (m.ConnectionOpen("/", "", True), "000a 0028 01 2f 00 01"),
    (m.ConnectionOpenOk(""), "000a 0029 00"),
    (m.ConnectionClose(404, "NO", 50, 10), "000a 0032 0194 02 4e4f 0032 000a"),
    (m.ConnectionCloseOk(), "000a 0033"),
    (m.ConnectionBlocked("r"), "000a 003c 01 72"),
    (m.ConnectionUnblocked(), "000a 003d"),
    (m.ConnectionUpdateSecret(b"p", "r"), "000a 0046 00000001 70 01 72"),
    (m.ConnectionUpdateSecretOk(), "000a 0047"),
    (m.ChannelOpen(""), "0014 000a 00"),
    (m.ChannelOpenOk(b""), "0014 000b 00000000"),
    (m.ChannelFlow(True), "0014 0014 01"),
    (m.ChannelFlowOk(True), "0014 0015 01"),
    (m.ChannelClose(404, "NO", 50, 10), "0014 0028 0194 02 4e4f 0032 000a"),
    (m.ChannelCloseOk(), "0014 0029"),
    (m.AccessRequest("/data", True, False, True, False, True), "001e 000a 05 2f64617461 15"),
    (m.AccessRequestOk(1), "001e 000b 0001"),
    (
        m.ExchangeDeclare(0, "x", "topic", True, False, True, False, True, b"\x01at\x01"),
        "0028 000a 0000 01 78 05 746f706963 15 00000004 01617401",
    ),
    (m.ExchangeDeclareOk(), "0028 000b"),
    (m.ExchangeDelete(0, "x", True, False), "0028 0014 0000 01 78 01"),
    (m.ExchangeDeleteOk(), "0028 0015"),
    (
        m.ExchangeBind(0, "d", "s", "k", True, b"\x01at\x01"),
        "0028 001e 0000 01 64 01 73 01 6b 01 00000004 01617401",
    ),
    (m.ExchangeBindOk(), "0028 001f"),
    (
        m.ExchangeUnbind(0, "d", "s", "k", True, b"\x01at\x01"),
        "0028 0028 0000 01 64 01 73 01 6b 01 00000004 01617401",
    ),
    (m.ExchangeUnbindOk(), "0028 0033"),
    (
        m.QueueDeclare(0, "q", True, False, True, False, True, b"\x01at\x01"),
        "0032 000a 0000 01 71 15 00000004 01617401",
    ),
    (m.QueueDeclareOk("q", 7, 1), "0032 000b 01 71 00000007 00000001"),
    (
        m.QueueBind(0, "q", "x", "k", True, b"\x01at\x01"),
        "0032 0014 0000 01 71 01 78 01 6b 01 00000004 01617401",
    ),
    (m.QueueBindOk(), "0032 0015"),
    (m.QueuePurge(0, "q", True), "0032 001e 0000 01 71 01"),
    (m.QueuePurgeOk(7), "0032 001f 00000007"),
    (m.QueueDelete(0, "q", True, False, True), "0032 0028 0000 01 71 05"),
    (m.QueueDeleteOk(7), "0032 0029 00000007"),
    (
        m.QueueUnbind(0, "q", "x", "k", b"\x01at\x01"),
        "0032 0032 0000 01 71 01 78 01 6b 00000004 01617401",
    ),
    (m.QueueUnbindOk(), "0032 0033"),
    (m.BasicQos(0, 10, True), "003c 000a 00000000 000a 01"),
    (m.BasicQosOk(), "003c 000b"),
    (
        m.BasicConsume(0, "q", "t", True, False, True, False, b"\x01at\x01"),
        "003c 0014 0000 01 71 01 74 05 00000004 01617401",
    ),
    (m.BasicConsumeOk("t"), "003c 0015 01 74"),
    (m.BasicCancel("t", True), "003c 001e 01 74 01"),
    (m.BasicCancelOk("t"), "003c 001f 01 74"),
    (m.BasicPublish(0, "x", "k", True, False), "003c 0028 0000 01 78 01 6b 01"),
    (m.BasicReturn(404, "NO", "x", "k"), "003c 0032 0194 02 4e4f 01 78 01 6b"),
    (m.BasicDeliver("t", 258, True, "x", "k"), "003c 003c 01 74 0000000000000102 01 01 78 01 6b"),
    (m.BasicGet(0, "q", True), "003c 0046 0000 01 71 01"),
    (m.BasicGetOk(258, True, "x", "k", 7), "003c 0047 0000000000000102 01 01 78 01 6b 00000007"),
    (m.BasicGetEmpty(""), "003c 0048 00"),
    (m.BasicAck(258, True), "003c 0050 0000000000000102 01"),
    (m.BasicReject(258, True), "003c 005a 0000000000000102 01"),
    (m.BasicRecoverAsync(True), "003c 0064 01"),
    (m.BasicRecover(True), "003c 006e 01"),
    (m.BasicRecoverOk(), "003c 006f"),
    (m.BasicNack(258, True, False), "003c 0078 0000000000000102 01"),
    (m.ConfirmSelect(True), "0055 000a 01"),
    (m.ConfirmSelectOk(), "0055 000b"),
    (m.TxSelect(), "005a 000a"),
    (m.TxSelectOk(), "005a 000b"),
    (m.TxCommit(), "005a 0014"),
    (m.TxCommitOk(), "005a 0015"),
    (m.TxRollback(), "005a 001e"),
    (m.TxRollbackOk(), "005a 001f"),
]


def test_there_is_a_vector_for_every_method() -> None:
    assert [type(method) for method, _ in VECTORS] == list(METHODS.values())


@pytest.mark.parametrize(
    ("method", "octets"), [pytest.param(*row, id=row[0].NAME) for row in VECTORS]
)
def test_a_method_on_the_wire(method: Method, octets: str) -> None:
    payload = bytes.fromhex(octets)
    assert encode(method) == payload
    assert decode(METHODS[payload[:4]], payload) == method


UNKNOWN_TO_PAMQP = (m.AccessRequest, m.AccessRequestOk)


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(method, id=method.NAME)
        for method, _ in VECTORS
        if not isinstance(method, UNKNOWN_TO_PAMQP)
    ],
)
@pytest.mark.filterwarnings("ignore:This command is deprecated")
def test_pamqp_reads_the_same_method(method: Method) -> None:
    frame = method_frame(5, method)
    consumed, channel, theirs = pamqp.frame.unmarshal(frame)
    assert (consumed, channel) == (len(frame), 5)
    assert theirs.name.lower().replace("-", "") == method.NAME.replace("-", "")
    assert [getattr(theirs, name) for name in theirs.attributes()] == plain(method)


def plain(method: Method) -> list[Any]:
    """Return the arguments as pamqp gives them: tables decoded, long strings as text."""
    tables = ("arguments", "client_properties", "server_properties")
    return [
        to_python(decode_table(value))
        if name in tables
        else value.decode()
        if isinstance(value, bytes)
        else value
        for name, value in zip(method.FIELDS, method, strict=True)
    ]


def test_pamqp_knows_no_other_method() -> None:
    theirs = {frame.index for index, frame in pamqp.commands.INDEX_MAPPING.items()}
    ours = {int.from_bytes(key) for key, cls in METHODS.items() if cls not in UNKNOWN_TO_PAMQP}
    assert ours == theirs


def test_requests_have_the_defaults_of_rabbitmqs_clients() -> None:
    assert m.ExchangeDeclare(exchange="x").type == "direct"
    assert m.BasicNack(1).requeue
    assert m.BasicReject(1).requeue
    assert not m.BasicRecover().requeue
    assert m.ConnectionOpen().virtual_host == "/"
    assert m.ConnectionClose(320, "bye") == m.ConnectionClose(320, "bye", 0, 0)


@pytest.mark.parametrize("cls", METHODS.values(), ids=lambda cls: cls.NAME)
def test_a_docstring_names_its_method(cls: type[Method]) -> None:
    assert cls.NAME in (cls.__doc__ or "")

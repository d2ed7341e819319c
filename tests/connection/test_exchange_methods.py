import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
    ChannelClose,
    ConnectionClose,
    ExchangeBind,
    ExchangeBindOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    ExchangeDelete,
    ExchangeDeleteOk,
    ExchangeUnbind,
    ExchangeUnbindOk,
    QueueBind,
    QueueDeclare,
)
from tests.connection.client import Client, publish
from tests.rig import Rig


def test_an_exchange_is_declared_as_asked_for(rig: Rig, client: Client) -> None:
    arguments = encode_table(from_python({"alternate-exchange": "amq.fanout", "mine": 1}))
    declare = ExchangeDeclare(
        0, "x", "topic", durable=True, auto_delete=True, internal=True, arguments=arguments
    )
    assert client.do(declare) == [ExchangeDeclareOk()]
    exchange = rig.vhost.exchange("x")
    assert (exchange.type, exchange.durable, exchange.auto_delete, exchange.internal) == (
        "topic",
        True,
        True,
        True,
    )
    assert (exchange.alternate, exchange.octets) == ("amq.fanout", arguments)


def test_declaring_again_is_fine_and_passively_too(client: Client) -> None:
    again = ExchangeDeclare(0, "x", "fanout")
    assert client.do(again, again, ExchangeDeclare(0, "x", "?", passive=True)) == [
        ExchangeDeclareOk(),
        ExchangeDeclareOk(),
        ExchangeDeclareOk(),
    ]


def test_an_exchange_binds_to_an_exchange(rig: Rig, client: Client) -> None:
    client.do(ExchangeDeclare(0, "from", "direct"), ExchangeDeclare(0, "to", "fanout"))
    client.do(QueueDeclare(0, "q"), QueueBind(0, "q", "to"))
    assert client.do(ExchangeBind(0, "to", "from", "key")) == [ExchangeBindOk()]
    client.do(publish(b"1", "key", exchange="from"))
    assert client.do(ExchangeUnbind(0, "to", "from", "key")) == [ExchangeUnbindOk()]
    client.do(publish(b"2", "key", exchange="from"))
    assert rig.queue("q").ready == 1


def test_an_exchange_is_deleted(rig: Rig, client: Client) -> None:
    client.do(ExchangeDeclare(0, "x"))
    assert client.do(ExchangeDelete(0, "x"), ExchangeDelete(0, "x")) == [
        ExchangeDeleteOk(),
        ExchangeDeleteOk(),
    ]
    assert "x" not in rig.vhost.exchanges


def test_no_wait_is_not_answered(rig: Rig, client: Client) -> None:
    assert (
        client.do(
            ExchangeDeclare(0, "x", no_wait=True),
            ExchangeDeclare(0, "y", no_wait=True),
            ExchangeBind(0, "x", "y", "", True),
            ExchangeUnbind(0, "x", "y", "", True),
            ExchangeDelete(0, "x", False, True),
        )
        == []
    )
    assert "x" not in rig.vhost.exchanges
    assert "y" in rig.vhost.exchanges


ERRORS = [
    (ExchangeDeclare(0, "x", passive=True), 404, "no exchange 'x' in vhost '/'", 10),
    (ExchangeDeclare(0, "x", "odd"), 406, "unknown exchange type 'odd'", 10),
    (ExchangeDeclare(0, ""), 403, "operation not permitted on the default exchange", 10),
    (ExchangeDelete(0, "amq.topic"), 403, "deletion of system exchange 'amq.topic'", 20),
    (ExchangeBind(0, "x", "amq.topic"), 404, "no exchange 'x' in vhost '/'", 30),
    (ExchangeUnbind(0, "amq.topic", ""), 403, "operation not permitted on the default", 40),
]


@pytest.mark.parametrize(("method", "code", "text", "id_"), ERRORS)
def test_what_can_not_be_closes_the_channel(
    client: Client, method: Method, code: int, text: str, id_: int
) -> None:
    (close,) = client.do(method)
    assert isinstance(close, ChannelClose)
    assert (close.reply_code, close.class_id, close.method_id) == (code, 40, id_)
    assert text in close.reply_text


@pytest.mark.parametrize(
    "method",
    [
        ExchangeDeclare(0, "x", arguments=b"\x01a?"),
        ExchangeBind(0, "amq.topic", "amq.topic", arguments=b"\x01a?"),
        ExchangeUnbind(0, "amq.topic", "amq.topic", arguments=b"\x01a?"),
        QueueDeclare(0, "q", arguments=b"\x01a?"),
        QueueBind(0, "q", "amq.topic", arguments=b"\x01a?"),
    ],
)
def test_arguments_that_are_no_table_close_the_connection(rig: Rig, method: Method) -> None:
    rig.queue("q", durable=False)
    (close,) = Client(rig).open().do(method)
    assert isinstance(close, ConnectionClose)
    assert (close.reply_code, close.class_id, close.method_id) == (
        502,
        method.CLASS_ID,
        method.METHOD_ID,
    )

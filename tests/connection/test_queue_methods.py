import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
    BasicConsume,
    BasicGet,
    ChannelClose,
    ChannelOpen,
    QueueBind,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
    QueueUnbind,
    QueueUnbindOk,
)
from tests.connection.client import Client, publish
from tests.rig import Rig


def test_a_queue_is_declared_as_asked_for(rig: Rig, client: Client) -> None:
    arguments = encode_table(from_python({"x-max-length": 5, "mine": "own"}))
    declare = QueueDeclare(0, "q", durable=True, auto_delete=True, arguments=arguments)
    assert client.do(declare) == [QueueDeclareOk("q", 0, 0)]
    queue = rig.queue("q")
    assert (queue.durable, queue.auto_delete, queue.owner) == (True, True, None)
    assert (queue.settings.max_length, queue.arguments_octets) == (5, arguments)


def test_a_queue_without_a_name_is_given_one(client: Client) -> None:
    assert client.do(QueueDeclare()) == [QueueDeclareOk("amq.gen-1", 0, 0)]
    assert client.do(BasicGet(0, "")) != []


def test_a_declare_counts_what_is_ready_and_who_consumes(client: Client) -> None:
    client.do(QueueDeclare(0, "q"), publish(b"1"), publish(b"2"))
    client.prefetch(1)
    client.do(BasicConsume(0, "q", "c"))
    assert client.do(QueueDeclare(0, "q", passive=True)) == [QueueDeclareOk("q", 1, 1)]


def test_a_passive_declare_makes_a_queue_the_last_one_too(client: Client, other: Client) -> None:
    other.do(QueueDeclare(0, "q"), publish(b"1"))
    client.do(QueueDeclare(0, "q", passive=True))
    assert client.do(QueuePurge()) == [QueuePurgeOk(1)]


def test_an_exclusive_queue_is_its_connections(client: Client, other: Client) -> None:
    client.do(QueueDeclare(0, "q", exclusive=True))
    client.do(ChannelOpen(), channel=2)
    again = QueueDeclare(0, "q", exclusive=True)
    assert client.do(again, channel=2) == [QueueDeclareOk("q", 0, 0)]
    for method in (QueueDeclare(0, "q"), QueueDelete(0, "q"), QueuePurge(0, "q"), again):
        (close,) = other.do(method)
        assert isinstance(close, ChannelClose)
        assert close.reply_code == 405
        other = Client(other.rig).open()


def test_a_bind_without_names_is_of_the_last_queue_by_its_name(rig: Rig, client: Client) -> None:
    client.do(QueueDeclare(0, "last"))
    assert client.do(QueueBind(0, "", "amq.direct", "")) == [QueueBindOk()]
    client.do(publish(b"1", "last", exchange="amq.direct"))
    assert rig.queue("last").ready == 1
    assert client.do(QueueUnbind(0, "", "amq.direct", "")) == [QueueUnbindOk()]
    client.do(publish(b"2", "last", exchange="amq.direct"))
    assert rig.queue("last").ready == 1


def test_a_bind_of_the_last_queue_keeps_its_routing_key(rig: Rig, client: Client) -> None:
    client.do(QueueDeclare(0, "last"))
    client.do(QueueBind(0, "", "amq.direct", "key"))
    client.do(publish(b"1", "key", exchange="amq.direct"))
    client.do(QueueUnbind(0, "", "amq.direct", "key"))
    client.do(publish(b"2", "key", exchange="amq.direct"))
    assert rig.queue("last").ready == 1


def test_unbinding_what_is_not_bound_is_fine(client: Client) -> None:
    client.do(QueueDeclare(0, "q"))
    for queue, exchange in (("q", "amq.topic"), ("q", "none"), ("none", "amq.topic")):
        assert client.do(QueueUnbind(0, queue, exchange, "#")) == [QueueUnbindOk()]


def test_a_delete_counts_what_went_with_it(client: Client) -> None:
    client.do(QueueDeclare(0, "q"), publish(b"1"), publish(b"2"))
    assert client.do(QueueDelete(0, "q")) == [QueueDeleteOk(2)]


@pytest.mark.parametrize("name", ["none", ""])
def test_deleting_what_is_not_there_is_fine(client: Client, name: str) -> None:
    assert client.do(QueueDelete(0, name)) == [QueueDeleteOk(0)]


def test_no_wait_is_not_answered(rig: Rig, client: Client) -> None:
    assert (
        client.do(
            QueueDeclare(0, "q", no_wait=True),
            QueueBind(0, "q", "amq.topic", "", True),
            QueuePurge(0, "q", True),
            QueueDeclare(0, "other", no_wait=True),
            QueueDelete(0, "q", no_wait=True),
        )
        == []
    )
    assert list(rig.vhost.queues) == ["other"]


ERRORS = [
    (QueueDeclare(0, "none", passive=True), 404, "no queue 'none' in vhost '/'", 10),
    (QueueDeclare(0, "", passive=True), 404, "no previously declared queue", 10),
    (QueueBind(0, "none", "amq.topic"), 404, "no queue 'none' in vhost '/'", 20),
    (QueueBind(0, "used", "none"), 404, "no exchange 'none' in vhost '/'", 20),
    (QueuePurge(0, "none"), 404, "no queue 'none' in vhost '/'", 30),
    (QueueDelete(0, "used", True), 406, "queue 'used' in vhost '/' in use", 40),
    (QueueDelete(0, "used", False, True), 406, "queue 'used' in vhost '/' not empty", 40),
]


@pytest.mark.parametrize(("method", "code", "text", "id_"), ERRORS)
def test_what_can_not_be_closes_the_channel(
    client: Client, other: Client, method: Method, code: int, text: str, id_: int
) -> None:
    other.prefetch(1)
    other.do(QueueDeclare(0, "used"), BasicConsume(0, "used", "c"))
    other.do(publish(b"1", "used"), publish(b"2", "used"))
    (close,) = client.do(method)
    assert isinstance(close, ChannelClose)
    assert (close.reply_code, close.class_id, close.method_id) == (code, 50, id_)
    assert text in close.reply_text

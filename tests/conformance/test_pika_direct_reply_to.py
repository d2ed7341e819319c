"""pika: answers without a reply queue (RabbitMQ: direct reply-to), where the broker offers it."""

import pytest
from pika import BasicProperties
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Connect, Name
from tests.conformance.pika_tools import Inbox, refused, wait_until

REPLY_TO = "amq.rabbitmq.reply-to"


@pytest.fixture(autouse=True)
def _offered(channel: BlockingChannel) -> None:
    properties = channel.connection._impl.server_properties
    if not properties["capabilities"].get("direct_reply_to"):
        pytest.skip("direct reply-to is not offered")


def test_an_answer_comes_back_without_a_queue(
    connect: Connect, channel: BlockingChannel, name: Name
) -> None:
    requests = channel.queue_declare(name("requests"), exclusive=True).method.queue
    served: list[str] = []

    def serve(on: BlockingChannel, _method: object, asked: BasicProperties, body: bytes) -> None:
        on.basic_publish("", asked.reply_to, body.upper())
        served.append(asked.reply_to)

    channel.basic_consume(requests, serve, auto_ack=True)
    client = connect().channel()
    answers: list[bytes] = []
    client.basic_consume(REPLY_TO, lambda _c, _m, _p, b: answers.append(b), auto_ack=True)
    for body in (b"one", b"two"):
        client.basic_publish("", requests, body, BasicProperties(reply_to=REPLY_TO))
    wait_until(channel, lambda: len(served) == 2, "two requests")
    wait_until(client, lambda: len(answers) == 2, "two answers")
    assert answers == [b"ONE", b"TWO"]
    assert all(one.startswith(f"{REPLY_TO}.") for one in served)


def test_answers_cannot_be_acked(channel: BlockingChannel) -> None:
    with refused(406, "PRECONDITION_FAILED - reply consumer cannot acknowledge"):
        Inbox(channel, REPLY_TO)


def test_there_is_one_reply_consumer_a_channel(channel: BlockingChannel) -> None:
    Inbox(channel, REPLY_TO, auto_ack=True)
    with refused(406, "PRECONDITION_FAILED - reply consumer already set"):
        Inbox(channel, REPLY_TO, auto_ack=True)


def test_asking_needs_a_reply_consumer(channel: BlockingChannel, name: Name) -> None:
    with refused(406, "PRECONDITION_FAILED - fast reply consumer does not exist"):
        channel.basic_publish("", name("q"), b"", BasicProperties(reply_to=REPLY_TO))
        channel.queue_declare("", exclusive=True)

"""pika: what is published comes out as it went in; getting, acking and giving back."""

from datetime import UTC, datetime
from decimal import Decimal
from functools import partial

import pytest
from pika import BasicProperties
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Connect, Name, Publish
from tests.conformance.pika_tools import disconnected, refused, wait_until

ONE_FRAME = 131072 - 8


@pytest.fixture
def five(queue: str, publish: Publish) -> str:
    """A queue with the messages 1 to 5."""
    publish(queue, *(b"%d" % number for number in range(1, 6)))
    return queue


def get(channel: BlockingChannel, queue: str) -> tuple[bytes, bool] | None:
    """Get the next message and leave it unacked: its body, and whether it was here before."""
    method, _, body = channel.basic_get(queue)
    return (body, method.redelivered) if method else None


def drain(channel: BlockingChannel, queue: str) -> list[tuple[bytes, bool]]:
    """Get all messages."""
    return list(iter(lambda: get(channel, queue), None))


@pytest.mark.parametrize(
    "size", [0, 1, ONE_FRAME - 1, ONE_FRAME, ONE_FRAME + 1, 3 * ONE_FRAME, 5_000_000]
)
def test_bodies_of_every_size(channel: BlockingChannel, queue: str, size: int) -> None:
    body = (bytes(range(251)) * (size // 251 + 1))[:size]
    channel.basic_publish("", queue, body)
    method, _, got = channel.basic_get(queue, auto_ack=True)
    assert len(got) == size
    assert got == body
    assert method.message_count == 0


HEADERS = {
    "bool": True,
    "int": -42,
    "large": 2**40,
    "text": "grüße 🐇",
    "octets": bytes(range(256)),
    "decimal": Decimal("3.25"),
    "time": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    "void": None,
    "list": [1, "two", [True, None], {"three": 3}],
    "table": {"nested": {"deep": "down"}, "empty": {}},
    "empty": "",
    "ключ": "any key",
}


def test_properties_and_headers_of_every_type_come_through(
    channel: BlockingChannel, queue: str
) -> None:
    sent = {
        "content_type": "application/json",
        "content_encoding": "utf-8",
        "headers": HEADERS,
        "delivery_mode": 2,
        "priority": 7,
        "correlation_id": "c-1",
        "reply_to": "answers",
        "expiration": "60000",
        "message_id": "m-1",
        "timestamp": 1_700_000_000,
        "type": "order",
        "user_id": "guest",
        "app_id": "shop",
        "cluster_id": "blue",
    }
    channel.basic_publish("", queue, b"{}", BasicProperties(**sent))
    properties = channel.basic_get(queue, auto_ack=True)[1]
    assert {key: getattr(properties, key) for key in sent} == sent


def test_properties_that_were_not_set_stay_so(channel: BlockingChannel, queue: str) -> None:
    channel.basic_publish("", queue, b"")
    assert channel.basic_get(queue, auto_ack=True)[1] == BasicProperties()


def test_a_message_says_how_it_was_published(channel: BlockingChannel, queue: str) -> None:
    channel.queue_bind(queue, "amq.topic", f"{queue}.#")
    channel.basic_publish("amq.topic", f"{queue}.a.b", b"1")
    channel.basic_publish("amq.topic", f"{queue}.c", b"2")
    method, _, _ = channel.basic_get(queue)
    assert (method.exchange, method.routing_key) == ("amq.topic", f"{queue}.a.b")
    assert (method.redelivered, method.message_count, method.delivery_tag) == (False, 1, 1)


def test_an_empty_queue_gives_nothing(channel: BlockingChannel, queue: str) -> None:
    assert channel.basic_get(queue) == (None, None, None)


def test_auto_ack_leaves_nothing_behind(channel: BlockingChannel, five: str) -> None:
    other = channel.connection.channel()
    for number in range(1, 6):
        assert other.basic_get(five, auto_ack=True)[2] == b"%d" % number
    other.close()
    assert channel.queue_declare(five, passive=True).method.message_count == 0


def test_an_ack_settles_one_message(channel: BlockingChannel, five: str) -> None:
    other = channel.connection.channel()
    drain(other, five)
    other.basic_ack(3)
    other.close()
    assert drain(channel, five) == [(b"1", True), (b"2", True), (b"4", True), (b"5", True)]


def test_an_ack_can_settle_all_up_to_a_tag(channel: BlockingChannel, five: str) -> None:
    other = channel.connection.channel()
    drain(other, five)
    other.basic_ack(3, multiple=True)
    other.close()
    assert drain(channel, five) == [(b"4", True), (b"5", True)]


@pytest.mark.parametrize("settle", ["ack", "nack"])
def test_tag_zero_settles_all(channel: BlockingChannel, five: str, settle: str) -> None:
    drain(channel, five)
    if settle == "ack":
        channel.basic_ack(0, multiple=True)
        left = []
    else:
        channel.basic_nack(0, multiple=True, requeue=True)
        left = [(b"%d" % number, True) for number in range(1, 6)]
    assert drain(channel, five) == left


def test_what_is_given_back_returns_to_its_place(channel: BlockingChannel, five: str) -> None:
    for _ in range(4):
        get(channel, five)
    channel.basic_reject(3, requeue=True)
    channel.basic_nack(2, requeue=True)
    assert drain(channel, five) == [(b"2", True), (b"3", True), (b"5", False)]


def test_many_can_be_given_back_at_once(channel: BlockingChannel, five: str) -> None:
    drain(channel, five)
    channel.basic_nack(4, multiple=True, requeue=True)
    assert drain(channel, five) == [(b"%d" % number, True) for number in range(1, 5)]


def test_what_is_rejected_for_good_is_gone(channel: BlockingChannel, five: str) -> None:
    drain(channel, five)
    channel.basic_reject(1, requeue=False)
    channel.basic_nack(3, multiple=True, requeue=False)
    channel.basic_nack(0, multiple=True, requeue=True)
    assert drain(channel, five) == [(b"4", True), (b"5", True)]


def test_tags_are_not_used_again(channel: BlockingChannel, five: str) -> None:
    tags = []
    for _ in range(3):
        tags.append(channel.basic_get(five)[0].delivery_tag)
        channel.basic_nack(tags[-1], requeue=True)
    channel.basic_get(five, auto_ack=True)
    tags.append(channel.basic_get(five)[0].delivery_tag)
    assert tags == [1, 2, 3, 5]


@pytest.mark.parametrize("tag", [6, 2])
@pytest.mark.parametrize("method", ["ack", "nack", "reject"])
def test_an_unknown_tag_closes_the_channel(
    channel: BlockingChannel, five: str, tag: int, method: str
) -> None:
    other = channel.connection.channel()
    drain(other, five)
    other.basic_ack(2)
    with refused(406, f"PRECONDITION_FAILED - unknown delivery tag {tag}"):
        getattr(other, f"basic_{method}")(tag)
        other.queue_declare(five, passive=True)
    assert drain(channel, five) == [(b"%d" % n, True) for n in (1, 3, 4, 5)]


def test_a_tag_belongs_to_its_channel(channel: BlockingChannel, five: str) -> None:
    get(channel, five)
    other = channel.connection.channel()
    with refused(406, "PRECONDITION_FAILED - unknown delivery tag 1"):
        other.basic_ack(1)
        other.queue_declare(five, passive=True)
    channel.basic_ack(1)
    assert channel.queue_declare(five, passive=True).method.message_count == 4


def test_recover_gives_all_back(channel: BlockingChannel, five: str) -> None:
    for _ in range(3):
        get(channel, five)
    channel.basic_ack(2)
    channel.basic_recover(requeue=True)
    assert drain(channel, five) == [(b"1", True), (b"3", True), (b"4", False), (b"5", False)]


def test_recover_without_requeue_is_not_to_be_had(channel: BlockingChannel) -> None:
    with disconnected(540, "NOT_IMPLEMENTED - requeue=false"):
        channel.basic_recover(requeue=False)


@pytest.mark.parametrize("end", ["close", "error", "connection"])
def test_whatever_ends_a_channel_gives_its_messages_back(
    connect: Connect, channel: BlockingChannel, publish: Publish, name: Name, end: str
) -> None:
    shared = channel.queue_declare(name("shared")).method.queue
    publish(shared, b"1", b"2", b"3")
    other = connect().channel()
    assert [get(other, shared) for _ in range(2)] == [(b"1", False), (b"2", False)]
    match end:
        case "close":
            other.close()
        case "error":
            with refused(404, f"NOT_FOUND - no queue '{name('absent')}' in vhost '/'"):
                other.queue_declare(name("absent"), passive=True)
        case _:
            other.connection.close()
    declare = partial(channel.queue_declare, shared, passive=True)
    wait_until(channel, lambda: declare().method.message_count == 3, "all three")
    assert drain(channel, shared) == [(b"1", True), (b"2", True), (b"3", False)]
    channel.queue_delete(shared)


def test_a_message_stays_redelivered(channel: BlockingChannel, five: str) -> None:
    for _ in range(3):
        other = channel.connection.channel()
        drain(other, five)
        other.close()
    assert drain(channel, five) == [(b"%d" % number, True) for number in range(1, 6)]


def test_an_expiration_has_to_be_a_number(channel: BlockingChannel, queue: str) -> None:
    with refused(406, "PRECONDITION_FAILED - invalid expiration 'soon'", exactly=False):
        channel.basic_publish("", queue, b"", BasicProperties(expiration="soon"))
        channel.queue_declare(queue, passive=True)


def test_a_user_id_must_be_ones_own(channel: BlockingChannel, queue: str) -> None:
    with refused(
        406,
        "PRECONDITION_FAILED - user_id property set to 'admin' but authenticated user was 'guest'",
    ):
        channel.basic_publish("", queue, b"", BasicProperties(user_id="admin"))
        channel.queue_declare(queue, passive=True)

"""pika: exchanges bound to exchanges, alternate exchanges, more keys than one."""

from collections.abc import Callable

import pytest
from pika import BasicProperties
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import UnroutableError

from tests.conformance.conftest import Name
from tests.conformance.pika_tools import refused


@pytest.fixture
def queue(channel: BlockingChannel) -> str:
    declared: str = channel.queue_declare("", exclusive=True).method.queue
    return declared


@pytest.fixture
def other_queue(channel: BlockingChannel) -> str:
    declared: str = channel.queue_declare("", exclusive=True).method.queue
    return declared


@pytest.fixture
def exchange(channel: BlockingChannel, name: Name) -> Callable[..., str]:
    """Declare an exchange that goes with its last binding."""

    def declare(purpose: str, kind: str, **arguments: object) -> str:
        channel.exchange_declare(name(purpose), kind, auto_delete=True, arguments=arguments)
        return name(purpose)

    return declare


def test_a_message_goes_on_from_exchange_to_exchange(
    channel: BlockingChannel, exchange: Callable[..., str], queue: str
) -> None:
    first, second = exchange("first", "topic"), exchange("second", "direct")
    channel.exchange_bind(second, first, "orders.#")
    channel.queue_bind(queue, second, "orders.new")
    for key in ("orders.new", "orders.old", "bills.new"):
        channel.basic_publish(first, key, key.encode())
    method, _, body = channel.basic_get(queue, auto_ack=True)
    assert (body, method.exchange, method.message_count) == (b"orders.new", first, 0)


def test_a_message_no_longer_goes_on_after_unbind(
    channel: BlockingChannel, exchange: Callable[..., str], queue: str
) -> None:
    first, second = exchange("first", "fanout"), exchange("second", "fanout")
    channel.queue_bind(queue, first)  # keeps it when the other binding goes
    channel.queue_bind(queue, second)
    for key in ("a", "b"):
        channel.exchange_bind(second, first, key)
    channel.exchange_unbind(second, first, "a")
    channel.queue_unbind(queue, first)
    channel.basic_publish(first, "", b"by b")
    channel.queue_bind(queue, first)
    channel.exchange_unbind(second, first, "b")
    channel.queue_bind(queue, first, "again")
    channel.basic_publish(first, "", b"direct")
    assert [channel.basic_get(queue, auto_ack=True)[2] for _ in range(2)] == [b"by b", b"direct"]
    assert channel.queue_declare(queue, passive=True).method.message_count == 0


def test_exchanges_bound_in_a_circle_route_once(
    channel: BlockingChannel, exchange: Callable[..., str], queue: str
) -> None:
    ring = [exchange(f"ring{n}", "fanout") for n in range(3)]
    for source, destination in zip(ring, [*ring[1:], ring[0]], strict=True):
        channel.exchange_bind(destination, source)
    for one in ring:
        channel.queue_bind(queue, one)
    channel.basic_publish(ring[1], "", b"once")
    assert channel.basic_get(queue, auto_ack=True)[2] == b"once"
    assert channel.basic_get(queue) == (None, None, None)


@pytest.mark.parametrize("missing", ["source", "destination"])
def test_both_ends_of_a_binding_must_exist(
    channel: BlockingChannel, name: Name, missing: str
) -> None:
    absent = name("absent")
    ends = {"source": "amq.fanout", "destination": "amq.topic", missing: absent}
    with refused(404, f"NOT_FOUND - no exchange '{absent}' in vhost '/'"):
        channel.exchange_bind(**ends)


@pytest.mark.parametrize("missing", ["source", "destination"])
def test_unbinding_what_is_gone_is_fine(channel: BlockingChannel, name: Name, missing: str) -> None:
    ends = {"source": "amq.fanout", "destination": "amq.topic", missing: name("absent")}
    channel.exchange_unbind(**ends)
    assert channel.is_open


def test_the_alternate_exchange_takes_what_nobody_wants(
    channel: BlockingChannel, exchange: Callable[..., str], queue: str, other_queue: str
) -> None:
    fallback = exchange("fallback", "fanout")
    main = exchange("main", "direct", **{"alternate-exchange": fallback})
    channel.queue_bind(queue, main, "known")
    channel.queue_bind(other_queue, fallback)
    channel.confirm_delivery()
    for key in ("known", "unknown"):
        channel.basic_publish(main, key, key.encode(), mandatory=True)
    assert channel.basic_get(queue, auto_ack=True)[2] == b"known"
    method, _, body = channel.basic_get(other_queue, auto_ack=True)
    assert (body, method.exchange, method.routing_key) == (b"unknown", main, "unknown")
    assert channel.queue_declare(queue, passive=True).method.message_count == 0


def test_alternates_are_tried_in_turn_and_the_last_returns(
    channel: BlockingChannel, exchange: Callable[..., str], queue: str
) -> None:
    last = exchange("last", "direct")
    middle = exchange("middle", "direct", **{"alternate-exchange": last})
    first = exchange("first", "direct", **{"alternate-exchange": middle})
    channel.queue_bind(queue, last, "key")
    channel.confirm_delivery()
    channel.basic_publish(first, "key", b"at last", mandatory=True)
    assert channel.basic_get(queue, auto_ack=True)[2] == b"at last"
    with pytest.raises(UnroutableError):
        channel.basic_publish(first, "nobody's", b"back", mandatory=True)


def test_a_missing_alternate_exchange_loses_the_message_quietly(
    channel: BlockingChannel, exchange: Callable[..., str], name: Name, queue: str
) -> None:
    main = exchange("main", "direct", **{"alternate-exchange": name("absent")})
    channel.confirm_delivery()
    channel.basic_publish(main, "key", b"lost")
    channel.queue_bind(queue, main, "key")
    channel.basic_publish(main, "key", b"kept")
    assert channel.basic_get(queue, auto_ack=True)[2] == b"kept"


def test_the_alternate_exchange_is_part_of_the_declaration(
    channel: BlockingChannel, exchange: Callable[..., str], name: Name
) -> None:
    main, other = exchange("main", "direct"), channel.connection.channel()
    with refused(
        406,
        f"PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange '{main}' in "
        "vhost '/': received the value 'amq.fanout' of type 'longstr' but current is none",
    ):
        arguments = {"alternate-exchange": "amq.fanout"}
        other.exchange_declare(main, "direct", auto_delete=True, arguments=arguments)
    channel.exchange_delete(main)


def test_more_keys_can_be_given_in_headers(channel: BlockingChannel, name: Name) -> None:
    queues = [channel.queue_declare(name(p), exclusive=True).method.queue for p in "abc"]
    headers = {"CC": [queues[1]], "BCC": [queues[2], queues[0]], "other": 1}
    channel.basic_publish("", queues[0], b"to all", BasicProperties(headers=headers))
    for queue in queues:
        method, properties, body = channel.basic_get(queue, auto_ack=True)
        assert (body, method.message_count) == (b"to all", 0)
        assert properties.headers == {"CC": [queues[1]], "other": 1}


def test_more_keys_must_be_a_list(channel: BlockingChannel, queue: str) -> None:
    with refused(406, "PRECONDITION_FAILED - invalid message: ", exactly=False):
        channel.basic_publish("", queue, b"", BasicProperties(headers={"CC": "a string"}))
        channel.queue_declare(queue, passive=True)

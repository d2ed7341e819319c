"""pika: opening, naming, limiting, renewing, losing and closing connections and channels."""

import base64
import json
import re
import socket
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import (
    ConnectionClosedByBroker,
    ProbableAccessDeniedError,
    ProbableAuthenticationError,
    StreamLostError,
)

from tests.broker_process import BrokerProcess
from tests.conformance.conftest import Broker, Connect, Name
from tests.conformance.pika_tools import WITHIN_S, disconnected, refused

CAPABILITIES = {
    "publisher_confirms",
    "exchange_exchange_bindings",
    "basic.nack",
    "consumer_cancel_notify",
    "connection.blocked",
    "consumer_priorities",
    "authentication_failure_close",
    "per_consumer_qos",
}


def test_the_broker_introduces_itself(connection: pika.BlockingConnection, broker: Broker) -> None:
    properties = connection._impl.server_properties
    assert broker.product in ("amqplite", "RabbitMQ")
    assert re.fullmatch(r"\d+\.\d+\.\d+", properties["version"])
    offered = {one for one, whether in properties["capabilities"].items() if whether}
    assert offered >= CAPABILITIES
    assert all(properties[key] for key in ("platform", "copyright", "information", "cluster_name"))


def test_the_broker_offers_its_limits(connection: pika.BlockingConnection) -> None:
    limits = connection._impl.params
    assert (limits.channel_max, limits.frame_max) == (2047, 131072)


def test_a_client_without_a_heartbeat_of_its_own_takes_the_brokers(connect: Connect) -> None:
    assert connect(heartbeat=None)._impl.params.heartbeat == 60


def test_a_wrong_password_is_refused_with_a_reason(connect: Connect) -> None:
    with pytest.raises(ProbableAuthenticationError) as refusal:
        connect(credentials=pika.PlainCredentials("guest", "wrong"))
    assert "(403) 'ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. " in (
        str(refusal.value)
    )


def test_an_unknown_user_is_refused_in_the_same_words(connect: Connect) -> None:
    texts = []
    for user in ("guest", "nobody"):
        with pytest.raises(ProbableAuthenticationError) as refusal:
            connect(credentials=pika.PlainCredentials(user, "wrong"))
        texts.append(str(refusal.value))
    assert texts[0] == texts[1]


def test_a_missing_vhost_is_refused(connect: Connect) -> None:
    with pytest.raises(ProbableAccessDeniedError) as refusal:
        connect(virtual_host="nowhere")
    assert "(530) 'NOT_ALLOWED - vhost nowhere not found'" in str(refusal.value)


@pytest.mark.parametrize("size", [4096, 4097, 8192, 131072])
def test_a_client_may_ask_for_smaller_frames(connect: Connect, name: Name, size: int) -> None:
    channel = connect(frame_max=size).channel()
    queue = channel.queue_declare(name("q"), exclusive=True).method.queue
    body = bytes(range(256)) * 100
    channel.basic_publish("", queue, body)
    assert channel.basic_get(queue, auto_ack=True)[2] == body


def test_a_client_may_ask_for_few_channels(connect: Connect) -> None:
    connection = connect(channel_max=2)
    numbers = [int(connection.channel()) for _ in range(2)]
    assert numbers == [1, 2]


def test_many_channels_share_a_connection(connection: pika.BlockingConnection, name: Name) -> None:
    channels = [connection.channel() for _ in range(300)]
    queue = channels[0].queue_declare(name("q"), exclusive=True).method.queue
    for channel in channels:
        channel.basic_publish("", queue, b"%d" % int(channel))
    assert {c.basic_get(queue, auto_ack=True)[0].delivery_tag for c in channels} == {1}
    assert channels[0].queue_declare(queue, passive=True).method.message_count == 0


def test_the_highest_channel_number_can_be_used(connection: pika.BlockingConnection) -> None:
    channel = connection.channel(2047)
    assert channel.queue_declare("", exclusive=True).method.message_count == 0


def test_many_connections_at_once(connect: Connect, name: Name) -> None:
    channels = [connect().channel() for _ in range(60)]
    queue = channels[0].queue_declare(name("q"), exclusive=False, auto_delete=True).method.queue
    for number, channel in enumerate(channels):
        channel.confirm_delivery()
        channel.basic_publish("", queue, b"%d" % number)
    got = [channels[-1].basic_get(queue, auto_ack=True)[2] for _ in channels]
    assert got == [b"%d" % number for number in range(60)]
    channels[0].queue_delete(queue)


@pytest.mark.parametrize("called", ["billing worker 7", "счета 🐇", "x" * 2000])
def test_a_connection_is_found_by_its_name(connect: Connect, broker: Broker, called: str) -> None:
    connection = connect(client_properties={"connection_name": called})
    assert connection.channel().queue_declare("", exclusive=True).method.consumer_count == 0
    if broker.http_port:
        assert called in connection_names(broker)
        connection.close()
        assert called not in connection_names(broker)


def connection_names(broker: Broker) -> list[str | None]:
    """What the connections of now call themselves."""
    asking = HTTPConnection("127.0.0.1", broker.http_port, timeout=WITHIN_S)
    with closing(asking):
        login = base64.b64encode(b"guest:guest").decode()
        asking.request("GET", "/api/connections", headers={"Authorization": f"Basic {login}"})
        listed = json.loads(asking.getresponse().read())
    return [one["client_properties"].get("connection_name") for one in listed]


def test_a_channel_error_leaves_the_others_alone(
    connection: pika.BlockingConnection, name: Name
) -> None:
    good, bad = connection.channel(), connection.channel()
    queue = good.queue_declare(name("q"), exclusive=True).method.queue
    good.basic_publish("", queue, b"before")
    absent = name("absent")
    with refused(404, f"NOT_FOUND - no queue '{absent}' in vhost '/'"):
        bad.queue_declare(absent, passive=True)
    assert bad.is_closed
    assert good.is_open
    good.basic_publish("", queue, b"after")
    assert [good.basic_get(queue, auto_ack=True)[2] for _ in range(2)] == [b"before", b"after"]


def test_a_channel_number_can_be_used_again_after_an_error(
    connection: pika.BlockingConnection, name: Name
) -> None:
    for _ in range(20):
        channel = connection.channel(5)
        absent = name("absent")
        with refused(404, f"NOT_FOUND - no exchange '{absent}' in vhost '/'"):
            channel.exchange_declare(absent, passive=True)
    assert connection.channel(5).queue_declare("", exclusive=True).method.message_count == 0


def test_a_channel_number_can_be_used_again_after_a_close(
    connection: pika.BlockingConnection,
) -> None:
    for _ in range(20):
        channel = connection.channel(5)
        channel.tx_select()  # state of the old channel must not leak into the new one
        channel.close()
    channel = connection.channel(5)
    channel.confirm_delivery()
    assert channel.is_open


def test_a_client_may_say_that_it_takes_deliveries(channel: BlockingChannel) -> None:
    assert channel.flow(active=True) is True


def test_a_client_may_not_stop_deliveries(channel: BlockingChannel) -> None:
    with disconnected(540, "NOT_IMPLEMENTED - active=false"):
        channel.flow(active=False)


def test_a_secret_can_be_renewed_on_a_live_connection(
    connection: pika.BlockingConnection, channel: BlockingChannel
) -> None:
    connection.update_secret("guest", "rotation")
    queue = channel.queue_declare("", exclusive=True).method.queue
    channel.basic_publish("", queue, b"still here")
    assert channel.basic_get(queue)[2] == b"still here"


def test_heartbeats_keep_an_idle_connection(connect: Connect) -> None:
    connection = connect(heartbeat=1)
    channel = connection.channel()
    began = monotonic()
    while monotonic() - began < 3:
        connection.process_data_events(time_limit=1)
    assert channel.queue_declare("", exclusive=True).method.message_count == 0


def test_a_silent_client_is_dropped_after_missed_heartbeats(connect: Connect) -> None:
    connection = connect(heartbeat=1)
    silent = connection._impl._transport._sock
    silent.setblocking(True)
    silent.settimeout(WITHIN_S)
    began = monotonic()
    with suppress(ConnectionResetError):
        while silent.recv(4096):  # its heartbeats; ours are not sent, since pika does not run
            pass
    assert 1.5 < monotonic() - began < 5
    with pytest.raises((StreamLostError, ConnectionClosedByBroker)):
        connection.channel()


def test_a_connection_that_is_closed_leaves_its_messages(connect: Connect, name: Name) -> None:
    first, second = connect(), connect().channel()
    channel = first.channel()
    queue = second.queue_declare(name("q"), exclusive=True).method.queue
    second.queue_delete(queue)
    queue = channel.queue_declare(name("q"), auto_delete=False).method.queue
    for body in (b"1", b"2", b"3"):
        channel.basic_publish("", queue, body)
    assert [channel.basic_get(queue)[2] for _ in range(2)] == [b"1", b"2"]
    first.close()
    got = [second.basic_get(queue) for _ in range(3)]
    assert [(body, method.redelivered) for method, _, body in got] == [
        (b"1", True),
        (b"2", True),
        (b"3", False),
    ]
    second.queue_delete(queue)


def test_a_broker_on_localhost_serves_every_address_of_it(tmp_path: Path, broker: Broker) -> None:
    if broker.product != "amqplite":
        pytest.skip("needs a broker started with --host localhost")
    found = socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)
    with BrokerProcess(tmp_path, host="localhost") as process:
        for address in {str(one[4][0]) for one in found}:
            parameters = pika.ConnectionParameters(address, process.amqp_port)
            with pika.BlockingConnection(parameters) as connection:
                assert connection.channel().is_open
        assert process.stop() == 0

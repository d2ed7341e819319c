"""Connecting over TCP, to a broker that is a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from amqplite.client.connect import connect
from amqplite.client.errors import ConnectionLost
from amqplite.errors import LoginRefused
from amqplite.protocol.methods import ConnectionClose, ConnectionCloseOk
from amqplite.protocol.properties import Properties
from tests.broker_process import BrokerProcess
from tests.client.said import greeting, on


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    directory: Path = tmp_path_factory.mktemp("broker")
    with BrokerProcess(directory / "data") as process:
        yield process


async def test_messages_go_there_and_back(broker: BrokerProcess) -> None:
    persistent = Properties(delivery_mode=2)
    async with connect(broker.url, name="p1") as connection:
        channel = await connection.channel()
        await channel.declare_queue("q", durable=True)
        await channel.select_confirms()
        for number in range(200):
            await channel.publish(str(number).encode(), routing_key="q", properties=persistent)
        await channel.wait_confirms()
        await channel.qos(50)
        consumer = await channel.consume("q")
        bodies = []
        for _ in range(200):
            delivery = await consumer.receive()
            bodies.append(int(delivery.body))
            channel.ack(delivery)
        assert bodies == list(range(200))
    async with connect(broker.url) as connection:
        channel = await connection.channel()
        assert await channel.delete_queue("q") == 0


async def test_a_wrong_password_is_refused(broker: BrokerProcess) -> None:
    with pytest.raises(LoginRefused):
        async with connect(broker.url, password="wrong"):
            pass


async def test_an_aborted_client_gives_back_what_it_held(broker: BrokerProcess) -> None:
    async with connect(broker.url) as connection:
        watcher = await connection.channel()
        await watcher.declare_queue("held")
        await watcher.publish(b"1", routing_key="held")
        async with connect(port=broker.amqp_port) as other:
            channel = await other.channel()
            assert await channel.get("held") is not None
            other.abort()
            consumer = await watcher.consume("held")
            delivery = await consumer.receive()
            assert delivery.redelivered
            with pytest.raises(ConnectionLost, match="we aborted"):
                await channel.qos(1)


async def test_where_nobody_listens_there_is_no_connection() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    with pytest.raises(OSError, match=str(port)):
        async with connect(port=port):
            pass


async def test_who_never_greets_is_not_waited_for(autojump_clock: trio.testing.MockClock) -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    with pytest.raises(trio.TooSlowError):
        async with connect(port=listener.socket.getsockname()[1], timeout_s=3):
            pass
    assert 3 <= trio.current_time() < 6
    await listener.aclose()


async def test_what_is_no_setting_is_refused() -> None:
    with pytest.raises(TypeError, match="hots"):
        async with connect(hots="broker"):
            pass


async def test_an_abort_is_a_reset_and_a_goodbye_is_none() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    ends = []

    async def serve() -> None:
        async with await listener.accept() as stream:
            await stream.send_all(greeting(heartbeat=0))
            try:
                async for octets in stream:
                    if octets.endswith(on(0, ConnectionClose(200, "goodbye"))):
                        await stream.send_all(on(0, ConnectionCloseOk()))
                ends.append("goodbye")
            except trio.BrokenResourceError:
                ends.append("reset")

    for abort in (False, True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            async with connect(port=port) as connection:
                await connection.flush()
                if abort:
                    connection.abort()
    await listener.aclose()
    assert ends == ["goodbye", "reset"]

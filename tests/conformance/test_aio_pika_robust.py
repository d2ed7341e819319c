"""aio-pika's robust connections: a broker that dies and comes back is a pause, no more."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import aio_pika
import pytest
from aio_pika import DeliveryMode, Message
from aio_pika.abc import AbstractIncomingMessage

from tests.broker_process import BrokerProcess
from tests.conformance.conftest import Broker, Name

WITHIN_S = 20


@pytest.fixture
def process(broker: Broker, tmp_path: Path) -> Iterator[BrokerProcess]:
    if broker.product != "amqplite":
        pytest.skip("needs a broker that it can kill")
    with BrokerProcess(tmp_path) as process:
        yield process


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_consumer_goes_on_after_a_restart(process: BrokerProcess, name: Name, end: str) -> None:
    got: asyncio.Queue[tuple[bytes, bool]] = asyncio.Queue()

    async def handle(message: AbstractIncomingMessage) -> None:
        got.put_nowait((message.body, bool(message.redelivered)))
        if message.body != b"held":
            await message.ack()

    async def test() -> None:
        async with await aio_pika.connect_robust(
            process.url, reconnect_interval=0.1, fail_fast=False
        ) as connection:
            channel = await connection.channel()
            queue = await channel.declare_queue(name("q"), durable=True)
            exchange = await channel.declare_exchange(name("x"), "topic")
            await queue.bind(exchange, "#")
            await queue.consume(handle)
            for body in (b"held", b"done"):
                message = Message(body, delivery_mode=DeliveryMode.PERSISTENT)
                await exchange.publish(message, "key")
            assert [await got.get() for _ in range(2)] == [(b"held", False), (b"done", False)]
            back = asyncio.Event()
            connection.reconnect_callbacks.add(lambda *_: back.set())
            await asyncio.to_thread(getattr(process, end))
            await asyncio.to_thread(process.start)
            await back.wait()
            assert await got.get() == (b"held", True)
            await exchange.publish(Message(b"after"), "key")
            last = await got.get()
            if end == "kill" and last == (b"done", True):  # its ack need not have been on disk
                last = await got.get()
            assert last == (b"after", False)

    async def within() -> None:
        async with asyncio.timeout(WITHIN_S):
            await test()

    asyncio.run(within())

"""aio-pika on asyncio: plain and robust connections."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import aio_pika
import pytest
from aio_pika import DeliveryMode, ExchangeType, Message
from aio_pika.abc import AbstractChannel, AbstractIncomingMessage
from aio_pika.exceptions import (
    ChannelNotFoundEntity,
    ChannelPreconditionFailed,
    DeliveryError,
    ProbableAuthenticationError,
    QueueEmpty,
)
from aio_pika.patterns import RPC, Master

from tests.conformance.conftest import Broker, Name

WITHIN_S = 10


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test on an asyncio loop of its own; fail it after `WITHIN_S`."""

    async def within() -> None:
        async with asyncio.timeout(WITHIN_S):
            await test()

    asyncio.run(within())


@asynccontextmanager
async def opened(broker: Broker, **settings: Any) -> AsyncIterator[AbstractChannel]:
    """A channel on a connection of its own."""
    async with (
        await aio_pika.connect(broker.url) as connection,
        connection.channel(**settings) as channel,
    ):
        yield channel


PROPERTIES = [
    *("content_type", "delivery_mode", "priority", "correlation_id", "reply_to", "expiration"),
    *("message_id", "timestamp", "type", "user_id", "app_id"),
]


def test_a_message_comes_through_whole(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker) as channel:
            queue = await channel.declare_queue(name("q"), exclusive=True)
            sent = Message(
                b"\x00body",
                headers={"text": "тест", "number": 2**40, "real": 0.5, "list": [1, {"a": None}]},
                content_type="application/octet-stream",
                delivery_mode=DeliveryMode.PERSISTENT,
                priority=3,
                correlation_id="c",
                reply_to="r",
                expiration=60,
                message_id="m",
                timestamp=datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC),
                type="t",
                user_id="guest",
                app_id="a",
            )
            await channel.default_exchange.publish(sent, queue.name)
            got = await queue.get(no_ack=True)
            assert (got.body, got.headers) == (sent.body, sent.headers)
            for one in PROPERTIES:
                assert getattr(got, one) == getattr(sent, one), one

    run(test)


def test_many_publishes_at_once_are_confirmed(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker) as channel:
            queue = await channel.declare_queue(name("q"), durable=True)
            bodies = [b"%d" % number for number in range(200)]
            messages = [Message(b, delivery_mode=DeliveryMode.PERSISTENT) for b in bodies]
            await asyncio.gather(
                *(channel.default_exchange.publish(one, queue.name) for one in messages)
            )
            got = [(await queue.get(no_ack=True)).body for _ in bodies]
            assert got == bodies
            await queue.delete()

    run(test)


def test_an_unroutable_message_raises(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker, on_return_raises=True) as channel:
            with pytest.raises(DeliveryError) as returned:
                await channel.default_exchange.publish(Message(b"back"), name("nobody's"))
            assert returned.value.message.body == b"back"
            assert returned.value.message.delivery.reply_code == 312

    run(test)


def test_the_iterator_acks_what_went_well(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker) as channel:
            await channel.set_qos(prefetch_count=5)
            queue = await channel.declare_queue(name("q"), exclusive=True)
            for number in range(10):
                await channel.default_exchange.publish(Message(b"%d" % number), queue.name)
            got: list[bytes] = []
            async with queue.iterator() as messages:
                async for message in messages:
                    async with message.process():
                        got.append(message.body)
                    if len(got) == 7:
                        break
            assert got == [b"%d" % number for number in range(7)]
            left = [(await queue.get(no_ack=True)).body for _ in range(3)]
            assert left == [b"7", b"8", b"9"]
            with pytest.raises(QueueEmpty):
                await queue.get()

    run(test)


def test_a_failed_message_is_given_back_once(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker) as channel:
            queue = await channel.declare_queue(name("q"), exclusive=True)
            seen: asyncio.Queue[bool] = asyncio.Queue()

            async def handle(message: AbstractIncomingMessage) -> None:
                async with message.process(
                    requeue=True, reject_on_redelivered=True, ignore_processed=True
                ):
                    seen.put_nowait(bool(message.redelivered))
                    raise ValueError("cannot handle it")

            tag = await queue.consume(handle)
            await channel.default_exchange.publish(Message(b"bad"), queue.name)
            assert [await seen.get(), await seen.get()] == [False, True]
            await queue.cancel(tag)
            assert await queue.get(fail=False) is None

    run(test)


@pytest.mark.parametrize("kind", ["direct", "fanout", "topic", "headers"])
def test_exchanges_of_each_type(broker: Broker, name: Name, kind: str) -> None:
    async def test() -> None:
        async with opened(broker) as channel:
            first = await channel.declare_exchange(name("a"), ExchangeType(kind), auto_delete=True)
            second = await channel.declare_exchange(name("b"), "fanout", auto_delete=True)
            queue = await channel.declare_queue("", exclusive=True)
            await second.bind(first, "key", arguments={"kind": kind})
            await queue.bind(second)
            await first.publish(Message(b"m", headers={"kind": kind}), "key")
            assert (await queue.get(no_ack=True)).body == b"m"
            await second.unbind(first, "key", arguments={"kind": kind})
            await queue.unbind(second)

    run(test)


def test_transactions(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker, publisher_confirms=False) as channel:
            queue = await channel.declare_queue(name("q"), exclusive=True)
            async with channel.transaction():
                await channel.default_exchange.publish(Message(b"kept"), queue.name)
            with suppress(KeyError):
                async with channel.transaction():
                    await channel.default_exchange.publish(Message(b"lost"), queue.name)
                    raise KeyError
            assert (await queue.get(no_ack=True)).body == b"kept"
            assert await queue.get(no_ack=True, fail=False) is None

    run(test)


def test_errors_have_their_types(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with await aio_pika.connect(broker.url) as connection:
            channel = await connection.channel()
            with pytest.raises(ChannelNotFoundEntity):
                await channel.declare_queue(name("absent"), passive=True)
            channel = await connection.channel()
            await channel.declare_queue(name("q"), exclusive=True)
            with pytest.raises(ChannelPreconditionFailed):
                await channel.declare_queue(name("q"), exclusive=True, auto_delete=True)
            channel = await connection.channel()
            assert (await channel.declare_queue(name("q"), passive=True)).name == name("q")

    run(test)


def test_a_wrong_password_has_its_error(broker: Broker) -> None:
    async def test() -> None:
        url = broker.url.replace("guest:guest@", "guest:wrong@")
        with pytest.raises(ProbableAuthenticationError, match="ACCESS_REFUSED"):
            await aio_pika.connect(url)

    run(test)


def test_a_secret_can_be_renewed(broker: Broker) -> None:
    async def test() -> None:
        async with await aio_pika.connect(broker.url) as connection:
            await connection.update_secret("guest", reason="rotation")
            async with connection.channel() as channel:
                assert await channel.declare_queue("", exclusive=True)

    run(test)


def test_a_cancelled_consumer_is_told(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with opened(broker) as channel, opened(broker) as other:
            queue = await channel.declare_queue(name("q"))
            cancelled: asyncio.Queue[str] = asyncio.Queue()
            underlay = await channel.get_underlay_channel()
            underlay.on_consumer_cancel_callbacks.add(
                lambda frame: cancelled.put_nowait(frame.consumer_tag)
            )

            async def handle(_message: AbstractIncomingMessage) -> None:
                raise AssertionError("nobody publishes")

            tag = await queue.consume(handle)
            await other.queue_delete(name("q"))
            assert await cancelled.get() == tag
            assert await channel.declare_queue("", exclusive=True)

    run(test)


def test_calls_over_a_reply_queue(broker: Broker, name: Name) -> None:
    async def multiply(*, a: int, b: int) -> int:
        return a * b

    async def test() -> None:
        async with opened(broker) as server, opened(broker) as client:
            serving = await RPC.create(server)
            await serving.register(name("multiply"), multiply, auto_delete=True)
            calling = await RPC.create(client)
            answers = await asyncio.gather(
                *(calling.call(name("multiply"), {"a": n, "b": n}) for n in range(20))
            )
            assert answers == [n * n for n in range(20)]
            await calling.close()
            await serving.unregister(multiply)
            await serving.close()

    run(test)


def test_a_master_hands_out_work(broker: Broker, name: Name) -> None:
    async def test() -> None:
        done: asyncio.Queue[int] = asyncio.Queue()

        async def work(*, number: int) -> None:
            done.put_nowait(number)

        async with opened(broker) as channel:
            master = Master(channel)
            worker = await master.create_worker(name("tasks"), work, auto_delete=True)
            for number in range(20):
                await master.create_task(name("tasks"), {"number": number})
            assert [await done.get() for _ in range(20)] == list(range(20))
            await worker.close()

    run(test)


def test_many_channels_at_once(broker: Broker, name: Name) -> None:
    async def test() -> None:
        async with await aio_pika.connect(broker.url) as connection:
            queue = await (await connection.channel()).declare_queue(name("q"), exclusive=True)

            async def one(number: int) -> None:
                async with connection.channel() as channel:
                    message = Message(b"%d" % number)
                    await channel.default_exchange.publish(message, queue.name)

            await asyncio.gather(*map(one, range(100)))
            got = {int((await queue.get(no_ack=True)).body) for _ in range(100)}
            assert got == set(range(100))

    run(test)

"""A broker on a timeline."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import trio

from amqplite.broker.recorder import SAMPLED_FROM
from amqplite.broker.trace import Event
from amqplite.client.connect import connect_over
from amqplite.connection.connection import Connection as ServerConnection
from amqplite.lab.playing.timeline import Timeline
from amqplite.lab.playing.virtual import TARGET, VirtualBroker
from amqplite.protocol.properties import Properties


def on_a_timeline(main: Callable[[VirtualBroker], Awaitable[None]]) -> Timeline:
    timeline = Timeline()

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            await main(VirtualBroker(timeline, nursery))
            nursery.cancel_scope.cancel()

    trio.run(run, clock=timeline)
    return timeline


async def wait(seconds: float) -> None:
    await trio.sleep(seconds)


def told(virtual: VirtualBroker) -> list[str]:
    events = virtual.broker.trace.read(0)
    return [" ".join(filter(None, (e.type, e.m, e.c or e.conn, e.sub))) for e in events]


def test_a_message_goes_through_it_and_takes_no_time() -> None:
    async def main(virtual: VirtualBroker) -> None:
        virtual.vhost.declare_queue(None, "q", None)
        virtual.broker.record("/", "q")
        async with connect_over(await virtual.dial(), replace(TARGET, name="p1")) as connection:
            channel = await connection.channel()
            consumer = await channel.consume("q", tag="c1")
            await channel.publish(b"", routing_key="q")
            delivery = await consumer.receive()
            channel.ack(delivery.delivery_tag)
            await wait(1)
            assert told(virtual) == [
                "connection_opened p1",
                "consumer_registered c1",
                "published m1 p1",
                "enqueued m1 p1",
                "delivered m1 c1",
                "acked m1 c1",
            ]

    assert on_a_timeline(main).now == 1


def test_a_client_that_dies_is_a_reset_to_it() -> None:
    async def main(virtual: VirtualBroker) -> None:
        virtual.broker.record("/", "q")
        async with connect_over(await virtual.dial(), replace(TARGET, name="p1")) as connection:
            connection.abort()
            await wait(1)
        assert told(virtual)[-1] == "connection_lost p1 peer_reset"

    on_a_timeline(main)


def test_a_client_that_says_goodbye_is_a_closed_connection_to_it() -> None:
    async def main(virtual: VirtualBroker) -> None:
        virtual.broker.record("/", "q")
        async with connect_over(await virtual.dial(), replace(TARGET, name="p1")):
            pass
        assert told(virtual)[-1] == "connection_closed p1"

    on_a_timeline(main)


def test_its_deadlines_come_when_they_are_due() -> None:
    async def main(virtual: VirtualBroker) -> None:
        virtual.broker.call_at(virtual.broker.now + 1500, calls.append)
        virtual.broker.call_at(virtual.broker.now + 500, calls.append)
        await wait(0.499)
        assert calls == []
        await wait(0.002)
        assert calls == [1_700_000_000_500]
        await wait(1)
        assert calls == [1_700_000_000_500, 1_700_000_001_500]

    calls = list[int]()
    on_a_timeline(main)


def test_what_is_durable_is_so_at_once() -> None:
    async def main(virtual: VirtualBroker) -> None:
        async with connect_over(await virtual.dial(), TARGET) as connection:
            channel = await connection.channel()
            await channel.declare_queue("q", durable=True)
            await channel.select_confirms()
            persistent = Properties(delivery_mode=2)
            confirm = await channel.publish(b"", routing_key="q", properties=persistent)
            await confirm.wait()

    assert on_a_timeline(main).now == 0


def test_each_begins_anew() -> None:
    async def main(virtual: VirtualBroker) -> None:
        async with connect_over(await virtual.dial(), TARGET) as connection:
            channel = await connection.channel()
            names.append(await channel.declare_queue(""))
        events.append(virtual.broker.trace.read(0))

    names, events = list[object](), list[list[Event]]()
    on_a_timeline(main)
    on_a_timeline(main)
    assert names[0] == names[1]
    assert events[0] == events[1]


def test_two_clients_are_told_apart_by_their_wires() -> None:
    async def main(virtual: VirtualBroker) -> None:
        async with (
            connect_over(await virtual.dial(), TARGET),
            connect_over(await virtual.dial(), TARGET),
        ):
            peers = [
                connection.peer.name
                for connection in virtual.broker.connections
                if isinstance(connection, ServerConnection)
            ]
            assert peers == ["wire 1", "wire 2"]

    on_a_timeline(main)


def test_a_flood_is_told_whole() -> None:
    async def main(virtual: VirtualBroker) -> None:
        virtual.vhost.declare_queue(None, "q", None)
        virtual.broker.record("/", "q")
        async with connect_over(await virtual.dial(), TARGET) as connection:
            channel = await connection.channel()
            for _ in range(3 * SAMPLED_FROM):
                await channel.publish(b"", routing_key="q")
            await wait(1)
        events = virtual.broker.trace.read(0, 10_000)
        assert sum(event.type == "enqueued" for event in events) == 3 * SAMPLED_FROM

    on_a_timeline(main)

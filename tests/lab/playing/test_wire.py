"""Streams in memory."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from amqplite.lab.playing.timeline import Timeline
from amqplite.lab.playing.wire import End, wire


def on_a_timeline(main: Callable[[End, End], Awaitable[None]]) -> None:
    timeline = Timeline()
    client, broker = wire(timeline, 1)
    trio.run(main, client, broker, clock=timeline)


def test_what_is_written_arrives_in_one_piece_both_ways() -> None:
    async def main(client: End, broker: End) -> None:
        await client.send_all(b"a")
        await client.send_all(memoryview(b"b"))
        await broker.send_all(b"c")
        assert await broker.receive_some() == b"ab"
        assert await client.receive_some(10) == b"c"
        await client.wait_send_all_might_not_block()
        await client.send_all(b"defg")
        assert await broker.receive_some(3) == b"def"
        assert await broker.receive_some(3) == b"g"

    on_a_timeline(main)


def test_a_brokers_end_that_closes_is_an_end_of_file_behind_what_it_said() -> None:
    async def main(client: End, broker: End) -> None:
        await broker.send_all(b"bye")
        await broker.aclose()
        await broker.aclose()
        assert await client.receive_some() == b"bye"
        assert await client.receive_some() == b""
        with pytest.raises(trio.ClosedResourceError):
            await broker.receive_some()
        with pytest.raises(trio.ClosedResourceError):
            await broker.send_all(b"more")

    on_a_timeline(main)


def test_a_clients_end_that_closes_is_a_reset() -> None:
    async def main(client: End, broker: End) -> None:
        await client.send_all(b"lost")
        await trio.aclose_forcefully(client)
        with pytest.raises(trio.BrokenResourceError):
            await broker.receive_some()
        with pytest.raises(trio.BrokenResourceError):
            await broker.send_all(b"x")

    on_a_timeline(main)


def test_closing_an_end_wakes_who_reads_from_it() -> None:
    async def main(client: End, _broker: End) -> None:
        async def read() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await client.receive_some()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await trio.lowlevel.checkpoint()
            await trio.lowlevel.checkpoint()
            await client.aclose()

    on_a_timeline(main)

"""Connecting: over TCP, or over any stream of trio's; and a goodbye at the end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import trio

from amqplite.client.connection import Connection
from amqplite.client.target import Target, parse_url


@asynccontextmanager
async def connect(url: str = "amqp:", **changes: Any) -> AsyncIterator[Connection]:
    """Connect over TCP; say goodbye at the end of the body, or hang up if it raises.

    Args:
        url: see `parse_url`.
        changes: attributes of a `Target` that replace those of the URL.

    Raises:
        OSError: nobody listens there.
        TooSlowError: connecting takes longer than the target's `timeout_s`.
        LoginRefused, NotAllowed: the broker doesn't want this user, or not in this vhost.
        ConnectionLost: the broker hung up, or is none.
    """
    target = replace(parse_url(url), **changes)
    with trio.fail_after(target.timeout_s):
        stream = await trio.open_tcp_stream(target.host, target.port)
    async with connect_over(stream, target) as connection:
        yield connection


@asynccontextmanager
async def connect_over(
    stream: trio.abc.Stream, target: Target | None = None
) -> AsyncIterator[Connection]:
    """Connect over any stream, which is ours from now on; else as `connect`."""
    connection = Connection(stream, target or Target())
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run)
        try:
            with trio.fail_after(connection.target.timeout_s):
                await connection.opened()
            yield connection
            await connection.close()
        except Exception as error:
            failure = error  # raised below, outside of the nursery, which would wrap it in a group
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure

"""A fault of the broker's own in a session."""

from typing import NoReturn

import trio
from trio.testing import memory_stream_pair

from amqplite.connection.connection import ConnectionLimits, Peer
from amqplite.connection.handshake import HEADER
from amqplite.server.clock import Clock
from amqplite.server.session import Session
from tests.rig import Rig


async def test_a_fault_while_writing_is_reported_and_ends_the_session_alone() -> None:
    client, server = memory_stream_pair()
    faults: list[Exception] = []
    session = Session(
        server,
        Rig().broker,
        Clock(),
        Peer("test", True),
        ConnectionLimits(),
        on_fault=faults.append,
    )
    session.connection.flushed = fail  # type: ignore[method-assign]
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.run)
            await client.send_all(HEADER)
            async for _ in client:
                pass
    (fault,) = faults
    assert isinstance(fault, ExceptionGroup)
    assert [str(error) for error in fault.exceptions] == ["a fault"]


def fail() -> NoReturn:
    raise ValueError("a fault")

"""Queues that are traced: what is kept of them, and for how long."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from amqplite.lab.live import tracing
from amqplite.lab.live.pump import Pump
from amqplite.lab.live.tracing import UNWATCHED_S, TooMany, Traced, Tracing
from amqplite.protocol.methods import BasicConsume
from tests.connection.client import Client, properties_of, publish
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.queue("q")
    return rig


@pytest.fixture
async def traced(rig: Rig) -> AsyncIterator[Tracing]:
    async with trio.open_nursery() as nursery:
        pump = Pump(rig.broker, nursery.start_soon)
        yield Tracing(rig.broker, pump, nursery.start_soon)
        nursery.cancel_scope.cancel()


def start(tracing: Tracing, name: str = "q", arguments: dict[str, Any] | None = None) -> Traced:
    return tracing.start("/", name, "guest", arguments or {})


def told(traced: Traced) -> list[dict[str, Any]]:
    return [json.loads(line) for line in traced.recording.after(0, 1000)[1]]


async def test_a_traced_queue_keeps_what_happens_to_it(
    rig: Rig, traced: Tracing, autojump_clock: MockClock
) -> None:
    client = Client(rig).open()
    rig.broker.trace.clock = lambda: 5_000_000
    queue = start(traced, arguments={"x-max-length": 5})
    rig.broker.trace.clock = lambda: 5_000_700
    client.do(publish(b"", "q", properties_of(message_id="order-1")))
    await trio.sleep(1)
    assert [(event["type"], event["m"], event["t"]) for event in told(queue)] == [
        ("published", "order-1", 700),
        ("enqueued", "order-1", 700),
    ]
    header = queue.recording.header
    assert (header.name, header.mode, header.tick_us) == ("q", "live", 1_000_000)
    assert header.started.endswith("+00:00")
    assert [(one.v, one.q, one.arguments) for one in header.queues] == [
        ("/", "q", {"x-max-length": 5})
    ]


async def test_a_mark_means_the_last_hand_out(
    rig: Rig, traced: Tracing, autojump_clock: MockClock
) -> None:
    queue = start(traced)
    client = Client(rig).open()
    client.do(BasicConsume(0, "q", "worker", False, False, False, False, b""))
    client.do(publish(b"", "q", properties_of(message_id="order-1")))
    rig.broker.trace.mark("applied", q="q", m="order-1", by="worker-7")
    await trio.sleep(1)
    mark = told(queue)[-1]
    assert (mark["type"], mark["c"], mark["by"], mark["s"]) == ("applied", "worker", "worker-7", 1)


async def test_a_queue_may_come_later(rig: Rig, traced: Tracing, autojump_clock: MockClock) -> None:
    queue = start(traced, "later")
    rig.queue("later")
    Client(rig).open().do(publish(b"", "later"))
    await trio.sleep(1)
    assert [event["type"] for event in told(queue)] == ["published", "enqueued"]


async def test_a_queue_is_traced_once(rig: Rig, traced: Tracing) -> None:
    queue = start(traced)
    assert start(traced) is queue
    assert traced.get("/", "q") is queue
    assert traced.get("log", "q") is None
    assert list(traced) == [queue]


async def test_it_ends_when_nobody_has_looked_for_long(
    rig: Rig, traced: Tracing, autojump_clock: MockClock
) -> None:
    queue = start(traced)
    await trio.sleep(UNWATCHED_S - 1)
    assert (queue.on, queue.left_s) == (True, 1)
    queue.look()
    await trio.sleep(UNWATCHED_S - 1)
    assert queue.on
    await trio.sleep(2)
    assert not queue.on
    assert list(traced) == []
    assert not rig.broker.trace.on


async def test_it_goes_on_while_somebody_looks(
    rig: Rig, traced: Tracing, autojump_clock: MockClock
) -> None:
    queue = start(traced)
    queue.watch(2)
    await trio.sleep(5 * UNWATCHED_S)
    queue.watch(-1)
    await trio.sleep(5 * UNWATCHED_S)
    assert (queue.on, queue.viewers, queue.left_s) == (True, 1, UNWATCHED_S)
    queue.watch(-1)
    await trio.sleep(UNWATCHED_S - 1)
    assert queue.on
    await trio.sleep(2)
    assert not queue.on


async def test_it_can_be_ended_and_begun_again(
    rig: Rig, traced: Tracing, autojump_clock: MockClock
) -> None:
    queue = start(traced)
    woken = trio.Event()

    async def wait() -> None:
        await queue.recording.news.wait()
        woken.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        traced.stop(queue)
        await woken.wait()
    assert (queue.on, rig.broker.trace.on) == (False, False)
    traced.stop(queue)
    again = start(traced)
    assert again is not queue
    await trio.sleep(UNWATCHED_S - 1)
    assert again.on


async def test_only_so_many_are_traced_at_a_time(
    rig: Rig, traced: Tracing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "TRACED_MAX", 2)
    first = start(traced, "a")
    start(traced, "b")
    with pytest.raises(TooMany, match="2 queues are traced already"):
        start(traced, "c")
    start(traced, "b")
    traced.stop(first)
    start(traced, "c")


async def test_a_fault_of_the_labs_ends_it_and_is_told(
    rig: Rig, traced: Tracing, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = start(traced)
    monkeypatch.setattr(queue.recording, "add", lambda event: {}[event.n])
    client = Client(rig).open()
    client.do(publish(b"", "q"))
    await trio.sleep(1)
    assert not queue.on
    assert queue.reason == "the lab failed at an event: KeyError"
    assert list(traced) == []


async def test_names_that_are_no_text_can_be_read(rig: Rig, traced: Tracing) -> None:
    header = traced.start("/", "q\udcff", "guest", {}).recording.header
    assert (header.name, header.queues[0].q) == ("q\\xff", "q\\xff")

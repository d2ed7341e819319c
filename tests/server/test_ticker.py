import trio
from trio.testing import MockClock

from amqplite.server.clock import Clock
from amqplite.server.ticker import Ticker
from tests.rig import Rig


async def run(ticker: Ticker, seconds: float) -> None:
    with trio.move_on_after(seconds):
        await ticker.run()


async def test_each_deadline_is_met_in_its_time(autojump_clock: MockClock) -> None:
    rig, clock, called = Rig(), Clock(), list[float]()
    now, started = clock.now_ms(), trio.current_time()
    for ms in (5000, 250, 90_000_000):
        rig.broker.call_at(now + ms, lambda _: called.append(trio.current_time() - started))
    await run(Ticker(rig.broker, clock), 90_010)
    assert [round(seconds, 2) for seconds in called] == [0.25, 5, 90_000]


async def test_a_deadline_that_comes_up_is_met_though_it_was_asleep(
    autojump_clock: MockClock,
) -> None:
    rig, clock, called = Rig(), Clock(), list[float]()
    started = trio.current_time()

    async def appoint() -> None:
        await trio.sleep(100)
        rig.broker.call_at(
            clock.now_ms() + 500, lambda _: called.append(trio.current_time() - started)
        )

    async with trio.open_nursery() as nursery:
        nursery.start_soon(appoint)
        nursery.start_soon(run, Ticker(rig.broker, clock), 200)
    assert [round(seconds, 2) for seconds in called] == [100.5]


async def test_time_passes_for_the_broker_though_nothing_is_due(
    autojump_clock: MockClock,
) -> None:
    rig, clock = Rig(), Clock()
    await run(Ticker(rig.broker, clock), 8000)
    assert clock.now_ms() - rig.broker.now <= 3600 * 1000

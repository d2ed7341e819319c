"""Who is passed which events, and what is recorded for it."""

from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import MockClock

from amqplite.broker.recorder import AT_LEAST, SAMPLED_FROM, STEP_US
from amqplite.broker.trace import Event
from amqplite.lab.live.pump import Pump
from tests.connection.client import Client, publish
from tests.rig import Rig


class Sink:
    """What keeps events."""

    def __init__(self, fails_at: str = "") -> None:
        self.events: list[Event] = []
        self.rests = 0
        self.failed: list[Exception] = []
        self._fails_at = fails_at

    def add(self, event: Event) -> None:
        if event.type == self._fails_at:
            raise ValueError("no")
        self.events.append(event)

    def rest(self) -> None:
        self.rests += 1

    def fail(self, error: Exception) -> None:
        self.failed.append(error)

    def told(self) -> list[str]:
        """Return what was told since the last call."""
        events, self.events = self.events, []
        return [f"{event.type} {event.q}".strip() for event in events]


class Sender(Rig):
    """A broker with two queues and a publisher."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("q", "r"):
            self.queue(name)
        self.client = Client(self).open()


@pytest.fixture
def rig() -> Sender:
    return Sender()


@pytest.fixture
async def pump(rig: Sender) -> AsyncIterator[Pump]:
    async with trio.open_nursery() as nursery:
        yield Pump(rig.broker, nursery.start_soon)
        nursery.cancel_scope.cancel()


def send(rig: Sender, *queues: str) -> None:
    rig.client.do(*(publish(b"", queue) for queue in queues))


def recorded(rig: Sender) -> list[tuple[str, str]]:
    return list(rig.broker.trace.queues)


async def test_a_sink_is_passed_what_happens_to_its_queues(
    rig: Sender, pump: Pump, autojump_clock: MockClock
) -> None:
    ours, theirs = Sink(), Sink()
    pump.add(ours, ("/", "q"))
    pump.add(theirs, ("/", "r"))
    send(rig, "q", "r", "q")
    await trio.sleep(1)
    assert ours.told() == ["published", "enqueued q", "published", "enqueued q"]
    assert theirs.told() == ["published", "enqueued r"]
    assert pump.caught_up
    send(rig, "q")
    await trio.sleep(1)
    assert ours.told() == ["published", "enqueued q"]
    assert theirs.told() == []


async def test_what_was_before_is_not_passed_on(rig: Sender, pump: Pump) -> None:
    first, second = Sink(), Sink()
    pump.add(first, ("/", "q"))
    send(rig, "q")
    pump.add(second, ("/", "q"))
    send(rig, "q")
    pump.pass_on()
    assert first.told() == ["published", "enqueued q"] * 2
    assert second.told() == ["published", "enqueued q"]


async def test_what_there_is_is_passed_on_before_the_end(rig: Sender, pump: Pump) -> None:
    sink = Sink()
    pump.add(sink, ("/", "q"))
    send(rig, "q")
    pump.remove(sink)
    assert sink.told() == ["published", "enqueued q"]
    assert sink.rests == 1
    pump.remove(sink)


async def test_a_queue_is_recorded_while_somebody_wants_it(rig: Sender, pump: Pump) -> None:
    one, two = Sink(), Sink()
    pump.add(one, ("/", "q"), ("/", "r"))
    pump.add(two, ("/", "q"), ("log", "later"))
    assert recorded(rig) == [("/", "q"), ("/", "r"), ("log", "later")]
    pump.remove(one)
    assert recorded(rig) == [("/", "q"), ("log", "later")]
    pump.remove(two)
    assert recorded(rig) == []
    assert not rig.broker.trace.on


async def test_the_task_lives_while_somebody_wants_something(
    rig: Sender, autojump_clock: MockClock
) -> None:
    tasks = 0

    async def counted(run: object) -> None:
        nonlocal tasks
        tasks += 1
        await run()  # type: ignore[operator]
        tasks -= 1

    async with trio.open_nursery() as nursery:
        pump = Pump(rig.broker, lambda run: nursery.start_soon(counted, run))
        for _ in range(2):
            one, two = Sink(), Sink()
            pump.add(one, ("/", "q"))
            pump.add(two, ("/", "q"))
            await trio.sleep(1)
            assert tasks == 1
            pump.remove(one)
            send(rig, "q")
            await trio.sleep(1)
            assert (two.told(), tasks) == (["published", "enqueued q"], 1)
            pump.remove(two)
            await trio.sleep(1)
            assert tasks == 0


async def test_one_that_comes_as_the_last_one_goes_is_served(
    rig: Sender, pump: Pump, autojump_clock: MockClock
) -> None:
    one, two = Sink(), Sink()
    pump.add(one, ("/", "q"))
    await trio.sleep(1)
    pump.remove(one)
    pump.add(two, ("/", "q"))
    send(rig, "q")
    await trio.sleep(1)
    assert two.told() == ["published", "enqueued q"]


async def test_a_sink_that_fails_is_dropped_and_costs_nobody_else(
    rig: Sender, pump: Pump, autojump_clock: MockClock
) -> None:
    good, bad = Sink(), Sink(fails_at="enqueued")
    pump.add(bad, ("/", "q"), ("/", "r"))
    pump.add(good, ("/", "q"))
    send(rig, "q")
    await trio.sleep(1)
    assert [str(error) for error in bad.failed] == ["no"]
    assert (good.failed, good.told()) == ([], ["published", "enqueued q"])
    assert recorded(rig) == [("/", "q")]
    send(rig, "q")
    await trio.sleep(1)
    assert (bad.told(), good.told()) == (["published"], ["published", "enqueued q"])


async def test_others_go_on_between_two_steps(rig: Sender, pump: Pump) -> None:
    turns, at = 0, list[int]()

    class Watch(Sink):
        def add(self, event: Event) -> None:
            at.append(turns)

    pump.add(Watch(), ("/", "q"))
    send(rig, *["q"] * SAMPLED_FROM)
    while len(at) < 2 * SAMPLED_FROM:
        await trio.lowlevel.checkpoint()
        turns += 1
    assert at[-1] - at[0] >= 1


async def test_one_that_goes_at_once_takes_nothing_with_it(rig: Sender, pump: Pump) -> None:
    hasty, patient = Sink(), Sink()
    pump.add(hasty, ("/", "q"))
    pump.add(patient, ("/", "q"))
    send(rig, "q")
    pump.remove(hasty, passing_on=False)
    assert (hasty.told(), patient.told(), pump.caught_up) == ([], [], False)
    pump.pass_on()
    assert (hasty.told(), patient.told()) == ([], ["published", "enqueued q"])


@pytest.mark.parametrize(("event_us", "told"), [(1, SAMPLED_FROM), (50, 99), (1000, AT_LEAST)])
async def test_less_is_recorded_the_longer_it_takes_to_pass_it_on(
    rig: Sender, event_us: int, told: int
) -> None:
    seconds, now = 0.0, 0

    class Slow(Sink):
        def add(self, event: Event) -> None:
            nonlocal seconds
            super().add(event)
            seconds += event_us / 1e6

    rig.broker.trace.clock = lambda: now
    async with trio.open_nursery() as nursery:
        pump = Pump(rig.broker, nursery.start_soon, lambda: seconds)
        sink = Slow()
        pump.add(sink, ("/", "q"))
        for messages in (50, 1, 1, SAMPLED_FROM + 1):
            sink.events.clear()
            send(rig, *["q"] * messages)
            pump.pass_on()
            now += STEP_US
        pump.remove(sink)
    assert sum(event.type == "published" for event in sink.events) == told


async def test_times_are_counted_from_where_each_wants(rig: Sender, pump: Pump) -> None:
    rig.broker.trace.clock = lambda: 2000
    sinks = {origin: Sink() for origin in (0, 1500, 5000)}
    for origin, sink in sinks.items():
        pump.add(sink, ("/", "q"), origin=origin)
    send(rig, "q")
    pump.pass_on()
    times = {origin: [event.t for event in sink.events] for origin, sink in sinks.items()}
    assert times == {0: [2000, 2000], 1500: [500, 500], 5000: [0, 0]}

"""How long runs are kept, and how many."""

import pytest

from amqplite.broker.trace import Event
from amqplite.lab.keeping import runs
from amqplite.lab.keeping.outcome import Outcome, outcome_of
from amqplite.lab.keeping.recording import Recording
from amqplite.lab.keeping.runs import Run, RunStore, name_of
from amqplite.lab.trace import Header


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        self.now += 0.001  # no two things happen at the same time
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> RunStore:
    return RunStore(clock)


def outcome() -> Outcome:
    return outcome_of(Recording(Header()).settle())


def made(name: str = "a run", *, running: bool = False, events: int = 0) -> Run:
    run = Run(owner="guest", name=name, recording=Recording(Header()))
    for n in range(events):
        run.recording.add(Event(n=n + 1, t=n, type="purged", q="q"))
    if not running:
        run.finish(outcome())
    return run


def names(store: RunStore) -> list[str]:
    return [run.name for run in store]


def test_a_run_is_found_by_its_id_and_listed_newest_first(store: RunStore) -> None:
    first, second = store.add(made("first")), store.add(made("second"))
    assert store.get(first.id) is first
    assert store.get(second.id) is second
    assert store.get("nothing") is None
    assert names(store) == ["second", "first"]
    assert len(first.id) == 12


def test_a_run_that_is_removed_is_gone_and_ends(store: RunStore) -> None:
    run = store.add(made(running=True))
    store.remove(run)
    assert store.get(run.id) is None
    assert run.scope.cancel_called
    assert not store.has_expired(run.id)


def test_a_run_is_kept_for_a_day(store: RunStore, clock: Clock) -> None:
    run = store.add(made())
    assert store.left_s(run) == 24 * 60 * 60
    clock.now += 23 * 60 * 60
    assert store.get(run.id) is run
    assert store.left_s(run) == 60 * 60
    clock.now += 60 * 60
    assert store.get(run.id) is None
    assert store.has_expired(run.id)
    assert names(store) == []


def test_those_that_nobody_looked_at_for_longest_make_room(store: RunStore) -> None:
    kept = [store.add(made(str(n))) for n in range(runs.RUNS_MAX)]
    assert store.get(kept[0].id) is kept[0]
    store.add(made("new"))
    assert len(names(store)) == runs.RUNS_MAX
    assert store.get(kept[0].id) is kept[0]
    assert store.get(kept[1].id) is None
    assert store.has_expired(kept[1].id)


def test_what_is_running_makes_no_room(store: RunStore) -> None:
    playing = [store.add(made(f"playing {n}", running=True)) for n in range(3)]
    for n in range(2 * runs.RUNS_MAX):
        store.add(made(str(n)))
    assert len(names(store)) == runs.RUNS_MAX
    assert all(store.get(run.id) is run for run in playing)


def test_memory_is_bounded(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "OCTETS_MAX", 10_000)
    for n in range(5):
        store.add(made(str(n), events=30))
    assert names(store) == ["4", "3"]
    assert sum(run.recording.octets for run in store) <= 10_000
    store.add(made("large", events=1000))
    assert names(store) == ["large"]  # the newest stays, however large


def test_a_run_that_has_grown_makes_room_when_it_is_over(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "OCTETS_MAX", 10_000)
    old, growing = store.add(made("old", events=30)), store.add(made("growing", running=True))
    for n in range(100):
        growing.recording.add(Event(n=n + 1, t=n, type="purged", q="q"))
    growing.finish(outcome())
    store.make_room()
    assert names(store) == ["growing"]
    assert store.has_expired(old.id)


def test_of_the_expired_the_last_are_remembered(
    store: RunStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_REMEMBERED_MAX", 2)
    gone = [store.add(made()) for _ in range(3)]
    clock.now += runs.KEPT_S
    assert list(store) == []
    assert [store.has_expired(run.id) for run in gone] == [False, True, True]


def test_a_run_ends_well_or_not() -> None:
    run = made(running=True)
    run.strike = lambda *_: None
    assert (run.state, run.outcome, run.reason) == ("running", None, "")
    run.fail("nobody came")
    assert (str(run.state), run.reason) == ("failed", "nobody came")
    assert run.outcome is None
    assert run.strike is None
    run = made()
    assert run.state == "done"
    assert run.outcome is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("fig. 11-2", "fig. 11-2"),
        ("  a \t b\n", "a b"),
        ("图 11-2", "图 11-2"),
        ("\x00\x1b[31m\u202e", "[31m"),
        ("\udcff", ""),
        ("", ""),
        ("x" * 500, "x" * 80),
    ],
)
def test_a_name_is_what_can_be_seen_of_it(text: str, name: str) -> None:
    assert name_of(text) == name

"""What is kept of a trace, within bounds, and how it is read again."""

import json
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.broker.trace import Event
from amqplite.lab.keeping import recording
from amqplite.lab.keeping.recording import Recording, printable_text, read_joined
from amqplite.lab.trace import Header

HEADER = Header(name="a run")


def story(*completion: int) -> list[Event]:
    """Return the events of messages that were handed out in order, and acked in another."""
    told: list[dict[str, Any]] = [
        {"type": type_, "id": id_, "s": id_}
        for id_ in sorted(completion)
        for type_ in ("enqueued", "delivered")
    ]
    told += [{"type": "acked", "id": id_, "s": id_} for id_ in completion]
    return [
        Event(n=2 * n, t=100 * n, q="q", m=f"m{facts['id']}", c="c1", **facts)
        for n, facts in enumerate(told, 1)
    ]


def recorded(events: list[Event], *, rolling: bool = False) -> Recording:
    kept = Recording(HEADER, rolling=rolling)
    for event in events:
        kept.add(event)
    return kept


def lines(kept: Recording, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
    return [json.loads(line) for line in kept.after(after, limit)[1]]


def test_events_are_kept_as_they_are_sent() -> None:
    kept = recorded(story(1))
    assert lines(kept) == [
        {"n": 2, "t": 100, "type": "enqueued", "q": "q", "m": "m1", "id": 1, "s": 1, "c": "c1"},
        {"n": 4, "t": 200, "type": "delivered", "q": "q", "m": "m1", "id": 1, "s": 1, "c": "c1"},
        {"n": 6, "t": 300, "type": "acked", "q": "q", "m": "m1", "id": 1, "s": 1, "c": "c1"},
    ]
    assert (len(kept), kept.first, kept.last, kept.duration, kept.full) == (3, 0, 6, 300, False)


def test_an_empty_one_has_nothing() -> None:
    kept = recorded([])
    assert (len(kept), kept.last, kept.duration, kept.after(0, 10)) == (0, 0, 0, ([], []))
    assert read_joined(HEADER, kept.joined()).events == []


@pytest.mark.parametrize(
    ("after", "limit", "numbers"),
    [
        (0, 2, [2, 4]),
        (2, 2, [4, 6]),
        (3, 2, [4, 6]),
        (1, 1, [2]),
        (6, 9, []),
        (7, 9, []),
        (10**18, 9, []),
        (0, 0, []),
    ],
)
def test_it_is_read_from_any_number_on(after: int, limit: int, numbers: list[int]) -> None:
    kept = recorded(story(1))
    found, octets = kept.after(after, limit)
    assert list(found) == numbers
    assert [json.loads(line)["n"] for line in octets] == numbers


def test_what_was_overtaken_says_so() -> None:
    told = {event["m"]: event for event in lines(recorded(story(2, 1))) if event["type"] == "acked"}
    assert "order" not in told["m2"]
    order = told["m1"]["order"]
    assert (order["inv"], order["over"], order["cause"]) == (1, ["m2"], "out_of_order_ack")


def test_what_can_be_told_only_later_is_told_in_the_end() -> None:
    def displaced(kept: Recording) -> list[int | None]:
        return [event["order"].get("disp") for event in lines(kept) if "order" in event]

    kept = recorded(story(3, 2, 1))
    assert displaced(kept) == [None, 2]
    analysis = kept.settle()
    assert displaced(kept) == [0, 2]
    assert kept.analysis is None
    assert analysis.report().counts.acked == 3
    kept.add(Event(n=100, t=1, type="purged", q="q"))
    assert (len(kept), kept.full) == (9, True)


def test_a_trace_is_read_again_without_what_was_derived() -> None:
    events = story(2, 1, 3)
    kept = recorded(events)
    assert read_joined(HEADER, kept.joined()).events == events
    assert read_joined(HEADER, kept.joined(), since=600).events == events[5:]
    kept.settle()
    assert read_joined(HEADER, kept.joined()).events == events


def test_a_hostile_name_is_not_taken_for_what_was_derived() -> None:
    name = 'x,"order":{"inv":1}'
    event = Event(n=1, t=1, type="acked", q=name, m=name, by=name)
    kept = recorded([event])
    kept.settle()
    assert read_joined(HEADER, kept.joined()).events == [event]


def test_names_that_are_no_text_can_be_read() -> None:
    odd = "q\udcff"
    kept = recorded([Event(n=1, t=1, type="purged", q=odd, v=odd, m="é")])
    assert lines(kept) == [
        {"n": 1, "t": 1, "type": "purged", "v": "q\\xff", "q": "q\\xff", "m": "é"}
    ]
    assert printable_text(odd) == "q\\xff"


# -- bounds ----------------------------------------------------------------------------------------


def many(count: int) -> list[Event]:
    return [Event(n=n, t=n, type="purged", q="q") for n in range(1, count + 1)]


def test_a_run_takes_so_many_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "EVENTS_MAX", 10)
    kept = recorded(many(10))
    assert (len(kept), kept.full) == (10, False)
    kept = recorded(many(30))
    assert (len(kept), kept.full, kept.first, kept.last) == (10, True, 0, 10)


def test_a_rolling_one_forgets_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "EVENTS_MAX", 8)
    kept = recorded(many(9), rolling=True)
    assert (len(kept), kept.full, kept.first, kept.last) == (7, False, 2, 9)
    assert [event["n"] for event in lines(kept, after=0)] == [3, 4, 5, 6, 7, 8, 9]
    kept = recorded(many(1000), rolling=True)
    assert len(kept) <= 8
    assert kept.last == 1000
    assert kept.octets < 8 * 200


@pytest.mark.parametrize("rolling", [False, True])
def test_octets_are_bounded_too(rolling: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "OCTETS_MAX", 10_000)
    events = [Event(n=n, t=n, type="purged", q="q" * 1000) for n in range(1, 101)]
    kept = recorded(events, rolling=rolling)
    assert 5 <= len(kept) <= 10
    assert kept.octets <= 12_000
    assert kept.full is not rolling
    assert kept.last == (100 if rolling else len(kept))


async def test_who_waits_for_more_is_woken() -> None:
    kept, woken = Recording(HEADER), []

    async def wait() -> None:
        await kept.news.wait()
        woken.append(len(kept))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        kept.add(many(1)[0])
        await wait_all_tasks_blocked()
        assert woken == []
        kept.rest()
    assert woken == [1]

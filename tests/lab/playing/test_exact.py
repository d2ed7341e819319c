"""Exact runs: the same to the octet, every time, wherever they run."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
import trio

from amqplite.broker.trace import Event
from amqplite.lab.playing.exact import play_exact, run_exact
from amqplite.lab.scenario import catalogue, find
from amqplite.lab.scripts.expect import check
from amqplite.lab.scripts.plan import TICK_US, make_plan
from amqplite.lab.scripts.script import ScenarioError
from amqplite.lab.trace import read_jsonl, write_jsonl

PLAYS = [
    (scenario.id, variant)
    for scenario in catalogue()
    for variant in ("", *(variant.name for variant in scenario.variants))
]


def jsonl(scenario: str, variant: str = "", seed: int = 0) -> str:
    return write_jsonl(run_exact(find(scenario), seed=seed, variant=variant))


def told(events: list[Event]) -> list[str]:
    return [
        " ".join(filter(None, (f"{event.t / TICK_US:g}", event.type, event.m, event.c)))
        for event in events
        if event.type not in ("published", "confirmed", "enqueued")
    ]


def test_the_figure_is_as_the_book_has_it() -> None:
    trace = run_exact(find("fig-11-2"))
    assert told(trace.events) == [
        "0 consumer_registered c2",
        "0 consumer_registered c1",
        "0 delivered m1 c2",
        "0 started m1 c2",
        "1 delivered m2 c1",
        "1 started m2 c1",
        "1.8 applied m1 c2",
        "1.8 acked m1 c2",
        "2 delivered m3 c2",
        "2 started m3 c2",
        "2.8 applied m2 c1",
        "2.8 acked m2 c1",
        "3 delivered m4 c1",
        "3 started m4 c1",
        "3.4 crashed m3 c2",
        "3.4 connection_lost",
        "3.4 consumer_cancelled c2",
        "3.4 requeued m3 c2",
        "4.8 applied m4 c1",
        "4.8 acked m4 c1",
        "4.8 delivered m3 c1",
        "4.8 started m3 c1",
        "6.6 applied m3 c1",
        "6.6 acked m3 c1",
        "6.6 delivered m5 c1",
        "6.6 started m5 c1",
        "8.4 applied m5 c1",
        "8.4 acked m5 c1",
    ]
    assert [event.n for event in trace.events] == list(range(1, 44))


@pytest.mark.parametrize(("scenario", "variant"), PLAYS)
def test_every_number_comes_out_and_every_octet_again(scenario: str, variant: str) -> None:
    plan = make_plan(find(scenario), variant=variant)
    trace = play_exact(plan)
    assert plan.expect is not None
    checks = check(trace, plan.expect)
    assert [one for one in checks if not one.ok] == []
    assert len(checks) > 10
    first = write_jsonl(trace)
    assert write_jsonl(play_exact(plan)) == first
    assert write_jsonl(read_jsonl(first)) == first


def test_what_the_reference_counts_at_an_instant_is_not_there_for_any_time() -> None:
    """A plain model of this scenario counts three ready messages where the broker has two.

    m5 comes at the very instant at which the consumer is back and takes m3: for no time are m3, m4
    and m5 all ready.
    """
    events = run_exact(find("lost-ack")).events
    at_four = [
        (event.type, event.m, event.depth)
        for event in events
        if event.t == 4 * TICK_US and event.depth >= 0
    ]
    assert at_four == [("enqueued", "m5", 3), ("delivered", "m3", 2)]


def test_a_silent_consumer_that_is_sent_more_loses_that_too() -> None:
    """A plain model has the dead consumer finish what it gets after its death; no broker does.

    With prefetch 2 it is sent m5 while nobody knows, so two messages come back, and m5 is last.
    """
    trace = run_exact(find("silent-death"), variant="prefetch-2")
    assert [(e.m, e.t / TICK_US) for e in trace.events if e.type == "requeued"] == [
        ("m3", 9.4),
        ("m5", 9.4),
    ]
    assert [e.m for e in trace.events if e.type == "acked"] == ["m1", "m2", "m4", "m3", "m5"]


def test_a_late_ack_is_ignored_and_is_no_error() -> None:
    """A broker that closes the channel of whoever is late answers its ack with 406; ours may, too.

    By default it takes back that one delivery, and lets the ack pass.
    """
    events = run_exact(find("ack-timeout")).events
    assert [e.m for e in events if e.type == "late_ack_ignored"] == ["m3"]
    assert not [e for e in events if e.type in ("bad_ack", "channel_closed")]


def refused(events: list[Event]) -> list[tuple[str, float]]:
    return [(event.m, event.t / TICK_US) for event in events if event.type == "refused"]


def last_taken(events: list[Event]) -> float:
    return max(event.t for event in events if event.type == "enqueued") / TICK_US


def test_who_publishes_at_the_instant_of_an_ack_finds_the_queue_still_full() -> None:
    """A plain model of backpressure refuses 9 times, and its publisher is done at 28.

    There the ack comes first at an instant that both share, as it was planned first; in its other
    play of a full queue the publish does. Here producers always come before consumers, and over
    TCP too acks are the later ones. With work that takes a moment less the model's numbers come.
    """
    events = run_exact(find("slow-backpressure")).events
    at_ten = [(event.type, event.m) for event in events if event.t == 10 * TICK_US]
    assert at_ten.index(("refused", "m11")) < at_ten.index(("acked", "m5"))
    assert refused(events) == [(f"m{n}", 2.0 * n - 12) for n in range(11, 21)]
    assert last_taken(events) == 29
    assert len([event for event in events if event.type == "publish_nacked"]) == 10
    events = run_exact(find("slow-backpressure"), {"service": 1.99}).events
    assert refused(events) == [(f"m{n}", 2.0 * n - 13) for n in range(12, 21)]
    assert last_taken(events) == 28


def test_a_message_that_kills_is_handed_out_15_times_in_30_ticks() -> None:
    events = run_exact(find("poison")).events
    delivered = [(e.m, e.t / TICK_US) for e in events if e.type == "delivered"]
    assert delivered == [("m1", 0), ("m2", 1), *(("m3", 2.0 * n) for n in range(1, 16))]


def test_of_a_full_queue_the_oldest_go_as_the_sixth_comes() -> None:
    events = run_exact(find("slow-drop")).events
    dropped = [(e.m, e.t / TICK_US) for e in events if e.type == "dropped"]
    assert dropped == [("m6", 10), ("m8", 12), ("m10", 14), ("m12", 16), ("m14", 18)]


ALL = """
from hashlib import sha256
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import catalogue
from amqplite.lab.trace import write_jsonl
digest = sha256()
for scenario in catalogue():
    for variant in ("", *(variant.name for variant in scenario.variants)):
        digest.update(write_jsonl(run_exact(scenario, variant=variant)).encode())
print(digest.hexdigest())
"""


def test_runs_are_the_same_in_every_process() -> None:
    """Trio runs ready tasks in an order by chance, except under hypothesis; so does a set of texts.

    In processes of their own both are as they are for people.
    """
    found = {
        subprocess.run(
            [sys.executable, "-c", ALL],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2", "3")
    }
    digest = sha256()
    for play in PLAYS:
        digest.update(jsonl(*play).encode())
    assert found == {f"{digest.hexdigest()}\n".encode()}


def test_runs_in_several_threads_do_not_disturb_each_other() -> None:
    plays = [play for play in PLAYS if play[0] in ("fig-11-2", "prefetch-blast", "lost-ack")] * 3
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda play: jsonl(*play), plays))
    assert found == [jsonl(*play) for play in plays]


async def test_a_run_fits_into_a_thread_of_a_program_that_is_itself_trios() -> None:
    expected = await trio.to_thread.run_sync(jsonl, "fig-11-2")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.sleep, 0)
        assert await trio.to_thread.run_sync(jsonl, "fig-11-2") == expected


def test_a_seed_permutes_what_is_open_and_nothing_else() -> None:
    orders = {
        " ".join(e.m for e in run_exact(find("two-publishers"), seed=seed).events if e.c and e.tag)
        for seed in range(12)
    }
    assert len(orders) > 3
    lines = jsonl("fig-11-2", seed=42).splitlines()
    assert lines[0] == jsonl("fig-11-2").splitlines()[0].replace('"seed":0', '"seed":42')
    assert lines[1:] == jsonl("fig-11-2").splitlines()[1:]


def test_settings_change_what_is_played() -> None:
    plan = make_plan(find("fig-11-2"), {"service": 0.5})
    trace = play_exact(plan)
    assert trace.header.params["service"] == 0.5
    assert trace.events[-1].t == 4.5 * TICK_US
    with pytest.raises(ScenarioError):
        run_exact(find("fig-11-2"), {"service": 99})


def test_a_run_that_would_not_end_is_ended() -> None:
    plan = make_plan(find("your-own"), {"messages": 500, "every": 20})
    assert play_exact(plan).events[-1].t <= 600 * TICK_US


def test_a_run_needs_neither_the_store_nor_a_second() -> None:
    program = (
        "import sys, time; began = time.perf_counter()\n"
        "from amqplite.lab.playing.exact import run_exact\n"
        "from amqplite.lab.scenario import find\n"
        "assert run_exact(find('fig-11-2')).events\n"
        "print(time.process_time(), 'sqlalchemy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    seconds, store = done.stdout.split()
    assert float(seconds) < 1
    assert store == b"False"

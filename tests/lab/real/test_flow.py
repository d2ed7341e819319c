"""Much at once: the stream keeps up, who doesn't read learns of it, and no anomaly is left out."""

import socket
import subprocess
import sys
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from amqplite.broker.recorder import IN_A_FLOOD
from amqplite.lab.keeping.recording import EVENTS_MAX
from tests.broker_process import ROOT, BrokerProcess
from tests.hostile.conftest import resident
from tests.lab.real.conftest import Declare, Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.lab_http import WITHIN_S, Followed, Lab, path_of
from tests.wire.peer import Peer

MIB = 1024 * 1024
GROWTH_MAX = 48 * MIB

RATE, COUNT = 2000, 5000

WHOLE = ["published", "enqueued", "delivered", "acked"]
"""What there is to tell of a message to which nothing happens."""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start_load(broker: BrokerProcess) -> Iterator[Start]:
    """Start a process of `tests.benchmarks.load`: `start_load("publish", queue, 100, rate=10)`."""
    started: list[subprocess.Popen[str]] = []

    def start(what: str, queue: str, count: int, **options: Any) -> subprocess.Popen[str]:
        more = [
            f"--{name}" if value is True else f"--{name}={value}" for name, value in options.items()
        ]
        port = f"--port={broker.amqp_port}"
        command = (sys.executable, "-m", "tests.benchmarks.load", what)
        process = subprocess.Popen(
            [*command, port, f"--queue={queue}", f"--count={count}", *more],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        if what == "consume":
            assert process.stdout is not None
            assert process.stdout.readline() == "{}\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def story(events: list[Any]) -> dict[int, list[str]]:
    """Return what was told of each message, by its number."""
    told: dict[int, list[str]] = defaultdict(list)
    for event in events:
        if "id" in event:
            told[event["id"]].append(event["type"])
    return told


def finish(channel: BlockingChannel, queue: str, publish: Publish, followed: Followed) -> None:
    """Have something happen that is never left out, and wait until it is told."""
    publish(queue, "last")
    method, _, _ = channel.basic_get(queue)
    channel.basic_nack(method.delivery_tag)
    followed.until_event(type="requeued", m="last")


def test_two_thousand_messages_a_second_are_followed_without_a_gap(
    lab: Lab,
    broker: BrokerProcess,
    channel: BlockingChannel,
    declare: Declare,
    publish: Publish,
    start_load: Start,
) -> None:
    queue = declare()
    lab.trace(queue)
    before = resident(broker)
    with lab.follow(queue) as followed:
        consumer = start_load("consume", queue, COUNT, ack=True)
        publisher = start_load("publish", queue, COUNT, rate=RATE)
        assert (publisher.wait(), consumer.wait()) == (0, 0)
        finish(channel, queue, publish, followed)

    assert followed.gaps == []
    numbers = [event["n"] for event in followed.seen]
    assert numbers == sorted(set(numbers))
    told = story(followed.seen)
    last = next(e["id"] for e in followed.seen if e["type"] == "requeued")
    assert all(types == WHOLE for number, types in told.items() if number != last)
    assert IN_A_FLOOD < len(told) <= COUNT + 1  # a slow machine leaves most of them out

    counts = lab.told(queue)["outcome"]["counts"]
    assert (counts["lost_events"], counts["unexplained"], counts["violations"]) == (0, 0, 0)
    assert counts["published"] == len(told)
    assert resident(broker) - before < GROWTH_MAX


def test_who_does_not_read_learns_from_a_gap_what_it_missed(
    lab: Lab, broker: BrokerProcess, declare: Declare
) -> None:
    messages, turns = 1500, 7
    queue = declare()
    lab.trace(queue)
    peer = Peer.open(broker.amqp_port)
    channel = peer.channel()
    before = resident(broker)
    with deaf(broker, queue) as lines, lab.follow(queue) as followed:
        channel.consume(queue)
        peer.send_octets(channel.publication(b"x", queue) * messages)
        channel.deliveries(messages)
        for _ in range(turns):  # what comes back is told of, however much it is
            channel.nack(0, multiple=True)
            tag = channel.deliveries(messages)[-1].tag
            followed.until_next(lambda event, tag=tag: event.get("tag") == tag)
        channel.ack(0, multiple=True)
        followed.until_next(lambda event: event["type"] == "acked" and event["s"] == messages)
        assert resident(broker) - before < GROWTH_MAX
        seen = [event["n"] for event in followed.seen]
        missed, read = read_to(lines, seen[-1])
    peer.close()

    assert missed
    lost = {n for n in seen for gap in missed if gap["lost_from"] <= n <= gap["lost_to"]}
    assert read == [n for n in seen if n not in lost]
    assert len(lost) > EVENTS_MAX // 4
    assert lab.told(queue)["outcome"]["counts"]["redeliveries"] == messages * turns


@contextmanager
def deaf(broker: BrokerProcess, queue: str) -> Iterator[Iterator[str]]:
    """Ask for the stream of a queue, and yield its lines, which are read only when asked for."""
    token = b64encode(b"guest:guest").decode()
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024)
        one.settimeout(WITHIN_S)
        one.connect(("127.0.0.1", broker.http_port))
        path = f"/lab/api{path_of(queue)}/stream"
        request = f"GET {path} HTTP/1.0\r\nHost: x\r\nAuthorization: Basic {token}\r\n\r\n"
        one.sendall(request.encode())
        with one.makefile(encoding="utf-8") as lines:
            while next(lines).strip():
                pass
            yield iter(lines)


def read_to(lines: Iterator[str], last: int) -> tuple[list[Any], list[int]]:
    """Read up to event number `last`; return the gaps on the way, and the numbers of events."""
    followed = Followed(lines)
    followed.until_next(lambda event: event["n"] == last)
    return followed.gaps, [event["n"] for event in followed.seen]


def test_in_a_flood_nothing_is_left_out_of_what_was_lost_with_its_consumer(
    lab: Lab,
    channel: BlockingChannel,
    consumers: Consumers,
    declare: Declare,
    publish: Publish,
    start_load: Start,
) -> None:
    count = 2500
    queue = declare()
    lab.trace(queue)
    victim = consumers.start(queue, "victim", prefetch=0)
    with lab.follow(queue) as followed:
        assert start_load("publish", queue, count).wait() == 0
        for _ in range(count):
            victim.take()
        victim.kill()
        followed.until_event(type="connection_lost")
        assert start_load("consume", queue, count, ack=True).wait() == 0
        finish(channel, queue, publish, followed)

    told = story(followed.seen)
    again = ["published", "enqueued", "delivered", "requeued", "delivered", "acked"]
    whole = [types for types in told.values() if types == again]
    assert len(whole) == count
    back = [event["s"] for event in followed.seen if event["type"] == "requeued"]
    assert back[:count] == list(range(1, count + 1))
    late = [event for event in followed.seen if event.get("text") == "from memory"]
    assert late, "nothing was left out at first"
    assert followed.gaps == []
    counts = lab.told(queue)["outcome"]["counts"]
    assert (counts["redeliveries"], counts["possible_duplicates"]) == (count, count)
    assert (counts["unexplained"], counts["violations"], counts["lost_events"]) == (0, 0, 0)
    assert counts["enqueued"] == counts["acked"] + counts["ready"] + counts["unacked"]

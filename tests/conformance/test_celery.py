"""Celery with real workers: late acks, one task at a time, results by rpc://."""

import os
import signal
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import celery
import kombu.pools
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.celery_app import application
from tests.conformance.celery_worker import Worker
from tests.conformance.conftest import Broker, Name
from tests.conformance.pika_tools import Inbox, wait_until

WITHIN_S = 15

StartWorker = Callable[[str], Worker]


@pytest.fixture
def app(broker: Broker, name: Name) -> Iterator[celery.Celery]:
    app = application(broker.url, name("celery"))
    yield app
    if app.backend.result_consumer._consumer:  # its connection, and the pools', outlive `close`
        app.backend.result_consumer.stop()
    app.close()
    kombu.pools.reset()


@pytest.fixture
def start_worker(broker: Broker, app: celery.Celery) -> Iterator[StartWorker]:
    """Start workers of the application; the test's end kills those that are left."""
    started: list[Worker] = []

    def start(called: str) -> Worker:
        started.append(Worker(broker.url, app.main, called))
        started[-1].wait_for("ready.")
        return started[-1]

    yield start
    for worker in started:
        worker.kill()


def ready(channel: BlockingChannel, app: celery.Celery) -> int:
    """How many tasks wait for a worker."""
    queue = app.conf.task_default_queue
    count: int = channel.queue_declare(queue, passive=True).method.message_count
    return count


def held(
    app: celery.Celery, channel: BlockingChannel, name: Name, release: str | None = None
) -> tuple[Any, int]:
    """Start a task that works until `release`, or for ever; return its result and its process."""
    tell = channel.queue_declare(name("tell"), exclusive=True).method.queue
    result = app.tasks["hold"].delay(tell, release)
    (told,) = Inbox(channel, tell, auto_ack=True).take(1)
    return result, int(told.body)


def test_tasks_run_and_their_results_come_back(
    app: celery.Celery, start_worker: StartWorker, channel: BlockingChannel
) -> None:
    early = app.tasks["add"].delay(1, 2)  # before there is a worker: it waits in the queue
    worker = start_worker("one")
    assert early.get(timeout=WITHIN_S) == 3
    results = [app.tasks["add"].delay(number, number) for number in range(50)]
    assert [one.get(timeout=WITHIN_S) for one in results] == [2 * n for n in range(50)]
    with pytest.raises(ValueError, match="broken"):
        app.tasks["fail"].delay("broken").get(timeout=WITHIN_S)
    chord = celery.group(app.tasks["add"].s(n, n) for n in range(5))
    assert chord.delay().get(timeout=WITHIN_S) == [0, 2, 4, 6, 8]
    chain = app.tasks["add"].s(1, 1) | app.tasks["add"].s(10)
    assert chain.delay().get(timeout=WITHIN_S) == 12
    assert app.tasks["add"].apply_async((1, 1), countdown=1).get(timeout=WITHIN_S) == 2

    assert app.control.ping(timeout=WITHIN_S, limit=1) == [{worker.hostname: {"ok": "pong"}}]
    inspect = app.control.inspect([worker.hostname], timeout=WITHIN_S, limit=1)
    (stats,) = inspect.stats().values()
    assert stats["total"] == {"add": 59, "fail": 1}
    assert inspect.active_queues()[worker.hostname][0]["name"] == app.conf.task_default_queue

    assert worker.stop() == 0, worker.output
    declared = channel.queue_declare(app.conf.task_default_queue, passive=True).method
    assert (declared.message_count, declared.consumer_count) == (0, 0)


def test_a_killed_workers_task_runs_again_on_another(
    app: celery.Celery, start_worker: StartWorker, channel: BlockingChannel, name: Name
) -> None:
    doomed = start_worker("doomed")
    result, _ = held(app, channel, name)
    heir = start_worker("heir")
    answers = app.control.ping(timeout=WITHIN_S, limit=2)
    assert {k: v for one in answers for k, v in one.items()} == {
        worker.hostname: {"ok": "pong"} for worker in (doomed, heir)
    }
    doomed.kill()
    assert result.get(timeout=WITHIN_S) == f"second try on {heir.hostname}"
    assert app.tasks["add"].delay(1, 2).get(timeout=WITHIN_S) == 3
    assert ready(channel, app) == 0


def test_a_killed_pool_process_gives_its_task_back(
    app: celery.Celery, start_worker: StartWorker, channel: BlockingChannel, name: Name
) -> None:
    worker = start_worker("one")
    result, process = held(app, channel, name)
    os.kill(process, signal.SIGKILL)
    assert result.get(timeout=WITHIN_S) == f"second try on {worker.hostname}"
    assert worker.process.poll() is None


def test_tasks_for_later_do_not_stand_in_the_way(
    app: celery.Celery, start_worker: StartWorker, channel: BlockingChannel
) -> None:
    worker = start_worker("one")
    for _ in range(5):
        app.tasks["add"].apply_async((0, 0), countdown=3600)
    # Prefetch is one: this one is behind the five unless each of them raises it.
    assert app.tasks["add"].delay(1, 2).get(timeout=WITHIN_S) == 3
    assert ready(channel, app) == 0
    assert worker.stop() == 0, worker.output
    wait_until(channel, lambda: ready(channel, app) == 5, "the tasks for later to come back")


def test_a_worker_finishes_its_task_before_it_ends(
    app: celery.Celery, start_worker: StartWorker, channel: BlockingChannel, name: Name
) -> None:
    worker = start_worker("one")
    release = channel.queue_declare(name("release"), auto_delete=True).method.queue
    result, _ = held(app, channel, name, release)
    waiting = app.tasks["add"].delay(1, 2)
    worker.process.send_signal(signal.SIGTERM)
    worker.wait_for("Warm shutdown")
    channel.basic_publish("", release, b"go")
    assert result.get(timeout=WITHIN_S) == "released"
    assert worker.process.wait(WITHIN_S) == 0, worker.output
    assert ready(channel, app) == 1
    start_worker("heir")
    assert waiting.get(timeout=WITHIN_S) == 3


def test_events_tell_what_the_workers_do(app: celery.Celery, start_worker: StartWorker) -> None:
    seen: list[tuple[str, str]] = []
    consuming, done = Event(), Event()

    def on_event(event: dict[str, Any]) -> None:
        seen.append((event["type"], event["hostname"]))
        if event["type"] == "task-succeeded":
            done.set()

    def capture() -> None:
        with app.connection() as connection:
            receiver = app.events.Receiver(connection, handlers={"*": on_event})
            for _ in receiver.consume(limit=None, timeout=WITHIN_S, wakeup=False):
                consuming.set()
                if done.is_set():
                    return

    worker = start_worker("one")
    thread = Thread(target=capture)
    thread.start()
    assert consuming.wait(WITHIN_S)
    app.tasks["add"].delay(1, 2)
    assert done.wait(WITHIN_S)
    thread.join(WITHIN_S)
    told = [kind for kind, hostname in seen if kind.startswith("task-")]
    assert told == ["task-received", "task-started", "task-succeeded"]
    assert {hostname for _, hostname in seen} == {worker.hostname}

"""The Celery application of `test_celery.py`: its worker processes import it, as users' do.

Queues and exchanges are named after `AMQPLITE_TEST_CELERY`, so that no two tests share any.
"""

import os
from threading import Event

import kombu
from celery import Celery, Task


def application(url: str, name: str) -> Celery:
    """Make an application that acks late, one task at a time, and answers by rpc://."""
    app = Celery(name, broker=url, backend="rpc://", set_as_current=False)
    app.conf.update(
        task_default_queue=f"tasks.{name}",
        control_exchange=f"pidbox.{name}",
        event_exchange=f"events.{name}",
        event_queue_prefix=f"events.{name}",
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_send_task_events=True,
        task_track_started=True,
        broker_connection_retry_on_startup=True,
        broker_pool_limit=None,
    )
    app.task(name="add")(add)
    app.task(name="fail")(fail)
    app.task(name="hold", bind=True)(hold)
    return app


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def fail(text: str) -> None:
    """Raise."""
    raise ValueError(text)


def hold(task: Task, tell: str, release: str | None = None) -> str:
    """Tell the queue `tell` one's process, and work until `release` has a message, or for ever.

    Nothing of it at the second try.
    """
    if task.request.delivery_info["redelivered"]:
        return f"second try on {task.request.hostname}"
    with task.app.connection_for_write() as connection:
        kombu.Producer(connection).publish(os.getpid(), routing_key=tell)
        if release:
            queue = kombu.Queue(release, no_declare=True)
            with connection.Consumer(queue, no_ack=True, on_message=lambda _: None):
                connection.drain_events(timeout=30)
            return "released"
    Event().wait()
    raise AssertionError


if "AMQPLITE_TEST_CELERY" in os.environ:
    app = application(os.environ["AMQPLITE_TEST_URL"], os.environ["AMQPLITE_TEST_CELERY"])

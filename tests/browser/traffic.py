"""Clients of a broker whose lab is looked at, in a process of their own.

Run as `python -m tests.browser.traffic URL QUEUE RATE SECONDS`: publishes at that rate, and has two
consumers take the messages; each thousandth comes back once.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen
from time import monotonic
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel

from tests.broker_process import ROOT, BrokerProcess

HOSTILE = "<img src=x onerror='window.hacked = 1'>&amp;\"/../#%"

ODD_EVERY = 1000
STEP_S = 0.02


@contextmanager
def channel_of(url: str) -> Iterator[BlockingChannel]:
    """Yield a channel."""
    connection = pika.BlockingConnection(pika.URLParameters(url))
    try:
        yield connection.channel()
    finally:
        connection.close()


def declare(broker: BrokerProcess, queue: str, **arguments: Any) -> None:
    """Declare a queue that stays."""
    with channel_of(broker.url) as channel:
        channel.queue_declare(queue, arguments=arguments)


@contextmanager
def traffic(broker: BrokerProcess, queue: str, rate: int, seconds: float) -> Iterator[None]:
    """Have traffic as long as the block lasts, but no longer than so many seconds."""
    command = [sys.executable, "-m", "tests.browser.traffic"]
    process = Popen([*command, broker.url, queue, str(rate), str(seconds)], cwd=ROOT)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _consume(url: str, queue: str, tag: str) -> None:
    with channel_of(url) as channel:
        channel.basic_qos(prefetch_count=100)

        def take(_: Any, method: Any, properties: Any, __: bytes) -> None:
            if int(properties.message_id[1:]) % ODD_EVERY == 0 and not method.redelivered:
                channel.basic_nack(method.delivery_tag)
            else:
                channel.basic_ack(method.delivery_tag)

        channel.basic_consume(queue, take, consumer_tag=tag)
        channel.start_consuming()


def _publish(url: str, queue: str, rate: float, seconds: float) -> None:
    with channel_of(url) as channel:
        start, sent = monotonic(), 0
        while monotonic() < start + seconds:
            while sent < (monotonic() - start) * rate:
                sent += 1
                properties = pika.BasicProperties(message_id=f"m{sent}")
                channel.basic_publish("", queue, b"", properties)
            channel.connection.sleep(STEP_S)


def _main(url: str, queue: str, rate: str, seconds: str) -> None:
    with channel_of(url) as channel:
        channel.queue_declare(queue, arguments={"x-lab-faults": True})
    for tag in ("worker-1", "worker-2"):
        threading.Thread(target=_consume, args=(url, queue, tag), daemon=True).start()
    _publish(url, queue, float(rate), float(seconds))


if __name__ == "__main__":
    _main(*sys.argv[1:])

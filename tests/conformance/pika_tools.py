"""What the tests with pika share: deliveries to wait for, and refusals to expect."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import ChannelClosedByBroker, ConnectionClosedByBroker

WITHIN_S = 10.0
"""How long a test waits for what has to come."""

REPLY_TEXT_MAX = 255
"""Octets that a reply text can have."""


class Delivery(NamedTuple):
    """A message as a consumer got it."""

    method: pika.spec.Basic.Deliver
    properties: pika.BasicProperties
    body: bytes

    @property
    def tag(self) -> int:
        """Its delivery tag."""
        return int(self.method.delivery_tag)


def wait_until(channel: BlockingChannel, holds: Callable[[], bool], what: str) -> None:
    """Handle what the broker sends until `holds()`; fail the test after `WITHIN_S`."""
    deadline = monotonic() + WITHIN_S
    while not holds():
        if monotonic() > deadline:
            pytest.fail(f"waited {WITHIN_S} s in vain for {what}")
        channel.connection.process_data_events(time_limit=0.2)


class Inbox:
    """A consumer that keeps what it gets, in order.

    Args:
        channel: the channel it consumes on.
        queue: what it consumes.
        settings: `basic_consume`'s arguments.
    """

    def __init__(self, channel: BlockingChannel, queue: str, **settings: object) -> None:
        self.channel, self.queue = channel, queue
        self.deliveries: list[Delivery] = []
        self.tag: str = channel.basic_consume(queue, self._on_message, **settings)

    def _on_message(self, _channel: BlockingChannel, *message: object) -> None:
        self.deliveries.append(Delivery(*message))

    @property
    def bodies(self) -> list[bytes]:
        """The bodies so far."""
        return [one.body for one in self.deliveries]

    def take(self, count: int) -> list[Delivery]:
        """Wait until there have been `count` deliveries in all, and return them."""
        wait_until(
            self.channel, lambda: len(self.deliveries) >= count, f"{count}, got {self.bodies}"
        )
        return self.deliveries

    def settled(self) -> list[bytes]:
        """The bodies once all that is due has come.

        A round trip through the queue is behind everything that the queue sent before it; what
        the test published has to be confirmed by then.
        """
        self.channel.queue_declare(self.queue, passive=True)
        self.channel.connection.process_data_events(time_limit=0)
        return self.bodies


def numbers(first: int, last: int) -> list[bytes]:
    """Bodies that count from `first` to `last`."""
    return [b"%d" % number for number in range(first, last + 1)]


def queue_exists(channel: BlockingChannel, queue: str) -> bool:
    """Ask on a channel of its own, which does not outlive a no; another's queue exists, too."""
    with channel.connection.channel() as asking:
        try:
            asking.queue_declare(queue, passive=True)
        except ChannelClosedByBroker as closed:
            return bool(closed.reply_code != 404)
        return True


@contextmanager
def refused(code: int, text: str, *, exactly: bool = True) -> Iterator[None]:
    """Expect the broker to close the channel with `code` and `text`, or what begins with it."""
    with pytest.raises(ChannelClosedByBroker) as closed:
        yield
    _compare(closed.value, code, text, exactly)


@contextmanager
def disconnected(code: int, text: str) -> Iterator[None]:
    """Expect the broker to close the connection with `code` and `text`."""
    with pytest.raises(ConnectionClosedByBroker) as closed:
        yield
    _compare(closed.value, code, text, True)


def _compare(
    reason: ChannelClosedByBroker | ConnectionClosedByBroker, code: int, text: str, exactly: bool
) -> None:
    got = reason.reply_text
    if len(text.encode()) > REPLY_TEXT_MAX:  # cut; RabbitMQ puts "..." at the end
        exactly, text = False, text[: REPLY_TEXT_MAX - 3]
    if not exactly:
        got = got[: len(text)]
    assert (reason.reply_code, got) == (code, text)

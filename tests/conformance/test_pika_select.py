"""pika's SelectConnection: the same protocol by callbacks, many requests on the way at once."""

from collections.abc import Callable
from typing import Any

import pika
import pytest
from pika.channel import Channel
from pika.exceptions import ChannelClosedByBroker, ConnectionClosedByClient

from tests.conformance.conftest import Broker, Name

WITHIN_S = 10


class Loop:
    """An opened connection whose loop runs until a test has what it wants."""

    def __init__(self, broker: Broker) -> None:
        self.ended_by: BaseException | None = None
        self.connection = pika.SelectConnection(
            broker.parameters(),
            on_open_callback=lambda _: self.stop(),
            on_open_error_callback=self._on_end,
            on_close_callback=self._on_end,
        )
        self.run()
        assert self.ended_by is None, self.ended_by

    def _on_end(self, _connection: pika.SelectConnection, reason: BaseException) -> None:
        self.ended_by = reason
        self.stop()

    def run(self) -> None:
        """Run until `stop`; fail after `WITHIN_S`."""
        late: list[bool] = []
        timer = self.connection.ioloop.call_later(
            WITHIN_S, lambda: (late.append(True), self.stop())
        )
        self.connection.ioloop.start()
        self.connection.ioloop.remove_timeout(timer)
        assert not late, f"it did not happen within {WITHIN_S} s"

    def stop(self, *_: object) -> None:
        """End `run`."""
        self.connection.ioloop.stop()

    def until(self, holds: Callable[[], object]) -> None:
        """Run until `holds()`, looked at after every round of the loop."""
        while not holds():
            self.connection.ioloop.add_callback_threadsafe(lambda: None)
            self.connection.ioloop.call_later(0.005, self.stop)
            self.run()

    def answer(self, request: Callable[..., object], *args: object, **settings: object) -> Any:
        """Make a request and return what its callback is given."""
        answers: list[object] = []

        def on_answer(answer: object) -> None:
            answers.append(answer)
            self.stop()

        request(*args, callback=on_answer, **settings)
        self.run()
        return answers[0]

    def channel(self) -> Channel:
        """Open a channel."""
        opened: list[Channel] = []

        def on_open(channel: Channel) -> None:
            opened.append(channel)
            self.stop()

        self.connection.channel(on_open_callback=on_open)
        self.run()
        return opened[0]

    def close(self) -> None:
        """Close the connection and wait for the broker's consent."""
        if self.connection.is_open:
            self.connection.close()
            self.run()


@pytest.fixture
def loop(broker: Broker) -> Any:
    loop = Loop(broker)
    yield loop
    loop.close()
    loop.connection.ioloop.close()


@pytest.fixture
def channel(loop: Loop) -> Channel:
    return loop.channel()


@pytest.fixture
def queue(loop: Loop, channel: Channel, name: Name) -> str:
    declared: str = loop.answer(channel.queue_declare, name("q"), exclusive=True).method.queue
    return declared


def test_a_close_is_agreed_upon(loop: Loop) -> None:
    loop.close()
    assert isinstance(loop.ended_by, ConnectionClosedByClient)


def test_requests_without_waiting_are_answered_in_order(
    loop: Loop, channel: Channel, name: Name
) -> None:
    answered: list[int] = []

    def ask(number: int) -> None:
        channel.queue_declare(
            name(f"q{number}"), exclusive=True, callback=lambda _: answered.append(number)
        )

    for number in range(50):
        ask(number)
    loop.until(lambda: len(answered) == 50)
    assert answered == list(range(50))


def test_a_stream_of_publishes_is_confirmed_whole(loop: Loop, channel: Channel, queue: str) -> None:
    settled: set[int] = set()
    refused: list[int] = []

    def on_confirm(frame: pika.frame.Method) -> None:
        confirm = frame.method
        if isinstance(confirm, pika.spec.Basic.Nack):
            refused.append(confirm.delivery_tag)
        lowest = min(set(range(1, confirm.delivery_tag + 1)) - settled)
        first = lowest if confirm.multiple else confirm.delivery_tag
        settled.update(range(first, confirm.delivery_tag + 1))

    channel.confirm_delivery(on_confirm, callback=loop.stop)
    loop.run()
    for number in range(500):
        channel.basic_publish(
            "", queue, b"%d" % number, pika.BasicProperties(delivery_mode=1 + number % 2)
        )
    loop.until(lambda: len(settled) == 500)
    assert settled == set(range(1, 501))
    assert refused == []
    assert loop.answer(channel.queue_declare, queue, passive=True).method.message_count == 500


def test_returns_come_before_their_confirms(loop: Loop, channel: Channel, name: Name) -> None:
    events: list[tuple[str, int]] = []

    def on_confirm(frame: pika.frame.Method) -> None:
        first = frame.method.delivery_tag
        if frame.method.multiple:
            first = 1 + max([tag for kind, tag in events if kind == "confirm"], default=0)
        events.extend(("confirm", tag) for tag in range(first, frame.method.delivery_tag + 1))

    channel.confirm_delivery(on_confirm, callback=loop.stop)
    loop.run()
    channel.add_on_return_callback(lambda _c, _m, _p, body: events.append(("return", int(body))))
    for tag in range(1, 101):
        channel.basic_publish("", name("nobody's"), b"%d" % tag, mandatory=True)
    loop.until(lambda: len(events) == 200)
    for tag in range(1, 101):
        assert events.index(("return", tag)) < events.index(("confirm", tag))


def test_a_consumer_keeps_up_with_its_own_publisher(
    loop: Loop, channel: Channel, queue: str
) -> None:
    got: list[int] = []

    def on_message(on: Channel, method: Any, _properties: object, body: bytes) -> None:
        got.append(int(body))
        on.basic_ack(method.delivery_tag, multiple=len(got) % 7 == 0)

    loop.answer(channel.basic_qos, prefetch_count=10)
    channel.basic_consume(queue, on_message)
    for number in range(1000):
        channel.basic_publish("", queue, b"%d" % number)
    loop.until(lambda: len(got) == 1000)
    assert got == list(range(1000))


def test_no_wait_leaves_the_answer_out(loop: Loop, channel: Channel, name: Name) -> None:
    queue, exchange = name("q"), name("x")
    got: list[bytes] = []
    channel.queue_declare(queue, exclusive=True)  # no callback: pika sends no-wait
    channel.exchange_declare(exchange, "fanout", auto_delete=True)
    channel.queue_bind(queue, exchange)
    channel.basic_consume(queue, lambda _c, _m, _p, body: got.append(body), auto_ack=True)
    channel.basic_publish(exchange, "", b"there")
    loop.until(lambda: got)
    assert got == [b"there"]
    channel.queue_purge(queue)
    channel.queue_delete(queue)
    channel.exchange_delete(exchange)
    channel.exchange_delete(exchange)
    closed: list[BaseException] = []
    channel.add_on_close_callback(lambda _channel, reason: closed.append(reason))
    channel.queue_declare(queue, passive=True)
    loop.until(lambda: closed)
    assert isinstance(closed[0], ChannelClosedByBroker)
    assert closed[0].reply_code == 404


def test_a_channel_error_in_the_middle_of_a_stream_ends_that_channel_alone(
    loop: Loop, channel: Channel, queue: str, name: Name
) -> None:
    other, closed = loop.channel(), []
    other.add_on_close_callback(lambda _channel, reason: closed.append(reason))
    for number in range(50):
        other.basic_publish("" if number != 25 else name("absent"), queue, b"%d" % number)
        channel.basic_publish("", queue, b"good")
    loop.until(lambda: closed)
    assert closed[0].reply_code == 404
    count = loop.answer(channel.queue_declare, queue, passive=True).method.message_count
    assert count == 50 + 25  # what came before the error counts, what came after does not


def test_cancel_answers_after_the_last_delivery(loop: Loop, channel: Channel, queue: str) -> None:
    got: list[bytes] = []
    tag = channel.basic_consume(queue, lambda _c, _m, _p, body: got.append(body))
    for number in range(200):
        channel.basic_publish("", queue, b"%d" % number)
    loop.until(lambda: got)
    loop.answer(channel.basic_cancel, tag)  # what comes meanwhile, pika rejects
    before = len(got)
    for number in range(200, 300):
        channel.basic_publish("", queue, b"%d" % number)
    left = loop.answer(channel.queue_purge, queue).method.message_count
    assert (len(got), before + left) == (before, 300)

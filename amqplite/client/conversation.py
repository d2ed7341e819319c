"""Who waits for what on a channel: answers in the order of the questions, confirms, messages."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

import trio

from amqplite.client.channel_core import ChannelCore
from amqplite.client.confirm import Confirm
from amqplite.client.consumer import Consumer
from amqplite.client.errors import Closed, ConsumerCancelled, Nacked, Unroutable, again
from amqplite.client.events import (
    Answered,
    CameBack,
    Cancelled,
    ChannelEnded,
    Confirmed,
    Delivered,
    Event,
    Returned,
)
from amqplite.client.result import Result
from amqplite.protocol.codec import Method
from amqplite.protocol.methods import ChannelCloseOk

OnAnswer = Callable[[Answered], object]


def ignore(_: object) -> None:
    """Do nothing about it."""


class Conversation:
    """The waiting that belongs to one channel.

    Args:
        core: the channel without its waiting.
        wake: called when there is something to be written.

    Attributes:
        on_return: called with each mandatory message that came back.
    """

    def __init__(self, core: ChannelCore, wake: Callable[[], object]) -> None:
        self.core = core
        self.on_return: Callable[[Returned], object] = ignore
        self._wake = wake
        self._questions: deque[tuple[Result[Answered], OnAnswer]] = deque()
        self._confirms: dict[int, Confirm] = {}  # by number, oldest first
        self._failed: Confirm | None = None  # the first that nobody was told of by `settled`
        self._consumers: dict[str, Consumer] = {}

    # -- what we say -----------------------------------------------------------------------------

    def say(self, method: Method) -> None:
        """Say what has no answer."""
        self.core.send(method)
        self._wake()

    async def ask(self, method: Method, on_answer: OnAnswer = ignore) -> Answered:
        """Say what has an answer, and wait for it.

        Args:
            method: the question.
            on_answer: called with the answer as it comes, before anything that comes behind it.
        """
        self.core.request(method)
        return await self._answer(on_answer)

    async def opened(self) -> None:
        """Wait for channel.open-ok; the question was asked before."""
        await self._answer(ignore)

    async def _answer(self, on_answer: OnAnswer) -> Answered:
        result = Result[Answered]()
        self._questions.append((result, on_answer))
        self._wake()
        return await result.wait()

    async def close(self, reply_code: int, reply_text: str) -> None:
        """Say goodbye and wait for the answer; nothing happens if the channel is over already."""
        if self.core.error is None:
            self.core.close(reply_code, reply_text)
            self.end(Closed("we closed the channel"))
            await self._answer(ignore)

    def confirm(self, number: int) -> Confirm:
        """Return what will become of a publish."""
        confirm = Confirm(number)
        if number:
            self._confirms[number] = confirm
        self._wake()
        return confirm

    @property
    def unconfirmed(self) -> int:
        """How many publishes have no confirm yet."""
        return len(self._confirms)

    async def settled(self) -> None:
        """Wait for all confirms.

        Raises:
            Nacked, Unroutable: the first since the last call.
            Exception: what the channel ended with.
        """
        await trio.lowlevel.checkpoint()
        for confirm in list(self._confirms.values()):
            with suppress(Nacked, Unroutable):
                await confirm.wait()
        failed, self._failed = self._failed, None
        if failed is not None:
            await failed.wait()
        if self.core.error is not None:
            raise again(self.core.error)

    def add(self, consumer: Consumer) -> None:
        """Have the deliveries for its tag go to `consumer`."""
        self._consumers[consumer.tag] = consumer

    def remove(self, consumer: Consumer) -> None:
        """Let nothing more come to a consumer that we cancelled."""
        if self._consumers.pop(consumer.tag, None) is consumer:
            consumer.end()

    # -- what we hear ----------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        """Take what happened on this channel."""
        match event:
            case Answered():
                self._on_answer(event)
            case Delivered(_, delivery):
                consumer = self._consumers.get(delivery.consumer_tag)
                if consumer is not None:  # else it was cancelled by the broker meanwhile
                    consumer.deliver(delivery)
            case Confirmed(_, number, taken, returned):
                confirm = self._confirms.pop(number)
                confirm.settle(taken, returned)
                if self._failed is None and not (taken and returned is None):
                    self._failed = confirm
            case CameBack(_, returned):
                self.on_return(returned)
            case Cancelled(_, tag):
                consumer = self._consumers.pop(tag, None)
                if consumer is not None:
                    consumer.end(ConsumerCancelled(f"the broker cancelled consumer '{tag}'"))
            case ChannelEnded(_, error):
                self.end(error)

    def _on_answer(self, answer: Answered) -> None:
        result, on_answer = self._questions.popleft()
        on_answer(answer)
        result.set(answer)
        if isinstance(answer.method, ChannelCloseOk):
            self.end(Closed("we closed the channel"))

    def end(self, error: Exception) -> None:
        """The channel is over, for everybody who waits."""
        questions, self._questions = self._questions, deque()
        for result, _ in questions:
            result.fail(error)
        confirms, self._confirms = self._confirms, {}
        for confirm in confirms.values():
            confirm.fail(error)
        consumers, self._consumers = self._consumers, {}
        for consumer in consumers.values():
            consumer.void(error)

"""A channel from the client's side, without a socket: requests, answers, contents (§2.2.5)."""

from collections import deque
from collections.abc import Callable
from enum import Enum, auto

from amqplite.client.content import CARRIERS, Assembly, Carrier, content_frames
from amqplite.client.errors import Closed, again, of_close
from amqplite.client.events import (
    Answered,
    CameBack,
    Cancelled,
    ChannelEnded,
    Confirmed,
    Delivered,
    Delivery,
    Event,
    Returned,
)
from amqplite.client.ledger import Ledger
from amqplite.errors import CommandInvalid, UnexpectedFrame
from amqplite.protocol.codec import METHODS, Method, decode, method_frame
from amqplite.protocol.frames import METHOD
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicDeliver,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ConfirmSelectOk,
)

_BY_NAME = {kind.NAME: kind for kind in METHODS.values()}

ANSWERS: dict[type[Method], tuple[type[Method], ...]] = {
    kind: (_BY_NAME[f"{kind.NAME}-ok"],)
    for kind in METHODS.values()
    if f"{kind.NAME}-ok" in _BY_NAME
}
"""What may answer a method that asks for an answer."""

ANSWERS[BasicGet] += (BasicGetEmpty,)


class ChannelState(Enum):
    """How far a channel is."""

    OPEN = auto()
    """Usable, also while its channel.open is on its way."""
    CLOSING = auto()
    """We said channel.close, and wait for the answer alone."""
    CLOSED = auto()


class ChannelCore:
    """One channel.

    Args:
        number: its number.
        send: takes octets to be sent.
        tell: takes what happened.
        frame_max: octets of the largest frame.

    Attributes:
        state: see `ChannelState`.
        error: why it can't be used any more; `None` while it can.
        ledger: publishes without their confirm; `None` without confirm mode.
    """

    def __init__(
        self,
        number: int,
        send: Callable[[bytes], object],
        tell: Callable[[Event], object],
        frame_max: int,
    ) -> None:
        self.number = number
        self.state = ChannelState.OPEN
        self.error: Exception | None = None
        self.ledger: Ledger | None = None
        self._send = send
        self._tell = tell
        self._frame_max = frame_max
        self._expected: deque[tuple[type[Method], ...]] = deque()
        self._assembly: Assembly | None = None

    # -- what we say -----------------------------------------------------------------------------

    def send(self, method: Method) -> None:
        """Say what has no answer.

        Raises:
            Exception: what the channel ended with, if it has.
        """
        self._require_open()
        self._send(method_frame(self.number, method))

    def request(self, method: Method) -> None:
        """Say what has an answer; an `Answered` comes for each, in order.

        Raises:
            Exception: what the channel ended with, if it has.
        """
        self.send(method)
        self._expected.append(ANSWERS[type(method)])

    def publish(self, method: BasicPublish, properties: bytes, body: bytes) -> int:
        """Publish a content; return its number for the confirm, or 0 without confirm mode.

        Raises:
            Exception: what the channel ended with, if it has.
        """
        self.send(method)
        self._send(b"".join(content_frames(self.number, self._frame_max, properties, body)))
        if self.ledger is None:
            return 0
        address = (method.exchange, method.routing_key, properties, body)
        return self.ledger.add(address if method.mandatory else None)

    def close(self, reply_code: int, reply_text: str) -> None:
        """Say goodbye; the channel can't be used any more, and an `Answered` is the last of it.

        Raises:
            Exception: what the channel ended with, if it has.
        """
        self.send(ChannelClose(reply_code, reply_text))
        self._expected.clear()
        self._expected.append(ANSWERS[ChannelClose])
        self.state, self.error = ChannelState.CLOSING, Closed("we closed the channel")

    def end(self, error: Exception) -> None:
        """The channel is over, or the whole connection is."""
        self.state = ChannelState.CLOSED
        self.error = self.error or error

    def _require_open(self) -> None:
        if self.error is not None:
            raise again(self.error)

    # -- what we hear ----------------------------------------------------------------------------

    def receive(self, kind: int, payload: bytes) -> None:
        """Take a frame of this channel.

        Raises:
            HardError: the broker is out of its mind.
        """
        if kind == METHOD:
            if self._assembly is not None:
                raise UnexpectedFrame("a method in the midst of a content")
            self._on_method(payload)
        elif self._assembly is None:
            raise UnexpectedFrame(f"frame of type {kind} without a method before it")
        elif (message := self._assembly.receive(kind, payload)) is not None:
            carrier, self._assembly = self._assembly.carrier, None
            self._on_message(carrier, message)

    def _on_method(self, payload: bytes) -> None:
        kind = METHODS.get(payload[:4])
        if kind is None:
            raise CommandInvalid(f"unknown method {payload[:4].hex()}")
        method = decode(kind, payload)
        if isinstance(method, CARRIERS):
            self._assembly = Assembly(method)
        elif isinstance(method, ChannelClose):
            self._on_close(method)
        elif self._expected and kind in self._expected[0]:
            self._on_answer(method)
        elif self.state is ChannelState.OPEN:
            self._on_news(method)

    def _on_news(self, method: Method) -> None:
        """Take what is no answer."""
        match method:
            case BasicAck():
                self._on_confirm(method.delivery_tag, method.multiple, taken=True)
            case BasicNack():
                self._on_confirm(method.delivery_tag, method.multiple, taken=False)
            case BasicCancel():
                self._tell(Cancelled(self.number, method.consumer_tag))
            case ChannelFlow():
                self._send(method_frame(self.number, ChannelFlowOk(method.active)))
            case _:
                raise CommandInvalid(f"{method.NAME} answers nothing that was asked")

    def _on_answer(self, method: Method) -> None:
        self._expected.popleft()
        if isinstance(method, ConfirmSelectOk) and self.ledger is None:
            self.ledger = Ledger()
        elif isinstance(method, ChannelCloseOk):
            self.state = ChannelState.CLOSED
        self._tell(Answered(self.number, method))

    def _on_close(self, close: ChannelClose) -> None:
        """Agree to the broker's close. If ours is on its way, its answer is still to come."""
        self._send(method_frame(self.number, ChannelCloseOk()))
        if self.state is ChannelState.OPEN:
            error = of_close(close.reply_code, close.reply_text, hard=False)
            self.end(error)
            self._tell(ChannelEnded(self.number, error))

    def _on_message(self, carrier: Carrier, message: Delivery | Returned) -> None:
        if self.state is not ChannelState.OPEN:
            return
        if isinstance(message, Returned):
            if self.ledger is not None:
                self.ledger.came_back(message)
            self._tell(CameBack(self.number, message))
        elif isinstance(carrier, BasicDeliver):
            self._tell(Delivered(self.number, message))
        elif self._expected and BasicGetOk in self._expected[0]:
            self._expected.popleft()
            self._tell(Answered(self.number, carrier, message))
        else:
            raise CommandInvalid("basic.get-ok answers nothing that was asked")

    def _on_confirm(self, number: int, multiple: bool, *, taken: bool) -> None:
        if self.ledger is None:
            raise CommandInvalid("a confirm where there is no confirm mode")
        for one, entry in self.ledger.settle(number, multiple=multiple):
            self._tell(Confirmed(self.number, one, taken, entry.returned))

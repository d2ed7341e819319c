"""A channel of a peer."""

import re
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from amqplite.protocol.codec import METHODS, Method, method_frame
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicDeliver,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicReject,
    BasicReturn,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ConfirmSelect,
    ConnectionBlocked,
    ConnectionUnblocked,
    ExchangeDeclare,
    QueueBind,
    QueueDeclare,
    QueueDelete,
)
from amqplite.protocol.properties import Properties, encode_header, encode_properties
from tests.wire.events import BODY_FRAME, HEADER_FRAME, PERSISTENT, Event, Ledger, frame

if TYPE_CHECKING:
    from tests.wire.peer import Peer

PATIENCE_S = 10.0
"""How long anything that is to come may take, unless a test says otherwise."""

M = TypeVar("M", bound=Method)

_UNASKED = (
    BasicDeliver,
    BasicReturn,
    BasicAck,
    BasicNack,
    BasicCancel,
    ConnectionBlocked,
    ConnectionUnblocked,
)
"""What a broker sends of its own accord, also between a method and its answer."""


class Channel:
    """A channel of a peer, by its number; `Peer.channel` opens it."""

    def __init__(self, peer: "Peer", number: int) -> None:
        self.peer = peer
        self.number = number

    def send(self, *methods: Method) -> None:
        """Send methods in one write, and wait for nothing."""
        self.peer.send(self.number, *methods)

    def call(self, method: Method) -> Any:
        """Send a method and return its answer; deliveries and the like meanwhile wait."""
        self.send(method)
        return self.await_answer(*_ANSWERS[method.NAME]).method

    def expect(self, kind: type[M], within_s: float = PATIENCE_S) -> M:
        """Return what comes next, which must be a method of this kind."""
        return cast(M, self.expect_event(kind, within_s).method)

    def expect_event(self, kind: type[Method], within_s: float = PATIENCE_S) -> Event:
        """The same with the content."""
        event = self.peer.await_event(self.number, within_s)
        assert isinstance(event.method, kind), f"expected {kind.NAME}, but there came {event}"
        return event

    def await_answer(self, *kinds: type[Method]) -> Event:
        """Return the answer, one of these kinds; what is no answer waits for who asks for it."""
        early: list[Event] = []
        while True:
            event = self.peer.await_event(self.number, PATIENCE_S)
            if isinstance(event.method, kinds):
                self.peer._inboxes[self.number].extendleft(reversed(early))
                return event
            assert isinstance(event.method, _UNASKED), f"expected {kinds}, but there came {event}"
            early.append(event)

    def received(self) -> list[Event]:
        """Return what has come, after a round trip, and was not asked for yet."""
        self.peer.sync()
        return self.peer.received(self.number)

    def expect_close(self, code: int, text: str = "", by: type[Method] | None = None) -> None:
        """Wait for channel.close with this code, and agree; see `Peer.expect_close`."""
        close = self.await_answer(ChannelClose)
        check_close(close, code, text, by)
        self.send(ChannelCloseOk())

    def reopen(self) -> Self:
        """Open it again, after it was closed."""
        self.call(ChannelOpen())
        return self

    def close(self) -> None:
        """Close it; what has come but was not asked for stays."""
        self.call(ChannelClose(200, "done"))

    # -- publishing ------------------------------------------------------------------------------

    def publish(
        self,
        body: bytes,
        routing_key: str,
        exchange: str = "",
        properties: Properties | bytes = PERSISTENT,
        *,
        mandatory: bool = False,
    ) -> None:
        """Publish; properties may be the octets of flags and list."""
        self.peer.send_octets(
            self.publication(body, routing_key, exchange, properties, mandatory=mandatory)
        )

    def publication(
        self,
        body: bytes,
        routing_key: str,
        exchange: str = "",
        properties: Properties | bytes = PERSISTENT,
        *,
        mandatory: bool = False,
    ) -> bytes:
        """Return the octets of a publish, to be sent with others."""
        if isinstance(properties, Properties):
            properties = encode_properties(properties)
        method = BasicPublish(
            exchange=exchange, routing_key=routing_key, mandatory=mandatory, immediate=False
        )
        header = frame(HEADER_FRAME, self.number, encode_header(len(body), properties))
        return method_frame(self.number, method) + header + b"".join(self._body_frames(body))

    def _body_frames(self, body: bytes) -> Iterator[bytes]:
        size = self.peer.frame_max - 8
        for at in range(0, len(body), size):
            yield frame(BODY_FRAME, self.number, body[at : at + size])

    def confirm(self) -> Self:
        """Ask for confirms."""
        self.call(ConfirmSelect())
        return self

    def await_confirms(self, up_to: int, within_s: float = PATIENCE_S) -> dict[int, bool]:
        """Wait until each publish up to `up_to` is settled; return whether it was acked.

        Raises:
            AssertionError: one is settled twice, or before it was published.
        """
        ledger = Ledger(up_to)
        deadline = monotonic() + within_s
        while ledger.open:
            event = self.peer.await_event(self.number, deadline - monotonic())
            ledger.settle(event.method)
        return ledger.outcomes

    # -- queues ----------------------------------------------------------------------------------

    def declare(self, queue: str, *, arguments: bytes = b"", durable: bool = True) -> str:
        """Declare a queue and return its name."""
        answer = self.call(QueueDeclare(queue=queue, durable=durable, arguments=arguments))
        return cast(str, answer.queue)

    def declare_exchange(self, exchange: str, kind: str, arguments: bytes = b"") -> str:
        """Declare a durable exchange and return its name."""
        self.call(ExchangeDeclare(exchange=exchange, type=kind, durable=True, arguments=arguments))
        return exchange

    def bind(
        self, queue: str, exchange: str, routing_key: str = "", arguments: bytes = b""
    ) -> None:
        """Bind a queue to an exchange."""
        self.call(
            QueueBind(queue=queue, exchange=exchange, routing_key=routing_key, arguments=arguments)
        )

    def depth(self, queue: str) -> int:
        """Return how many messages are ready."""
        return cast(int, self.call(QueueDeclare(queue=queue, passive=True)).message_count)

    def delete(self, queue: str) -> None:
        """Delete a queue, whoever uses it."""
        self.call(QueueDelete(queue=queue))

    # -- consuming -------------------------------------------------------------------------------

    def qos(self, count: int, *, over_channel: bool = False) -> None:
        """Limit what each consumer, or all together, may hold."""
        self.call(BasicQos(0, count, over_channel))

    def consume(
        self,
        queue: str,
        tag: str = "",
        *,
        no_ack: bool = False,
        exclusive: bool = False,
        arguments: bytes = b"",
    ) -> str:
        """Start a consumer and return its tag."""
        answer = self.call(
            BasicConsume(
                queue=queue,
                consumer_tag=tag,
                no_ack=no_ack,
                exclusive=exclusive,
                arguments=arguments,
            )
        )
        return cast(str, answer.consumer_tag)

    def cancel(self, tag: str) -> None:
        """End a consumer."""
        self.call(BasicCancel(tag))

    def delivery(self, within_s: float = PATIENCE_S) -> Event:
        """Return what comes next, which must be a delivery."""
        return self.expect_event(BasicDeliver, within_s)

    def deliveries(self, count: int, within_s: float = PATIENCE_S) -> list[Event]:
        """Return the next deliveries, and see that nothing else comes between."""
        return [self.delivery(within_s) for _ in range(count)]

    def get(self, queue: str, *, no_ack: bool = False) -> Event | None:
        """Ask for a message; `None` if none is ready."""
        self.send(BasicGet(queue=queue, no_ack=no_ack))
        event = self.await_answer(BasicGetOk, BasicGetEmpty)
        return None if isinstance(event.method, BasicGetEmpty) else event

    def got(self, queue: str, *, no_ack: bool = False) -> Event:
        """Ask for a message where there must be one."""
        event = self.get(queue, no_ack=no_ack)
        assert event is not None, f"{queue} is empty"
        return event

    def drain(self, queue: str) -> list[tuple[bytes, bool]]:
        """Take all there is, as `Event.seen`."""
        events = iter(lambda: self.get(queue, no_ack=True), None)
        return [event.seen for event in events if event]

    def ack(self, tag: int, *, multiple: bool = False) -> None:
        """Ack a delivery, or all up to it."""
        self.send(BasicAck(tag, multiple))

    def nack(self, tag: int, *, multiple: bool = False, requeue: bool = True) -> None:
        """Requeue or drop a delivery, or all up to it."""
        self.send(BasicNack(tag, multiple, requeue))

    def reject(self, tag: int, *, requeue: bool = True) -> None:
        """Requeue or drop a delivery."""
        self.send(BasicReject(tag, requeue))


def check_close(event: Event, code: int, text: str, by: type[Method] | None) -> None:
    close = event.method
    assert close.reply_code == code, close
    assert re.search(text, close.reply_text), close
    if by is not None:
        assert (close.class_id, close.method_id) == (by.CLASS_ID, by.METHOD_ID), close


def _answers() -> dict[str, tuple[type[Method], ...]]:
    by_name = {method.NAME: method for method in METHODS.values()}
    return {name: (by_name[f"{name}-ok"],) for name in by_name if f"{name}-ok" in by_name}


_ANSWERS = _answers()

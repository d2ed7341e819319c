"""A channel: what one may ask of a broker (§1.4 to §1.9).

What has an answer waits for it; acks and their like have none, and don't wait. After an error the
broker closes the channel: whatever is asked from then on raises that error.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from amqplite.client.channel_core import ChannelCore
from amqplite.client.confirm import Confirm
from amqplite.client.consumer import Consumer
from amqplite.client.conversation import Conversation
from amqplite.client.events import Answered, Delivery, Event, Returned
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicConsumeOk,
    BasicGet,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicRecover,
    BasicReject,
    ConfirmSelect,
    ExchangeBind,
    ExchangeDeclare,
    ExchangeDelete,
    ExchangeUnbind,
    QueueBind,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
    QueueUnbind,
    TxCommit,
    TxRollback,
    TxSelect,
)
from amqplite.protocol.properties import Properties, encode_properties

Arguments = Mapping[str, Any] | None
"""By name, as plain values; `None` is none."""

_NO_PROPERTIES = encode_properties(Properties())


class Channel:
    """One channel of a connection; `Connection.channel` opens it.

    Args:
        core: the channel without its waiting.
        wake: called when there is something to be written.
        room: returns when more may be.
    """

    def __init__(
        self,
        core: ChannelCore,
        wake: Callable[[], object],
        room: Callable[[], Awaitable[None]],
    ) -> None:
        self._core = core
        self._conversation = Conversation(core, wake)
        self._ask, self._say = self._conversation.ask, self._conversation.say
        self._room = room

    @property
    def number(self) -> int:
        """Its number on the wire."""
        return self._core.number

    @property
    def error(self) -> Exception | None:
        """Why it can't be used any more; `None` while it can."""
        return self._core.error

    @property
    def unconfirmed(self) -> int:
        """How many publishes have no confirm yet."""
        return self._conversation.unconfirmed

    def on_return(self, call: Callable[[Returned], object]) -> None:
        """Have `call` called with each mandatory message that comes back."""
        self._conversation.on_return = call

    async def close(self, reply_code: int = 200, reply_text: str = "goodbye") -> None:
        """End it; what was delivered on it and not acked goes back. It may be over already."""
        await self._conversation.close(reply_code, reply_text)

    # -- exchanges and queues --------------------------------------------------------------------

    async def declare_exchange(
        self,
        name: str,
        type: str = "direct",
        *,
        passive: bool = False,
        durable: bool = False,
        auto_delete: bool = False,
        internal: bool = False,
        arguments: Arguments = None,
    ) -> None:
        """Create an exchange, or see that there is such a one."""
        table = _table(arguments)
        await self._ask(
            ExchangeDeclare(0, name, type, passive, durable, auto_delete, internal, False, table)
        )

    async def delete_exchange(self, name: str, *, if_unused: bool = False) -> None:
        """Delete an exchange."""
        await self._ask(ExchangeDelete(0, name, if_unused))

    async def bind_exchange(
        self, destination: str, source: str, routing_key: str = "", arguments: Arguments = None
    ) -> None:
        """Have messages go from exchange `source` to exchange `destination` as well."""
        table = _table(arguments)
        await self._ask(ExchangeBind(0, destination, source, routing_key, False, table))

    async def unbind_exchange(
        self, destination: str, source: str, routing_key: str = "", arguments: Arguments = None
    ) -> None:
        """Undo `bind_exchange`."""
        table = _table(arguments)
        await self._ask(ExchangeUnbind(0, destination, source, routing_key, False, table))

    async def declare_queue(
        self,
        name: str = "",
        *,
        passive: bool = False,
        durable: bool = False,
        exclusive: bool = False,
        auto_delete: bool = False,
        arguments: Arguments = None,
    ) -> QueueDeclareOk:
        """Create a queue, or see that there is such a one; without a name it gets a new one."""
        table = _table(arguments)
        answer = await self._ask(
            QueueDeclare(0, name, passive, durable, exclusive, auto_delete, False, table)
        )
        assert isinstance(answer.method, QueueDeclareOk)
        return answer.method

    async def delete_queue(
        self, name: str, *, if_unused: bool = False, if_empty: bool = False
    ) -> int:
        """Delete a queue; return how many messages were ready."""
        answer = await self._ask(QueueDelete(0, name, if_unused, if_empty))
        assert isinstance(answer.method, QueueDeleteOk)
        return answer.method.message_count

    async def purge_queue(self, name: str) -> int:
        """Drop the messages that are ready; return how many."""
        answer = await self._ask(QueuePurge(0, name))
        assert isinstance(answer.method, QueuePurgeOk)
        return answer.method.message_count

    async def bind_queue(
        self, queue: str, exchange: str, routing_key: str = "", arguments: Arguments = None
    ) -> None:
        """Have messages go from `exchange` to `queue`."""
        await self._ask(QueueBind(0, queue, exchange, routing_key, False, _table(arguments)))

    async def unbind_queue(
        self, queue: str, exchange: str, routing_key: str = "", arguments: Arguments = None
    ) -> None:
        """Undo `bind_queue`."""
        await self._ask(QueueUnbind(0, queue, exchange, routing_key, _table(arguments)))

    # -- publishing ------------------------------------------------------------------------------

    async def select_confirms(self) -> None:
        """Have the broker confirm what is published from now on (confirm.select)."""
        await self._ask(ConfirmSelect())

    async def publish(
        self,
        body: bytes,
        *,
        exchange: str = "",
        routing_key: str = "",
        properties: Properties | None = None,
        mandatory: bool = False,
    ) -> Confirm:
        """Publish a message, without waiting for the broker to take it.

        It waits only while too much is to be written. `Confirm.wait` waits for the broker.
        """
        octets = _NO_PROPERTIES if properties is None else encode_properties(properties)
        method = BasicPublish(0, exchange, routing_key, mandatory)
        confirm = self._conversation.confirm(self._core.publish(method, octets, body))
        await self._room()
        return confirm

    async def wait_confirms(self) -> None:
        """Return once all that was published has its confirm.

        Raises:
            Nacked, Unroutable: the broker would not take one, or returned it; the first since the
                last such call, whether or not it was waited for by itself.
            Exception: what the channel or the connection ended with.
        """
        await self._conversation.settled()

    # -- consuming -------------------------------------------------------------------------------

    async def qos(self, prefetch: int, *, global_: bool = False) -> None:
        """Limit the unacked deliveries of each consumer, or of the whole channel; 0 is no limit."""
        await self._ask(BasicQos(0, prefetch, global_))

    async def consume(
        self,
        queue: str,
        *,
        tag: str = "",
        no_ack: bool = False,
        exclusive: bool = False,
        arguments: Arguments = None,
    ) -> Consumer:
        """Start a consumer; without a tag the broker makes one up."""
        consumer = Consumer(tag, self._cancel)

        def started(answer: Answered) -> None:
            assert isinstance(answer.method, BasicConsumeOk)
            consumer.tag = answer.method.consumer_tag
            self._conversation.add(consumer)

        method = BasicConsume(0, queue, tag, False, no_ack, exclusive, False, _table(arguments))
        await self._ask(method, started)
        return consumer

    async def _cancel(self, consumer: Consumer) -> None:
        await self._ask(BasicCancel(consumer.tag), lambda _: self._conversation.remove(consumer))

    async def get(self, queue: str, *, no_ack: bool = False) -> Delivery | None:
        """Take one message, or `None` if none is ready (basic.get)."""
        answer = await self._ask(BasicGet(0, queue, no_ack))
        return answer.delivery

    def ack(self, delivery: Delivery | int, *, multiple: bool = False) -> None:
        """Settle a delivery, or its tag, or all up to it; 0 is all there are."""
        self._say(BasicAck(_tag(delivery), multiple))

    def nack(
        self, delivery: Delivery | int, *, multiple: bool = False, requeue: bool = True
    ) -> None:
        """Give a delivery back, or all up to it; without `requeue` it is dead-lettered."""
        self._say(BasicNack(_tag(delivery), multiple, requeue))

    def reject(self, delivery: Delivery | int, *, requeue: bool = True) -> None:
        """Give a delivery back; without `requeue` it is dead-lettered."""
        self._say(BasicReject(_tag(delivery), requeue))

    async def recover(self, *, requeue: bool = True) -> None:
        """Give back all that is unacked."""
        await self._ask(BasicRecover(requeue))

    # -- transactions ----------------------------------------------------------------------------

    async def select_tx(self) -> None:
        """Have publishes and acks wait for `commit` (tx.select)."""
        await self._ask(TxSelect())

    async def commit(self) -> None:
        """Make them happen."""
        await self._ask(TxCommit())

    async def rollback(self) -> None:
        """Forget them."""
        await self._ask(TxRollback())

    # -- what the connection tells ---------------------------------------------------------------

    async def opened(self) -> None:
        """Return once the broker has opened it."""
        await self._conversation.opened()

    def tell(self, event: Event) -> None:
        """Take what happened on this channel."""
        self._conversation.tell(event)

    def end(self, error: Exception) -> None:
        """The connection is over."""
        self._conversation.end(error)


def _table(arguments: Arguments) -> bytes:
    return encode_table(from_python(arguments)) if arguments else b""


def _tag(delivery: Delivery | int) -> int:
    return delivery if isinstance(delivery, int) else delivery.delivery_tag

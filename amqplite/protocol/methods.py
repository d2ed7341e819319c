"""The methods of AMQP 0-9-1 and of RabbitMQ beside them, one class each (§1.3, §3.2).

In the specification's order, and so are the fields, which is their order on the wire. A method goes
from client to broker or answers one that does, unless its docstring tells otherwise. Defaults are
those of RabbitMQ's clients, for whoever writes a method; what comes from the wire is always whole.
"""

from amqplite.protocol.codec import (
    Bit,
    Long,
    LongLong,
    LongStr,
    Method,
    Octet,
    Short,
    ShortStr,
    TableOctets,
    method,
)


@method(10, 10)
class ConnectionStart(Method):
    """Begin the handshake with what the broker speaks and offers (connection.start).

    Broker to client.
    """

    version_major: Octet = 0
    version_minor: Octet = 9
    server_properties: TableOctets = b""
    mechanisms: LongStr = b"PLAIN"
    locales: LongStr = b"en_US"


@method(10, 11)
class ConnectionStartOk(Method):
    """Choose a mechanism and give its first response (connection.start-ok)."""

    client_properties: TableOctets = b""
    mechanism: ShortStr = "PLAIN"
    response: LongStr = b""
    locale: ShortStr = "en_US"


@method(10, 20)
class ConnectionSecure(Method):
    """Challenge the client once more (connection.secure). Broker to client."""

    challenge: LongStr


@method(10, 21)
class ConnectionSecureOk(Method):
    """Answer a challenge (connection.secure-ok)."""

    response: LongStr


@method(10, 30)
class ConnectionTune(Method):
    """Propose limits; zero is none (connection.tune).

    Broker to client. `heartbeat` is in seconds.
    """

    channel_max: Short
    frame_max: Long
    heartbeat: Short


@method(10, 31)
class ConnectionTuneOk(Method):
    """Settle the limits (connection.tune-ok). `heartbeat` is in seconds, and zero turns it off."""

    channel_max: Short
    frame_max: Long
    heartbeat: Short


@method(10, 40)
class ConnectionOpen(Method):
    """Enter a vhost (connection.open). Answered by connection.open-ok."""

    virtual_host: ShortStr = "/"
    reserved_1: ShortStr = ""
    reserved_2: Bit = False


@method(10, 41)
class ConnectionOpenOk(Method):
    """Let the client in (connection.open-ok)."""

    reserved_1: ShortStr = ""


@method(10, 50)
class ConnectionClose(Method):
    """End the connection; ids of zero blame no method (connection.close). Either side."""

    reply_code: Short
    reply_text: ShortStr
    class_id: Short = 0
    method_id: Short = 0


@method(10, 51)
class ConnectionCloseOk(Method):
    """Agree to end the connection (connection.close-ok)."""


@method(10, 60)
class ConnectionBlocked(Method):
    """Tell a publisher that it isn't read for now (RabbitMQ: connection.blocked).

    Broker to client.
    """

    reason: ShortStr


@method(10, 61)
class ConnectionUnblocked(Method):
    """Tell a publisher that it is read again (RabbitMQ: connection.unblocked). Broker to client."""


@method(10, 70)
class ConnectionUpdateSecret(Method):
    """Renew the credentials (RabbitMQ: connection.update-secret). Answered by its -ok."""

    new_secret: LongStr
    reason: ShortStr


@method(10, 71)
class ConnectionUpdateSecretOk(Method):
    """Accept the new credentials (RabbitMQ: connection.update-secret-ok)."""


@method(20, 10)
class ChannelOpen(Method):
    """Open the channel that the frame names (channel.open). Answered by channel.open-ok."""

    reserved_1: ShortStr = ""


@method(20, 11)
class ChannelOpenOk(Method):
    """Answer channel.open (channel.open-ok)."""

    reserved_1: LongStr = b""


@method(20, 20)
class ChannelFlow(Method):
    """Pause or resume deliveries (channel.flow). Answered by channel.flow-ok."""

    active: Bit


@method(20, 21)
class ChannelFlowOk(Method):
    """Confirm the flow's new state (channel.flow-ok)."""

    active: Bit


@method(20, 40)
class ChannelClose(Method):
    """End the channel; ids of zero blame no method (channel.close). Either side."""

    reply_code: Short
    reply_text: ShortStr
    class_id: Short = 0
    method_id: Short = 0


@method(20, 41)
class ChannelCloseOk(Method):
    """Agree to end the channel (channel.close-ok)."""


@method(30, 10)
class AccessRequest(Method):
    """Ask for a ticket, as clients of 0-8 do (RabbitMQ: access.request)."""

    realm: ShortStr = "/data"
    exclusive: Bit = False
    passive: Bit = True
    active: Bit = True
    write: Bit = True
    read: Bit = True


@method(30, 11)
class AccessRequestOk(Method):
    """Hand out a ticket, which nobody reads (RabbitMQ: access.request-ok)."""

    ticket: Short = 1


@method(40, 10)
class ExchangeDeclare(Method):
    """Create or check an exchange (exchange.declare).

    Answered by exchange.declare-ok unless `no_wait`.
    """

    reserved_1: Short = 0
    exchange: ShortStr = ""
    type: ShortStr = "direct"
    passive: Bit = False
    durable: Bit = False
    auto_delete: Bit = False
    internal: Bit = False
    no_wait: Bit = False
    arguments: TableOctets = b""


@method(40, 11)
class ExchangeDeclareOk(Method):
    """Answer exchange.declare (exchange.declare-ok)."""


@method(40, 20)
class ExchangeDelete(Method):
    """Delete an exchange (exchange.delete). Answered by exchange.delete-ok unless `no_wait`."""

    reserved_1: Short = 0
    exchange: ShortStr = ""
    if_unused: Bit = False
    no_wait: Bit = False


@method(40, 21)
class ExchangeDeleteOk(Method):
    """Answer exchange.delete (exchange.delete-ok)."""


@method(40, 30)
class ExchangeBind(Method):
    """Bind an exchange to an exchange (RabbitMQ: exchange.bind).

    Answered by its -ok unless `no_wait`.
    """

    reserved_1: Short = 0
    destination: ShortStr = ""
    source: ShortStr = ""
    routing_key: ShortStr = ""
    no_wait: Bit = False
    arguments: TableOctets = b""


@method(40, 31)
class ExchangeBindOk(Method):
    """Answer exchange.bind (RabbitMQ: exchange.bind-ok)."""


@method(40, 40)
class ExchangeUnbind(Method):
    """Undo exchange.bind (RabbitMQ: exchange.unbind). Answered by its -ok unless `no_wait`."""

    reserved_1: Short = 0
    destination: ShortStr = ""
    source: ShortStr = ""
    routing_key: ShortStr = ""
    no_wait: Bit = False
    arguments: TableOctets = b""


@method(40, 51)
class ExchangeUnbindOk(Method):
    """Answer exchange.unbind; its id is 51, not 41 (RabbitMQ: exchange.unbind-ok)."""


@method(50, 10)
class QueueDeclare(Method):
    """Create or check a queue; no name asks for a new one (queue.declare).

    Answered by queue.declare-ok unless `no_wait`.
    """

    reserved_1: Short = 0
    queue: ShortStr = ""
    passive: Bit = False
    durable: Bit = False
    exclusive: Bit = False
    auto_delete: Bit = False
    no_wait: Bit = False
    arguments: TableOctets = b""


@method(50, 11)
class QueueDeclareOk(Method):
    """Answer queue.declare with the name, and what is ready and who consumes (queue.declare-ok)."""

    queue: ShortStr
    message_count: Long
    consumer_count: Long


@method(50, 20)
class QueueBind(Method):
    """Bind a queue to an exchange (queue.bind). Answered by queue.bind-ok unless `no_wait`."""

    reserved_1: Short = 0
    queue: ShortStr = ""
    exchange: ShortStr = ""
    routing_key: ShortStr = ""
    no_wait: Bit = False
    arguments: TableOctets = b""


@method(50, 21)
class QueueBindOk(Method):
    """Answer queue.bind (queue.bind-ok)."""


@method(50, 30)
class QueuePurge(Method):
    """Drop the messages that are ready (queue.purge).

    Answered by queue.purge-ok unless `no_wait`.
    """

    reserved_1: Short = 0
    queue: ShortStr = ""
    no_wait: Bit = False


@method(50, 31)
class QueuePurgeOk(Method):
    """Answer queue.purge with the number dropped (queue.purge-ok)."""

    message_count: Long


@method(50, 40)
class QueueDelete(Method):
    """Delete a queue (queue.delete). Answered by queue.delete-ok unless `no_wait`."""

    reserved_1: Short = 0
    queue: ShortStr = ""
    if_unused: Bit = False
    if_empty: Bit = False
    no_wait: Bit = False


@method(50, 41)
class QueueDeleteOk(Method):
    """Answer queue.delete with the number that was ready (queue.delete-ok)."""

    message_count: Long


@method(50, 50)
class QueueUnbind(Method):
    """Unbind a queue from an exchange (queue.unbind). Answered by queue.unbind-ok."""

    reserved_1: Short = 0
    queue: ShortStr = ""
    exchange: ShortStr = ""
    routing_key: ShortStr = ""
    arguments: TableOctets = b""


@method(50, 51)
class QueueUnbindOk(Method):
    """Answer queue.unbind (queue.unbind-ok)."""


@method(60, 10)
class BasicQos(Method):
    """Limit what is unacked; zero is no limit (basic.qos). Answered by basic.qos-ok."""

    prefetch_size: Long = 0
    prefetch_count: Short = 0
    global_: Bit = False


@method(60, 11)
class BasicQosOk(Method):
    """Answer basic.qos (basic.qos-ok)."""


@method(60, 20)
class BasicConsume(Method):
    """Start a consumer; no tag asks for a new one (basic.consume).

    Answered by basic.consume-ok unless `no_wait`.
    """

    reserved_1: Short = 0
    queue: ShortStr = ""
    consumer_tag: ShortStr = ""
    no_local: Bit = False
    no_ack: Bit = False
    exclusive: Bit = False
    no_wait: Bit = False
    arguments: TableOctets = b""


@method(60, 21)
class BasicConsumeOk(Method):
    """Answer basic.consume with the consumer's tag (basic.consume-ok)."""

    consumer_tag: ShortStr


@method(60, 30)
class BasicCancel(Method):
    """End a consumer (basic.cancel).

    Answered by basic.cancel-ok unless `no_wait`. The broker sends it when a queue goes away
    (RabbitMQ: consumer cancel notification).
    """

    consumer_tag: ShortStr
    no_wait: Bit = False


@method(60, 31)
class BasicCancelOk(Method):
    """Answer basic.cancel (basic.cancel-ok)."""

    consumer_tag: ShortStr


@method(60, 40)
class BasicPublish(Method):
    """Publish the content that follows (basic.publish)."""

    reserved_1: Short = 0
    exchange: ShortStr = ""
    routing_key: ShortStr = ""
    mandatory: Bit = False
    immediate: Bit = False


@method(60, 50)
class BasicReturn(Method):
    """Return the content that follows, as it reached no queue (basic.return). Broker to client."""

    reply_code: Short
    reply_text: ShortStr
    exchange: ShortStr
    routing_key: ShortStr


@method(60, 60)
class BasicDeliver(Method):
    """Deliver the content that follows to a consumer (basic.deliver). Broker to client."""

    consumer_tag: ShortStr
    delivery_tag: LongLong
    redelivered: Bit
    exchange: ShortStr
    routing_key: ShortStr


@method(60, 70)
class BasicGet(Method):
    """Ask for one message (basic.get). Answered by basic.get-ok or basic.get-empty."""

    reserved_1: Short = 0
    queue: ShortStr = ""
    no_ack: Bit = False


@method(60, 71)
class BasicGetOk(Method):
    """Answer basic.get with the content that follows, and how many stay ready (basic.get-ok)."""

    delivery_tag: LongLong
    redelivered: Bit
    exchange: ShortStr
    routing_key: ShortStr
    message_count: Long


@method(60, 72)
class BasicGetEmpty(Method):
    """Answer basic.get: nothing is ready (basic.get-empty)."""

    reserved_1: ShortStr = ""


@method(60, 80)
class BasicAck(Method):
    """Ack a delivery, or all up to it; tag zero and `multiple` is all of them (basic.ack).

    From the broker it is a confirm (RabbitMQ: publisher confirms).
    """

    delivery_tag: LongLong = 0
    multiple: Bit = False


@method(60, 90)
class BasicReject(Method):
    """Reject a delivery (basic.reject)."""

    delivery_tag: LongLong
    requeue: Bit = True


@method(60, 100)
class BasicRecoverAsync(Method):
    """Requeue what is unacked, without an answer (basic.recover-async)."""

    requeue: Bit = False


@method(60, 110)
class BasicRecover(Method):
    """Requeue what is unacked (basic.recover). Answered by basic.recover-ok."""

    requeue: Bit = False


@method(60, 111)
class BasicRecoverOk(Method):
    """Answer basic.recover (basic.recover-ok)."""


@method(60, 120)
class BasicNack(Method):
    """Reject a delivery, or all up to it (RabbitMQ: basic.nack).

    From the broker it tells that a publish failed (RabbitMQ: publisher confirms).
    """

    delivery_tag: LongLong = 0
    multiple: Bit = False
    requeue: Bit = True


@method(85, 10)
class ConfirmSelect(Method):
    """Ask for confirms on this channel (RabbitMQ: confirm.select).

    Answered by its -ok unless `no_wait`.
    """

    no_wait: Bit = False


@method(85, 11)
class ConfirmSelectOk(Method):
    """Answer confirm.select (RabbitMQ: confirm.select-ok)."""


@method(90, 10)
class TxSelect(Method):
    """Make the channel transactional (tx.select). Answered by tx.select-ok."""


@method(90, 11)
class TxSelectOk(Method):
    """Answer tx.select (tx.select-ok)."""


@method(90, 20)
class TxCommit(Method):
    """Make the transaction's publishes and acks happen (tx.commit). Answered by tx.commit-ok."""


@method(90, 21)
class TxCommitOk(Method):
    """Answer tx.commit (tx.commit-ok)."""


@method(90, 30)
class TxRollback(Method):
    """Forget the transaction's publishes and acks (tx.rollback). Answered by tx.rollback-ok."""


@method(90, 31)
class TxRollbackOk(Method):
    """Answer tx.rollback (tx.rollback-ok)."""

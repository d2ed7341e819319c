"""The basic class: consuming, getting, and settling what was handed out (§1.8)."""

from struct import Struct
from typing import Any

from amqplite.broker.arguments import INTEGERS
from amqplite.broker.event_log import MULTIPLE
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.connection.channel import Channel, HandlerTable
from amqplite.connection.deliver import UNLIMITED, Consumer, Getter, get_ok
from amqplite.connection.transaction import Outcome
from amqplite.errors import (
    AccessRefused,
    InvalidSyntax,
    NotAllowed,
    PreconditionFailed,
    ResourceLocked,
    Unsupported,
)
from amqplite.protocol.codec import decode
from amqplite.protocol.fields import decode_table
from amqplite.protocol.frames import Octets
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicCancelOk,
    BasicConsume,
    BasicConsumeOk,
    BasicGet,
    BasicGetEmpty,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicQosOk,
    BasicRecover,
    BasicRecoverAsync,
    BasicRecoverOk,
    BasicReject,
)

_unpack_ack = Struct(">QB").unpack_from
_unpack_acks = Struct(">11xQ2x").iter_unpack
_ACK_SIZE = 13


def on_basic_qos(channel: Channel, payload: bytes) -> None:
    """basic.qos: limits for each consumer, or for the channel as a whole.

    Both hold side by side. Unlike RabbitMQ's, the limit for each reaches the consumers that already
    run, as the specification has it and Celery needs it.

    Raises:
        Unsupported: a prefetch-size, which RabbitMQ hasn't either.
    """
    qos = decode(BasicQos, payload)
    if qos.prefetch_size:
        raise Unsupported(f"prefetch_size!=0 ({qos.prefetch_size})")
    channel.send(BasicQosOk())
    if qos.global_:
        channel.prefetch_all = qos.prefetch_count
    else:
        channel.prefetch = qos.prefetch_count
        channel.prefetch_all = 0
        for consumer in channel.consumers.values():
            consumer.prefetch = qos.prefetch_count or UNLIMITED
    for consumer in channel.consumers.values():
        channel.credit(consumer)


def on_basic_consume(channel: Channel, payload: bytes) -> None:
    """basic.consume: start a consumer.

    Raises:
        NotAllowed: its tag is in use on this channel.
        AccessRefused: no permission, or somebody consumes exclusively.
        NotFound, ResourceLocked: see `Vhost.queue`.
        PreconditionFailed: an argument has the wrong type.
    """
    consume = decode(BasicConsume, payload)
    name = channel.queue_named(consume.queue)
    queue = channel.vhost.readable_queue(channel.user, name, channel.connection)
    tag = consume.consumer_tag
    if not tag:
        tag = channel.broker.generate_name("amq.ctag-")
    elif tag in channel.consumers:
        raise NotAllowed(f"attempt to reuse consumer tag '{tag}'")
    _require_may_consume(queue, consume.exclusive)
    arguments = decode_table(consume.arguments)
    timeout = _argument(arguments, "x-consumer-timeout", channel.unacked.timeout_of(queue))
    if timeout < 0:
        raise PreconditionFailed("invalid arg 'x-consumer-timeout': it is negative")
    consumer = Consumer(
        channel,
        queue,
        tag,
        no_ack=consume.no_ack,
        exclusive=consume.exclusive,
        priority=_argument(arguments, "x-priority", 0),
        prefetch=channel.prefetch or UNLIMITED,
        timeout_ms=timeout,
    )
    channel.consumers[tag] = consumer
    if not consume.no_wait:
        channel.send(BasicConsumeOk(tag))
    queue.add_consumer(consumer)
    channel.connection.undispatched[queue] = None


def _require_may_consume(queue: Queue, exclusive: bool) -> None:
    taken = any(consumer.exclusive for consumer in queue.consumers)
    if taken or (exclusive and queue.consumers):
        raise AccessRefused(f"queue '{queue.name}' in vhost '{queue.vhost}' in exclusive use")
    if exclusive and queue.settings.single_active_consumer:
        raise AccessRefused(
            f"queue '{queue.name}' in vhost '{queue.vhost}' has a single active consumer, "
            "and takes no exclusive one"
        )


def _argument(arguments: dict[str, tuple[str, Any]], name: str, default: int) -> int:
    if name not in arguments:
        return default
    tag, value = arguments[name]
    if tag not in INTEGERS:
        raise PreconditionFailed(f"invalid arg '{name}': expected an integer")
    return int(value)


def on_basic_cancel(channel: Channel, payload: bytes) -> None:
    """basic.cancel: end a consumer; an unknown tag is fine. What it holds stays unacked."""
    cancel = decode(BasicCancel, payload)
    channel.cancel(cancel.consumer_tag)
    if not cancel.no_wait:
        channel.send(BasicCancelOk(cancel.consumer_tag))


def on_basic_cancel_ok(_channel: Channel, _payload: bytes) -> None:
    """basic.cancel-ok to our own cancel: some clients say it, nobody needs it."""


def on_basic_get(channel: Channel, payload: bytes) -> None:
    """basic.get: hand out one message, whatever the prefetch.

    Raises:
        AccessRefused, NotFound, ResourceLocked: see `Vhost.readable_queue`.
    """
    get = decode(BasicGet, payload)
    name = channel.queue_named(get.queue)
    queue = channel.vhost.readable_queue(channel.user, name, channel.connection)
    _require_may_get(queue)
    got = queue.get(Getter(channel, get.no_ack) if channel.trace.on else None)
    if got is None:
        channel.send(BasicGetEmpty())
        return
    entry, position = got
    channel.last_tag = tag = channel.last_tag + 1
    unacked = channel.unacked
    if get.no_ack:
        queue.settle(entry)
        position = 0
    else:
        timeout = unacked.timeout_of(queue)
        if timeout:
            unacked.watch(timeout)
        unacked[tag] = (entry, queue, None, channel.broker.now)
        unacked.got += 1
    channel.connection.send_at(position, get_ok(channel, queue, entry, tag))


def _require_may_get(queue: Queue) -> None:
    if queue.settings.single_active_consumer:
        raise ResourceLocked(
            f"cannot obtain access to locked queue '{queue.name}' in vhost '{queue.vhost}'. "
            "basic.get operations are not supported by classic queues with single active consumer"
        )


def on_basic_ack(channel: Channel, payload: bytes) -> None:
    """basic.ack: delete what was handed out under a tag, or all up to it.

    *Hot.*

    Raises:
        PreconditionFailed: there is no such delivery.
    """
    if len(payload) < _ACK_SIZE:
        raise InvalidSyntax("arguments of basic.ack are cut short")
    tag, multiple = _unpack_ack(payload, 4)
    if multiple & 1:
        _settle(channel, tag, True, Outcome.ACKED)
    else:
        _ack(channel, tag)


def on_basic_acks(channel: Channel, frames: Octets) -> None:
    """Several basic.acks of one delivery each, in their order.

    *Hot.*

    Args:
        channel: the channel they came on.
        frames: theirs, see `protocol.frames.ACKS`.

    Raises:
        PreconditionFailed: there is no such delivery; those before it are settled.
    """
    for (tag,) in _unpack_acks(frames):
        _ack(channel, tag)


def _ack(channel: Channel, tag: int) -> None:
    """Delete what was handed out under a tag."""
    unacked = channel.unacked
    if channel.transaction is not None or tag not in unacked:
        _settle(channel, tag, False, Outcome.ACKED)
        return
    entry, queue, consumer, _ = unacked.pop(tag)
    queue.settle(entry)
    if consumer is None:
        unacked.got -= 1
        return
    consumer.unacked -= 1
    if consumer.parked or channel.prefetch_all:
        channel.credit(consumer)


def on_basic_nack(channel: Channel, payload: bytes) -> None:
    """basic.nack: requeue, or delete, what was handed out (RabbitMQ: basic.nack).

    Raises:
        PreconditionFailed: there is no such delivery.
    """
    nack = decode(BasicNack, payload)
    outcome = Cause.NACK if nack.requeue else Outcome.REJECTED
    _settle(channel, nack.delivery_tag, nack.multiple, outcome)


def on_basic_reject(channel: Channel, payload: bytes) -> None:
    """basic.reject: requeue, or delete, one delivery.

    Raises:
        PreconditionFailed: there is no such delivery.
    """
    reject = decode(BasicReject, payload)
    outcome = Cause.REJECT if reject.requeue else Outcome.REJECTED
    _settle(channel, reject.delivery_tag, False, outcome)


def _settle(channel: Channel, tag: int, multiple: bool, outcome: Outcome | Cause) -> None:
    """Settle now, or at tx.commit."""
    trace = channel.trace
    try:
        taken = channel.unacked.take(tag, multiple)
    except PreconditionFailed as error:
        if trace.on:
            trace.bad_ack(channel, tag, error.reply_text)
        raise
    if channel.transaction is not None:
        channel.transaction.settlements.append((taken, outcome))
        channel.unacked.set_aside += len(taken)
        return
    trace.multiple = MULTIPLE if multiple else 0
    channel.settle([checkout for _, checkout in taken], outcome)
    trace.multiple = 0


def on_basic_recover(channel: Channel, payload: bytes) -> None:
    """basic.recover: requeue all that the channel holds.

    Raises:
        Unsupported: without requeue, which RabbitMQ hasn't either.
    """
    _recover(channel, decode(BasicRecover, payload).requeue)
    channel.send(BasicRecoverOk())


def on_basic_recover_async(channel: Channel, payload: bytes) -> None:
    """basic.recover-async: the same without an answer."""
    _recover(channel, decode(BasicRecoverAsync, payload).requeue)


def _recover(channel: Channel, requeue: bool) -> None:
    if not requeue:
        raise Unsupported("requeue=false")
    taken = channel.unacked.take(0, True)
    channel.settle([checkout for _, checkout in taken], Cause.RECOVER)


def on_basic_publish(channel: Channel, payload: bytes) -> None:
    """basic.publish whose content comes in frames of its own."""
    channel.publishing.on_method(payload)


BASIC: HandlerTable = {
    BasicQos: on_basic_qos,
    BasicConsume: on_basic_consume,
    BasicCancel: on_basic_cancel,
    BasicCancelOk: on_basic_cancel_ok,
    BasicPublish: on_basic_publish,
    BasicGet: on_basic_get,
    BasicAck: on_basic_ack,
    BasicReject: on_basic_reject,
    BasicRecoverAsync: on_basic_recover_async,
    BasicRecover: on_basic_recover,
    BasicNack: on_basic_nack,
}

"""The queue class (§1.7)."""

from amqplite.connection.channel import Channel, HandlerTable
from amqplite.errors import NotFound
from amqplite.protocol.codec import decode
from amqplite.protocol.fields import decode_table
from amqplite.protocol.methods import (
    QueueBind,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
    QueueUnbind,
    QueueUnbindOk,
)


def on_queue_declare(channel: Channel, payload: bytes) -> None:
    """queue.declare: see `Vhost.declare_queue`; passive only looks (404, 405)."""
    declare = decode(QueueDeclare, payload)
    vhost, owner = channel.vhost, channel.connection
    if declare.passive:
        queue = vhost.queue(channel.queue_named(declare.queue), owner)
    else:
        queue = vhost.declare_queue(
            channel.user,
            declare.queue,
            owner,
            durable=declare.durable,
            exclusive=declare.exclusive,
            auto_delete=declare.auto_delete,
            arguments=decode_table(declare.arguments),
            octets=declare.arguments,
        )
    channel.last_queue = queue.name
    if not declare.no_wait:
        channel.reply(QueueDeclareOk(queue.name, queue.ready, len(queue.consumers)))


def on_queue_bind(channel: Channel, payload: bytes) -> None:
    """queue.bind: see `Vhost.bind_queue`; an empty queue stands for the one declared last."""
    bind = decode(QueueBind, payload)
    queue = channel.queue_named(bind.queue)
    key = bind.routing_key
    if not bind.queue and not key:
        key = queue
    channel.vhost.bind_queue(
        channel.user,
        channel.connection,
        bind.exchange,
        queue,
        key,
        decode_table(bind.arguments),
        bind.arguments,
    )
    if not bind.no_wait:
        channel.reply(QueueBindOk())


def on_queue_unbind(channel: Channel, payload: bytes) -> None:
    """queue.unbind: see `Vhost.unbind_queue`; one that isn't there is fine."""
    unbind = decode(QueueUnbind, payload)
    queue = channel.queue_named(unbind.queue)
    key = unbind.routing_key
    if not unbind.queue and not key:
        key = queue
    channel.vhost.unbind_queue(
        channel.user,
        channel.connection,
        unbind.exchange,
        queue,
        key,
        decode_table(unbind.arguments),
        unbind.arguments,
    )
    channel.reply(QueueUnbindOk())


def on_queue_purge(channel: Channel, payload: bytes) -> None:
    """queue.purge: the ready messages go, the unacked stay."""
    purge = decode(QueuePurge, payload)
    name = channel.queue_named(purge.queue)
    count = channel.vhost.readable_queue(channel.user, name, channel.connection).purge()
    if not purge.no_wait:
        channel.reply(QueuePurgeOk(count))


def on_queue_delete(channel: Channel, payload: bytes) -> None:
    """queue.delete: see `Vhost.delete_queue`; one that isn't there had no messages."""
    delete = decode(QueueDelete, payload)
    try:
        name = channel.queue_named(delete.queue)
    except NotFound:
        name = ""
    count = channel.vhost.delete_queue(
        channel.user,
        name,
        channel.connection,
        if_unused=delete.if_unused,
        if_empty=delete.if_empty,
    )
    if not delete.no_wait:
        channel.reply(QueueDeleteOk(count))


QUEUE: HandlerTable = {
    QueueDeclare: on_queue_declare,
    QueueBind: on_queue_bind,
    QueueUnbind: on_queue_unbind,
    QueuePurge: on_queue_purge,
    QueueDelete: on_queue_delete,
}

"""The exchange class (§1.6)."""

from amqplite.broker.names import refuse_default
from amqplite.connection.channel import Channel, HandlerTable
from amqplite.protocol.codec import decode
from amqplite.protocol.fields import decode_table
from amqplite.protocol.methods import (
    ExchangeBind,
    ExchangeBindOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    ExchangeDelete,
    ExchangeDeleteOk,
    ExchangeUnbind,
    ExchangeUnbindOk,
)


def on_exchange_declare(channel: Channel, payload: bytes) -> None:
    """exchange.declare: see `Vhost.declare_exchange`; passive only looks (403, 404)."""
    declare = decode(ExchangeDeclare, payload)
    if declare.passive:
        refuse_default(declare.exchange)
        channel.vhost.exchange(declare.exchange)
    else:
        channel.vhost.declare_exchange(
            channel.user,
            declare.exchange,
            declare.type,
            durable=declare.durable,
            auto_delete=declare.auto_delete,
            internal=declare.internal,
            arguments=decode_table(declare.arguments),
            octets=declare.arguments,
        )
    if not declare.no_wait:
        channel.reply(ExchangeDeclareOk())


def on_exchange_delete(channel: Channel, payload: bytes) -> None:
    """exchange.delete: see `Vhost.delete_exchange`."""
    delete = decode(ExchangeDelete, payload)
    channel.vhost.delete_exchange(channel.user, delete.exchange, if_unused=delete.if_unused)
    if not delete.no_wait:
        channel.reply(ExchangeDeleteOk())


def on_exchange_bind(channel: Channel, payload: bytes) -> None:
    """exchange.bind: see `Vhost.bind_exchange`."""
    bind = decode(ExchangeBind, payload)
    channel.vhost.bind_exchange(
        channel.user,
        bind.source,
        bind.destination,
        bind.routing_key,
        decode_table(bind.arguments),
        bind.arguments,
    )
    if not bind.no_wait:
        channel.reply(ExchangeBindOk())


def on_exchange_unbind(channel: Channel, payload: bytes) -> None:
    """exchange.unbind: see `Vhost.unbind_exchange`."""
    unbind = decode(ExchangeUnbind, payload)
    channel.vhost.unbind_exchange(
        channel.user,
        unbind.source,
        unbind.destination,
        unbind.routing_key,
        decode_table(unbind.arguments),
        unbind.arguments,
    )
    if not unbind.no_wait:
        channel.reply(ExchangeUnbindOk())


EXCHANGE: HandlerTable = {
    ExchangeDeclare: on_exchange_declare,
    ExchangeDelete: on_exchange_delete,
    ExchangeBind: on_exchange_bind,
    ExchangeUnbind: on_exchange_unbind,
}

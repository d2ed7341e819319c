"""The tx class (§1.9) and the confirm class (RabbitMQ: publisher confirms)."""

from amqplite.connection.channel import Channel, HandlerTable
from amqplite.connection.confirms import Confirms
from amqplite.connection.transaction import Transaction
from amqplite.errors import PreconditionFailed
from amqplite.protocol.codec import decode
from amqplite.protocol.methods import (
    ConfirmSelect,
    ConfirmSelectOk,
    TxCommit,
    TxCommitOk,
    TxRollback,
    TxRollbackOk,
    TxSelect,
    TxSelectOk,
)


def on_confirm_select(channel: Channel, payload: bytes) -> None:
    """confirm.select: number publishes from 1, and confirm them; again is fine.

    Raises:
        PreconditionFailed: the channel is transactional.
    """
    if channel.transaction is not None:
        raise PreconditionFailed("cannot switch from tx to confirm mode")
    if channel.confirms is None:
        channel.confirms = Confirms(channel.number)
    if not decode(ConfirmSelect, payload).no_wait:
        channel.send(ConfirmSelectOk())


def on_tx_select(channel: Channel, _payload: bytes) -> None:
    """tx.select: begin a transaction; again is fine.

    Raises:
        PreconditionFailed: the channel is in confirm mode.
    """
    if channel.confirms is not None:
        raise PreconditionFailed("cannot switch from confirm to tx mode")
    if channel.transaction is None:
        channel.transaction = Transaction()
    channel.send(TxSelectOk())


def on_tx_commit(channel: Channel, _payload: bytes) -> None:
    """tx.commit: all publishes and settlements at once, in memory as on disk.

    Raises:
        PreconditionFailed: there is no transaction, or a full queue refused a message.
    """
    publishes, settlements = _transaction(channel).take()
    channel.unacked.set_aside = 0
    accepted = True
    for message, queues, mandatory in publishes:
        accepted = channel.enqueue(message, queues, mandatory) and accepted
    for taken, outcome in settlements:
        channel.settle([checkout for _, checkout in taken], outcome)
    if not accepted:
        raise PreconditionFailed("partial tx completion")
    channel.reply(TxCommitOk())


def on_tx_rollback(channel: Channel, _payload: bytes) -> None:
    """tx.rollback: drop the publishes; what was settled is unacked again, and not requeued.

    Raises:
        PreconditionFailed: there is no transaction.
    """
    _, settlements = _transaction(channel).take()
    channel.unacked.set_aside = 0
    for taken, _ in settlements:
        channel.unacked.put_back(taken)
    channel.send(TxRollbackOk())


def _transaction(channel: Channel) -> Transaction:
    if channel.transaction is None:
        raise PreconditionFailed("channel is not transactional")
    return channel.transaction


TX: HandlerTable = {
    TxSelect: on_tx_select,
    TxCommit: on_tx_commit,
    TxRollback: on_tx_rollback,
}

CONFIRM: HandlerTable = {ConfirmSelect: on_confirm_select}

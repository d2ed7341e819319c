from amqplite.connection.connection_methods import CONNECTION
from amqplite.connection.handlers import HANDLERS
from amqplite.protocol import methods as m
from amqplite.protocol.codec import METHODS

FROM_THE_BROKER = {
    m.ConnectionStart,
    m.ConnectionSecure,
    m.ConnectionTune,
    m.ConnectionOpenOk,
    m.ConnectionBlocked,
    m.ConnectionUnblocked,
    m.ConnectionUpdateSecretOk,
    m.ChannelOpenOk,
    m.AccessRequestOk,
    m.ExchangeDeclareOk,
    m.ExchangeDeleteOk,
    m.ExchangeBindOk,
    m.ExchangeUnbindOk,
    m.QueueDeclareOk,
    m.QueueBindOk,
    m.QueuePurgeOk,
    m.QueueDeleteOk,
    m.QueueUnbindOk,
    m.BasicQosOk,
    m.BasicConsumeOk,
    m.BasicReturn,
    m.BasicDeliver,
    m.BasicGetOk,
    m.BasicGetEmpty,
    m.BasicRecoverOk,
    m.ConfirmSelectOk,
    m.TxSelectOk,
    m.TxCommitOk,
    m.TxRollbackOk,
}

IN_THE_HANDSHAKE = {
    m.ConnectionStartOk,
    m.ConnectionSecureOk,
    m.ConnectionTuneOk,
    m.ConnectionOpen,
}

WITHOUT_MEANING = {m.ChannelFlowOk}
"""An answer to channel.flow, which the broker never says."""


def test_every_method_a_client_may_send_has_a_handler() -> None:
    handled = {METHODS[key] for key in [*HANDLERS, *CONNECTION]}
    assert handled == set(METHODS.values()) - FROM_THE_BROKER - IN_THE_HANDSHAKE - WITHOUT_MEANING

"""Why a message that was handed out came back to its queue, and why a queue gives one up."""

from enum import Enum


class Cause(Enum):
    """What ended a hand-out without an ack. The value says it in words."""

    NACK = "the consumer sent basic.nack with requeue"
    REJECT = "the consumer sent basic.reject with requeue"
    RECOVER = "the consumer sent basic.recover"
    CHANNEL_CLOSED = "the client closed the channel"
    CHANNEL_ERROR = "the broker closed the channel after an error"
    CONNECTION_CLOSED = "the client closed the connection"
    CONNECTION_ERROR = "the broker closed the connection after an error"
    CONNECTION_LOST = "the connection was lost"
    HEARTBEATS_MISSED = "the client missed its heartbeats"
    ACK_TIMEOUT = "the ack did not come in time"
    SHUTDOWN = "the broker was shut down"


class Reason(Enum):
    """Why a queue gave a message up, as `x-death` says it (RabbitMQ: dead letter exchanges)."""

    REJECTED = "rejected"
    MAXLEN = "maxlen"
    DELIVERY_LIMIT = "delivery_limit"

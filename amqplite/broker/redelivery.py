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
    CONNECTION_RESET = "the connection was reset"
    LAB_FAULT = "the lab cut the connection"
    HEARTBEATS_MISSED = "the client missed its heartbeats"
    ACK_TIMEOUT = "the ack did not come in time"
    SHUTDOWN = "the broker was shut down"

    @property
    def trace(self) -> tuple[str, str]:
        """What a trace calls it, and what it is more closely."""
        return _IN_A_TRACE[self]


_IN_A_TRACE = {
    Cause.NACK: ("nack_requeue", ""),
    Cause.REJECT: ("reject_requeue", ""),
    Cause.RECOVER: ("recover", ""),
    Cause.CHANNEL_CLOSED: ("channel_closed", ""),
    Cause.CHANNEL_ERROR: ("channel_closed", "protocol_error"),
    Cause.CONNECTION_CLOSED: ("connection_closed", ""),
    Cause.CONNECTION_ERROR: ("connection_lost", "protocol_error"),
    Cause.CONNECTION_LOST: ("connection_lost", "eof"),
    Cause.CONNECTION_RESET: ("connection_lost", "peer_reset"),
    Cause.HEARTBEATS_MISSED: ("connection_lost", "heartbeat_timeout"),
    Cause.LAB_FAULT: ("connection_lost", "lab_fault"),
    Cause.ACK_TIMEOUT: ("ack_timeout", ""),
    Cause.SHUTDOWN: ("broker_restart", ""),
}


class Reason(Enum):
    """Why a queue gave a message up, as `x-death` says it (RabbitMQ: dead letter exchanges)."""

    REJECTED = "rejected"
    MAXLEN = "maxlen"
    DELIVERY_LIMIT = "delivery_limit"

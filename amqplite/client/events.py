"""What a client's core has to tell: messages, answers, confirms, and ends."""

from dataclasses import dataclass
from typing import TypeAlias

from amqplite.protocol.codec import Method
from amqplite.protocol.properties import Properties, decode_properties


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message that was handed to us, by basic.deliver or basic.get-ok.

    Attributes:
        consumer_tag: whose it is; empty for basic.get.
        message_count: how many stay ready, for basic.get; else 0.
        header: the content header's payload, as it came.
    """

    body: bytes
    header: bytes
    exchange: str
    routing_key: str
    delivery_tag: int
    redelivered: bool
    consumer_tag: str = ""
    message_count: int = 0

    @property
    def properties(self) -> Properties:
        """The message's properties, decoded anew.

        Raises:
            InvalidSyntax: they are malformed, which no broker needs to mind.
        """
        return decode_properties(self.header)


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A mandatory message that came back, by basic.return."""

    body: bytes
    header: bytes
    exchange: str
    routing_key: str
    reply_code: int
    reply_text: str

    @property
    def properties(self) -> Properties:
        """The message's properties, decoded anew; see `Delivery`."""
        return decode_properties(self.header)


@dataclass(frozen=True, slots=True)
class Opened:
    """The handshake is done."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The oldest unanswered request of a channel has its answer, with a content for basic.get."""

    channel: int
    method: Method
    delivery: Delivery | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """A consumer's next message."""

    channel: int
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class CameBack:
    """A mandatory message reached no queue. In confirm mode its confirm is still to come."""

    channel: int
    returned: Returned


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The broker took a publish, or would not.

    Attributes:
        number: of the publish, from 1 on each channel.
        taken: `False` for a nack.
        returned: the message, if it came back before.
    """

    channel: int
    number: int
    taken: bool
    returned: Returned | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The broker ended a consumer."""

    channel: int
    consumer_tag: str


@dataclass(frozen=True, slots=True)
class ChannelEnded:
    """A channel is over: the broker closed it."""

    channel: int
    error: Exception


@dataclass(frozen=True, slots=True)
class Blocked:
    """The broker stops reading from publishers, or goes on when `reason` is `None`."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The connection is over, and all its channels are; nothing comes after it."""

    error: Exception


Event: TypeAlias = (
    Opened
    | Answered
    | Delivered
    | CameBack
    | Confirmed
    | Cancelled
    | ChannelEnded
    | Blocked
    | Ended
)

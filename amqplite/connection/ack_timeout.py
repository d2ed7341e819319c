"""What befalls deliveries whose ack is late (RabbitMQ: delivery acknowledgement timeout).

By the setting `consumer_timeout_action`: *requeue* takes just these deliveries back, and the
consumer gets nothing more until it has settled them; *cancel* ends the consumer as well, as
RabbitMQ 4.3 does; *close* closes the channel, as RabbitMQ did before.
"""

from typing import TYPE_CHECKING

from amqplite.broker.redelivery import Cause
from amqplite.connection.channel import Channel
from amqplite.connection.deliver import Consumer
from amqplite.connection.unacked import Checkout
from amqplite.errors import PreconditionFailed

if TYPE_CHECKING:
    from amqplite.connection.connection import Connection


def take_back(connection: "Connection", channel: Channel, tags: list[int]) -> None:
    """Take back the deliveries under `tags`, which are late, oldest first."""
    late = [(tag, channel.unacked[tag]) for tag in tags]
    action = connection.limits.consumer_timeout_action
    cancels = action == "cancel" and connection.client_can("consumer_cancel_notify")
    if action == "close" or (action == "cancel" and not (cancels and _all_have_consumers(late))):
        _close(channel, late[0][1])
        return
    for tag, checkout in late:
        del channel.unacked[tag]
        consumer = checkout[2]
        channel.unacked.overdue[tag] = consumer
        if consumer is not None:
            consumer.overdue += 1
            _stop(channel, consumer, cancels)
    channel.settle([checkout for _, checkout in late], Cause.ACK_TIMEOUT)


def _all_have_consumers(late: list[tuple[int, Checkout]]) -> bool:
    return all(consumer is not None for _, (_, _, consumer, _) in late)


def _stop(channel: Channel, consumer: Consumer, cancels: bool) -> None:
    if not cancels:
        consumer.queue.suspend(consumer)
    elif channel.consumers.get(consumer.tag) is consumer:
        consumer.queue.remove_consumer(consumer)
        channel.consumer_cancelled(consumer)


def _close(channel: Channel, oldest: Checkout) -> None:
    _, queue, consumer, _ = oldest
    timeout = consumer.timeout_ms if consumer is not None else channel.unacked.timeout_of(queue)
    error = PreconditionFailed(
        f"delivery acknowledgement on channel {channel.number} timed out. Timeout value used: "
        f"{timeout} ms. This timeout value can be configured, see consumers doc guide to learn more"
    )
    channel.close(error, 0, 0)

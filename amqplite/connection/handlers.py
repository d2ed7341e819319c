"""What to do with each method that a client may send on a channel."""

from amqplite.connection.basic_methods import BASIC
from amqplite.connection.channel import Handler
from amqplite.connection.channel_methods import CHANNEL
from amqplite.connection.exchange_methods import EXCHANGE
from amqplite.connection.queue_methods import QUEUE
from amqplite.connection.tx_methods import CONFIRM, TX

HANDLERS: dict[bytes, Handler] = {
    method.KEY: handle
    for table in (CHANNEL, EXCHANGE, QUEUE, BASIC, TX, CONFIRM)
    for method, handle in table.items()
}
"""By the class-id and method-id that start a payload."""

"""Exchanges."""

from typing import Any

from amqplite.broker.exchanges import Exchange
from amqplite.broker.statistics import exchange_statistics
from amqplite.control.arguments import plain
from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.response import Response, json_response

DEFAULT = "amq.default"
"""What a path calls the default exchange, whose name is empty."""


def exchanges(call: Call) -> Response:
    """List the exchanges of a vhost, or of all that the user may see."""
    return json_response(
        [_shown(one) for vhost in call.chosen_vhosts() for one in vhost.exchanges.values()]
    )


def exchange(call: Call) -> Response:
    """Show one."""
    name = call.parameters["name"]
    held = call.vhost().exchanges.get("" if name == DEFAULT else name)
    if held is None:
        raise no_such_object()
    return json_response(_shown(held))


def _shown(exchange: Exchange) -> dict[str, Any]:
    held = exchange_statistics(exchange)
    return {
        "name": held.name,
        "vhost": held.vhost,
        "type": held.type,
        "durable": held.durable,
        "auto_delete": held.auto_delete,
        "internal": held.internal,
        "arguments": plain(held.arguments),
    }

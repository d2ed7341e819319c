"""The broker as a whole, and who asks."""

import platform
from typing import Any

from amqplite import __version__
from amqplite.broker.exchanges import EXCHANGE_TYPES
from amqplite.broker.statistics import totals
from amqplite.control.auth import Access
from amqplite.control.call import Call
from amqplite.control.response import Response, json_response
from amqplite.control.site import NODE


def overview(call: Call) -> Response:
    """Return what the broker is, and sums over the vhosts that the user may see."""
    sums = totals(call.broker, call.vhosts())
    answer: dict[str, Any] = {
        "management_version": __version__,
        "rabbitmq_version": __version__,
        "product_name": "amqplite",
        "product_version": __version__,
        "platform": f"Python {platform.python_version()}",
        "cluster_name": "amqplite",
        "node": NODE,
        "rates_mode": "none",
        "exchange_types": [
            {"name": name, "description": f"{name} exchanges", "enabled": True}
            for name in EXCHANGE_TYPES
        ],
        "message_stats": {},
        "queue_totals": {
            "messages": sums.ready + sums.unacked,
            "messages_ready": sums.ready,
            "messages_unacknowledged": sums.unacked,
        },
        "object_totals": {
            "queues": sums.queues,
            "exchanges": sums.exchanges,
            "connections": sums.connections,
            "channels": sums.channels,
            "consumers": sums.consumers,
        },
    }
    if Access.MONITORING.includes(call.user):
        answer |= _where(call)
    return json_response(answer)


def _where(call: Call) -> dict[str, Any]:
    """Return where the broker listens."""
    return {
        "listeners": [
            {
                "node": NODE,
                "protocol": endpoint.protocol,
                "ip_address": endpoint.host,
                "port": endpoint.port,
            }
            for endpoint in call.site.endpoints
        ],
        "contexts": [
            {"node": NODE, "description": "management", "path": "/", "port": endpoint.port}
            for endpoint in call.site.endpoints
            if endpoint.protocol == "http"
        ],
    }


def whoami(call: Call) -> Response:
    """Return who asks."""
    return json_response({"name": call.user.name, "tags": call.user.tags})

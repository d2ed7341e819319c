"""Connections."""

from typing import Any

from amqplite.broker.statistics import ConnectionStatistics
from amqplite.broker.statistics import connections as connections_of
from amqplite.control.auth import Access
from amqplite.control.call import Call
from amqplite.control.response import Response, json_response
from amqplite.control.site import NODE


def connections(call: Call) -> Response:
    """List the connections: the user's own, or all for one who is for monitoring."""
    sees_all = Access.MONITORING.includes(call.user)
    return json_response(
        [
            _shown(held)
            for held in connections_of(call.broker)
            if sees_all or held.user == call.user.name
        ]
    )


def _shown(held: ConnectionStatistics) -> dict[str, Any]:
    return {
        "name": held.name,
        "node": NODE,
        "user": held.user,
        "vhost": held.vhost,
        "protocol": "AMQP 0-9-1",
        "type": "network",
        "state": "running",
        "channels": held.channels,
        "channel_max": held.channel_max,
        "frame_max": held.frame_max,
        "timeout": held.heartbeat_s,
        "client_properties": held.client_properties,
    }

"""Vhosts."""

from typing import Any

from amqplite.broker.statistics import vhost_statistics
from amqplite.broker.vhost import Vhost
from amqplite.control.call import Call
from amqplite.control.response import Response, json_response
from amqplite.control.site import NODE


def vhosts(call: Call) -> Response:
    """List the vhosts that the user may see."""
    return json_response([_shown(vhost) for vhost in call.vhosts()])


def vhost(call: Call) -> Response:
    """Show one."""
    return json_response(_shown(call.vhost()))


def _shown(vhost: Vhost) -> dict[str, Any]:
    held = vhost_statistics(vhost)
    return {
        "name": held.name,
        "description": "",
        "tags": [],
        "tracing": False,
        "cluster_state": {NODE: "running"},
        "messages": held.ready + held.unacked,
        "messages_ready": held.ready,
        "messages_unacknowledged": held.unacked,
    }

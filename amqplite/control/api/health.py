"""Health checks: 200 if all is well, 503 with the reason if not (RabbitMQ: health checks).

One node is the whole cluster, so the checks of what only a cluster has always succeed.
"""

from http import HTTPStatus
from typing import Any

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.response import Response, json_response
from amqplite.control.site import NODE


def ok(_call: Call) -> Response:
    """Answer that all is well, as it always is."""
    return _ok()


def alarms(call: Call) -> Response:
    """Fail while a resource runs low, and publishers are blocked."""
    return _without_alarms(call, "There are alarms in effect in the cluster")


def local_alarms(call: Call) -> Response:
    """Fail as `alarms` does."""
    return _without_alarms(call, "There are alarms in effect on the node")


def is_serving(call: Call) -> Response:
    """Fail once the broker has begun to stop."""
    if call.site.draining:
        return _failed("the broker is about to stop")
    return _ok()


def port_listener(call: Call) -> Response:
    """Fail unless the broker listens on a port.

    Raises:
        HttpError: it is no number (400).
    """
    asked = call.parameters["port"]
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 5):
        raise HttpError(HTTPStatus.BAD_REQUEST, "Invalid port")
    ports = [endpoint.port for endpoint in call.site.endpoints]
    if int(asked) in ports:
        return _ok(port=int(asked))
    return _failed("No active listener", missing=int(asked), ports=ports)


def protocol_listener(call: Call) -> Response:
    """Fail unless the broker listens for a protocol."""
    asked = call.parameters["protocol"]
    protocols = sorted({endpoint.protocol for endpoint in call.site.endpoints})
    if asked in protocols:
        return _ok(protocol=asked)
    return _failed("No active listener", missing=asked, protocols=protocols)


def _without_alarms(call: Call, text: str) -> Response:
    held = call.broker.alarms.reasons
    if not held:
        return _ok()
    return _failed(text, alarms=[{"node": NODE, "resource": resource} for resource in held])


def _ok(**facts: Any) -> Response:
    return json_response({"status": "ok", **facts})


def _failed(reason: str, **facts: Any) -> Response:
    return json_response({"status": "failed", "reason": reason, **facts}, 503)

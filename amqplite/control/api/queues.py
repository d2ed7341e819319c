"""Queues."""

from dataclasses import replace
from typing import Any

from amqplite.broker.queue import Queue
from amqplite.broker.statistics import OrderStatistics, queue_statistics
from amqplite.control.arguments import plain
from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.response import Response, json_response
from amqplite.control.site import NODE


def queues(call: Call) -> Response:
    """List the queues of a vhost, or of all that the user may see."""
    return json_response(
        [_shown(queue) for vhost in call.chosen_vhosts() for queue in vhost.queues.values()]
    )


def queues_of_slash(call: Call) -> Response:
    """List the queues of the vhost `/`, for those who forgot to encode it (Flower)."""
    return queues(replace(call, parameters={"vhost": "/"}))


def queue(call: Call) -> Response:
    """Show one."""
    held = call.vhost().queues.get(call.parameters["name"])
    if held is None:
        raise no_such_object()
    return json_response(_shown(held))


def _shown(queue: Queue) -> dict[str, Any]:
    held = queue_statistics(queue)
    shown = {
        "name": held.name,
        "vhost": held.vhost,
        "type": "classic",
        "durable": held.durable,
        "auto_delete": held.auto_delete,
        "exclusive": held.owner is not None,
        "arguments": plain(held.arguments),
        "node": NODE,
        "state": "running",
        "messages": held.ready + held.unacked,
        "messages_ready": held.ready,
        "messages_unacknowledged": held.unacked,
        "consumers": held.consumers,
        "returned": {cause.value: count for cause, count in held.returned.items()},
        "order": shown_order(held.order),
    }
    if held.owner is not None:
        shown["owner_pid_details"] = {"name": held.owner}
    return shown


def shown_order(order: OrderStatistics) -> dict[str, Any]:
    """Return what became of a queue's order; `late` in microseconds.

    `unexplained` and `violations` are faults of the broker's own, if they aren't 0.
    """
    return {
        "completed": order.completed,
        "reordered": order.reordered,
        "inversions": order.inversions,
        "moved": order.moved,
        "late": order.late_us,
        "buffer": order.buffer,
        "approximate": order.approximate,
        "redelivered": order.redelivered,
        "requeued": order.requeued,
        "by_cause": {
            cause: {"reordered": reordered, "inversions": inversions, "late": late_us}
            for cause, (reordered, inversions, late_us) in order.by_cause.items()
        },
        "unexplained": order.by_cause.get("unexplained", (0, 0, 0))[0],
        "violations": order.violations,
    }

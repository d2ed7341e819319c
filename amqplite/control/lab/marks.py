"""Marks: consumers tell what the broker cannot see (whether a message's work took effect)."""

from typing import Annotated

from msgspec import Meta

from amqplite.broker.recorder import LABEL_MAX
from amqplite.control.bodies import Body, read_body
from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.lab.desk import desk_of
from amqplite.control.response import Response, json_response
from amqplite.lab.live.marks import Mark

Name = Annotated[str, Meta(max_length=255)]


class _Marked(Body):
    """What was done with a message.

    Attributes:
        message_id: the message's.
        by: who says so, for people.
        consumer: its name in the trace; empty is the one that had the message last.
    """

    queue: Name
    message_id: Annotated[str, Meta(min_length=1, max_length=255)]
    mark: Mark
    by: Annotated[str, Meta(max_length=64)] = ""
    consumer: Name = ""
    vhost: Name = "/"


def mark(call: Call) -> Response:
    """Write a mark into the trace, at the broker's time; `recorded` tells whether there is one.

    Raises:
        HttpError: 400, 429; 404, there is no such vhost.
        AccessRefused: the user may not read from the queue.
    """
    said = read_body(call, _Marked, 4096)
    desk_of(call).marks.use(call.user.name)
    if said.vhost not in call.broker.vhosts:
        raise no_such_object()
    call.broker.users.check(call.user, said.vhost, "read", "queue", said.queue)
    trace = call.broker.trace
    if (said.vhost, said.queue) not in trace.queues:
        return json_response({"recorded": False})
    n = trace.mark(
        said.mark,
        v=said.vhost,
        q=said.queue,
        m=_label(said.message_id),
        c=said.consumer,
        by=said.by,
    )
    return json_response({"recorded": True, "n": n})


def _label(message_id: str) -> str:
    """Return what a trace calls a message with this id."""
    return message_id if len(message_id) <= LABEL_MAX else f"{message_id[: LABEL_MAX - 1]}…"

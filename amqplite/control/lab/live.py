"""Live: the queues there are, and those whose messages are followed one by one."""

from typing import Annotated, Any

from msgspec import Meta

from amqplite.broker.queue import Queue
from amqplite.broker.statistics import order_statistics
from amqplite.control.api.queues import shown_order
from amqplite.control.arguments import plain
from amqplite.control.auth import Access
from amqplite.control.bodies import Body, read_body
from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.lab.desk import Desk, bad, busy, desk_of
from amqplite.control.lab.reader import RecordingReader, page_of
from amqplite.control.lab.shown import shown
from amqplite.control.response import Response, json_response
from amqplite.control.stream import resumed_after
from amqplite.errors import AccessRefused
from amqplite.lab.keeping.outcome import outcome_of
from amqplite.lab.keeping.recording import read_joined
from amqplite.lab.keeping.runs import NAME_MAX, name_of
from amqplite.lab.keeping.work import Busy
from amqplite.lab.live.strike import may_be_struck, names_of
from amqplite.lab.live.tracing import TooMany, Traced

QUEUE_NAME_MAX = 255
"""Octets: what AMQP can say."""

WHYS_MAX = 20


def queues(call: Call) -> Response:
    """List the queues of the vhosts that the user may see."""
    desk = desk_of(call)
    return json_response(
        [_queue(call, desk, q) for vhost in call.vhosts() for q in vhost.queues.values()]
    )


def _queue(call: Call, desk: Desk, queue: Queue) -> dict[str, Any]:
    traced = desk.tracing.get(queue.vhost, queue.name)
    return {
        "v": queue.vhost,
        "q": queue.name,
        "ready": queue.ready,
        "unacked": queue.unacked,
        "consumers": len(queue.consumers),
        "traced": traced is not None,
        "left": 0 if traced is None else traced.left_s,
        "faults": may_be_struck(queue),
        "order": shown_order(order_statistics(queue)),
    }


def all_traced(call: Call) -> Response:
    """List the queues that are traced."""
    visible = {vhost.name for vhost in call.vhosts()}
    traced = desk_of(call).tracing
    return json_response([_known(one) for one in traced if one.vhost in visible])


def trace(call: Call) -> Response:
    """Trace a queue, which need not be there yet; or go on with it for longer.

    Raises:
        HttpError: 400, no queue can have that name; 404, 503.
        AccessRefused: see `Call.vhost`.
    """
    vhost, name = call.vhost(), call.parameters["queue"]
    if len(name.encode(errors="surrogateescape")) > QUEUE_NAME_MAX:
        raise bad(f"a queue's name has {QUEUE_NAME_MAX} octets at most")
    queue = vhost.queues.get(name)
    arguments = {} if queue is None else plain(queue.arguments)
    try:
        traced = desk_of(call).tracing.start(vhost.name, name, call.user.name, arguments)
    except TooMany as error:
        raise busy(error) from None
    return json_response(_state(call, traced))


def untrace(call: Call) -> Response:
    """Trace a queue no longer.

    Raises:
        AccessRefused: somebody else asked for it, and looks at it.
    """
    traced = _traced(call)
    mine = traced.by == call.user.name or Access.ADMINISTRATOR.includes(call.user)
    if traced.viewers and not mine:
        raise AccessRefused(f"user '{traced.by}' has this queue traced, and it is looked at")
    desk_of(call).tracing.stop(traced)
    return Response(204)


async def traced(call: Call) -> Response:
    """Show a queue that is traced, with what came of the order."""
    found = await _up_to_date(call)
    analysis = found.recording.analysis
    told = None if analysis is None else outcome_of(analysis, whys_max=WHYS_MAX)
    return json_response(_state(call, found) | {"outcome": told})


async def events(call: Call) -> Response:
    """Return events behind the one that `after` names, and where to go on."""
    found = await _up_to_date(call)
    return page_of(found.recording, resumed_after(call))


def stream(call: Call) -> Response:
    """Send the events as they come, until the queue is traced no longer."""
    found, after = _traced(call), resumed_after(call)
    return desk_of(call).streams.respond(
        lambda: RecordingReader(
            found.recording,
            after,
            over=lambda: not found.on,
            state=lambda: _state(call, found),
            watch=found.watch,
        )
    )


class _Frozen(Body):
    """What is to be kept.

    Attributes:
        seconds: how much of it, back from the last event; 0 is all.
    """

    name: Annotated[str, Meta(max_length=4 * NAME_MAX)] = ""
    seconds: Annotated[float, Meta(ge=0)] = 0


async def freeze(call: Call) -> Response:
    """Keep what a traced queue has told so far as a run.

    Raises:
        HttpError: 429, 503.
    """
    desk, said = desk_of(call), read_body(call, _Frozen)
    desk.dear.use(call.user.name)
    found = await _up_to_date(call)
    recording = found.recording
    since = max(0, recording.duration - round(said.seconds * 1e6)) if said.seconds else 0
    try:
        cut = await desk.work.do(read_joined, recording.header, recording.joined(), since)
        run = await desk.player.keep(cut, call.user.name, vhosts=frozenset({found.vhost}))
    except Busy as error:
        raise busy(error) from None
    run.name = name_of(said.name) or name_of(found.name) or "queue"
    return json_response(shown(desk, run), 201, (("location", f"/lab/api/runs/{run.id}"),))


async def _up_to_date(call: Call) -> Traced:
    """Return what is traced, with all that has happened before somebody asked for it."""
    found = _traced(call)
    found.look()
    await desk_of(call).pump.catch_up()
    return found


def _traced(call: Call) -> Traced:
    found = desk_of(call).tracing.get(call.vhost().name, call.parameters["queue"])
    if found is None:
        raise no_such_object()
    return found


def _known(found: Traced) -> dict[str, Any]:
    return {
        "v": found.vhost,
        "q": found.name,
        "by": found.by,
        "on": found.on,
        "reason": found.reason,
        "viewers": found.viewers,
        "left": found.left_s,
        "header": found.recording.header,
        "count": len(found.recording),
        "duration": found.recording.duration,
    }


def _state(call: Call, found: Traced) -> dict[str, Any]:
    """Return a queue that is traced as it stands; where it isn't there, `queue` is null."""
    desk, vhost = desk_of(call), call.broker.vhosts.get(found.vhost)
    queue = None if vhost is None else vhost.queues.get(found.name)
    if queue is None:
        return _known(found) | {"queue": None}
    consumers = list(names_of(call.broker, queue).values())
    return _known(found) | {"queue": _queue(call, desk, queue) | {"consumer_names": consumers}}

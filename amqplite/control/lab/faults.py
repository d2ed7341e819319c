"""Faults at the press of a button: on a run's actors, or on real clients that have agreed to it."""

from http import HTTPStatus
from typing import Annotated

from msgspec import Meta

from amqplite.broker.queue import Queue
from amqplite.control.auth import Access
from amqplite.control.bodies import Body, read_body
from amqplite.control.call import Call
from amqplite.control.errors import HttpError, no_such_object
from amqplite.control.lab.access import owned_run
from amqplite.control.lab.desk import bad
from amqplite.control.response import Response, json_response
from amqplite.errors import AccessRefused
from amqplite.lab.live.strike import ALLOWED_BY, may_be_struck, strike
from amqplite.lab.scripts.script import ScenarioError

Name = Annotated[str, Meta(max_length=255)]


class _Fault(Body):
    """What is to befall whom: `run` names a scenario that is playing, else `v` and `q` a queue.

    Attributes:
        do: `crash`, `lose_ack` or `cancel`; on actors also `silence`, `slow`, `nack` and `restart`.
        target: the consumer, by its name in the trace.
        confirm: it is meant, of a fault on a real client.
    """

    do: Name
    target: Name
    run: Name = ""
    v: Name = "/"
    q: Name = ""
    confirm: bool = False


def fault(call: Call) -> Response:
    """Have a fault befall a consumer.

    Raises:
        HttpError: 400, it can't be done; 404, there is nobody it could befall; 409, the run is
            over.
        AccessRefused: the user may not, or the queue's clients haven't agreed.
        NotFound, PreconditionFailed: see `lab.strike`.
    """
    said = read_body(call, _Fault, 4096)
    if said.run:
        _strike_actor(call, said)
    elif said.q:
        _strike_client(call, said)
    else:
        raise bad("name a run, or a queue q")
    return json_response({"done": said.do, "target": said.target})


def _strike_actor(call: Call, said: _Fault) -> None:
    run = owned_run(call, said.run)
    if run.state != "running" or run.strike is None:
        raise HttpError(HTTPStatus.CONFLICT, "nobody plays this run now", error="conflict")
    try:
        run.strike("nack_next" if said.do == "nack" else said.do, said.target, call.user.name)
    except ScenarioError as error:
        raise bad(str(error)) from None


def _strike_client(call: Call, said: _Fault) -> None:
    queue = _queue(call, said)
    if not Access.ADMINISTRATOR.includes(call.user):
        raise AccessRefused("a fault on real clients takes the tag administrator")
    if not may_be_struck(queue):
        raise AccessRefused(
            f"the clients of queue '{queue.name}' haven't agreed: it takes the argument "
            f"{ALLOWED_BY}: true at its declaration"
        )
    if not said.confirm:
        raise bad(f'confirm: it is a real client that {said.do} would befall; say "confirm": true')
    strike(call.broker, queue, said.target, said.do, call.user.name)


def _queue(call: Call, said: _Fault) -> Queue:
    vhosts = {vhost.name: vhost for vhost in call.vhosts()}
    queue = vhosts[said.v].queues.get(said.q) if said.v in vhosts else None
    if queue is None:
        raise no_such_object()
    return queue

"""New runs: of a scenario that is played, of a file that is imported."""

from typing import Annotated, Literal

from msgspec import Meta, field

from amqplite.control.auth import credentials
from amqplite.control.bodies import Body, limit_body, read_body
from amqplite.control.call import Call
from amqplite.control.lab.desk import Desk, bad, busy, desk_of
from amqplite.control.lab.shown import shown
from amqplite.control.response import Response, json_response
from amqplite.lab.keeping.recording import OCTETS_MAX
from amqplite.lab.keeping.runs import Run, name_of
from amqplite.lab.keeping.work import Busy
from amqplite.lab.scenario import ScenarioError, find
from amqplite.lab.scripts.plan import Plan, make_plan
from amqplite.lab.scripts.script import Setting
from amqplite.lab.trace import TraceError, read_jsonl

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where a broker that listens everywhere is reached from its own machine."""

Short = Annotated[str, Meta(max_length=255)]


class _Wanted(Body):
    """What is to be played.

    Attributes:
        params: values by parameter; others are as the variant has them, or the scenario.
        seed: of what the scenario leaves open.
        mode: `exact`, on a virtual clock and a broker of its own; `real`, by clients of this one.
        vhost: where it is played, if it is real.
    """

    scenario: Short
    params: dict[Short, Setting] = field(default_factory=dict)
    seed: Annotated[int, Meta(ge=0, lt=1 << 53)] = 0
    mode: Literal["exact", "real"] = "exact"
    variant: Short = ""
    vhost: Short = "/"


async def start(call: Call) -> Response:
    """Play a scenario. An exact run is over with the answer, a real one goes on behind it.

    Actors of a real run log in as the user who asks, with the password of this very request: what
    they may do is what that user may.

    Raises:
        HttpError: 400, there is no such scenario, or it can't be played so; 429; 503.
        AccessRefused: the user may not use the vhost, or the lab's queues there.
    """
    desk, wanted = desk_of(call), read_body(call, _Wanted)
    desk.dear.use(call.user.name)
    try:
        plan = await desk.work.do(_plan, wanted)
        if wanted.mode == "exact":
            run = await desk.player.play(plan, call.user.name)
        else:
            run = _start_real(call, desk, plan, wanted.vhost)
    except ScenarioError as error:
        raise bad(str(error)) from None
    except Busy as error:
        raise busy(error) from None
    return _created(desk, run)


def _plan(wanted: _Wanted) -> Plan:
    return make_plan(find(wanted.scenario), wanted.params, wanted.variant, wanted.seed)


def _start_real(call: Call, desk: Desk, plan: Plan, vhost: str) -> Run:
    user, password = credentials(call.headers)
    amqp = next(endpoint for endpoint in call.site.endpoints if endpoint.protocol == "amqp")
    host = EVERYWHERE.get(amqp.host, amqp.host)
    return desk.player.start(
        plan, host=host, port=amqp.port, user=user, password=password, vhost=vhost
    )


async def import_(call: Call) -> Response:
    """Keep a trace from a file as a run.

    Raises:
        HttpError: 400, with the line that is wrong; 413, 429, 503.
    """
    desk = desk_of(call)
    limit_body(call, OCTETS_MAX)
    desk.dear.use(call.user.name)
    try:
        trace = await desk.work.do(read_jsonl, call.body)
        run = await desk.player.keep(trace, call.user.name)
    except TraceError as error:
        raise bad(str(error)) from None
    except Busy as error:
        raise busy(error) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = f"the events contradict each other: {type(error).__name__}"
        raise bad(reason) from None
    run.imported = True
    run.name = name_of(run.name) or "import"
    return _created(desk, run)


def _created(desk: Desk, run: Run) -> Response:
    return json_response(shown(desk, run), 201, (("location", f"/lab/api/runs/{run.id}"),))

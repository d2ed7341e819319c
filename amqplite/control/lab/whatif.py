"""What if: a run once more, under another policy, with the broker's own code."""

from http import HTTPStatus
from typing import Annotated

from msgspec import Meta, field

from amqplite.control.bodies import Body, read_body
from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.lab.access import visible_run
from amqplite.control.lab.desk import Desk, bad, busy, desk_of
from amqplite.control.lab.shown import shown
from amqplite.control.response import Response, json_response
from amqplite.lab.keeping.recording import read_joined
from amqplite.lab.keeping.runs import Run, name_of
from amqplite.lab.keeping.work import Busy
from amqplite.lab.rerun.policy import Policy, read_policy
from amqplite.lab.rerun.refusal import CannotRerun
from amqplite.lab.texts import CHINESE, language_of
from amqplite.lab.trace import Header
from amqplite.lab.whatif import Comparison, Study, WhatIf

POLICIES_MAX = 8

Setting = bool | int | str | None


class _Asked(Body):
    """What is to be otherwise: one `policy`, whose run is kept, or several `policies` side by side.

    Attributes:
        at: from when on, in microseconds of the trace; until then it is as it was recorded.
    """

    policy: dict[str, Setting] = field(default_factory=dict)
    policies: Annotated[list[dict[str, Setting]], Meta(max_length=POLICIES_MAX)] | None = None
    at: Annotated[int, Meta(ge=0, lt=1 << 53)] = 0


async def what_if(call: Call) -> Response:
    """Return what would have come of a run under other policies, and how far the model is right.

    Raises:
        HttpError: 400, it is no policy; 422, the run can't be run again; 429; 503.
    """
    desk, run = desk_of(call), visible_run(call, call.parameters["id"])
    asked = read_body(call, _Asked)
    language = "zh" if language_of(call.query.get("lang", "")) == CHINESE else "en"
    policies = _policies(asked, language)
    desk.dear.use(call.user.name)
    recording = run.recording
    try:
        told = await desk.work.do(
            _study, recording.header, recording.joined(), policies, asked.policies is None, asked.at
        )
        if isinstance(told, Comparison):
            return json_response(
                {"check": told.check, "rows": told.rows, "sentence": told.sentence}
            )
        kept = await _keep(call, desk, run, told, language)
    except Busy as error:
        raise busy(error) from None
    except CannotRerun as error:
        raise _impossible(error.text(language)) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if not run.imported:
            raise
        reason = f"the file's events contradict each other: {type(error).__name__}"
        raise _impossible(reason) from None
    return json_response(told.told() | {"run": shown(desk, kept)})


def _policies(asked: _Asked, language: str) -> list[Policy]:
    if asked.policies is not None and (asked.policy or asked.at):
        raise bad("policies: they stand alone, without a policy and without a time")
    try:
        return [read_policy(one) for one in asked.policies or [asked.policy]]
    except CannotRerun as error:
        raise bad(error.text(language)) from None


def _study(
    header: Header, joined: bytes, policies: list[Policy], alone: bool, at: int
) -> WhatIf | Comparison:
    study = Study(read_joined(header, joined))
    return study.what_if(policies[0], at) if alone else study.compare(policies)


async def _keep(call: Call, desk: Desk, run: Run, told: WhatIf, language: str) -> Run:
    """Keep what was simulated as a run, for those who may see the one it comes of."""
    kept = await desk.player.keep(told.trace, call.user.name, vhosts=run.vhosts)
    kept.imported = run.imported
    kept.name = name_of(f"{run.name}: {told.row.label[language]}")
    return kept


def _impossible(reason: str) -> HttpError:
    return HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, reason)

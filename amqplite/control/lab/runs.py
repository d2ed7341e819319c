"""Runs: listed, named, dropped, read, followed while they go on."""

from typing import Annotated

from msgspec import Meta

from amqplite.control.bodies import Body, read_body
from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.lab.access import may_see, owned_run, visible_run
from amqplite.control.lab.desk import bad, busy, desk_of, setting
from amqplite.control.lab.reader import RecordingReader, page_of
from amqplite.control.lab.shown import listed, outcome, shown
from amqplite.control.response import Response, json_response
from amqplite.control.stream import NO_MORE, resumed_after
from amqplite.lab.keeping.runs import NAME_MAX, name_of
from amqplite.lab.keeping.work import Busy
from amqplite.lab.texts import CHINESE, language_of
from amqplite.lab.why import explain

SCOPES = ("queue", "consumer", "key", "publisher", "publish")


def runs(call: Call) -> Response:
    """List the runs that the user may see, newest first."""
    desk = desk_of(call)
    return json_response([listed(desk, run) for run in desk.runs if may_see(call, run)])


def run(call: Call) -> Response:
    """Show one."""
    return json_response(shown(desk_of(call), visible_run(call, call.parameters["id"])))


class _Named(Body):
    name: Annotated[str, Meta(max_length=4 * NAME_MAX)]


def rename(call: Call) -> Response:
    """Call one otherwise.

    Raises:
        HttpError: 400, it would have no name.
    """
    named = owned_run(call, call.parameters["id"])
    name = name_of(read_body(call, _Named).name)
    if not name:
        raise bad("name: nothing of it can be seen")
    named.name = name
    return json_response(shown(desk_of(call), named))


def delete(call: Call) -> Response:
    """Drop one; if it is running, that ends it."""
    desk_of(call).runs.remove(owned_run(call, call.parameters["id"]))
    return Response(204)


def events(call: Call) -> Response:
    """Return events behind the one that `after` names, and where to go on."""
    return page_of(visible_run(call, call.parameters["id"]).recording, resumed_after(call))


def stream(call: Call) -> Response:
    """Send the events as they come, up to the run's end."""
    desk, followed = desk_of(call), visible_run(call, call.parameters["id"])
    after = resumed_after(call)
    if followed.state != "running" and after > followed.recording.last:
        return NO_MORE
    return desk.streams.respond(
        lambda: RecordingReader(
            followed.recording,
            after,
            over=lambda: followed.state != "running",
            state=lambda: shown(desk, followed),
            numbered_end=True,
        )
    )


def metrics(call: Call) -> Response:
    """Return the numbers of the order, of all scopes or of one."""
    told = outcome(visible_run(call, call.parameters["id"]))
    found = [] if told is None else told.metrics
    if "scope" in call.query:
        scope = setting(call, "scope", SCOPES, "")
        found = [one for one in found if one.scope == scope]
    return json_response(found)


async def why(call: Call) -> Response:
    """Explain what befell a message, by its label `msg` or an event's number `n`.

    Raises:
        HttpError: 400, neither is given; 404, nothing is known of it; 503.
    """
    asked = visible_run(call, call.parameters["id"])
    what = _what(call)
    told = outcome(asked)
    known = [] if told is None else told.whys
    found = next((one for one in known if one.m == what), None)
    if found is None:
        try:
            found = explain((await desk_of(call).accounts.of(asked)).analysis, what)
        except Busy as error:
            raise busy(error) from None
    if found is None:
        raise no_such_object()
    language = "zh" if language_of(call.query.get("lang", "")) == CHINESE else "en"
    return json_response({"why": found, "text": found.text[language]})


def _what(call: Call) -> int | str:
    number = call.query.get("n", "")
    if number.isascii() and number.isdigit() and len(number) < 19:
        return int(number)
    if not call.query.get("msg"):
        raise bad("msg: say which message, by its label, or n, which event, by its number")
    return call.query["msg"]

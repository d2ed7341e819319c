"""Which runs and queues a user may see, and which may be changed."""

from http import HTTPStatus

from amqplite.control.auth import Access
from amqplite.control.call import Call
from amqplite.control.errors import HttpError, no_such_object
from amqplite.control.lab.desk import desk_of
from amqplite.errors import AccessRefused
from amqplite.lab.keeping.runs import Run


def may_see(call: Call, run: Run) -> bool:
    """Return whether the user may see a run: its vhosts' real traffic, or that of actors alone."""
    return run.vhosts <= {vhost.name for vhost in call.vhosts()} or run.owner == call.user.name


def visible_run(call: Call, id_: str) -> Run:
    """Return a run that the user may see.

    Raises:
        HttpError: there is none (404), or no more (410).
        AccessRefused: the user may not see it.
    """
    runs = desk_of(call).runs
    run = runs.get(id_)
    if run is None:
        if runs.has_expired(id_):
            raise HttpError(HTTPStatus.GONE, "this run is no longer kept", error="expired")
        raise no_such_object()
    if not may_see(call, run):
        raise AccessRefused(f"access to the run refused for user '{call.user.name}'")
    return run


def owned_run(call: Call, id_: str) -> Run:
    """Return a run that the user may change: one's own, and to an administrator all.

    Raises:
        HttpError: see `visible_run`.
        AccessRefused: it is somebody else's.
    """
    run = visible_run(call, id_)
    if run.owner != call.user.name and not Access.ADMINISTRATOR.includes(call.user):
        raise AccessRefused(f"the run is of user '{run.owner}'")
    return run

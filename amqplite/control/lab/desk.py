"""What the lab has at hand: runs, traced queues, streams, and how much of it all there may be."""

from http import HTTPStatus
from typing import Any

import trio

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.rates import Rate
from amqplite.control.site import Site
from amqplite.control.stream import Streams
from amqplite.lab.keeping.accounts import Accounts
from amqplite.lab.keeping.runs import RunStore
from amqplite.lab.keeping.work import Work
from amqplite.lab.live.pump import Pump
from amqplite.lab.live.tracing import Tracing
from amqplite.lab.playing.player import Player
from amqplite.log import get_logger

DEAR_MAX, DEAR_PER_S = 200, 5.0
"""How often a user may ask for what takes a while: at once, and in the long run."""

MARKS_MAX, MARKS_PER_S = 5000, 2000.0
"""How many marks a user's consumers may set."""


class Desk:
    """The lab's state, as long as the broker runs.

    Attributes:
        runs: those that are kept.
        streams: those that are open.
        work: what is done in a thread.
        accounts: what came of runs, in full.
        pump: takes what the broker records to runs and traced queues.
        tracing: the queues that are traced live.
        player: plays scenarios.
        dear: how often a user may ask for what takes a while.
        marks: how often a user may say what was done with a message.
    """

    def __init__(self, site: Site) -> None:
        self._log = get_logger("amqplite.lab")
        self.runs = RunStore()
        self.streams = Streams(site.stopping)
        self.work = Work()
        self.accounts = Accounts(self.work)
        self.pump = Pump(site.broker, site.spawn)
        self.tracing = Tracing(site.broker, self.pump, site.spawn)
        self.player = Player(
            broker=site.broker,
            pump=self.pump,
            runs=self.runs,
            work=self.work,
            spawn=site.spawn,
            stopping=site.stopping,
            on_fault=self._on_fault,
        )
        self.dear = Rate(DEAR_MAX, DEAR_PER_S, trio.current_time)
        self.marks = Rate(MARKS_MAX, MARKS_PER_S, trio.current_time)

    def _on_fault(self, error: Exception) -> None:
        self._log.error("a fault of the lab ended a run", exc_info=error)


def desk_of(call: Call) -> Desk:
    """Return the desk; there is one from the first time that somebody asks for it."""
    site = call.site
    if site.desk is None:
        site.desk = Desk(site)
    return site.desk


def bad(reason: str) -> HttpError:
    """Return what to raise where something can't be done as asked for (400)."""
    return HttpError(HTTPStatus.BAD_REQUEST, reason)


def busy(reason: object) -> HttpError:
    """Return what to raise where there is too much to do (503)."""
    headers = (("retry-after", "5"),)
    return HttpError(HTTPStatus.SERVICE_UNAVAILABLE, str(reason), headers=headers)


def setting(call: Call, name: str, known: Any, default: str) -> str:
    """Return a parameter of the query that has to be one of those that are known.

    Raises:
        HttpError: it is none (400).
    """
    asked = call.query.get(name, default)
    if asked not in known:
        raise bad(f"{name}: '{asked}' is none of {', '.join(known)}")
    return asked

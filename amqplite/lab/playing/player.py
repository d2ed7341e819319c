"""Plays scenarios, and keeps what comes of it as runs."""

from collections.abc import Callable
from dataclasses import dataclass

import trio

from amqplite.broker.broker import Broker
from amqplite.broker.trace import Event
from amqplite.broker.users import PERMISSIONS
from amqplite.client.target import Target
from amqplite.errors import AccessRefused, AmqpError
from amqplite.lab.keeping.outcome import Outcome, outcome_of
from amqplite.lab.keeping.recording import Recording
from amqplite.lab.keeping.runs import Run, RunStore
from amqplite.lab.keeping.work import Busy, Work
from amqplite.lab.live.pump import Pump, Spawn
from amqplite.lab.playing.exact import play_exact
from amqplite.lab.playing.real import RealRun
from amqplite.lab.scripts.plan import Plan
from amqplite.lab.scripts.script import ScenarioError
from amqplite.lab.trace import Trace

PLAYING_MAX = 4
"""Scenarios that are played over TCP at a time: each has a few connections, and some traffic."""

LONGEST_S = 15 * 60
"""How long a play may go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Plays scenarios, exactly or on the broker itself.

    Attributes:
        broker: which runs in this process.
        pump: takes what it records.
        runs: where runs are kept.
        work: what is done in a thread.
        spawn: starts a task that outlives whoever asks for it.
        stopping: set when the broker stops.
        on_fault: called with what is a fault of the lab's own.
    """

    broker: Broker
    pump: Pump
    runs: RunStore
    work: Work
    spawn: Spawn
    stopping: trio.Event
    on_fault: Callable[[Exception], object]

    async def play(self, plan: Plan, owner: str) -> Run:
        """Play a plan on a virtual clock, and return the run.

        Raises:
            Busy: too many others wait.
        """
        trace = await self.work.do(play_exact, plan)
        return await self.keep(trace, owner, plan=plan)

    async def keep(
        self,
        trace: Trace,
        owner: str,
        *,
        plan: Plan | None = None,
        vhosts: frozenset[str] = frozenset(),
    ) -> Run:
        """Keep a trace as a run; of one with too many events, the first of them.

        Raises:
            Busy: too many others wait.
        """
        recording, outcome = await self.work.do(record, trace, plan)
        run = Run(owner=owner, name=trace.header.name, recording=recording, vhosts=vhosts)
        run.finish(outcome)
        return self.runs.add(run)

    def start(
        self, plan: Plan, *, host: str, port: int, user: str, password: str, vhost: str
    ) -> Run:
        """Begin to play a plan over TCP, and return the run.

        Args:
            plan: what is played.
            host: where the broker listens.
            port: where it does so for AMQP.
            user: as whom the actors log in; the run is theirs.
            password: the user's, which is kept as long as it is played.
            vhost: where.

        Raises:
            Busy: so many are being played already, or the broker stops.
            ScenarioError: the vhost isn't there, or the plan's queue is.
            AccessRefused: the user may not use the vhost, or queues of the lab's names there.
        """
        playing = sum(run.state == "running" for run in self.runs)
        if playing >= PLAYING_MAX or self.stopping.is_set():
            why = "the broker stops" if self.stopping.is_set() else f"{playing} runs are under way"
            raise Busy(f"{why}; come again in a moment")
        target = Target(host=host, port=port, user=user, password=password, vhost=vhost)
        ear = _Ear()
        real = RealRun(plan, self.broker, self.pump, target, ear)
        run = Run(
            owner=user,
            name=real.header.name,
            recording=Recording(real.header),
            vhosts=frozenset({vhost} if plan.scenario.own else ()),
            strike=real.press,
        )
        ear.listen(run.recording, real)
        self._check(real, target)
        self.runs.add(run)
        self.spawn(self._play, run, real, plan)
        return run

    def _check(self, real: RealRun, target: Target) -> None:
        """Check that the user could do what is about to be done in its name."""
        users = self.broker.users
        user = users.get(target.user)
        if user is None or not users.may_enter(user, target.vhost):
            raise AccessRefused(
                f"access to vhost '{target.vhost}' refused for user '{target.user}'"
            )
        for name in real.names.values():
            for permission in PERMISSIONS:
                users.check(user, target.vhost, permission, "queue", name)

    async def _play(self, run: Run, real: RealRun, plan: Plan) -> None:
        reason = ""
        try:
            with run.scope, trio.move_on_after(LONGEST_S):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._end_when_stopping, run)
                    await real.run()
                    nursery.cancel_scope.cancel()
        except* (OSError, AmqpError, ScenarioError) as errors:
            reason = f"the actors can't play: {first(errors)}"
        except* Exception as errors:
            self.on_fault(errors)
            reason = "the lab failed; see the broker's log"
        whole = not (reason or run.scope.cancelled_caught)
        outcome = outcome_of(run.recording.settle(), plan.expect if whole else None)
        if reason:
            run.fail(reason, outcome)
        else:
            run.finish(outcome)
        self.runs.make_room()

    async def _end_when_stopping(self, run: Run) -> None:
        await self.stopping.wait()
        run.scope.cancel()


def record(trace: Trace, plan: Plan | None = None) -> tuple[Recording, Outcome]:
    """Return a trace as it is kept, and what came of it."""
    recording = Recording(trace.header)
    for event in trace.events:
        recording.add(event)
    return recording, outcome_of(recording.settle(), None if plan is None else plan.expect)


class _Ear:
    """Takes what a play tells to its recording, and ends the play where that is full."""

    def listen(self, recording: Recording, real: RealRun) -> None:
        """Take it there from now on."""
        self._recording, self._real = recording, real

    def add(self, event: Event) -> None:
        """Take the next event."""
        self._recording.add(event)
        if self._recording.full:
            self._real.stop()

    def rest(self) -> None:
        """There are no more for now."""
        self._recording.rest()


def first(errors: ExceptionGroup[Exception]) -> Exception:
    """Return the first exception in a group, or in a group within."""
    one = errors.exceptions[0]
    return first(one) if isinstance(one, ExceptionGroup) else one

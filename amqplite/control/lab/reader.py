"""A place in a recording, as a stream or a request reads it."""

from collections.abc import Callable, Sequence
from typing import Any

import trio

from amqplite.control.response import NO_STORE, Response, encode
from amqplite.control.stream import Message
from amqplite.lab.keeping.recording import Recording

STEP_EVENTS = 250

PAGE_EVENTS = 2000
"""Events in one answer."""

STATE_EVERY_S = 1.0
"""How often the state is told while events come."""


class RecordingReader:
    """One stream's place in a recording.

    Args:
        after: number of the last event that is known to whoever reads.
        over: tells whether nothing comes any more.
        state: tells how things stand, as JSON; it is told at the end, and now and then before.
        watch: called with 1 at the begin, and -1 at the end.
        numbered_end: whether what is told at the end has a number, one behind the last event's, so
            that who resumes behind it is known to have heard it.
    """

    def __init__(
        self,
        recording: Recording,
        after: int,
        *,
        over: Callable[[], bool],
        state: Callable[[], Any],
        watch: Callable[[int], object] = lambda _: None,
        numbered_end: bool = False,
    ) -> None:
        self._recording = recording
        self._after = after if after <= recording.last else 0  # of another trace, before a restart
        self._over = over
        self._state = state
        self._watch = watch
        self._numbered_end = numbered_end
        self._stale = True  # the state that was told last
        self._state_due = 0.0
        self._told_end = False
        watch(1)

    @property
    def done(self) -> bool:
        """Whether nothing comes any more, once `take` has returned nothing."""
        return self._told_end

    def take(self) -> Sequence[Message]:
        """Return what follows."""
        gap = gap_behind(self._recording, self._after)
        messages = [] if gap is None else [Message("gap", encode(gap))]
        numbers, lines = self._recording.after(self._after, STEP_EVENTS)
        messages += [Message("trace", line, n) for n, line in zip(numbers, lines, strict=True)]
        if messages:
            self._after = numbers[-1] if numbers else self._recording.first
            self._stale = True
        elif self._is_state_due():
            end = self._told_end and self._numbered_end
            id_ = self._recording.last + 1 if end else 0
            messages.append(Message("state", encode(self._state()), id_))
        return messages

    def _is_state_due(self) -> bool:
        if self._told_end:
            return False
        now = trio.current_time()
        self._told_end = self._over()
        if self._told_end or (self._stale and now >= self._state_due):
            self._stale, self._state_due = False, now + STATE_EVERY_S
            return True
        return False

    async def wait(self) -> None:
        """Return once there may be more."""
        with trio.move_on_at(self._state_due if self._stale else float("inf")):
            await self._recording.news.wait()

    def close(self) -> None:
        """The stream has ended."""
        self._watch(-1)


def gap_behind(recording: Recording, after: int) -> dict[str, int] | None:
    """Return which events behind `after` are forgotten already; `None` is none.

    Whoever has seen nothing yet misses nothing.
    """
    if 0 < after < recording.first:
        return {"lost_from": after + 1, "lost_to": recording.first}
    return None


def page_of(recording: Recording, after: int) -> Response:
    """Answer with some events behind number `after`, and where to go on."""
    numbers, lines = recording.after(after, PAGE_EVENTS)
    reached = numbers[-1] if numbers else max(after, recording.first)
    gap = encode(gap_behind(recording, after))
    body = b'{"events":[%s],"next":%d,"gap":%s}' % (b",".join(lines), reached, gap)
    return Response(200, body, "application/json", NO_STORE)

"""What was worked on when, told from hand-outs and acks: a broker sees no more of it.

Where acks came in the order of hand-outs, work began when the one before was done: what is handed
out ahead waits in the client. Else a consumer does several things at a time.
"""

from collections.abc import Iterable, Sequence
from math import inf

from amqplite.lab.rerun.handouts import Handout
from amqplite.lab.rerun.inputs import Anchor, Desk, End, Inputs, Work

NEAR_US = 5000
"""So much later than the ack before, a hand-out still comes of it, if nothing else allowed it."""

_SETTLED = {"ack", "nack", "reject", "discard", "recover"}


class Working:
    """Finds out about the work of each channel.

    Args:
        inputs: to which connections, channels and consumers are known; takes what is found.
        handouts: all, in order.
    """

    def __init__(self, inputs: Inputs, handouts: Sequence[Handout]) -> None:
        self._inputs = inputs
        self._handouts = handouts

    def find(self) -> None:
        """Find out what there is to be found."""
        of_desk: dict[int, list[Handout]] = {}
        for handout in self._handouts:
            of_desk.setdefault(id(handout.desk), []).append(handout)
        for line in self._inputs.lines:
            for desk in line.desks:
                self._begin(desk, of_desk.get(id(desk), []))
        begun = [handout for handout in self._handouts if handout.began is not None]
        for number, line in enumerate(self._inputs.lines):
            own = [handout for handout in begun if handout.line == number]
            _anchor(line.end, [handout for handout in own if handout.desk.end is None])
            for desk in line.desks:
                _anchor(desk.end, [handout for handout in own if handout.desk is desk])
        for handout in sorted(begun, key=lambda one: (one.began or 0, one.n)):
            self._inputs.works.setdefault(handout.place, []).append(self._work(handout))

    # -- beginnings ------------------------------------------------------------------------------

    def _begin(self, desk: Desk, handouts: Sequence[Handout]) -> None:
        desk.serial = not desk.gets and _in_order(handouts)
        for handout in handouts:
            if handout.auto:
                self._begin_unasked(handout)
            elif not desk.serial:
                handout.began = handout.at
        if desk.serial:
            self._begin_one_by_one([one for one in handouts if not one.auto])

    def _begin_unasked(self, handout: Handout) -> None:
        """No ack tells of it; its consumer may."""
        handout.began = handout.started
        ended = max(handout.effects, default=None)
        if handout.outcome == "ack" and ended is not None:
            handout.ended = ended
        elif handout.outcome == "ack" and handout.started is not None:
            handout.ended, handout.outcome = None, "open"

    def _begin_one_by_one(self, handouts: Iterable[Handout]) -> None:
        free: int | None = None  # when the work before was over
        busy: Handout | None = None  # what was never settled
        for handout in handouts:
            if handout.outcome in _SETTLED:
                if busy is not None and _is_given_back_with(handout, busy):
                    continue
                handout.began = min(_begin(handout, free), handout.ended or handout.at)
                free = handout.ended
                busy = handout if handout.outcome == "recover" else None
            elif handout.started is not None:
                handout.began = _begin(handout, free)
            elif handout.c not in self._inputs.starting and busy is None:
                handout.began = _begin(handout, free)
                busy = handout

    # -- what comes of it ------------------------------------------------------------------------

    def _work(self, handout: Handout) -> Work:
        assert handout.began is not None
        ended = self._inputs.end if handout.ended is None else handout.ended
        end = handout.desk.end or self._inputs.lines[handout.line].end
        if handout.cut and end is not None:
            ended = max(handout.began, end.died)
        return Work(
            us=max(0, ended - handout.began),
            outcome=handout.outcome,
            effects=tuple(max(0, at - handout.began) for at in handout.effects),
            line=handout.line,
            c=handout.c,
        )


def _begin(handout: Handout, free: int | None) -> int:
    """Return when the work on a hand-out began, where the work before was over at `free`."""
    if free is None:
        return handout.at
    if handout.at <= free:
        return free
    one_at_a_time = handout.taker is not None and handout.taker.prefetch == 1
    waited = handout.available <= free and handout.at - free <= NEAR_US
    return free if one_at_a_time and waited else handout.at


def _in_order(handouts: Iterable[Handout]) -> bool:
    """Return whether nothing was settled while something handed out before it was not."""
    over = 0.0  # when all before were over
    for handout in handouts:
        if handout.auto:
            continue
        ended = inf if handout.ended is None else handout.ended
        if handout.outcome in _SETTLED and ended < over:
            return False
        over = max(over, ended)
    return True


def _is_given_back_with(handout: Handout, busy: Handout) -> bool:
    """Return whether one basic.recover gave back both, of which one was worked on."""
    return handout.outcome == busy.outcome == "recover" and handout.ended == busy.ended


def _anchor(end: End | None, begun: Sequence[Handout]) -> None:
    """Anchor a fault to the work that it cut short."""
    if end is None or not end.fault:
        return
    cut = [(one.began, one.n, one) for one in begun if one.outcome == "cut" and one.ended == end.at]
    before = [one for one in cut if one[0] is not None and one[0] <= end.died]
    if before:
        began, _, handout = max(before, key=lambda one: one[:2])
        end.anchor = Anchor(place=handout.place, after=end.died - (began or 0))
    elif cut:  # nobody heard of it since, so it may have died as well when that came
        began, _, handout = min(cut, key=lambda one: one[:2])
        end.died = began or 0
        end.anchor = Anchor(place=handout.place, after=0)

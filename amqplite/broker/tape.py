"""The recording of one queue: what happens to each message in it, and who did it.

A busy queue is sampled, by message and not by event, or its story would have holes: beyond a rate,
what goes as it should is left out. Of what is left out enough is kept, while it is under way, to
tell it whole as soon as it turns out to matter: when it comes back, is overtaken, or is given up.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from amqplite.broker.event_log import AUTO, FROM_MEMORY, GET, NOBODY, REDELIVERED, REQUEUE, Who
from amqplite.broker.message import Entry, Message
from amqplite.broker.redelivery import Cause, Reason

if TYPE_CHECKING:
    from amqplite.broker.queue import Queue
    from amqplite.broker.recorder import Recorder

TRACKS_MAX = 65_536
"""Messages under way that are remembered; of more, the oldest start again as if just met."""

_NACKED = {Cause.NACK: "nacked", Cause.REJECT: "rejected"}


class Identity(NamedTuple):
    """Who takes messages, or gives them.

    Attributes:
        connection: its name: the client's own, else its addresses.
        client: the client's own name for it; empty if it gave none.
        tag: the consumer tag; empty where none consumes.
        prefetch: most unacked deliveries; 0 is no limit.
    """

    connection: str
    channel: int
    client: str = ""
    tag: str = ""
    prefetch: int = 0


class Taker(Protocol):
    """A consumer, or whoever gets a message (basic.get).

    Attributes:
        no_ack: what it takes is settled by that.
        channel: whose it is.
    """

    no_ack: bool
    channel: Any

    @property
    def last_tag(self) -> int:
        """The delivery tag it used last."""
        ...

    def identity(self) -> Identity:
        """Return who it is."""
        ...


Untold = tuple[int, int, Who]
"""What is kept of a message that is left out: its number, when it was published, and by whom."""

Handed = tuple[Untold, "Taker", int, int]
"""The same of one that was handed out: to whom, when, and under which delivery tag."""


def _parts(untold: tuple[Any, ...] | None) -> tuple[Untold | None, tuple[Any, ...]]:
    """Return what an entry keeps of its publish, and of its hand-out: nothing if there was none."""
    if untold is None:
        return None, ()
    if len(untold) == 4:
        return untold[0], untold[1:]
    return (untold[0], untold[1], untold[2]), ()


class Track:
    """A message under way that is told.

    Attributes:
        msg: its number.
        t: when it was enqueued.
        publisher: who published it.
        handed_t: when it was last handed out; -1 if it isn't.
        holder: who has it.
        tag: the delivery tag it was handed out under.
        flags: of that delivery.
    """

    __slots__ = ("flags", "handed_t", "holder", "msg", "publisher", "t", "tag")

    def __init__(self, msg: int, t: int, publisher: Who) -> None:
        self.msg = msg
        self.t = t
        self.publisher = publisher
        self.handed_t = -1
        self.tag = self.flags = 0
        self.holder = NOBODY


class Tape:
    """Records one queue.

    Attributes:
        name: `(vhost, queue)`.
    """

    def __init__(self, recorder: "Recorder", queue: "Queue") -> None:
        self.name = (queue.vhost, queue.name)
        self._queue = queue
        self._recorder = recorder
        self._log = recorder.log
        self._tracks: dict[int, Track] = {}
        self._since = recorder.messages

    # -- messages in -----------------------------------------------------------------------------

    def enqueued(self, entry: Entry) -> None:
        """A message is to have a place in the queue, and is ready."""
        entry.untold = self._recorder.untold
        if entry.untold is not None:
            return
        msg, t, publisher, cause = self._recorder.current(entry.message)
        self._tracks[entry.seq] = track = Track(msg, t, publisher)
        self._tell_enqueued(entry, track, cause=cause, depth=self._queue.ready + 1)
        if len(self._tracks) > TRACKS_MAX:
            del self._tracks[next(iter(self._tracks))]

    def refused(self, message: Message, cause: str) -> None:
        """The queue takes no more."""
        recorder = self._recorder
        recorder.tell_published(message)
        msg, t, publisher, _ = recorder.current(message)
        recorder.write(t, "refused", self.name, publisher, msg, cause=(cause, ""))

    # -- messages out ----------------------------------------------------------------------------

    def delivered(self, entry: Entry, taker: Taker | None) -> None:
        """A message was handed out; its delivery is counted already."""
        untold = entry.untold
        if untold is not None and taker is not None and entry.deliveries == 1:
            entry.untold = (untold, taker, self._recorder.now, taker.last_tag)
            return
        track = self._told(entry)
        track.flags = REDELIVERED if entry.deliveries > 1 else 0
        if taker is not None:
            self._hold(track, taker, taker.last_tag)
        track.handed_t = self._recorder.clock()
        depth = self._queue.ready
        self._write("delivered", entry, track, track.handed_t, flags=track.flags, depth=depth)

    def _hold(self, track: Track, taker: Taker, tag: int) -> None:
        track.holder = self._recorder.holder(taker)
        track.tag = tag
        track.flags |= (AUTO if taker.no_ack else 0) | (0 if track.holder[0] else GET)

    def acked(self, entry: Entry, *, reordered: bool) -> None:
        """A message is done with; in order, it need not be told of if it wasn't so far."""
        if entry.untold is not None and not reordered:
            return
        track = self._told(entry)
        del self._tracks[entry.seq]
        flags = track.flags & AUTO | self._recorder.multiple
        now, depth = self._recorder.clock(), self._queue.ready
        self._write("acked", entry, track, now, flags=flags, depth=depth)

    # -- messages back, and gone -----------------------------------------------------------------

    def requeued(self, entry: Entry, cause: Cause) -> None:
        """A message that was handed out is back at its old place."""
        track = self._told(entry)
        now = self._recorder.clock()
        intent = _NACKED.get(cause)
        if intent is not None:
            self._write(intent, entry, track, now, flags=REQUEUE)
        depth = self._queue.ready
        n = self._write("requeued", entry, track, now, cause=cause.trace, depth=depth)
        self._log.add(n, idle=self._recorder.idle)
        track.handed_t = -1
        track.holder = NOBODY

    def gone(self, entry: Entry, reason: Reason, dead_lettered: bool) -> None:
        """A message is to be given up, for good or to the dead-letter exchange."""
        recorder = self._recorder
        track = self._told(entry)
        del self._tracks[entry.seq]
        now = recorder.clock()
        type_ = "dropped"
        if reason is Reason.REJECTED:
            self._write("rejected", entry, track, now)
            type_ = "discarded"
        if dead_lettered:
            type_ = "dead_lettered"
            recorder.reentering = track.msg
        self._write(type_, entry, track, now, cause=(reason.value, ""), depth=self._queue.ready)

    def given_up(self) -> None:
        """It has been, and come to wherever it was to go."""
        self._recorder.reentering = 0

    def purged(self, messages: int, cause: str) -> None:
        """All that was ready is gone."""
        recorder = self._recorder
        n = recorder.write(recorder.clock(), "purged", self.name, cause=(cause, ""), depth=0)
        self._log.add(n, text=str(messages))

    # -- consumers -------------------------------------------------------------------------------

    def consumer(self, type_: str, consumer: Taker) -> None:
        """A consumer has come, or gone, or is the active one."""
        recorder, identity = self._recorder, consumer.identity()
        holder = recorder.holder(consumer)
        flags = AUTO if consumer.no_ack else 0
        n = recorder.write(recorder.clock(), type_, self.name, holder, flags=flags)
        self._log.add(n, prefetch=identity.prefetch, text=identity.tag)

    # -- telling ---------------------------------------------------------------------------------

    def _told(self, entry: Entry) -> Track:
        """Return what is known of a message, after telling of it what was left out so far."""
        track = self._tracks.get(entry.seq)
        if track is not None:
            return track
        recorder, message = self._recorder, entry.message
        publish, handed_out = _parts(entry.untold)
        entry.untold = None
        if publish is None or publish[0] <= self._since:  # it was there before the recording was
            handed_out = ()
            track = Track(recorder.number(), recorder.clock(), NOBODY)
            recorder.label(track.msg, message)
        else:
            msg, t, publisher = publish
            track = Track(msg, t, publisher)
            recorder.published(message, msg, t, publisher, flags=FROM_MEMORY)
        self._tracks[entry.seq] = track
        self._tell_enqueued(entry, track, flags=FROM_MEMORY)
        if handed_out:
            self._tell_handed_out(entry, track, *handed_out)
        return track

    def _tell_handed_out(self, entry: Entry, track: Track, taker: Taker, t: int, tag: int) -> None:
        self._hold(track, taker, tag)
        track.handed_t = t
        flags = track.flags | FROM_MEMORY
        self._write("delivered", entry, track, t, flags=flags)

    def _tell_enqueued(
        self, entry: Entry, track: Track, *, cause: str = "", flags: int = 0, depth: int = -1
    ) -> None:
        self._recorder.write(
            track.t,
            "enqueued",
            self.name,
            track.publisher,
            track.msg,
            entry.seq,
            cause=(cause, ""),
            flags=flags,
            depth=depth,
            key=self._recorder.key_of(entry.message),
        )

    def _write(
        self,
        type_: str,
        entry: Entry,
        track: Track,
        t: int,
        *,
        cause: tuple[str, str] = ("", ""),
        flags: int = 0,
        depth: int = -1,
    ) -> int:
        return self._recorder.write(
            t,
            type_,
            self.name,
            track.holder,
            track.msg,
            entry.seq,
            track.tag,
            entry.deliveries,
            cause=cause,
            flags=flags,
            depth=depth,
        )

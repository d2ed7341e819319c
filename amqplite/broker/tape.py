"""The recording of one queue: what happens to each message in it, and who did it.

A busy queue is sampled, by message and not by event, or its story would have holes: beyond a rate,
what goes as it should is left out. Of what is left out enough is kept, while it is under way, to
tell it whole as soon as it turns out to matter: when it comes back, is overtaken, or is given up.
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

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
    """

    no_ack: bool

    @property
    def last_tag(self) -> int:
        """The delivery tag it used last."""
        ...

    def identity(self) -> Identity:
        """Return who it is."""
        ...


class Track:
    """A message under way.

    Attributes:
        msg: its number.
        t: when it was enqueued.
        publisher: who published it.
        told: its events are written as they come.
        handed_t: when it was last handed out; -1 if it isn't.
        holder: who has it.
        tag: the delivery tag it was handed out under.
        flags: of that delivery.
    """

    __slots__ = ("flags", "handed_t", "holder", "msg", "publisher", "t", "tag", "told")

    def __init__(self, msg: int, t: int, publisher: Who, told: bool) -> None:
        self.msg = msg
        self.t = t
        self.publisher = publisher
        self.told = told
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

    # -- messages in -----------------------------------------------------------------------------

    def enqueued(self, entry: Entry) -> None:
        """A message is to have a place in the queue, and is ready."""
        msg, t, publisher, told, cause = self._recorder.current(entry.message)
        track = Track(msg, t, publisher, told)
        self._track(entry.seq, track)
        if told:
            self._tell_enqueued(entry, track, cause=cause, depth=self._queue.ready + 1)

    def refused(self, message: Message, cause: str) -> None:
        """The queue takes no more."""
        recorder = self._recorder
        recorder.tell_published(message)
        msg, t, publisher, _, _ = recorder.current(message)
        recorder.write(t, "refused", self.name, publisher, msg, cause=(cause, ""))

    # -- messages out ----------------------------------------------------------------------------

    def delivered(self, entry: Entry, taker: Taker | None) -> None:
        """A message was handed out; its delivery is counted already."""
        track = self._tracks.get(entry.seq) or self._met(entry)
        if entry.deliveries > 1 and not track.told:
            self._tell_all(entry, track)
        track.flags = REDELIVERED if entry.deliveries > 1 else 0
        if taker is not None:
            track.holder = self._recorder.holder(taker)
            track.tag = taker.last_tag
            track.flags |= (AUTO if taker.no_ack else 0) | (0 if track.holder[0] else GET)
        track.handed_t = self._recorder.clock()
        if track.told:
            depth = self._queue.ready
            self._write("delivered", entry, track, track.handed_t, flags=track.flags, depth=depth)

    def acked(self, entry: Entry, now: int, reordered: bool) -> None:
        """A message is done with."""
        track = self._tracks.pop(entry.seq, None) or self._met(entry)
        if reordered and not track.told:
            self._tell_all(entry, track)
        if track.told:
            flags = track.flags & AUTO | self._recorder.multiple
            self._write("acked", entry, track, now, flags=flags, depth=self._queue.ready)

    # -- messages back, and gone -----------------------------------------------------------------

    def requeued(self, entry: Entry, cause: Cause) -> None:
        """A message that was handed out is back at its old place."""
        track = self._tracks.get(entry.seq) or self._met(entry)
        self._tell_all(entry, track)
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
        track = self._tracks.pop(entry.seq, None) or self._met(entry)
        self._tell_all(entry, track)
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

    def _track(self, seq: int, track: Track) -> None:
        self._tracks[seq] = track
        if len(self._tracks) > TRACKS_MAX:
            del self._tracks[next(iter(self._tracks))]

    def _met(self, entry: Entry) -> Track:
        """Track a message that was there before the recording was."""
        recorder = self._recorder
        track = Track(recorder.number(), recorder.clock(), NOBODY, told=True)
        recorder.label(track.msg, entry.message)
        self._tell_enqueued(entry, track, flags=FROM_MEMORY)
        self._track(entry.seq, track)
        return track

    def _tell_all(self, entry: Entry, track: Track) -> None:
        """Tell what was left out of a message so far."""
        if track.told:
            return
        track.told = True
        recorder = self._recorder
        recorder.published(entry.message, track.msg, track.t, track.publisher, flags=FROM_MEMORY)
        self._tell_enqueued(entry, track, flags=FROM_MEMORY)
        if track.handed_t >= 0:
            flags = track.flags | FROM_MEMORY
            self._write("delivered", entry, track, track.handed_t, flags=flags)

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

"""Durable changes, in the order they happened, on their way to the store.

The broker appends; a committer takes what has gathered and hands it to the store as one `Batch`,
which is written whole or not at all. A position counts changes since the start: whoever waits for a
change to be on disk, such as a confirm, remembers a position and not a callback.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Protocol

from amqplite.broker.message import Message
from amqplite.broker.records import (
    SEQ_BITS,
    Batch,
    ContentRow,
    Definition,
    Delete,
    Loaded,
    MessageRow,
    Purge,
    QueueRow,
)


class Pending(Protocol):
    """A message waiting to be stored: an `Entry`, as the journal sees it."""

    key: int
    position: int
    deliveries: int
    message: Message


class Journal:
    """Changes since the start, until they are taken to the store.

    A message that is settled before it was taken leaves no trace: its insert and its delete cancel
    out, and whoever waits for its position waits for nothing.

    Attributes:
        position: how many changes were appended so far.
        taken: the position up to which changes were handed to the store.
        durable: the position up to which everything is on disk.
        defined: the position of the last definition.
        settled: the position up to which every message to be stored is on disk, or was acked
            meanwhile and need not be: what a publisher may be told.
        urgent: somebody waits for what has gathered; else it may gather a little longer.
        pending_bytes: octets of messages that wait to be taken.
        cancelled: how many inserts were cancelled before they were taken, so far.
        on_append: called when the first change of a batch came, and when it becomes urgent.
    """

    __slots__ = (
        "_batch",
        "_deleted_queues",
        "_inserts",
        "_next_content_id",
        "_spills",
        "_unsettled",
        "_waiting",
        "_writing",
        "cancelled",
        "defined",
        "durable",
        "on_append",
        "pending_bytes",
        "position",
        "settled",
        "taken",
        "urgent",
    )

    def __init__(self) -> None:
        self.position = 0
        self.taken = 0
        self.durable = 0
        self.defined = 0
        self.settled = 0
        self.urgent = False
        self.pending_bytes = 0
        self.cancelled = 0
        self.on_append: Callable[[], object] = lambda: None
        self._batch = Batch()
        self._inserts: dict[int, Pending] = {}
        self._writing: dict[int, Pending] = {}  # inserts that a commit is under way with
        self._spills: dict[int, Pending] = {}
        self._deleted_queues: set[int] = set()
        self._waiting: deque[tuple[int, Callable[[int], object]]] = deque()
        self._unsettled: deque[tuple[int, Callable[[int], object]]] = deque()
        self._next_content_id = 1

    def start_after(self, loaded: Loaded) -> None:
        """Number shared contents on from what the store holds."""
        self._next_content_id = loaded.next_content_id

    def _appended(self) -> int:
        if self.position == self.taken:
            self.position += 1
            self.on_append()
        else:
            self.position += 1
        return self.position

    def insert(self, entry: Pending) -> None:
        """Store the message of `entry` under its key; sets its position."""
        self._inserts[entry.key] = entry
        self.pending_bytes += len(entry.message.octets)
        if self.position == self.taken:
            self.on_append()
        self.position = entry.position = self.position + 1

    def delete(self, entry: Pending, *, moved: bool = False) -> None:
        """Forget a stored message, or that it was to be stored.

        Args:
            entry: the message's.
            moved: not by itself, but with other changes, which may yet be lost: until it is on
                disk, or its deletion with them, its publisher is told nothing.
        """
        key = entry.key
        content_id = entry.message.content_id
        if moved or self._inserts.pop(key, None) is None:
            if not moved:
                self._writing.pop(key, None)
            self._batch.deletes.append(key)
            if content_id is not None:
                self._batch.released.append(content_id)
            if self.position == self.taken:
                self.on_append()
            self.position += 1
        else:
            self.cancelled += 1
            self.pending_bytes -= len(entry.message.octets)

    @property
    def oldest_insert(self) -> Pending | None:
        """The first of the messages that wait to be taken."""
        return next(iter(self._inserts.values()), None)

    @property
    def inserts(self) -> int:
        """How many messages wait to be taken."""
        return len(self._inserts)

    @property
    def awaited(self) -> bool:
        """Whether somebody waits for the disk itself, which no ack can spare."""
        return bool(self._waiting)

    def share(self, message: Message) -> None:
        """Let several queues that hold `message` share its content in the store."""
        message.content_id = self._next_content_id
        self._next_content_id += 1

    def spill(self, entry: Pending, key: int) -> None:
        """Move a message that need not survive out of memory; sets its position."""
        self._spills[key] = entry
        self.pending_bytes += len(entry.message.octets)
        entry.position = self._appended()

    def unspill(self, first: int, last: int) -> None:
        """Forget the spilled messages with keys from `first` to `last`."""
        self._batch.unspilled.append((first, last))
        self._appended()

    def unspill_pending(self, entry: Pending, key: int) -> None:
        """Forget a spilled message that is still in memory."""
        if self._spills.pop(key, None) is None:
            self.unspill(key, key)
        else:
            self.pending_bytes -= len(entry.message.octets)

    def define(self, definition: Definition) -> int:
        """Append a definition; return the position at which it is durable."""
        self._batch.definitions.append(definition)
        if isinstance(definition, Delete) and isinstance(definition.row, QueueRow):
            self._deleted_queues.add(definition.row.queue_id)
        self.defined = self._appended()
        return self.defined

    def purge(self, first: int, last: int) -> None:
        """Forget the stored messages with keys from `first` to `last`, spilled ones too."""
        self.define(Purge(first, last))
        self.unspill(first, last)

    def sent_up_to(self, queue_id: int, seq: int) -> int:
        """Note that messages up to place `seq` may have been handed out; return the position."""
        self._batch.sent_up_to[queue_id] = seq
        return self._appended()

    def handed_out(self, entry: Pending) -> None:
        """Store how often a message was handed out, exactly: for a clean stop."""
        if entry.key not in self._inserts:
            self._batch.deliveries.append((entry.deliveries, entry.key))
            self._appended()

    def hurry(self) -> None:
        """Somebody waits for what has gathered."""
        if not self.urgent and self.position > self.taken:
            self.urgent = True
            self.on_append()

    def call_when_durable(self, position: int, call: Callable[[int], object]) -> None:
        """Call `call(durable)` once `position` is on disk; positions come in rising order."""
        self._waiting.append((position, call))

    def call_when_settled(self, position: int, call: Callable[[int], object]) -> None:
        """Call `call(settled)` once all up to `position` is settled, see `settled`.

        The same channel's positions come in rising order.
        """
        self._unsettled.append((position, call))

    def look_settled(self) -> None:
        """See whether acks have settled what a publisher waits for: call it when some have come."""
        if not self._unsettled:
            return
        oldest = next(iter(self._writing.values()), None) or next(
            iter(self._inserts.values()), None
        )
        self.settled = self.position if oldest is None else oldest.position - 1
        self._call(self._unsettled, self.settled)

    def take(self) -> tuple[Batch | None, int]:
        """Return what has gathered and the position it reaches.

        There is no batch if it all cancelled out: then nothing needs to be written.
        """
        batch, inserts, spills = self._batch, self._inserts, self._spills
        live = inserts or spills or batch != _EMPTY
        self.taken = self.position
        self.urgent = False
        self.pending_bytes = 0
        if not live:
            return None, self.position
        self._batch, self._inserts, self._spills = Batch(), {}, {}
        self._writing = inserts
        if self._deleted_queues:
            gone, self._deleted_queues = self._deleted_queues, set()
            inserts = {k: e for k, e in inserts.items() if k >> SEQ_BITS not in gone}
        batch.inserts = [_row(key, entry) for key, entry in inserts.items()]
        batch.contents = _contents(inserts.values())
        batch.spilled = [_spilled_row(key, entry) for key, entry in spills.items()]
        return batch, self.position

    def committed(self, position: int) -> None:
        """Everything up to `position` is on disk: tell whoever waits."""
        self.durable = position
        self._writing = {}
        self._call(self._waiting, position)
        self.settled = max(self.settled, position)
        self.look_settled()

    def _call(self, waiting: deque[tuple[int, Callable[[int], object]]], position: int) -> None:
        while waiting and waiting[0][0] <= position:
            waiting.popleft()[1](position)


_EMPTY = Batch()


def _row(key: int, entry: Pending) -> MessageRow:
    message = entry.message
    if message.content_id is not None:
        return (
            key,
            entry.deliveries,
            message.content_id,
            message.exchange,
            message.routing_key,
            None,
            None,
        )
    return _spilled_row(key, entry)


def _spilled_row(key: int, entry: Pending) -> MessageRow:
    message = entry.message
    return (
        key,
        entry.deliveries,
        None,
        message.exchange,
        message.routing_key,
        message.properties,
        message.stored_body,
    )


def _contents(entries: Iterable[Pending]) -> list[ContentRow]:
    shared = {
        entry.message.content_id: entry.message
        for entry in entries
        if entry.message.content_id is not None
    }
    return [
        (number, m.properties, m.stored_body) for number, m in shared.items() if number is not None
    ]

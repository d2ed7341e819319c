"""Durable changes, in the order they happened, on their way to the store.

The broker appends; a committer takes what has gathered and hands it to the store as one `Batch`,
which is written whole or not at all. A position counts changes since the start: whoever waits for a
change to be on disk, such as a confirm, remembers a position and not a callback.

A message is known to the store by one integer, its *key*: the queue's id in the upper bits and the
message's place in the queue below (`message_key`). Keys of one queue are contiguous and ordered, so
a page is a range and so are most deletes.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from amqplite.broker.message import Message

SEQ_BITS = 40
"""Bits of a key that hold the place in the queue: 10¹² messages a queue."""

QUEUE_IDS = 1 << 63 - SEQ_BITS
"""What queues' ids are below, for SQLite's integers have 63 bits and a sign: 8 million queues."""


def message_key(queue_id: int, seq: int) -> int:
    """Return the key of the message at place `seq` of a queue."""
    return queue_id << SEQ_BITS | seq


def split_key(key: int) -> tuple[int, int]:
    """Return `(queue_id, seq)` of a key."""
    return key >> SEQ_BITS, key & (1 << SEQ_BITS) - 1


@dataclass(frozen=True, slots=True)
class VhostRow:
    """A vhost, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class UserRow:
    """A user. `password_hash` names its algorithm and salt; `tags` are separated by commas."""

    name: str
    password_hash: str
    tags: str


@dataclass(frozen=True, slots=True)
class PermissionRow:
    """What a user may do in a vhost: three regular expressions on names."""

    user: str
    vhost: str
    configure: str
    write: str
    read: str


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """A durable exchange. `arguments` is the field table's octets, without their length."""

    vhost: str
    name: str
    type: str
    auto_delete: bool
    internal: bool
    arguments: bytes


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A durable queue. Its `queue_id` is its own for as long as any of its messages is stored."""

    queue_id: int
    vhost: str
    name: str
    auto_delete: bool
    arguments: bytes


@dataclass(frozen=True, slots=True)
class BindingRow:
    """A binding between durable things; `to_exchange` tells what the destination is."""

    vhost: str
    source: str
    destination: str
    to_exchange: bool
    routing_key: str
    arguments: bytes


Row = VhostRow | UserRow | PermissionRow | ExchangeRow | QueueRow | BindingRow


@dataclass(frozen=True, slots=True)
class Put:
    """Store `row`, in place of the one with the same identity if there is one."""

    row: Row


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete `row`, found by its identity, and what hangs on it.

    A vhost takes its permissions, exchanges, bindings, queues and their messages with it; a user
    its permissions; a queue its messages. Bindings of an exchange or queue have their own `Delete`.
    """

    row: Row


@dataclass(frozen=True, slots=True)
class Purge:
    """Delete the messages with keys from `first` to `last`, which are of one queue.

    They are gone with the commit, however long the store takes to clear them away.
    """

    first: int
    last: int


Definition = Put | Delete | Purge

MessageRow = tuple[int, int, int | None, str, str, bytes | None, bytes | memoryview | None]
"""`(key, deliveries, content_id, exchange, routing_key, properties, body)`.

`properties` is the content header from its property flags on, as received. Where several queues
hold one message, `content_id` names the shared `ContentRow`, and the two last are `None`.
"""

ContentRow = tuple[int, bytes, bytes | memoryview]
"""`(content_id, properties, body)`: what several queues share, stored once."""


@dataclass(slots=True)
class Batch:
    """What one commit writes, all of it or nothing. Apply the fields in this order.

    Attributes:
        definitions: in the order they happened. A `Purge` or a queue's `Delete` concerns what was
            stored before this batch and what `inserts` holds alike; queue ids are not reused
            within a batch.
        contents: shared contents.
        inserts: persistent messages.
        deletes: keys of messages that were settled, in any order, mostly contiguous.
        released: ids of shared contents that lost a holder: delete those that nobody holds any
            more.
        deliveries: `(deliveries, key)`: how often a message was handed out, at a clean stop.
        sent_up_to: by queue id, the place up to which messages may have been handed out.
        spilled: messages that need not survive a restart, moved out of memory.
        unspilled: `(first, last)` ranges of keys of spilled messages to forget.
    """

    definitions: list[Definition] = field(default_factory=list)
    contents: list[ContentRow] = field(default_factory=list)
    inserts: list[MessageRow] = field(default_factory=list)
    deletes: list[int] = field(default_factory=list)
    released: list[int] = field(default_factory=list)
    deliveries: list[tuple[int, int]] = field(default_factory=list)
    sent_up_to: dict[int, int] = field(default_factory=dict)
    spilled: list[MessageRow] = field(default_factory=list)
    unspilled: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LoadedQueue:
    """A queue as it was found in the store.

    Attributes:
        messages: how many are stored.
        last_seq: the place of the last one, or the highest place ever known; 0 if none.
        sent_up_to: messages up to this place may have been handed out before.
    """

    row: QueueRow
    messages: int
    last_seq: int
    sent_up_to: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a store holds at start, but for the messages themselves.

    Attributes:
        next_content_id: the first id no shared content has.
        purging: ids of queues, deleted or not, that have purged messages still to be cleared away:
            not to be given to other queues.
    """

    vhosts: list[VhostRow]
    users: list[UserRow]
    permissions: list[PermissionRow]
    exchanges: list[ExchangeRow]
    queues: list[LoadedQueue]
    bindings: list[BindingRow]
    next_content_id: int
    purging: frozenset[int] = frozenset()


Stored = tuple[int, int, int | None, str, str, bytes, bytes, bool]
"""A message read back: a `MessageRow` with its content filled in, and whether it is persistent."""


class Store(Protocol):
    """Where durable state lives."""

    def load(self) -> Loaded:
        """Read all definitions. Called once, before anything else."""
        ...

    def page(self, first: int, last: int, limit: int, /) -> list[Stored]:
        """Read up to `limit` messages with keys from `first` to `last`, in order.

        Persistent and spilled ones come merged. Called on the broker's own thread, while a commit
        may be running in another: it sees what was committed before, and never waits for it.
        """
        ...

    def commit(self, batch: Batch, /) -> None:
        """Write `batch`, and return once it is on disk. Called in a worker thread, one at a time.

        Raises:
            StoreFull: there is no room, or the database is held by somebody else. Nothing was
                written; the same batch may be tried again.
        """
        ...

    def close(self) -> None:
        """Release the files."""
        ...


class StoreFull(Exception):
    """A commit could not be written now, and may be tried again later."""


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

    def delete(self, entry: Pending) -> None:
        """Forget a stored message, or that it was to be stored."""
        key = entry.key
        content_id = entry.message.content_id
        if self._inserts.pop(key, None) is None:
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
        return self._appended()

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

"""What the broker and the store hand each other: keys, rows, changes, and the `Store` itself.

A message is known to the store by one integer, its *key*: the queue's id in the upper bits and the
message's place in the queue below (`message_key`). Keys of one queue are contiguous and ordered, so
a page is a range and so are most deletes.
"""

from dataclasses import dataclass, field
from typing import Protocol

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

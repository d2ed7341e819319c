"""A store in dictionaries: what `Store` promises, done the plain way, and strict about its use."""

from collections.abc import Hashable

from amqplite.broker.records import (
    Batch,
    BindingRow,
    ContentRow,
    Definition,
    Delete,
    ExchangeRow,
    Loaded,
    LoadedQueue,
    MessageRow,
    PermissionRow,
    Purge,
    QueueRow,
    Row,
    Stored,
    UserRow,
    VhostRow,
    split_key,
)


def identity(row: Row) -> Hashable:
    """Return what makes a row the same as another."""
    match row:
        case VhostRow() | UserRow():
            return type(row), row.name
        case PermissionRow():
            return type(row), row.user, row.vhost
        case ExchangeRow() | QueueRow():
            return type(row), row.vhost, row.name
        case BindingRow():
            return row


def hangs_on(row: Row, other: Row) -> bool:
    """Return whether `row` goes when `other` does."""
    match other:
        case VhostRow():
            return getattr(row, "vhost", None) == other.name
        case UserRow():
            return isinstance(row, PermissionRow) and row.user == other.name
    return False


class NaiveStore:
    """Keeps everything for as long as it lives; spilled messages until it is loaded.

    Attributes:
        messages: persistent ones by key.
        last_seqs: the highest place ever stored, by queue id.
        batches: all that were committed, oldest first.
    """

    def __init__(self) -> None:
        self.rows: dict[Hashable, Row] = {}
        self.messages: dict[int, MessageRow] = {}
        self.contents: dict[int, ContentRow] = {}
        self.spilled: dict[int, MessageRow] = {}
        self.last_seqs: dict[int, int] = {}
        self.sent_up_to: dict[int, int] = {}
        self.batches: list[Batch] = []

    def load(self) -> Loaded:
        self.spilled.clear()
        rows = self.rows.values()
        return Loaded(
            vhosts=[row for row in rows if isinstance(row, VhostRow)],
            users=[row for row in rows if isinstance(row, UserRow)],
            permissions=[row for row in rows if isinstance(row, PermissionRow)],
            exchanges=[row for row in rows if isinstance(row, ExchangeRow)],
            queues=[self._loaded(row) for row in rows if isinstance(row, QueueRow)],
            bindings=[row for row in rows if isinstance(row, BindingRow)],
            next_content_id=max(self.contents, default=0) + 1,
        )

    def _loaded(self, row: QueueRow) -> LoadedQueue:
        return LoadedQueue(
            row,
            messages=len(self.of(row.queue_id)),
            last_seq=self.last_seqs.get(row.queue_id, 0),
            sent_up_to=self.sent_up_to.get(row.queue_id, 0),
        )

    def of(self, queue_id: int) -> list[int]:
        """Return the keys of a queue's persistent messages, in order."""
        return sorted(key for key in self.messages if split_key(key)[0] == queue_id)

    def page(self, first: int, last: int, limit: int, /) -> list[Stored]:
        found = [self._stored(row, True) for row in self.messages.values()]
        found += [self._stored(row, False) for row in self.spilled.values()]
        return sorted(row for row in found if first <= row[0] <= last)[:limit]

    def _stored(self, row: MessageRow, persistent: bool) -> Stored:
        key, deliveries, content_id, exchange, routing_key, properties, body = row
        if content_id is not None:
            _, properties, body = self.contents[content_id]
        assert properties is not None
        assert body is not None
        return key, deliveries, content_id, exchange, routing_key, properties, body, persistent

    def commit(self, batch: Batch, /) -> None:
        self.batches.append(batch)
        purged: list[tuple[int, int]] = []
        for definition in batch.definitions:
            purged += self._define(definition)
        for content in batch.contents:
            self.contents[content[0]] = content
        for row in batch.inserts:
            queue_id, seq = split_key(row[0])
            assert row[0] not in self.messages, "a message is stored twice"
            assert self._queue(queue_id), "a message is stored for no queue"
            self.messages[row[0]] = row
            self.last_seqs[queue_id] = max(seq, self.last_seqs.get(queue_id, 0))
        for first, last in purged:
            self._purge(first, last)
        for key in batch.deletes:
            gone = any(first <= key <= last for first, last in purged)
            assert gone or key in self.messages, "a message is deleted that isn't there"
            self.messages.pop(key, None)
        self._release(batch.released)
        for deliveries, key in batch.deliveries:
            self.messages[key] = (key, deliveries, *self.messages[key][2:])
        self.sent_up_to.update({q: seq for q, seq in batch.sent_up_to.items() if self._queue(q)})
        self.spilled.update({row[0]: row for row in batch.spilled})
        for first, last in batch.unspilled:
            self.spilled = {k: row for k, row in self.spilled.items() if not first <= k <= last}

    def _queue(self, queue_id: int) -> QueueRow | None:
        rows = self.rows.values()
        queues = [r for r in rows if isinstance(r, QueueRow) and r.queue_id == queue_id]
        return queues[0] if queues else None

    def _define(self, definition: Definition) -> list[tuple[int, int]]:
        """Apply it; return the ranges of messages that go with it."""
        if isinstance(definition, Purge):
            return [(definition.first, definition.last)]
        if not isinstance(definition, Delete):
            self.rows[identity(definition.row)] = definition.row
            return []
        gone = [row for row in self.rows.values() if hangs_on(row, definition.row)]
        gone += [self.rows[identity(definition.row)]]
        for row in gone:
            del self.rows[identity(row)]
        queue_ids = [row.queue_id for row in gone if isinstance(row, QueueRow)]
        for queue_id in queue_ids:
            self.last_seqs.pop(queue_id, None)
            self.sent_up_to.pop(queue_id, None)
        return [(queue_id << 40, (queue_id + 1 << 40) - 1) for queue_id in queue_ids]

    def _purge(self, first: int, last: int) -> None:
        gone = [row for row in self.messages.values() if first <= row[0] <= last]
        for row in gone:
            del self.messages[row[0]]
        self._release([row[2] for row in gone if row[2] is not None])

    def _release(self, content_ids: list[int]) -> None:
        held = {row[2] for row in self.messages.values()}
        for content_id in content_ids:
            if content_id not in held:
                self.contents.pop(content_id, None)

    def close(self) -> None:
        """Nothing is open."""

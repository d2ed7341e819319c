"""Requeued messages beyond those that memory should hold: their contents are in the store alone.

A consumer may hold any number of messages when it is lost. What comes back of it is older than the
window, and each message has its own history, so their places stay in memory, a hundred octets each;
what they say is dropped once the store has it, and read again, a page at a time, when their turn
comes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush, merge

from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry, Message, restored
from amqplite.broker.records import Stored, message_key

Page = Callable[[int, int, int], list[Stored]]
"""`(first key, last key, limit)`: how the store is read, see `Store.page`."""

PAGE = 1000


class Shelf:
    """Entries by their place, without their contents where the store has them.

    What need not survive is stored under keys of the shelf's own, each used once: a key that is
    forgotten and stored anew in the same commit would be forgotten.

    Args:
        take_id: gives an id to store under, see `QueueIds`; called with the durable position.

    Attributes:
        queue_id: that id; 0 until it is needed.
    """

    def __init__(self, journal: Journal, page: Page, take_id: Callable[[int], int]) -> None:
        self.queue_id = 0
        self._journal = journal
        self._page = page
        self._take_id = take_id
        self._keys: dict[Entry, int] = {}  # of those that need not survive
        self._last_key = 0
        self._entries: list[Entry] = []  # a heap
        self._read: deque[Entry] = deque()  # with their contents, in order
        self._awaited: dict[Entry, None] = {}  # whose contents are on their way to the store

    def __len__(self) -> int:
        return len(self._entries) + len(self._read)

    def __iter__(self) -> Iterator[Entry]:
        """Yield all, in no order."""
        yield from self._entries
        yield from self._read

    @property
    def first(self) -> int:
        """Place of the oldest; there has to be one."""
        return min(held[0].seq for held in (self._entries, self._read) if held)

    def put(self, entries: Iterable[Entry]) -> None:
        """Take entries whose contents are to leave the memory."""
        journal = self._journal
        for entry in entries:
            if not entry.key:
                journal.spill(entry, self._new_key(entry))
            heappush(self._entries, entry)
            if entry.position <= journal.durable:
                _drop_content(entry)
            else:
                self._await(entry)

    def pop(self) -> Entry | None:
        """Take the oldest, with its content; `None` if the store has lost it."""
        if not self._read or (self._entries and self._entries[0].seq < self._read[0].seq):
            self._fetch()
        return self._read.popleft() if self._read else None

    def clear(self) -> None:
        """Forget all, and have the store do so."""
        for entry in self:
            if entry.key:
                self._journal.delete(entry)
        for entry, key in self._keys.items():
            self._journal.unspill_pending(entry, key)
        self._keys.clear()
        self._entries.clear()
        self._read.clear()
        self._awaited.clear()

    # -- to the store and back -------------------------------------------------------------------

    def _new_key(self, entry: Entry) -> int:
        if not self.queue_id:
            self.queue_id = self._take_id(self._journal.durable)
        self._last_key += 1
        self._keys[entry] = key = message_key(self.queue_id, self._last_key)
        return key

    def _await(self, entry: Entry) -> None:
        if not self._awaited:
            self._journal.call_when_durable(entry.position, self._on_durable)
        self._awaited[entry] = None

    def _on_durable(self, position: int) -> None:
        """Drop the contents that are in the store by now."""
        stored = [entry for entry in self._awaited if entry.position <= position]
        for entry in stored:
            del self._awaited[entry]
            _drop_content(entry)
        if self._awaited:
            next_position = min(entry.position for entry in self._awaited)
            self._journal.call_when_durable(next_position, self._on_durable)

    def _fetch(self) -> None:
        """Read the contents of the oldest."""
        entries = [heappop(self._entries) for _ in range(min(PAGE, len(self._entries)))]
        keys = {e: e.key or self._keys[e] for e in entries if e.message.octets is NOTHING}
        rows = self._rows({key for entry, key in keys.items() if entry.key})
        rows |= self._rows({key for entry, key in keys.items() if not entry.key})
        fetched = []
        for entry in entries:
            if entry not in keys:
                self._awaited.pop(entry, None)
                fetched.append(entry)
            elif keys[entry] in rows:
                _restore_content(entry, rows[keys[entry]])
                fetched.append(entry)
            if not entry.key:
                self._journal.unspill_pending(entry, self._keys.pop(entry))
        self._read = deque(merge(fetched, self._read))

    def _rows(self, keys: set[int]) -> dict[int, Stored]:
        """Read rows by their keys, which are near each other."""
        rows: dict[int, Stored] = {}
        if not keys:
            return rows
        first, last = min(keys), max(keys)
        while page := self._page(first, last, PAGE):
            rows |= {row[0]: row for row in page if row[0] in keys}
            first = page[-1][0] + 1
        return rows


NOTHING = b""
"""In place of the octets of a message whose content the store has."""


def _drop_content(entry: Entry) -> None:
    """Leave of the message what deleting it takes."""
    told = Message(b"", NOTHING, 0, 0, entry.message.persistent)
    told.content_id = entry.message.content_id
    entry.message = told


def _restore_content(entry: Entry, row: Stored) -> None:
    _, _, content_id, exchange, routing_key, properties, body, persistent = row
    entry.message = restored(exchange, routing_key, properties, body, persistent)
    entry.message.content_id = content_id

"""The ready messages of a queue, of which memory holds a window.

In order of the queue, oldest first::

    returned    a heap: requeued messages, older than what follows
    shelf       more of these, whose contents are in the store alone
    window      in memory, up to `Window.messages` and `Window.octets`
    stored      in the store alone: a range of keys and a count
    settling    on their way to the store, in memory until they are there

Whatever comes while there is something behind the window joins at the end, and the window is filled
again, a page at a time, when it has run empty. So a million messages cost a window's memory.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain

from amqplite.broker.journal import Journal
from amqplite.broker.message import Entry, restored
from amqplite.broker.records import Stored, message_key, split_key
from amqplite.broker.shelf import Page, Shelf

PAGE = 1000
"""Messages read at a time, at most: about two milliseconds of work."""


@dataclass(frozen=True, slots=True)
class Window:
    """How much of each queue's ready messages may be in memory."""

    messages: int = 4096
    octets: int = 16 * 1024 * 1024


class Backlog:
    """Ready messages in order.

    Args:
        take_id: gives a queue that is not durable its id, when it first needs one; called with the
            journal's durable position.

    Attributes:
        count: how many there are, in memory or not.
        octets: of the messages in the window.
        body_octets: of all bodies; kept only with `counts_octets`.
        queue_id: under whose keys it stores what doesn't fit; 0 until it has to, if the queue is
            not durable.
        sent_up_to: messages read from the store up to this place may have been handed out before
            the last start, whatever is written of them.
    """

    __slots__ = (
        "_journal",
        "_limits",
        "_page",
        "_returned",
        "_returned_octets",
        "_settling",
        "_shelf",
        "_stored",
        "_stored_from",
        "_stored_octets",
        "_stored_to",
        "_take_id",
        "_taken_id",
        "_window",
        "body_octets",
        "count",
        "counts_octets",
        "octets",
        "queue_id",
        "sent_up_to",
    )

    def __init__(
        self,
        journal: Journal,
        page: Page,
        limits: Window,
        queue_id: int,
        take_id: Callable[[int], int],
    ) -> None:
        self._journal = journal
        self._page = page
        self._limits = limits
        self._take_id = take_id
        self._taken_id = 0
        self.queue_id = queue_id
        self._returned: list[Entry] = []
        self._returned_octets = 0
        self._shelf: Shelf | None = None  # made when the first has to go there
        self._window: deque[Entry] = deque()
        self._settling: deque[Entry] = deque()
        self._stored = self._stored_octets = 0
        self._stored_from = self._stored_to = 0
        self.count = 0
        self.octets = 0
        self.body_octets = 0
        self.counts_octets = False
        self.sent_up_to = 0

    def found(self, messages: int, last_seq: int) -> None:
        """Start with what the store holds."""
        self.count = self._stored = messages
        self._stored_from, self._stored_to = 1, last_seq
        if self.counts_octets:
            self.body_octets = sum(len(body) for *_, body, _ in self._read_through())

    def _read_through(self) -> Iterator[Stored]:
        """Read all that is stored, a page at a time."""
        first, last = self._key(self._stored_from), self._key(self._stored_to)
        while rows := self._page(first, last, PAGE):
            yield from rows
            first = rows[-1][0] + 1

    def append(self, entry: Entry) -> None:
        """Add a message that has just arrived, with its insert journalled if it is to survive."""
        self.count += 1
        if self.counts_octets:
            self.body_octets += entry.message.body_size
        size = len(entry.message.octets)
        if self._stored or self._settling or not self._fits(size):
            self._settle(entry)
        else:
            self._window.append(entry)
            self.octets += size

    def _fits(self, size: int) -> bool:
        window, limits = self._window, self._limits
        return len(window) < limits.messages and (not window or self.octets + size <= limits.octets)

    def put_back(self, entry: Entry) -> None:
        """Return a message to its old place: requeued, or popped in vain."""
        self.count += 1
        if self.counts_octets:
            self.body_octets += entry.message.body_size
        heappush(self._returned, entry)
        self._returned_octets += len(entry.message.octets)
        limits = self._limits
        if (
            self._returned_octets > 2 * limits.octets or len(self._returned) > 2 * limits.messages
        ) and len(self._returned) > 1:
            self._shelve()

    def _shelve(self) -> None:
        """Move the younger half of what came back out of memory."""
        returned = self._returned
        returned.sort()  # which is a heap as well
        kept = len(returned) // 2
        rest = returned[kept:]
        del returned[kept:]
        self._returned_octets = sum(len(entry.message.octets) for entry in returned)
        if self._shelf is None:
            self._shelf = Shelf(self._journal, self._page, self._take_id)
        self._shelf.put(rest)

    def pop(self) -> Entry | None:
        """Take the oldest message; `None` if there is none."""
        window, returned = self._window, self._returned
        if not window and (self._stored or self._settling):
            self._fill()
        shelf = self._shelf
        if shelf and not any(held and held[0].seq < shelf.first for held in (returned, window)):
            return self._pop_shelved(shelf)
        if returned and (not window or returned[0].seq < window[0].seq):
            entry = heappop(returned)
            self._returned_octets -= len(entry.message.octets)
        elif window:
            entry = window.popleft()
            self.octets -= len(entry.message.octets)
        else:
            return None
        return self._popped(entry)

    def _pop_shelved(self, shelf: Shelf) -> Entry | None:
        before = len(shelf)
        entry = shelf.pop()
        self.count -= before - len(shelf) - (entry is not None)  # what the store has lost: nothing
        return self.pop() if entry is None else self._popped(entry)

    def _popped(self, entry: Entry) -> Entry:
        self.count -= 1
        if self.counts_octets:
            self.body_octets -= entry.message.body_size
        return entry

    def _settle(self, entry: Entry) -> None:
        if not self.queue_id:
            self.queue_id = self._taken_id = self._take_id(self._journal.durable)
        if not entry.key:
            self._journal.spill(entry, self._key(entry.seq))
        if not self._settling:
            self._journal.call_when_durable(entry.position, self._on_durable)
        self._settling.append(entry)

    def _key(self, seq: int) -> int:
        return message_key(self.queue_id, seq)

    def _on_durable(self, position: int) -> None:
        """Let go of what is in the store by now."""
        settling = self._settling
        while settling and settling[0].position <= position:
            entry = settling.popleft()
            if not self._stored:
                self._stored_from, self._stored_octets = entry.seq, 0
            self._stored += 1
            self._stored_octets += len(entry.message.octets)
            self._stored_to = entry.seq
        if settling:
            self._journal.call_when_durable(settling[-1].position, self._on_durable)

    def _fill(self) -> None:
        """Read the next page into the window, or take what isn't in the store yet."""
        if self._stored:
            self._read_page()
            return
        window, settling = self._window, self._settling
        while settling and (not window or self._fits(len(settling[0].message.octets))):
            entry = settling.popleft()
            if not entry.key:
                self._journal.unspill_pending(entry, self._key(entry.seq))
            window.append(entry)
            self.octets += len(entry.message.octets)

    def _read_page(self) -> None:
        first, last = self._key(self._stored_from), self._key(self._stored_to)
        rows = self._page(first, last, min(self._stored, self._page_size()))
        spilled = []
        for row in rows:
            entry = self._read(row)
            self._window.append(entry)
            self.octets += len(entry.message.octets)
            if not entry.key:
                spilled.append(row[0])
        if spilled:
            self._journal.unspill(spilled[0], spilled[-1])
        if rows:
            self._stored -= len(rows)
            self._stored_octets = max(0, self._stored_octets - self.octets)
            self._stored_from = split_key(rows[-1][0])[1] + 1
        else:
            self.count -= self._stored  # the count was wrong: rather that than wait for ever
            self._stored = 0

    def _page_size(self) -> int:
        """Rows that fill about half the window, by the size of those that are known."""
        if not self._stored_octets:
            return 100
        average = self._stored_octets / self._stored
        return max(1, min(PAGE, int(self._limits.octets / 2 / max(1.0, average))))

    def _read(self, row: Stored) -> Entry:
        key, deliveries, content_id, exchange, routing_key, properties, body, persistent = row
        message = restored(exchange, routing_key, properties, body, persistent)
        message.content_id = content_id
        entry = Entry(split_key(key)[1], message)
        entry.deliveries = deliveries
        if entry.seq <= self.sent_up_to and not deliveries:
            entry.deliveries = 1
        if persistent:
            entry.key = key
        return entry

    def returned(self) -> Iterable[Entry]:
        """Return the messages that came back, in no order."""
        return chain(self._returned, self._shelf or ())

    def purge(self) -> int:
        """Drop every ready message, from the store as well; return how many."""
        count, journal = self.count, self._journal
        for entry in (*self._returned, *self._window, *self._settling):
            if entry.key:
                journal.delete(entry)
        for entry in self._settling:
            if not entry.key:
                journal.unspill_pending(entry, self._key(entry.seq))
        if self._stored:
            journal.purge(self._key(self._stored_from), self._key(self._stored_to))
        if self._shelf is not None:
            self._shelf.clear()
        self._returned.clear()
        self._returned_octets = 0
        self._window.clear()
        self._settling.clear()
        self.count = self._stored = self._stored_octets = self.octets = self.body_octets = 0
        return count

    @property
    def taken_ids(self) -> tuple[int, ...]:
        """The ids that it took, and that are free again once it is gone."""
        shelf = 0 if self._shelf is None else self._shelf.queue_id
        return tuple(filter(None, (self._taken_id, shelf)))

    def may_have_stored_below(self, seq: int) -> bool:
        """Whether a message in the store alone may have a place up to `seq`."""
        return self._stored > 0 and self._stored_from <= seq

    def handed_out(self) -> list[Entry]:
        """Return the messages in memory that were handed out before, and came back."""
        return [entry for entry in chain(self.returned(), self._window) if entry.deliveries]

"""Group commit: takes the journal to the store.

While one batch is written the next one gathers, so a lone message waits for nobody and a flood
shares each fsync. What nobody waits for, such as the deletes that acks cause, gathers a little
longer and mostly rides along with what somebody does wait for.
"""

from collections.abc import Callable
from typing import Never

import trio

from amqplite.broker.journal import Journal
from amqplite.broker.records import Batch, Store, StoreFull
from amqplite.server.flusher import Flusher
from amqplite.server.wakeup import Wakeup

PATIENCE_S = 0.1
"""How long changes that nobody waits for may gather."""

IDLE_S = 0.05
"""How long there must be nothing to write before the store is tidied, and then a bit at a time."""

STEP_S, STEPS_MAX = 0.004, 10
"""How long to wait at a time for acks to spare a write, and how often for one and the same."""

WORTH = 20
"""Waiting goes on if a step spares one in so many of the writes: then all are, in about as many."""

PAUSES_MAX = 2
"""Steps in a row that may spare too little, where acks came in time before: a consumer, or whoever
carries its acks, may have been without a processor for so long."""

SKIPS_MAX = 63
"""After waiting in vain, how many commits at most are made without."""

RETRY_S = 0.25
"""Pause before a batch that found no room, or a locked database, is tried again."""


class Committer:
    """Commits in batches that size themselves.

    Args:
        on_full: called with True when the store has no room or is held by somebody else, and with
            False when it takes changes again.
        flusher: writes what a commit lets go, such as confirms.
        tidy: gives a little disk space back, and returns whether there is more; called as `commit`
            is, while there is nothing to write.
    """

    def __init__(
        self,
        journal: Journal,
        store: Store,
        on_full: Callable[[bool], object] = lambda _: None,
        tidy: Callable[[], bool] = lambda: False,
        flusher: Flusher | None = None,
    ) -> None:
        self._tidy = tidy
        self._flusher = flusher or Flusher()
        self._journal = journal
        self._store = store
        self._on_full = on_full
        self._pending = Wakeup()
        self._batch: Batch | None = None  # being written
        self._reaches = 0
        self._misses = self._skips = 0
        self._spared = False  # acks came in time when they were last waited for
        self._untidy = True  # a purge may be left from before
        journal.on_append = self._pending.set

    async def run(self) -> Never:
        """Commit until cancelled.

        A failing store ends the task, and with it the server: going on would confirm what is not
        there.
        """
        while True:
            await self._wait()
            await self._wait_for_acks()
            await self.commit()

    async def _wait(self) -> None:
        """Wait until there is something to write that is urgent, or has gathered long enough."""
        journal = self._journal
        while journal.position == journal.taken:
            with trio.move_on_after(IDLE_S if self._untidy else float("inf")) as idle:
                await self._pending.wait()
            if idle.cancelled_caught:
                self._untidy = await trio.to_thread.run_sync(self._tidy)
        self._untidy = True
        with trio.move_on_after(PATIENCE_S):
            while not journal.urgent:
                await self._pending.wait()

    async def _wait_for_acks(self) -> None:
        """Wait as long as consumers ack so fast that what waits here need not be written at all.

        That is an acked message's confirm at once and no write, where consumers keep up; where they
        don't, it is tried ever more rarely, and costs a step.
        """
        if self._skips:
            self._skips -= 1
            return
        journal = self._journal
        oldest, steps, pauses = None, 0, 0
        while journal.inserts and not journal.awaited and steps < STEPS_MAX:
            steps = steps + 1 if journal.oldest_insert is oldest else 0
            oldest, pending, before = journal.oldest_insert, journal.inserts, journal.cancelled
            await trio.sleep(STEP_S)
            if (journal.cancelled - before) * WORTH >= pending:
                self._spared, pauses = True, 0
            elif self._spared and pauses < PAUSES_MAX:
                pauses += 1
            else:
                self._missed()
                return
        self._misses = 0

    def _missed(self) -> None:
        self._spared = False
        self._misses += 1
        self._skips = min(2**self._misses - 1, SKIPS_MAX)

    async def commit(self) -> None:
        """Write what has gathered; or what a cancelled call before this one has left."""
        if self._batch is None:
            self._batch, self._reaches = self._journal.take()
        if self._batch is not None:
            await self._write(self._batch)
            self._batch = None
        with self._flusher.gathering():
            self._journal.committed(self._reaches)

    async def finish(self) -> None:
        """Write all there is, at the end."""
        while self._batch is not None or self._journal.position > self._journal.durable:
            await self.commit()

    async def _write(self, batch: Batch) -> None:
        """Write `batch`, however long it takes; a cancellation comes between two tries."""
        full = False
        while True:
            try:
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(self._store.commit, batch)
                break
            except StoreFull:
                if not full:
                    full = True
                    self._on_full(True)
                await trio.sleep(RETRY_S)
        if full:
            self._on_full(False)

"""All the actors of a play, and what befalls them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import trio

from amqplite.lab.actors import ConsumerSpec, Fault, ProducerSpec
from amqplite.lab.playing.producer import Producer
from amqplite.lab.playing.stage import Connect, Mark, Pace
from amqplite.lab.playing.worker import Worker


class Cast:
    """Producers, consumers and faults of one play.

    At the same instant producers come first, then consumers, then faults; each in order.

    Args:
        mark: is told what the broker can't see.

    Attributes:
        producers: as they stand in their list.
        workers: the consumers, by tag.
        pending: faults whose anchor has happened, and that are to strike yet.
    """

    def __init__(
        self,
        producers: Sequence[ProducerSpec],
        consumers: Sequence[ConsumerSpec],
        faults: Sequence[Fault],
        connect: Connect,
        pace: Pace,
        mark: Mark,
    ) -> None:
        done, attempts = set[str](), Counter[str]()
        ranks = iter(range(len(producers) + len(consumers) + len(faults)))
        self.producers = [Producer(spec, connect, pace, next(ranks)) for spec in producers]
        self.workers = {
            spec.tag: Worker(
                spec, connect, pace, self._mark, done=done, attempts=attempts, rank=next(ranks)
            )
            for spec in consumers
        }
        self._faults = [(fault, next(ranks)) for fault in faults]  # those that are still to come
        self._pace = pace
        self._tell = mark
        self._nursery: trio.Nursery | None = None
        self.pending = 0

    @property
    def resting(self) -> bool:
        """Whether nobody will do anything more unless something comes from outside."""
        published = all(producer.done.is_set() for producer in self.producers)
        resting = all(worker.resting for worker in self.workers.values())
        return published and resting and not self.pending

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Play until cancelled; the play has begun once it has started.

        The consumers that are there from the begin have registered by then, in order, and the
        producers are connected.
        """
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            for worker in self.workers.values():
                await nursery.start(worker.run)
            for producer in self.producers:
                await nursery.start(producer.run)
            self._pace.begin()
            self.happened("")
            task_status.started()
            await trio.sleep_forever()

    async def wait_published(self) -> None:
        """Return once every producer has done what it had to."""
        for producer in self.producers:
            await producer.done.wait()

    def happened(self, type: str, *, m: str = "", by: str = "") -> None:
        """Something happened that faults may be anchored to; what actors mark comes by itself.

        Args:
            type: of the event; empty is the begin.
            m: the message's label.
            by: the actor's name.
        """
        for fault, rank in self._faults[:]:
            if fault.when == type and fault.m in ("", m) and by in ("", fault.by or fault.target):
                self._faults.remove((fault, rank))
                self._befall(fault, rank)

    def _mark(self, type: str, /, **fields: Any) -> None:
        self._tell(type, **fields)
        self.happened(type, m=fields.get("m", ""), by=fields["c"])

    def _befall(self, fault: Fault, rank: int) -> None:
        assert self._nursery is not None
        if fault.after:
            self.pending += 1
            self._nursery.start_soon(self._strike_later, fault, self._pace.now + fault.after, rank)
        else:
            self.strike(fault)

    async def _strike_later(self, fault: Fault, at: float, rank: int) -> None:
        await self._pace.sleep_until(at, rank)
        self.pending -= 1
        self.strike(fault)

    def revive(self, tag: str) -> None:
        """Have a consumer there anew, whatever has become of it."""
        worker = self.workers[tag]
        if worker.gone:
            assert self._nursery is not None
            self._nursery.start_soon(worker.run)
        else:
            worker.come_back()

    def strike(self, fault: Fault) -> None:
        """Have a fault befall its target now."""
        worker = self.workers[fault.target]
        match fault.do:
            case "crash":
                worker.crash(fault.restart)
            case "silence":
                worker.fall_silent(fault.restart)
            case "close":
                worker.close(fault.restart)
            case "slow":
                worker.slow_down(fault.factor)
            case "nack":
                worker.nack_next()
            case "lose_ack":
                worker.lose_next_ack()
            case "cancel":
                assert self._nursery is not None
                self._nursery.start_soon(worker.cancel)

"""An actor that publishes by a plan."""

from typing import Any

import trio

from amqplite.client.channel import Channel
from amqplite.client.confirm import Confirm
from amqplite.client.errors import Nacked
from amqplite.lab.actors import ProducerSpec, Publish
from amqplite.lab.playing.stage import Connect, Pace
from amqplite.protocol.fields import from_python
from amqplite.protocol.properties import Properties

_LATE = 0.2
"""Ticks behind its plan from which a producer is held up, and not just woken a little late."""


class Producer:
    """Publishes what its spec says, and stays connected until it is cancelled.

    Args:
        rank: of those that act at the same instant, the lower comes first.

    Attributes:
        done: set when its plan is fulfilled, confirms and all.
        refused: message-ids that it gave up, as the broker would not take them.
    """

    def __init__(self, spec: ProducerSpec, connect: Connect, pace: Pace, rank: int = 0) -> None:
        self.spec = spec
        self.done = trio.Event()
        self.refused: list[str] = []
        self._connect = connect
        self._pace = pace
        self._rank = rank
        self._lost_confirms = set(spec.lost_confirms)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Play; it has started once its channel is open."""
        async with self._connect(self.spec.name, 0) as connection:
            channel = await connection.channel()
            if self.spec.confirm != "off":
                await channel.select_confirms()
            task_status.started()
            plan = sorted(self.spec.plan, key=lambda publish: publish.at)
            if self.spec.confirm == "each":
                await self._publish_one_by_one(channel, plan)
            else:
                await self._publish_in_time(channel, plan)
            self.done.set()
            await trio.sleep_forever()

    async def _publish_in_time(self, channel: Channel, plan: list[Publish]) -> None:
        """Publish each at its tick, and see to its confirm on the side."""
        async with trio.open_nursery() as nursery:
            for publish in plan:
                await self._pace.sleep_until(publish.at, self._rank)
                confirm = await _publish(channel, publish)
                if confirm.number:
                    nursery.start_soon(self._see_to, channel, publish, confirm)

    async def _see_to(self, channel: Channel, publish: Publish, confirm: Confirm) -> None:
        """Wait for a confirm; if that gets lost, publish once more."""
        if publish.m in self._lost_confirms:
            self._lost_confirms.discard(publish.m)
            await self._pace.sleep(self.spec.resend_after, self._rank)
            confirm = await _publish(channel, publish)
        if not await _taken(confirm):
            self.refused.append(publish.m)

    async def _publish_one_by_one(self, channel: Channel, plan: list[Publish]) -> None:
        """Publish each at its tick, or when the one before it has its confirm."""
        earliest = 0.0
        for publish in plan:
            again: float | None = 0.0
            while again is not None:
                await self._pace.sleep_until(max(publish.at, earliest), self._rank)
                tried = self._pace.now
                again = await self._try(channel, publish)
                late = tried - publish.at > _LATE
                pace = self.spec.retry_after if late else None
                earliest = tried + (again or pace or 0.0)

    async def _try(self, channel: Channel, publish: Publish) -> float | None:
        """Publish a message; return after how many ticks to do so again, `None` if it is over."""
        confirm = await _publish(channel, publish)
        if publish.m in self._lost_confirms:
            self._lost_confirms.discard(publish.m)
            return self.spec.resend_after
        if await _taken(confirm):
            return None
        if self.spec.retry_after is None:
            self.refused.append(publish.m)
        return self.spec.retry_after


async def _publish(channel: Channel, publish: Publish) -> Confirm:
    headers: dict[str, Any] = dict(publish.headers)
    if publish.key:
        headers["key"] = publish.key
    properties = Properties(
        headers=from_python(headers) if headers else None,
        delivery_mode=2 if publish.persistent else None,
        priority=publish.priority,
        expiration=None if publish.expiration_ms is None else str(publish.expiration_ms),
        message_id=publish.m,
    )
    return await channel.publish(
        (publish.m if publish.body is None else publish.body).encode(),
        exchange=publish.exchange,
        routing_key=publish.routing_key,
        properties=properties,
    )


async def _taken(confirm: Confirm) -> bool:
    """Wait for the confirm; return whether the broker took the message."""
    try:
        await confirm.wait()
    except Nacked:
        return False
    return True

"""The same consumer as `pika_consumer`, of aio-pika's."""

import asyncio
import json
import sys
from typing import Any

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage, AbstractQueue


class Told:
    """Holds messages by what they are called."""

    connection: AbstractConnection
    channel: AbstractChannel
    queue: AbstractQueue

    async def consume(self, url: str, queue: str, tag: str, prefetch: int, auto: bool) -> None:
        properties: Any = {"connection_name": f"{tag} of aio-pika"}
        self.connection = await aio_pika.connect(url, client_properties=properties)
        self.channel = await self.connection.channel()
        await self.channel.set_qos(prefetch_count=prefetch)
        self.queue = await self.channel.get_queue(queue)
        self.arrived: asyncio.Queue[AbstractIncomingMessage] = asyncio.Queue()
        self.held: dict[str, AbstractIncomingMessage] = {}
        await self.queue.consume(self.arrived.put, no_ack=auto, consumer_tag=tag)

    async def take(self) -> dict[str, Any]:
        message = await self.arrived.get()
        label = message.message_id or message.body.decode()
        self.held[label] = message
        return {"m": label, "redelivered": message.redelivered}

    async def ack(self, m: str) -> None:
        await self.held[m].ack()
        await self.channel.declare_queue(self.queue.name, passive=True)

    async def close(self) -> None:
        await self.connection.close()


async def main() -> None:
    told = Told()
    while line := await asyncio.to_thread(sys.stdin.readline):
        wanted = json.loads(line)
        answer = await getattr(told, wanted.pop("do"))(**wanted)
        print(json.dumps(answer or {}), flush=True)


if __name__ == "__main__":
    asyncio.run(main())

"""A consumer of pika's that does what it is told: a line of JSON on stdin for each thing.

It answers each with a line, once the broker has done its part; that it takes no step by itself is
what makes tests certain.
"""

import json
import sys
from contextlib import suppress
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError


class Told:
    """Holds messages by what they are called."""

    connection: pika.BlockingConnection
    channel: BlockingChannel

    def consume(self, url: str, queue: str, tag: str, prefetch: int, auto: bool) -> None:
        parameters = pika.URLParameters(url)
        parameters.heartbeat = 0
        parameters.client_properties = {"connection_name": f"{tag} of pika"}
        self.connection = pika.BlockingConnection(parameters)
        self.channel = self.connection.channel()
        self.channel.basic_qos(prefetch_count=prefetch)
        self.queue, self.tag = queue, tag
        self.arrived: list[dict[str, Any]] = []
        self.tags: dict[str, int] = {}
        self.channel.basic_consume(queue, self._on_message, auto_ack=auto, consumer_tag=tag)

    def _on_message(
        self,
        _: BlockingChannel,
        method: pika.spec.Basic.Deliver,
        properties: pika.BasicProperties,
        body: bytes,
    ) -> None:
        label = properties.message_id or body.decode()
        self.tags[label] = method.delivery_tag
        self.arrived.append({"m": label, "redelivered": method.redelivered})

    def take(self) -> dict[str, Any]:
        while not self.arrived:
            self.connection.process_data_events(time_limit=None)
        return self.arrived.pop(0)

    def ack(self, m: str) -> None:
        self.channel.basic_ack(self.tags[m])
        self._round_trip()

    def nack(self, m: str) -> None:
        self.channel.basic_nack(self.tags[m], requeue=True)
        self._round_trip()

    def reject(self, m: str) -> None:
        self.channel.basic_reject(self.tags[m], requeue=True)
        self._round_trip()

    def cancel(self) -> None:
        self.channel.basic_cancel(self.tag)

    def close(self) -> None:
        with suppress(AMQPError):  # a test may have broken it
            self.connection.close()

    def _round_trip(self) -> None:
        self.channel.queue_declare(self.queue, passive=True)


def main() -> None:
    told = Told()
    for line in sys.stdin:
        wanted = json.loads(line)
        try:
            answer = getattr(told, wanted.pop("do"))(**wanted)
        except AMQPError as error:
            answer = {"lost": type(error).__name__}
        print(json.dumps(answer or {}), flush=True)


if __name__ == "__main__":
    main()

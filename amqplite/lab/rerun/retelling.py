"""A re-run's events under the recorded names."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from amqplite.broker.trace import Event
from amqplite.lab.rerun.cast import Cast
from amqplite.lab.rerun.ground import Ground
from amqplite.lab.rerun.inputs import Place, Sent
from amqplite.lab.rerun.post import Post


class Retelling:
    """Tells events as if the recorded clients were there."""

    def __init__(self, cast: Cast, post: Post, ground: Ground) -> None:
        self._cast = cast
        self._post = post
        self._ground = ground
        self._handed: dict[tuple[str, int], Event] = {}  # by consumer and delivery tag

    def place(self, event: Event) -> Place:
        """Return the message that an event is about, in the recorded queue."""
        vhost, queue = self._ground.origin(event.q) if event.q else ("", "")
        sent = self._sent(event)
        return (vhost, queue, 0 if sent is None else sent.id)

    def tell(self, events: list[Event]) -> Iterator[Event]:
        """Yield the events as they are to be read, still with the broker's numbers."""
        for event in events:
            sent = self._sent(event)
            if sent is not None and sent.there_before and event.type == "published":
                continue
            if event.type == "delivered":
                self._handed[event.c, event.tag] = event
            elif event.type == "late_ack_ignored":
                event = self._of_handout(event)
                sent = self._sent(event)
            yield replace(event, **self._of_queue(event), **self._of_message(event, sent))

    def labelled(self, event: Event) -> Event:
        """Return an event with the label that its message had."""
        sent = self._sent(event)
        return event if sent is None else replace(event, m=sent.m)

    def _of_handout(self, event: Event) -> Event:
        """Return a late ack with what it was about."""
        handed = self._handed.get((event.c, event.tag))
        if handed is None:
            return event
        return replace(event, q=handed.q, id=handed.id, s=handed.s, attempt=handed.attempt)

    def _sent(self, event: Event) -> Sent | None:
        return self._post.sent[event.id - 1] if 0 < event.id <= len(self._post.sent) else None

    def _of_queue(self, event: Event) -> dict[str, Any]:
        """Return who and where, by the recorded names."""
        told: dict[str, Any] = {}
        if event.q:
            told["v"], told["q"] = self._ground.shown(event.q)
        standin, sender = self._cast.connected(event.conn), self._post.named(event.conn)
        if standin is not None:
            told["conn"] = standin.line.conn
        elif sender is not None:
            told |= {"conn": sender.conn, "ch": event.ch and sender.ch}
            if event.p:
                told["p"] = sender.p
        taker = self._cast.named(event.c)
        if taker is not None:
            told["c"] = taker.c
            if event.text == event.c:
                told["text"] = taker.tag
        return told

    def _of_message(self, event: Event, sent: Sent | None) -> dict[str, Any]:
        """Return which message, as it was recorded."""
        if sent is None:
            return {}
        told: dict[str, Any] = {"id": sent.id, "m": sent.m}
        if event.type == "published":
            told |= {"exchange": sent.exchange, "key": sent.key, "size": sent.size}
            told["prio"] = sent.prio
        elif event.type == "enqueued":
            told["key"] = sent.key
        return told

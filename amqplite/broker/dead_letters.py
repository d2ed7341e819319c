"""Where messages go that a queue gives up (RabbitMQ: dead letter exchanges).

A message that is rejected, dropped or returned too often is published once more, to the queue's
dead-letter exchange, in the same breath as it leaves the queue: both reach the store in one commit,
so it is never in both places, nor in none. What it went through stands in its headers: `x-death`,
newest first, one entry for each queue and reason, and the first and last of them in plain headers.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from amqplite.broker.arguments import INTEGERS
from amqplite.broker.exchanges import resolve
from amqplite.broker.journal import Journal
from amqplite.broker.message import Message, address_of, whole_frames
from amqplite.broker.queue import Queue, enqueue
from amqplite.broker.redelivery import Reason

Table = dict[str, tuple[str, Any]]

_COUNT_MAX = (1 << 63) - 1
"""What a count can be on the wire, and a client may have sent."""


class HeaderCodec(Protocol):
    """Reads and writes the headers of a content header, which are octets to this package."""

    def read(self, header: bytes, /) -> Table:
        """Return the headers of a content header's payload; empty if it has none that is one."""
        ...

    def write(self, header: bytes, table: Table, /) -> bytes:
        """Return a content header's payload with other headers, and without an expiration."""
        ...

    def expiration(self, header: bytes, /) -> bytes | None:
        """Return the expiration that `write` takes away."""
        ...

    def persistent(self, header: bytes, /) -> bool:
        """Return whether it was published to survive a restart."""
        ...


class DeadLetters:
    """Publishes the dead letters of a vhost.

    Args:
        look_up: finds an exchange by its name.
        now_ms: tells the time.
    """

    def __init__(
        self,
        look_up: Callable[[str], Any],
        journal: Journal,
        codec: HeaderCodec,
        now_ms: Callable[[], int],
    ) -> None:
        self._journal = journal
        self._look_up = look_up
        self._codec = codec
        self._now_ms = now_ms
        self._given_up: deque[tuple[Queue, Message, Reason]] = deque()
        self._publishing = False

    def publish(self, queue: Queue, message: Message, reason: Reason) -> None:
        """Publish a message that `queue` gives up, if it has a dead-letter exchange.

        Where that exchange is not there, or routes to no queue, the message is dropped. What a
        dead letter makes another queue give up is published after it, not within: two full queues
        may give up all they have to each other.
        """
        self._given_up.append((queue, message, reason))
        if self._publishing:
            return
        self._publishing = True
        try:
            while self._given_up:
                self._publish(*self._given_up.popleft())
        finally:
            self._publishing = False

    def _publish(self, queue: Queue, message: Message, reason: Reason) -> None:
        settings = queue.settings
        name = settings.dead_letter_exchange
        exchange = None if name is None else self._look_up(name)
        if exchange is None:
            return
        header = message.header
        headers = self._codec.read(header)
        keys = _routing_keys(message, headers)
        deaths = _deaths(headers)
        headers = _died(
            headers,
            deaths,
            queue,
            message,
            reason,
            keys,
            self._now_ms() // 1000,
            self._codec.expiration(header),
        )
        if settings.dead_letter_routing_key is not None:
            keys = [settings.dead_letter_routing_key]
            headers.pop("CC", None)
        found, _ = resolve(exchange, keys, lambda: headers, self._look_up)
        header = self._codec.write(header, headers)
        letter = Message(
            address_of(exchange.name, keys[0]),
            whole_frames(header, (message.body,), 1),
            1,
            len(header),
            self._codec.persistent(header),
        )
        targets = [t for t in found if not _would_cycle(t, deaths, queue, reason)]
        enqueue(self._journal, letter, targets)


def _text(value: str) -> tuple[str, bytes]:
    return "S", value.encode(errors="surrogateescape")


def _routing_keys(message: Message, headers: Mapping[str, tuple[str, Any]]) -> list[str]:
    """Return the keys it was routed by: its own, and those of CC."""
    keys = [message.routing_key]
    tag, values = headers.get("CC", ("A", []))
    if tag == "A":
        keys += [v.decode(errors="surrogateescape") for t, v in values if t == "S"]
    return keys


def _deaths(headers: Mapping[str, tuple[str, Any]]) -> list[Table]:
    """Return the entries of `x-death` that make sense: clients send anything."""
    tag, entries = headers.get("x-death", ("A", []))
    if tag != "A":
        return []
    return [entry for t, entry in entries if t == "F" and _is_death(entry)]


def _is_death(entry: Table) -> bool:
    tags = {"queue": "S", "reason": "S", "count": INTEGERS}  # of any width: clients choose anew
    return all(name in entry and entry[name][0] in tag for name, tag in tags.items())


def _died(
    headers: Table,
    deaths: list[Table],
    queue: Queue,
    message: Message,
    reason: Reason,
    keys: list[str],
    now_s: int,
    expiration: bytes | None,
) -> Table:
    """Return the headers after one more death."""
    identity = _text(queue.name), _text(reason.value)
    before = [death for death in deaths if (death["queue"], death["reason"]) == identity]
    others = [death for death in deaths if (death["queue"], death["reason"]) != identity]
    if before:
        count = min(before[0]["count"][1] + 1, _COUNT_MAX)
        death = before[0] | {"count": ("l", count)}
    else:
        death = {
            "count": ("l", 1),
            "reason": _text(reason.value),
            "queue": _text(queue.name),
            "time": ("T", now_s),
            "exchange": _text(message.exchange),
            "routing-keys": ("A", [_text(key) for key in keys]),
        }
        if expiration is not None:
            death["original-expiration"] = ("S", expiration)
    last = {"queue": queue.name, "reason": reason.value, "exchange": message.exchange}
    headers = dict(headers)
    headers["x-death"] = ("A", [("F", death), *(("F", other) for other in others)])
    for name, value in last.items():
        headers.setdefault(f"x-first-death-{name}", _text(value))
        headers[f"x-last-death-{name}"] = _text(value)
    return headers


def _would_cycle(target: Queue, deaths: list[Table], queue: Queue, reason: Reason) -> bool:
    """Whether `target` had the message before, and no client has rejected it since.

    Such a message would go round for ever, with nobody ever seeing it.
    """
    if reason is Reason.REJECTED:
        return False
    if target is queue:
        return True
    for death in deaths:
        if death["reason"][1] == b"rejected":
            return False
        if death["queue"] == _text(target.name):
            return True
    return False

"""What the actors of a scenario are told to do: publish plans, consumers' habits, faults.

Times are in ticks, counted from the moment the play begins. Messages are named by their message-id.
Records here do nothing: `lab.producer` and `lab.worker` act on them, over any connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Headers = Mapping[str, str | int | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """One message of a producer's plan.

    Attributes:
        at: when it is published, in ticks.
        m: its message-id.
        exchange: where to; the default exchange goes to the queue of the routing key's name.
        key: what its order matters by, sent as the header `key`; empty is none.
        priority: 0 to 255; `None` is none.
        expiration_ms: time to live; `None` is none.
        persistent: whether it is to survive a restart of the broker.
        headers: more of them.
        body: the content; `None` is the message-id.
    """

    at: float
    m: str
    exchange: str = ""
    routing_key: str = "q"
    key: str = ""
    priority: int | None = None
    expiration_ms: int | None = None
    persistent: bool = False
    headers: Headers = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerSpec:
    """A publisher with a connection of its own.

    Attributes:
        name: its connection's name, and so the publisher's in the trace.
        plan: what it publishes, in order of time.
        confirm: `off`; `pipelined`, where nobody waits for a confirm before the next publish; or
            `each`, where everybody does.
        lost_confirms: message-ids whose confirm gets lost on its way, once each.
        resend_after: ticks from a publish whose confirm got lost to the same message's next.
        retry_after: with `each`, ticks from a refused publish (the broker's nack) to the next try;
            what is behind it moves back, at that pace. `None` gives the message up.
    """

    name: str = "p1"
    plan: tuple[Publish, ...] = ()
    confirm: Literal["off", "pipelined", "each"] = "pipelined"
    lost_confirms: frozenset[str] = frozenset()
    resend_after: float = 1.5
    retry_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How long a consumer works on a message, where that differs from what is usual for it.

    Attributes:
        m: the message-id.
        ticks: how long.
        attempt: of which hand-out, 1 for the first; 0 is every one.
    """

    m: str
    ticks: float
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSpec:
    """A consumer with a connection of its own; it works on one message at a time, in their order.

    Attributes:
        tag: its consumer tag, its connection's name, and so its name in the trace.
        start: when it registers, in ticks. Those of 0 have registered, in the order of their list,
            when the play begins.
        prefetch: most unacked deliveries; 0 is no limit.
        service: ticks that it works on a message.
        services: where that differs; of several that fit the first counts.
        auto_ack: the broker counts a delivery as acked (`no_ack`).
        dedupe: it keeps the message-ids whose effect it had, and skips these.
        nack: message-ids that it nacks instead of acking them, once each, without an effect.
        nack_requeue: whether these go back to the queue, or are rejected for good.
        lose_ack: message-ids after whose effect it dies before the ack is out, once each.
        poison: message-ids that kill it at the end of its work, each time, without an effect.
        restart: ticks after which it is back when a message of the two above killed it; `None` is
            never. A fault has its own.
        arguments: of its basic.consume.
        heartbeat_s: in seconds; 0 is none.
    """

    tag: str
    queue: str = "q"
    start: float = 0.0
    prefetch: int = 1
    service: float = 1.8
    services: tuple[Service, ...] = ()
    auto_ack: bool = False
    dedupe: bool = False
    nack: frozenset[str] = frozenset()
    nack_requeue: bool = True
    lose_ack: frozenset[str] = frozenset()
    poison: frozenset[str] = frozenset()
    restart: float | None = 1.0
    arguments: Headers = field(default_factory=dict)
    heartbeat_s: int = 0

    def ticks_for(self, m: str, attempt: int) -> float:
        """Return how long it works on this hand-out of a message."""
        for special in self.services:
            if special.m == m and special.attempt in (0, attempt):
                return special.ticks
        return self.service


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What befalls a consumer, and when: `crash c2 when started(m3) + 1.4`.

    It strikes once: the first time its anchor happens.

    Attributes:
        do: `crash`: its process dies, and the connection is reset. `silence`: it hangs, neither
            reads nor answers any more, and nobody knows. `cancel`: it cancels its consumer and
            finishes what it holds. `close`: it closes its connection in good order, and leaves what
            it holds. `slow`: its work takes `factor` times as long from the next message on.
            `nack` and `lose_ack`: the message that it works on, or the next one, is nacked, or its
            ack gets lost.
        target: the consumer's tag.
        when: the kind of event that it is anchored to, as `started`; empty is the play's begin.
        m: the message of that event; empty is any.
        by: the actor of that event; empty is the target.
        after: ticks from there.
        restart: ticks from a `crash`, `silence` or `close` until it is back; `None` is never.
    """

    do: Literal["crash", "silence", "cancel", "close", "slow", "nack", "lose_ack"]
    target: str
    when: str = ""
    m: str = ""
    by: str = ""
    after: float = 0.0
    restart: float | None = None
    factor: float = 2.0

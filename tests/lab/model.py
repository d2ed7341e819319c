"""A small queue on a clock of ticks, with consumers that work, die and give back: an oracle.

It knows nothing of the broker's code, and tells what happens as the broker's trace does. What is to
happen at one instant happens in the order in which it was planned.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from amqplite.broker.trace import Event

TICK = 400_000

Facts = dict[str, Any]


@dataclass(eq=False)
class Message:
    id: int
    m: str
    key: str = ""
    prio: int = 0
    p: str = "p1"


@dataclass(eq=False)
class Entry:
    message: Message
    s: int
    attempts: int = 0
    rank: int = 0


@dataclass(eq=False)
class Worker:
    """A consumer with one pair of hands; `service` is in ticks, by message-id and attempt."""

    name: str
    prefetch: int = 1
    service: float | Callable[[str, int], float] = 1.8
    auto: bool = False
    dedupe: bool = False
    nack: set[str] = field(default_factory=set)
    reject: set[str] = field(default_factory=set)
    lose_ack: set[str] = field(default_factory=set)
    poison: set[str] = field(default_factory=set)
    ack_timeout: float = 0
    restart: float | None = 1.0
    dies: dict[str, float] = field(default_factory=dict)
    detection: float = 0

    def __post_init__(self) -> None:
        self.up, self.cancelled, self.life = True, False, 0
        self.held: list[Entry] = []
        self.todo: deque[Entry] = deque()
        self.busy = False
        self.done: set[str] = set()

    def has_room(self) -> bool:
        free = self.auto or not self.prefetch or len(self.held) < self.prefetch
        return self.up and not self.cancelled and free


@dataclass(eq=False)
class Queue:
    name: str = "q"
    sac: bool = False
    max_length: int = 0
    refuses: bool = False
    limit: int = 0
    to_tail: bool = False
    dead_letter: "tuple[Queue, float] | None" = None
    """Where to, and after how many ticks there it goes on to where it came from; 0 is never."""

    def __post_init__(self) -> None:
        self.ready: list[Entry] = []
        self.workers: deque[Worker] = deque()
        self.entered = 0


class Model:
    """Queues and workers. Times are in ticks.

    Attributes:
        events: so far.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.now = 0.0
        self._plan: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._planned = count()
        self._ids = count(1)
        self._ranks = count(1 << 40)

    def at(self, tick: float, what: Callable[..., None], *args: Any) -> None:
        heappush(self._plan, (round(tick, 6), next(self._planned), what, args))

    def run(self, until: float = 10_000) -> "Model":
        while self._plan and self._plan[0][0] <= until:
            self.now, _, what, args = heappop(self._plan)
            what(*args)
        return self

    def tell(self, type_: str, queue: Queue | None = None, **told: Any) -> None:
        told = {"q": queue.name if queue else ""} | told
        at = round(self.now * TICK)
        self.events.append(Event(n=len(self.events) + 1, t=at, type=type_, **told))

    def _tell_of(self, type_: str, queue: Queue, entry: Entry, **told: Any) -> None:
        message = entry.message
        told = {"m": message.m, "id": message.id, "s": entry.s, "prio": message.prio} | told
        told.setdefault("depth", len(queue.ready))
        self.tell(type_, queue, **told)

    # -- publishing ------------------------------------------------------------------------------

    def publish(self, *queues: Queue, m: str = "", **facts: Any) -> None:
        id_ = next(self._ids)
        message = Message(id_, m or f"m{id_}", **facts)
        told: Facts = {"m": message.m, "id": id_, "p": message.p, "conn": message.p, "ch": 1}
        self.tell("published", **told, key=message.key, prio=message.prio)
        for queue in queues:
            self._enter(queue, message)

    def _enter(self, queue: Queue, message: Message, cause: str = "") -> Entry | None:
        has_room = any(worker.has_room() for worker in queue.workers)
        if queue.max_length and len(queue.ready) >= queue.max_length and not has_room:
            if queue.refuses:
                self.tell("refused", queue, m=message.m, id=message.id, cause="maxlen")
                return None
            self._leave(queue, queue.ready.pop(0), "maxlen")
        queue.entered += 1
        entry = Entry(message, queue.entered, rank=queue.entered)
        self._put(queue, entry)
        self._tell_of("enqueued", queue, entry, key=message.key, p=message.p, cause=cause)
        self._dispatch(queue)
        return entry

    def _put(self, queue: Queue, entry: Entry) -> None:
        queue.ready.append(entry)
        queue.ready.sort(key=lambda one: (-one.message.prio, one.rank))

    def _leave(self, queue: Queue, entry: Entry, cause: str) -> None:
        """A message is given up, to the dead-letter queue if there is one."""
        if queue.dead_letter is None:
            kind = "discarded" if cause == "rejected" else "dropped"
            self._tell_of(kind, queue, entry, cause=cause)
            return
        target, delay = queue.dead_letter
        self._tell_of("dead_lettered", queue, entry, cause=cause)
        waiting = self._enter(target, entry.message, "dlx_return")
        if delay and waiting:
            self.at(self.now + delay, self._return, target, queue, waiting)

    def _return(self, waiting: Queue, queue: Queue, entry: Entry) -> None:
        waiting.ready.remove(entry)
        self._tell_of("dead_lettered", waiting, entry, cause="ttl")
        self._enter(queue, entry.message, "dlx_return")

    # -- consuming -------------------------------------------------------------------------------

    def consume(self, queue: Queue, worker: Worker) -> None:
        queue.workers.append(worker)
        self._up(queue, worker)

    def _up(self, queue: Queue, worker: Worker) -> None:
        worker.up = True
        self.tell("consumer_registered", queue, c=worker.name, conn=worker.name, ch=1)
        self._dispatch(queue)

    def _dispatch(self, queue: Queue) -> None:
        while queue.ready:
            workers = [one for one in queue.workers if one.up and not one.cancelled]
            candidates = workers[:1] if queue.sac else workers
            worker = next((one for one in candidates if one.has_room()), None)
            if worker is None:
                return
            if not queue.sac:
                queue.workers.remove(worker)
                queue.workers.append(worker)
            self._hand_out(queue, worker, queue.ready.pop(0))

    def _hand_out(self, queue: Queue, worker: Worker, entry: Entry) -> None:
        entry.attempts += 1
        attempt = entry.attempts
        told: Facts = {"c": worker.name, "conn": worker.name, "ch": 1, "attempt": attempt}
        told |= {"redelivered": attempt > 1, "auto": worker.auto}
        self._tell_of("delivered", queue, entry, **told)
        if worker.auto:
            self._tell_of("acked", queue, entry, **told)
        else:
            worker.held.append(entry)
        worker.todo.append(entry)
        if worker.ack_timeout:
            self.at(self.now + worker.ack_timeout, self._time_out, queue, worker, entry, attempt)
        self._work(queue, worker)

    def _work(self, queue: Queue, worker: Worker) -> None:
        if worker.busy or not worker.todo:
            return
        worker.busy = True
        entry = worker.todo.popleft()
        m, attempt, service = entry.message.m, entry.attempts, worker.service
        ticks = service(m, attempt) if callable(service) else service
        self.tell("started", queue, c=worker.name, m=m, id=entry.message.id)
        self.at(self.now + ticks, self._finish, queue, worker, entry, attempt, worker.life)
        if m in worker.dies:
            self.at(self.now + worker.dies.pop(m), self.die, queue, worker)

    def _finish(self, queue: Queue, worker: Worker, entry: Entry, attempt: int, life: int) -> None:
        if life != worker.life:
            return
        worker.busy, m = False, entry.message.m
        if m in worker.poison:
            self.die(queue, worker)
            return
        if m not in worker.nack | worker.reject:
            seen = worker.dedupe and m in worker.done
            kind = "skipped_duplicate" if seen else "applied"
            self.tell(kind, queue, c=worker.name, m=m, id=entry.message.id)
            worker.done.add(m)
        if not worker.auto:
            self._settle(queue, worker, entry, attempt)
        if worker.up:
            self._work(queue, worker)
            self._dispatch(queue)

    def _settle(self, queue: Queue, worker: Worker, entry: Entry, attempt: int) -> None:
        told: Facts = {"c": worker.name, "conn": worker.name, "ch": 1}
        m = entry.message.m
        if entry not in worker.held or entry.attempts != attempt:
            self.tell("late_ack_ignored", queue, **told)
        elif m in worker.lose_ack:
            worker.lose_ack.discard(m)
            self.tell("ack_lost", queue, c=worker.name, m=m, id=entry.message.id)
            self.die(queue, worker)
        elif m in worker.nack:
            worker.nack.discard(m)
            worker.held.remove(entry)
            self._tell_of("nacked", queue, entry, requeue=True, **told)
            self._give_back(queue, worker, [entry], "nack_requeue", "")
        elif m in worker.reject:
            worker.reject.discard(m)
            worker.held.remove(entry)
            self._tell_of("rejected", queue, entry, **told)
            self._leave(queue, entry, "rejected")
        else:
            worker.held.remove(entry)
            self._tell_of("acked", queue, entry, **told)

    # -- what goes wrong -------------------------------------------------------------------------

    def die(self, queue: Queue, worker: Worker) -> None:
        worker.life += 1
        worker.busy = False
        worker.todo.clear()
        self.tell("crashed", queue, c=worker.name)
        self.at(self.now + worker.detection, self._notice, queue, worker)

    def _notice(self, queue: Queue, worker: Worker) -> None:
        worker.up = False
        cause, sub = "connection_lost", "heartbeat_timeout" if worker.detection else "eof"
        held, worker.held = worker.held, []
        self.tell("connection_lost", conn=worker.name, held=len(held), cause=cause, sub=sub)
        self._give_back(queue, worker, held, cause, sub)
        self._dispatch(queue)
        if worker.restart is not None:
            self.at(self.now + worker.restart, self._up, queue, worker)

    def _give_back(
        self, queue: Queue, worker: Worker, entries: list[Entry], cause: str, sub: str
    ) -> None:
        for entry in sorted(entries, key=lambda one: one.s):
            if queue.limit and entry.attempts > queue.limit:
                self._leave(queue, entry, "delivery_limit")
                continue
            if queue.to_tail:
                entry.rank = next(self._ranks)
            self._put(queue, entry)
            self._tell_of("requeued", queue, entry, c=worker.name, cause=cause, sub=sub)

    def _time_out(self, queue: Queue, worker: Worker, entry: Entry, attempt: int) -> None:
        if entry in worker.held and entry.attempts == attempt:
            worker.held.remove(entry)
            worker.up = False  # its channel is closed, and nobody tells its hands
            self._give_back(queue, worker, [entry], "ack_timeout", "")
            self._dispatch(queue)

    def cancel(self, queue: Queue, worker: Worker) -> None:
        worker.cancelled = True
        self.tell("consumer_cancelled", queue, c=worker.name, conn=worker.name, ch=1)
        self._dispatch(queue)


def two_workers(
    queue: Queue, *, keys: str = "", first: Worker | None = None, second: Worker | None = None
) -> Model:
    """m1 to m5, one a tick, to c2, which registers first, and c1."""
    model = Model()
    model.consume(queue, first or Worker("c2"))
    model.consume(queue, second or Worker("c1"))
    for i in range(5):
        key = keys[i] if keys else ""
        model.at(i, lambda key=key: model.publish(queue, key=key))
    return model


def figure_11_2(queue: Queue | None = None, **c2: Any) -> Model:
    """The book's figure: c2 dies 1.4 ticks into m3, and doesn't come back."""
    told = {"dies": {"m3": 1.4}, "restart": None} | c2
    c1 = Worker("c1", prefetch=told.get("prefetch", 1))
    return two_workers(queue or Queue(), first=Worker("c2", **told), second=c1)

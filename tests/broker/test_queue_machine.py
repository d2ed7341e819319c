"""Two queues on one journal, in every order of everything, against a model that is plainly right.

The window is so small that messages are spilled and read back all the time. The store is committed
to when a rule says so, in two steps, and the broker dies at any moment. What the machine found
stands in `test_queue.py` as scenarios with names.
"""

import sys
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from amqplite.broker.message import Entry
from amqplite.broker.queue import Queue
from amqplite.broker.records import split_key
from amqplite.broker.redelivery import Cause
from tests.broker.takers import Taker, message_of
from tests.rig import Rig, tiny

NAMES = ("a", "b")


def number_of(body: bytes) -> int:
    return int(body.split(b".")[0])


@dataclass(eq=False, repr=False)
class Model:
    """What a queue should hold: numbers of messages, in the order they were published.

    `handed_out` tells whether a message was ever handed out; `None` if that got lost in a crash,
    so that its redelivered flag may be either.
    """

    durable: bool
    settings: dict[str, Any]
    ready: list[int] = field(default_factory=list)
    unacked: set[int] = field(default_factory=set)
    persistent: set[int] = field(default_factory=set)
    handed_out: dict[int, bool | None] = field(default_factory=dict)
    takers: list[Taker] = field(default_factory=list)

    @property
    def single_active(self) -> bool:
        return self.settings.get("single_active_consumer") is True

    def refuses(self) -> bool:
        """Tell whether it is full, and says so."""
        full = len(self.ready) + 1 > self.settings.get("max_length", sys.maxsize)
        return full and self.settings["overflow"] == "reject-publish"

    def drop_head(self) -> None:
        if self.settings.get("overflow") == "drop-head":
            del self.ready[: max(0, len(self.ready) - self.settings["max_length"])]

    def stored(self) -> list[int]:
        """Return what has to survive."""
        if not self.durable:
            return []
        return sorted(n for n in {*self.ready, *self.unacked} if n in self.persistent)


@dataclass(eq=False, repr=False)
class Held:
    """A message that somebody was handed; `position`: what its basic.get-ok waits for."""

    queue: Queue
    model: Model
    entry: Entry
    number: int
    taker: Taker | None = None
    position: int = 0
    before: bool | None = False

    def __repr__(self) -> str:
        return f"<{self.number} of {self.queue.name}>"


Snapshot = dict[str, tuple[Model, list[int]]]
"""What a start has to find, by the queue's name."""


class QueueMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig(tiny())
        self.log: list[tuple[Taker, Entry, bool]] = []
        self.models: dict[str, Model] = {}
        self.held: list[Held] = []
        self.published = self.published_before = 0
        self.on_disk: Snapshot = {}
        self.in_flight: Snapshot = {}

    @initialize(
        durable=st.booleans(),
        single_active=st.booleans(),
        max_length=st.sampled_from([None, None, 5]),
        overflow=st.sampled_from(["drop-head", "reject-publish"]),
    )
    def declare(
        self, durable: bool, single_active: bool, max_length: int | None, overflow: str
    ) -> None:
        settings: dict[str, object] = {"single_active_consumer": single_active}
        if max_length is not None:
            settings |= {"max_length": max_length, "overflow": overflow}
        self._declare("a", durable, settings)
        self._declare("b", True, {})
        self.commit()

    def _declare(self, name: str, durable: bool, settings: dict[str, object]) -> None:
        self.rig.queue(name, durable=durable, **settings)
        self.models[name] = Model(durable, settings)

    def queue(self, name: str) -> Queue:
        return self.rig.queue(name)

    # -- what came of a rule ---------------------------------------------------------------------

    def observe(self) -> None:
        """Check each delivery since the last look: who got what, and in which order."""
        log, self.log[:] = list(self.log), []
        for taker, entry, redelivered in log:
            name = next(n for n in NAMES if taker in self.models[n].takers)
            model, number = self.models[name], number_of(entry.message.body)
            self._check_turn(model, taker)
            self._hand_out(model, number, redelivered)
            if not taker.no_ack:
                model.unacked.add(number)
                self.held.append(Held(self.queue(name), model, entry, number, taker))

    def _hand_out(self, model: Model, number: int, redelivered: bool) -> None:
        assert number == model.ready.pop(0), "not the oldest"
        if model.handed_out[number] is not None:
            assert redelivered is model.handed_out[number]
        model.handed_out[number] = True

    def _check_turn(self, model: Model, taker: Taker) -> None:
        assert self._may_take(model, taker), "beyond its prefetch, or not its turn"
        for other in model.takers:
            assert other.priority <= taker.priority or not self._may_take(model, other)

    def _may_take(self, model: Model, taker: Taker) -> bool:
        if model.single_active and taker is not model.takers[0]:
            return False
        holds = sum(held.taker is taker for held in self.held)
        return not taker.full and (taker.no_ack or not taker.prefetch or holds < taker.prefetch)

    # -- publishing ------------------------------------------------------------------------------

    @rule(
        persistent=st.booleans(),
        to=st.sampled_from([("a",), ("b",), ("a", "b")]),
        size=st.sampled_from([0, 0, 0, 300, 1200]),
    )
    def publish(self, persistent: bool, to: tuple[str, ...], size: int) -> None:
        self.published += 1
        body = b"%d." % self.published + b"x" * size
        message = message_of(body, persistent=persistent)
        if persistent and all(self.models[name].durable for name in to) and len(to) > 1:
            self.rig.journal.share(message)
        for name in to:
            model = self.models[name]
            refused = model.refuses()
            if not refused:
                model.ready.append(self.published)
                model.handed_out[self.published] = False
            if persistent:
                model.persistent.add(self.published)
            assert self.queue(name).push(message) is not refused
            self.observe()
            model.drop_head()

    @rule(
        name=st.sampled_from(NAMES),
        kinds=st.lists(st.booleans(), min_size=4, max_size=9),
        commits=st.booleans(),
    )
    def publish_many(self, name: str, kinds: list[bool], commits: bool) -> None:
        for persistent in sorted(kinds, reverse=len(kinds) % 2 == 0):
            self.publish(persistent, (name,), 0)
        if commits:
            self.commit()

    # -- consuming -------------------------------------------------------------------------------

    @rule(
        name=st.sampled_from(NAMES),
        prefetch=st.sampled_from([0, 1, 1, 2, 3]),
        no_ack=st.sampled_from([False, False, True]),
        priority=st.sampled_from([0, 0, 1, -1]),
    )
    def consume(self, name: str, prefetch: int, no_ack: bool, priority: int) -> None:
        model = self.models[name]
        if len(model.takers) == 2:
            return
        taker = Taker(prefetch, no_ack=no_ack, priority=priority, log=self.log)
        model.takers.append(taker)
        self.queue(name).add_consumer(taker)
        self.queue(name).dispatch()
        self.observe()

    def _any_taker(self, data: st.DataObject) -> tuple[str, Taker]:
        return data.draw(st.sampled_from([(n, t) for n in NAMES for t in self.models[n].takers]))

    @property
    def has_takers(self) -> bool:
        return any(model.takers for model in self.models.values())

    @precondition(lambda self: self.has_takers)
    @rule(data=st.data(), dies=st.booleans())
    def cancel(self, data: st.DataObject, dies: bool) -> None:
        """A consumer is cancelled and its channel goes on to hold what it got; or both are gone."""
        name, taker = self._any_taker(data)
        self.models[name].takers.remove(taker)
        self.queue(name).remove_consumer(taker)
        if dies:
            self._requeue([held for held in self.held if held.taker is taker])
        self.queue(name).dispatch()
        self.observe()

    @precondition(lambda self: self.has_takers)
    @rule(data=st.data(), suspended=st.booleans())
    def fill(self, data: st.DataObject, suspended: bool) -> None:
        """A consumer's outbox fills up; or an ack is late."""
        name, taker = self._any_taker(data)
        taker.full = True
        if suspended:
            self.queue(name).suspend(taker)

    @precondition(lambda self: self.has_takers)
    @rule(data=st.data())
    def empty(self, data: st.DataObject) -> None:
        name, taker = self._any_taker(data)
        taker.full = False
        self.queue(name).enlist(taker)
        self.queue(name).dispatch()
        self.observe()

    @rule(name=st.sampled_from(NAMES))
    def get(self, name: str) -> None:
        queue, model = self.queue(name), self.models[name]
        got = queue.get()
        if got is None:
            assert model.ready == []
            return
        entry, position = got
        number = number_of(entry.message.body)
        before = model.handed_out[number]
        self._hand_out(model, number, entry.deliveries > 1)
        model.unacked.add(number)
        self.held.append(Held(queue, model, entry, number, None, position, before))

    # -- settling --------------------------------------------------------------------------------

    @property
    def received(self) -> list[Held]:
        """What clients have heard of, and so may settle."""
        return [held for held in self.held if held.position <= self.rig.journal.durable]

    @precondition(lambda self: self.received)
    @rule(data=st.data(), rejects=st.booleans())
    def settle(self, data: st.DataObject, rejects: bool) -> None:
        held = data.draw(st.sampled_from(self.received))
        (held.queue.reject if rejects else held.queue.settle)(held.entry)
        held.model.unacked.discard(held.number)
        self._let_go(held)
        self._give_credit_back([held])

    @precondition(lambda self: self.received)
    @rule(data=st.data())
    def requeue(self, data: st.DataObject) -> None:
        some = data.draw(st.lists(st.sampled_from(self.received), min_size=1, unique=True))
        self._requeue(some)
        self._give_credit_back(some)

    def _requeue(self, some: list[Held]) -> None:
        for queue in {held.queue: None for held in some}:
            queue.requeue([held.entry for held in some if held.queue is queue], Cause.NACK)
        for held in some:
            if held.number in held.model.unacked:
                held.model.unacked.discard(held.number)
                held.model.ready.append(held.number)
                held.model.ready.sort()
            self._let_go(held)
        for model in {held.model: None for held in some}:
            model.drop_head()

    def _let_go(self, held: Held) -> None:
        self.held.remove(held)
        if held.taker is not None:
            held.taker.held.remove(held.entry)

    def _give_credit_back(self, some: list[Held]) -> None:
        for name, model in self.models.items():
            for taker in {held.taker for held in some if held.model is model}:
                if taker in model.takers:
                    self.queue(name).enlist(taker)
            self.queue(name).dispatch()
        self.observe()

    @rule(name=st.sampled_from(NAMES))
    def purge(self, name: str) -> None:
        model = self.models[name]
        assert self.queue(name).purge() == len(model.ready)
        model.ready.clear()

    def delete(self, name: str) -> None:
        """Delete a queue, whatever is unacked, and declare it again."""
        model, queue = self.models[name], self.queue(name)
        assert self.rig.vhost.remove_queue(queue) == len(model.ready)
        assert all(taker.gone for taker in model.takers)
        for old in (held for held in self.held if held.model is model):
            old.model.unacked.discard(old.number)
        self._declare(name, model.durable, model.settings)
        self.observe()

    # -- the store -------------------------------------------------------------------------------

    @precondition(lambda self: not self.rig.committing)
    @rule()
    def take(self) -> None:
        self.in_flight = self._snapshot()
        self.rig.take()

    @precondition(lambda self: self.rig.committing)
    @rule()
    def write(self) -> None:
        self.on_disk = self.in_flight
        self.rig.write()
        self.observe()

    @rule()
    def commit(self) -> None:
        if self.rig.committing:
            self.write()
        while self.rig.journal.position > self.rig.journal.taken:
            self.take()
            self.write()

    @precondition(lambda self: self.published >= self.published_before + 6)
    @rule(how=st.sampled_from(["crash", "crash behind a commit", "stop", "delete a", "delete b"]))
    def end(self, how: str) -> None:
        """Something ends that rarely does."""
        self.published_before = self.published
        match how.split():
            case ["crash", *behind]:
                self.crash(written=bool(behind))
            case ["stop"]:
                self.stop_and_start()
            case ["delete", name]:
                self.delete(name)

    def crash(self, written: bool) -> None:
        """The process dies; the commit under way, if there is one, has reached the disk or not."""
        for held in self.held:
            if held.position > self.rig.journal.durable:
                held.model.handed_out[held.number] = held.before  # its get-ok was never sent
        if written and self.rig.committing:
            self.on_disk = self.in_flight
        self.rig.crash(written=written)
        self._start_again()
        for model in self.models.values():
            model.handed_out = {n: out or None for n, out in model.handed_out.items()}

    def stop_and_start(self) -> None:
        """Everybody is sent away, and what they held is back before the broker stops."""
        for name, model in self.models.items():
            for taker in model.takers:
                self.queue(name).remove_consumer(taker)
            model.takers.clear()
        self._requeue(list(self.held))
        if self.rig.committing:
            self.write()
        self.rig.stop_and_start()
        self.on_disk = self._snapshot()
        self._start_again()

    def _snapshot(self) -> Snapshot:
        return {name: (model, model.stored()) for name, model in self.models.items()}

    def _start_again(self) -> None:
        self.held.clear()
        for name, (model, survivors) in self.on_disk.items():
            self.models[name] = model
            model.ready, model.takers = list(survivors), []
            model.unacked.clear()
            if not model.durable:
                self._declare(name, False, model.settings)

    # -- what always holds -----------------------------------------------------------------------

    @invariant()
    def every_message_is_in_one_place(self) -> None:
        for name, model in self.models.items():
            assert self.queue(name).ready == len(model.ready)
            assert self.queue(name).unacked == len(model.unacked)

    @invariant()
    def nobody_waits_for_what_is_ready(self) -> None:
        for model in self.models.values():
            if model.ready and (self.rig.idle or not model.durable):
                assert not any(self._may_take(model, taker) for taker in model.takers)

    @invariant()
    def the_store_has_what_it_should(self) -> None:
        if not self.rig.idle:
            return
        store = self.rig.store
        for name, model in self.models.items():
            stored = self._stored(self.queue(name).queue_id) if model.durable else []
            assert stored == model.stored()
        assert {row[2] for row in store.messages.values()} - {None} == set(store.contents)

    def _stored(self, queue_id: int) -> list[int]:
        store = self.rig.store
        page = store.page(queue_id << 40, (queue_id + 1 << 40) - 1, 10_000)
        return [number_of(row[6]) for row in page if row[7]]

    @invariant()
    def nothing_stays_spilled_that_is_gone(self) -> None:
        if not self.rig.idle:
            return
        ready = {}
        for name, model in self.models.items():
            backlog = self.queue(name).backlog
            ready |= dict.fromkeys((backlog.queue_id, *backlog.taken_ids), model.ready)
        for key, row in self.rig.store.spilled.items():
            assert number_of(row[6] or b"") in ready[split_key(key)[0]]

    def teardown(self) -> None:
        """Let a last consumer take all there is: what is left is nothing."""
        if sys.exception() is not None or not self.models:
            return
        self.stop_and_start()
        for name in NAMES:
            self.consume(name, 0, False, 0)
        self.commit()
        for held in list(self.held):
            held.queue.settle(held.entry)
        for name, model in self.models.items():
            assert model.ready == [], name
        self.commit()
        store = self.rig.store
        assert (store.messages, store.contents, store.spilled) == ({}, {}, {})


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = settings(
    max_examples=200,
    stateful_step_count=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

"""A vhost: what may be declared, bound and deleted, by whom, and what of it is stored."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from amqplite.broker.queue import Queue
from amqplite.broker.records import BindingRow, ExchangeRow, QueueRow
from amqplite.broker.users import User
from amqplite.broker.vhost import Vhost
from amqplite.errors import AccessRefused, AmqpError, NotFound, PreconditionFailed, ResourceLocked
from amqplite.protocol.fields import encode_table, from_python
from tests.broker.takers import Taker, message_of
from tests.rig import Rig

ME, ANOTHER = "my connection", "another connection"
LOCKED = (
    "cannot obtain exclusive access to locked queue 'q' in vhost '/'. It could be originally "
    "declared on another connection or the exclusive property value does not match that of the "
    "original declaration."
)


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def vhost(rig: Rig) -> Vhost:
    return rig.vhost


# -- exchanges -----------------------------------------------------------------------------------


def test_an_exchange_is_declared_once(vhost: Vhost) -> None:
    made = vhost.declare_exchange(None, "x", "topic", durable=True)
    assert vhost.declare_exchange(None, "x", "topic", durable=True) is made
    assert vhost.exchange("x") is made


def test_an_exchange_that_is_not_there(vhost: Vhost) -> None:
    with pytest.raises(NotFound) as caught:
        vhost.exchange("x")
    assert str(caught.value) == "no exchange 'x' in vhost '/'"


def test_line_ends_in_names_are_dropped(vhost: Vhost) -> None:
    assert vhost.declare_exchange(None, "x\r\n", "topic").name == "x"
    assert vhost.declare_queue(None, "q\n", ME).name == "q"
    vhost.bind_queue(None, ME, "x\r", "q\r", "k\r")
    assert [b.routing_key for b in vhost.exchange("x").bindings.values()] == ["k\r"]
    vhost.delete_queue(None, "\nq", ME)
    vhost.delete_exchange(None, "\nx")
    assert (vhost.queues, "x" in vhost.exchanges) == ({}, False)


EXCHANGES: list[tuple[dict[str, Any], str]] = [
    ({"type_": "fanout"}, "'type' for exchange 'x' in vhost '/': received 'fanout' but current is "
     "'topic'"),
    ({"durable": False}, "'durable' for exchange 'x' in vhost '/': received 'false' but current is "
     "'true'"),
    ({"auto_delete": True}, "'auto_delete' for exchange 'x' in vhost '/': received 'true' but "
     "current is 'false'"),
    ({"internal": True}, "'internal' for exchange 'x' in vhost '/': received 'true' but current is "
     "'false'"),
    ({"arguments": {}}, "'alternate-exchange' for exchange 'x' in vhost '/': received none but "
     "current is the value 'a' of type 'longstr'"),
    ({"arguments": {"alternate-exchange": ("S", b"b")}}, "'alternate-exchange' for exchange 'x' in "
     "vhost '/': received 'b' but current is 'a'"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "text"), EXCHANGES)
def test_an_exchange_can_not_be_declared_otherwise(
    vhost: Vhost, changes: dict[str, Any], text: str
) -> None:
    given = {"durable": True, "arguments": {"alternate-exchange": ("S", b"a")}}
    vhost.declare_exchange(None, "x", "topic", **given)
    changed: dict[str, Any] = {"type_": "topic", **given, **changes}
    with pytest.raises(PreconditionFailed) as caught:
        vhost.declare_exchange(None, "x", **changed)
    assert str(caught.value) == f"inequivalent arg {text}"


def test_arguments_that_nobody_heeds_may_differ(vhost: Vhost) -> None:
    vhost.declare_exchange(None, "x", "topic", arguments={"mine": ("I", 1)})
    vhost.declare_exchange(None, "x", "topic", arguments={"mine": ("I", 2)})


def test_an_alternate_exchange_where_there_was_none(vhost: Vhost) -> None:
    vhost.declare_exchange(None, "x", "topic")
    with pytest.raises(PreconditionFailed, match="received the value 'a' of type 'longstr' but "):
        vhost.declare_exchange(None, "x", "topic", arguments={"alternate-exchange": ("S", b"a")})


REFUSED: list[tuple[Callable[[Vhost], object], type[AmqpError], str]] = [
    (
        lambda v: v.declare_exchange(None, "", "direct"),
        AccessRefused,
        "operation not permitted on the default exchange",
    ),
    (
        lambda v: v.delete_exchange(None, "amq.default"),
        AccessRefused,
        "operation not permitted on the default exchange",
    ),
    (
        lambda v: v.bind_queue(None, ME, "", "q", ""),
        AccessRefused,
        "operation not permitted on the default exchange",
    ),
    (
        lambda v: v.bind_exchange(None, "amq.topic", "", ""),
        AccessRefused,
        "operation not permitted on the default exchange",
    ),
    (
        lambda v: v.declare_exchange(None, "amq.mine", "direct"),
        AccessRefused,
        "exchange name 'amq.mine' contains reserved prefix 'amq.*'",
    ),
    (
        lambda v: v.declare_queue(None, "amq.mine", ME),
        AccessRefused,
        "queue name 'amq.mine' contains reserved prefix 'amq.*'",
    ),
    (
        lambda v: v.delete_exchange(None, "amq.topic"),
        AccessRefused,
        "deletion of system exchange 'amq.topic' in vhost '/' not allowed",
    ),
    (
        lambda v: v.declare_exchange(None, "x", "odd"),
        PreconditionFailed,
        "unknown exchange type 'odd'",
    ),
    (
        lambda v: v.bind_queue(None, ME, "none", "q", ""),
        NotFound,
        "no exchange 'none' in vhost '/'",
    ),
    (
        lambda v: v.bind_queue(None, ME, "amq.topic", "none", ""),
        NotFound,
        "no queue 'none' in vhost '/'",
    ),
    (
        lambda v: v.bind_exchange(None, "amq.topic", "none", ""),
        NotFound,
        "no exchange 'none' in vhost '/'",
    ),
    (
        lambda v: v.bind_queue(None, ANOTHER, "amq.topic", "q", ""),
        ResourceLocked,
        LOCKED,
    ),
    (
        lambda v: v.unbind_queue(None, ANOTHER, "amq.topic", "q", ""),
        ResourceLocked,
        LOCKED,
    ),
    (lambda v: v.queue("q", ANOTHER), ResourceLocked, LOCKED),
    (lambda v: v.delete_queue(None, "q", ANOTHER), ResourceLocked, LOCKED),
    (lambda v: v.declare_queue(None, "q", ANOTHER, exclusive=True), ResourceLocked, LOCKED),
    (lambda v: v.declare_queue(None, "q", ME), ResourceLocked, LOCKED),
    (
        lambda v: v.declare_queue(None, "t", ME, durable=True),
        PreconditionFailed,
        "inequivalent arg 'durable' for queue 't' in vhost '/': received 'true' but current is "
        "'false'",
    ),
    (
        lambda v: v.declare_queue(None, "t", ME, auto_delete=True),
        PreconditionFailed,
        "inequivalent arg 'auto_delete' for queue 't' in vhost '/': received 'true' but current "
        "is 'false'",
    ),
    (
        lambda v: v.declare_queue(None, "t", ME, arguments={"x-expires": ("I", 5)}),
        PreconditionFailed,
        "inequivalent arg 'x-expires' for queue 't' in vhost '/': received the value '5' of type "
        "'signedint' but current is none",
    ),
    (
        lambda v: v.declare_queue(None, "n", ME, arguments={"x-expires": ("I", 0)}),
        PreconditionFailed,
        "invalid arg 'x-expires' for queue 'n' in vhost '/': 0 is below 1",
    ),
    (
        lambda v: v.bind_queue(None, ME, "amq.headers", "q", "", {"x-match": ("S", b"some")}),
        PreconditionFailed,
        "Invalid x-match field value 'some'; expected all, any, all-with-x, or any-with-x",
    ),
]


@pytest.mark.parametrize(("act", "error", "text"), REFUSED)
def test_what_can_not_be(
    vhost: Vhost, act: Callable[[Vhost], object], error: type[AmqpError], text: str
) -> None:
    vhost.declare_queue(None, "q", ME, exclusive=True)
    vhost.declare_queue(None, "t", ME)
    revision = vhost.revision
    with pytest.raises(error) as caught:
        act(vhost)
    assert str(caught.value) == text
    assert vhost.revision == revision


# -- permissions ---------------------------------------------------------------------------------

Act = Callable[[Vhost, User], object]

NEEDS: list[tuple[Act, list[tuple[str, str]], str]] = [
    (
        lambda v, u: v.declare_exchange(u, "new", "topic"),
        [("configure", "exchange 'new'")],
        "declare an exchange",
    ),
    (
        lambda v, u: v.declare_exchange(
            u, "new", "topic", arguments={"alternate-exchange": ("S", b"x")}
        ),
        [("configure", "exchange 'new'"), ("read", "exchange 'new'"), ("write", "exchange 'x'")],
        "declare an exchange with an alternate one",
    ),
    (
        lambda v, u: v.delete_exchange(u, "x"),
        [("configure", "exchange 'x'")],
        "delete an exchange",
    ),
    (
        lambda v, u: v.declare_queue(u, "new", ME),
        [("configure", "queue 'new'")],
        "declare a queue",
    ),
    (
        lambda v, u: v.declare_queue(
            u, "new", ME, arguments={"x-dead-letter-exchange": ("S", b"x")}
        ),
        [("configure", "queue 'new'"), ("read", "queue 'new'"), ("write", "exchange 'x'")],
        "declare a queue with a dead-letter exchange",
    ),
    (lambda v, u: v.delete_queue(u, "q", ME), [("configure", "queue 'q'")], "delete a queue"),
    (
        lambda v, u: v.bind_queue(u, ME, "x", "q", ""),
        [("write", "queue 'q'"), ("read", "exchange 'x'")],
        "bind a queue",
    ),
    (
        lambda v, u: v.unbind_queue(u, ME, "x", "q", ""),
        [("write", "queue 'q'"), ("read", "exchange 'x'")],
        "unbind a queue",
    ),
    (
        lambda v, u: v.bind_exchange(u, "x", "y", ""),
        [("write", "exchange 'y'"), ("read", "exchange 'x'")],
        "bind an exchange",
    ),
    (
        lambda v, u: v.unbind_exchange(u, "x", "y", ""),
        [("write", "exchange 'y'"), ("read", "exchange 'x'")],
        "unbind an exchange",
    ),
    (lambda v, u: v.readable_queue(u, "q", ME), [("read", "queue 'q'")], "read from a queue"),
]


@pytest.mark.parametrize(("act", "needs"), [pytest.param(*row[:2], id=row[2]) for row in NEEDS])
def test_it_takes_a_permission_to(
    rig: Rig, vhost: Vhost, act: Act, needs: list[tuple[str, str]]
) -> None:
    vhost.declare_queue(None, "q", ME)
    for name in ("x", "y"):
        vhost.declare_exchange(None, name, "topic")
    guest = rig.broker.users.get("guest")
    assert guest is not None
    for missing, what in needs:
        allowed = {name: "" if name == missing else ".*" for name in ("configure", "write", "read")}
        rig.broker.users.set_permissions("guest", "/", **allowed)
        with pytest.raises(AccessRefused) as caught:
            act(vhost, guest)
        text = f"{missing} access to {what} in vhost '/' refused for user 'guest'"
        assert str(caught.value) == text
    allowed = dict.fromkeys(("configure", "write", "read"), "")
    rig.broker.users.set_permissions("guest", "/", **allowed | {need: ".*" for need, _ in needs})
    act(vhost, guest)


# -- bindings and deleting -----------------------------------------------------------------------


def test_a_binding_twice_is_one_and_unbinding_what_is_not_bound_is_fine(vhost: Vhost) -> None:
    vhost.declare_queue(None, "q", ME)
    for _ in range(2):
        vhost.bind_queue(None, ME, "amq.topic", "q", "#")
    assert len(vhost.exchange("amq.topic").bindings) == 1
    for _ in range(2):
        vhost.unbind_queue(None, ME, "amq.topic", "q", "#")
    assert vhost.exchange("amq.topic").bindings == {}
    for source, queue in (("none", "q"), ("amq.topic", "none")):
        vhost.unbind_queue(None, ME, source, queue, "#")
        vhost.unbind_exchange(None, source, queue, "#")


def test_the_revision_rises_with_what_may_lead_elsewhere(vhost: Vhost) -> None:
    acts: list[Callable[[], object]] = [
        lambda: vhost.declare_exchange(None, "x", "topic"),
        lambda: vhost.declare_queue(None, "q", ME),
        lambda: vhost.bind_queue(None, ME, "x", "q", ""),
        lambda: vhost.bind_exchange(None, "x", "amq.topic", ""),
        lambda: vhost.unbind_exchange(None, "x", "amq.topic", ""),
        lambda: vhost.unbind_queue(None, ME, "x", "q", ""),
        lambda: vhost.delete_queue(None, "q", ME),
        lambda: vhost.delete_exchange(None, "x"),
    ]
    for act in acts:
        before = vhost.revision
        act()
        assert vhost.revision > before


def test_deleting_what_is_not_there_is_fine(vhost: Vhost) -> None:
    vhost.delete_exchange(None, "none")
    assert vhost.delete_queue(None, "none", ME) == 0
    queue = vhost.declare_queue(None, "q", ME)
    vhost.remove_queue(queue)
    assert vhost.remove_queue(queue) == 0


def test_an_exchange_in_use_may_be_kept(vhost: Vhost) -> None:
    vhost.declare_exchange(None, "x", "topic")
    vhost.bind_exchange(None, "x", "amq.topic", "")
    with pytest.raises(PreconditionFailed) as caught:
        vhost.delete_exchange(None, "x", if_unused=True)
    assert str(caught.value) == "exchange 'x' in vhost '/' in use"
    vhost.unbind_exchange(None, "x", "amq.topic", "")
    vhost.delete_exchange(None, "x", if_unused=True)
    assert "x" not in vhost.exchanges


def test_a_queue_in_use_or_not_empty_may_be_kept(vhost: Vhost) -> None:
    queue, taker = vhost.declare_queue(None, "q", ME), Taker(prefetch=1)
    queue.add_consumer(taker)
    with pytest.raises(PreconditionFailed, match="queue 'q' in vhost '/' in use"):
        vhost.delete_queue(None, "q", ME, if_unused=True)
    queue.push(message_of(b"1"))
    queue.push(message_of(b"2"))
    with pytest.raises(PreconditionFailed, match="queue 'q' in vhost '/' not empty"):
        vhost.delete_queue(None, "q", ME, if_empty=True)
    assert vhost.delete_queue(None, "q", ME) == 1
    assert taker.gone


def test_a_deleted_exchange_takes_its_bindings_from_both_ends(vhost: Vhost) -> None:
    vhost.declare_queue(None, "q", ME)
    for name in ("a", "b", "c"):
        vhost.declare_exchange(None, name, "fanout")
    vhost.bind_exchange(None, "a", "b", "")
    vhost.bind_exchange(None, "b", "c", "")
    vhost.bind_queue(None, ME, "b", "q", "")
    vhost.delete_exchange(None, "b")
    assert vhost.exchange("a").bindings == {}
    vhost.delete_exchange(None, "c")
    vhost.delete_queue(None, "q", ME)
    vhost.declare_exchange(None, "b", "fanout")
    assert vhost.exchange("b").bindings == {}


def test_an_exchange_bound_to_itself_is_deleted(vhost: Vhost) -> None:
    vhost.declare_exchange(None, "x", "fanout", durable=True, auto_delete=True)
    vhost.bind_exchange(None, "x", "x", "")
    vhost.delete_exchange(None, "x")
    assert "x" not in vhost.exchanges


@pytest.mark.parametrize("how", ["unbind", "delete"])
def test_an_auto_delete_exchange_goes_with_its_last_binding(vhost: Vhost, how: str) -> None:
    vhost.declare_exchange(None, "x", "fanout", auto_delete=True)
    for name in ("q1", "q2"):
        vhost.declare_queue(None, name, ME)
        vhost.bind_queue(None, ME, "x", name, "")
    for name in ("q1", "q2"):
        assert "x" in vhost.exchanges
        if how == "unbind":
            vhost.unbind_queue(None, ME, "x", name, "")
        else:
            vhost.delete_queue(None, name, ME)
    assert "x" not in vhost.exchanges


def test_an_auto_delete_exchange_that_never_had_a_binding_stays(vhost: Vhost) -> None:
    vhost.declare_exchange(None, "x", "fanout", auto_delete=True)
    vhost.bind_exchange(None, "amq.topic", "x", "")
    vhost.unbind_exchange(None, "amq.topic", "x", "")
    assert "x" in vhost.exchanges


@pytest.mark.parametrize("length", [2, 30, 500])
def test_a_chain_of_auto_delete_exchanges_goes_as_a_whole(vhost: Vhost, length: int) -> None:
    names = [f"x{number}" for number in range(length)]
    for name in names:
        vhost.declare_exchange(None, name, "fanout", auto_delete=True)
    for source, destination in pairwise(names):
        vhost.bind_exchange(None, source, destination, "")
    queue = vhost.declare_queue(None, "q", ME)
    vhost.bind_queue(None, ME, names[-1], "q", "")
    vhost.remove_queue(queue)
    assert not set(names) & set(vhost.exchanges)


# -- queues --------------------------------------------------------------------------------------


def test_a_name_is_made_for_a_queue_that_has_none(vhost: Vhost) -> None:
    assert vhost.declare_queue(None, "", ME).name == "amq.gen-1"
    assert vhost.declare_queue(None, "\r\n", ME).name == "amq.gen-2"
    assert vhost.declare_queue(None, "amq.gen-1", ME).name == "amq.gen-1"


def test_an_exclusive_queue_is_not_durable_and_goes_with_its_owner(rig: Rig, vhost: Vhost) -> None:
    mine = vhost.declare_queue(None, "mine", ME, exclusive=True, durable=True)
    vhost.declare_queue(None, "theirs", ANOTHER, exclusive=True)
    vhost.declare_queue(None, "all", ME)
    assert (mine.durable, mine.owner) == (False, ME)
    assert vhost.declare_queue(None, "mine", ME, exclusive=True) is mine
    vhost.declare_queue(None, "deleted", ME, exclusive=True)
    vhost.delete_queue(None, "deleted", ME)
    vhost.remove_queues_of(ME)
    vhost.remove_queues_of(ME)
    assert list(vhost.queues) == ["theirs", "all"]


def test_an_auto_delete_queue_goes_only_if_it_had_a_consumer(vhost: Vhost) -> None:
    queue = vhost.declare_queue(None, "q", ME, auto_delete=True)
    plain = vhost.declare_queue(None, "plain", ME)
    for each in (queue, plain):
        vhost.remove_if_unused(each)
        first, second = Taker(), Taker()
        each.add_consumer(first)
        each.add_consumer(second)
        each.remove_consumer(first)
        vhost.remove_if_unused(each)
        assert each.name in vhost.queues
        each.remove_consumer(second)
        vhost.remove_if_unused(each)
    assert list(vhost.queues) == ["plain"]


def test_a_queue_is_bound_to_the_default_exchange_by_its_name(vhost: Vhost) -> None:
    queue = vhost.declare_queue(None, "q", ME)
    assert list(vhost.exchange("").route("q", None)) == [queue]
    vhost.remove_queue(queue)
    assert list(vhost.exchange("").route("q", None)) == []


def test_a_spilled_queues_number_comes_back_when_it_goes() -> None:
    rig = Rig()
    queues: list[Queue] = [rig.queue(f"q{n}", durable=False) for n in range(2)]
    for queue in queues:
        for _ in range(5000):
            queue.push(message_of(b"", persistent=False))
    assert [queue.backlog.queue_id for queue in queues] == [1, 2]
    rig.vhost.remove_queue(queues[0])
    rig.commit()
    assert rig.queue("durable").queue_id == 3


# -- what is stored ------------------------------------------------------------------------------

EXCHANGE_NAMES, QUEUE_NAMES = ("x1", "x2", "x3"), ("q1", "q2")
KEYS = ("", "k")
ARGUMENTS = (b"", encode_table(from_python({"a": 1})), encode_table(from_python({"a": 2})))


class VhostMachine(RuleBasedStateMachine):
    """Everything is declared, bound, unbound and deleted in any order; what is stored follows."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig()

    @rule(name=st.sampled_from(EXCHANGE_NAMES), durable=st.booleans(), auto=st.booleans())
    def declare_exchange(self, name: str, durable: bool, auto: bool) -> None:
        if name not in self.rig.vhost.exchanges:
            self.rig.vhost.declare_exchange(None, name, "fanout", durable=durable, auto_delete=auto)

    @rule(name=st.sampled_from(QUEUE_NAMES), durable=st.booleans())
    def declare_queue(self, name: str, durable: bool) -> None:
        if name not in self.rig.vhost.queues:
            self.rig.vhost.declare_queue(None, name, ME, durable=durable)

    @rule(
        source=st.sampled_from(EXCHANGE_NAMES),
        to=st.sampled_from(EXCHANGE_NAMES + QUEUE_NAMES),
        key=st.sampled_from(KEYS),
        arguments=st.sampled_from(ARGUMENTS),
        undo=st.booleans(),
    )
    def bind(self, source: str, to: str, key: str, arguments: bytes, undo: bool) -> None:
        vhost = self.rig.vhost
        if source not in vhost.exchanges or to not in {**vhost.exchanges, **vhost.queues}:
            return
        table = from_python({"a": arguments[-1]}) if arguments else {}
        if to in vhost.queues:
            act = vhost.unbind_queue if undo else vhost.bind_queue
            act(None, ME, source, to, key, table, arguments)
        else:
            act_on = vhost.unbind_exchange if undo else vhost.bind_exchange
            act_on(None, source, to, key, table, arguments)

    @rule(name=st.sampled_from(EXCHANGE_NAMES))
    def delete_exchange(self, name: str) -> None:
        self.rig.vhost.delete_exchange(None, name)

    @rule(name=st.sampled_from(QUEUE_NAMES))
    def delete_queue(self, name: str) -> None:
        self.rig.vhost.delete_queue(None, name, ME)

    @rule()
    def commit(self) -> None:
        self.rig.commit()

    @rule()
    def crash(self) -> None:
        self.rig.commit()
        before = self.durable()
        self.rig.crash()
        assert self.durable() == before

    def durable(self) -> set[object]:
        """Return the rows that should be there, by what is durable now."""
        vhost = self.rig.vhost
        rows: set[object] = set()
        for exchange in vhost.exchanges.values():
            if exchange.durable and not exchange.name.startswith("amq.") and exchange.name:
                rows.add(
                    ExchangeRow("/", exchange.name, "fanout", exchange.auto_delete, False, b"")
                )
            for binding in exchange.bindings.values():
                to = binding.destination
                if exchange.name and exchange.durable and to.durable:
                    rows.add(
                        BindingRow(
                            "/",
                            exchange.name,
                            to.name,
                            binding.to_exchange,
                            binding.routing_key,
                            binding.octets,
                        )
                    )
        for queue in vhost.queues.values():
            if queue.durable:
                rows.add(QueueRow(queue.queue_id, "/", queue.name, False, b""))
        return rows

    @invariant()
    def the_store_has_what_is_durable(self) -> None:
        if self.rig.idle:
            kinds = ExchangeRow | QueueRow | BindingRow
            stored = {row for row in self.rig.store.rows.values() if isinstance(row, kinds)}
            assert stored == self.durable()

    @invariant()
    def nothing_is_bound_to_what_is_gone(self) -> None:
        vhost = self.rig.vhost
        there = {*vhost.exchanges.values(), *vhost.queues.values()}
        for exchange in vhost.exchanges.values():
            assert {binding.destination for binding in exchange.bindings.values()} <= there


TestVhostMachine = VhostMachine.TestCase
TestVhostMachine.settings = settings(
    max_examples=100, stateful_step_count=40, deadline=None, report_multiple_bugs=False
)

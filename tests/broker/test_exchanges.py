from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.exchanges import EXCHANGE_TYPES, PREDECLARED, Binding, Exchange, resolve
from amqplite.errors import PreconditionFailed

Table = dict[str, tuple[str, Any]]
ANY_A: Table = {"x-match": ("S", b"any"), "a": ("I", 1)}


def binding(
    destination: object, routing_key: str = "", arguments: Table | None = None, source: str = "x"
) -> Binding:
    is_exchange = isinstance(destination, Exchange)
    return Binding(source, destination, is_exchange, routing_key, arguments or {}, b"")


def exchange(type: str, *bindings: Binding, name: str = "x", alternate: str = "") -> Exchange:
    arguments: Table = {"alternate-exchange": ("S", alternate.encode())} if alternate else {}
    made = Exchange(name, "/", type, arguments=arguments)
    for one in bindings:
        made.bind(one)
    return made


def unread() -> Table:
    raise AssertionError("headers were looked at")


# -- bindings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(binding("q", "k"), binding("q", "k"), True, id="all equal"),
        pytest.param(binding("q", "k"), binding("r", "k"), False, id="another destination"),
        pytest.param(binding("q", "k"), binding("q", "l"), False, id="another key"),
        pytest.param(
            binding("q", source="x"), binding("q", source="y"), False, id="another source"
        ),
        pytest.param(
            binding("q", "", {"a": ("I", 1)}),
            binding("q", "", {"a": ("l", 1)}),
            True,
            id="integers of another width",
        ),
        pytest.param(
            binding("q", "", {"a": ("I", 1)}),
            binding("q", "", {"a": ("S", b"1")}),
            False,
            id="arguments of another type",
        ),
        pytest.param(
            binding("q", "", {"a": ("I", 1), "b": ("V", None)}),
            binding("q", "", {"b": ("V", None), "a": ("I", 1)}),
            True,
            id="arguments in another order",
        ),
        pytest.param(
            binding("q", "", {"a": ("I", 1)}), binding("q"), False, id="arguments and none"
        ),
    ],
)
def test_bindings_are_told_apart(one: Binding, other: Binding, same: bool) -> None:
    assert (one == other) is same
    assert (len({one, other}) == 1) is same
    made = exchange("fanout", one)
    if one.source == other.source:
        assert made.bind(other) is not same
        assert made.unbind(other)
        assert made.unbind(one) is not same


def test_a_binding_is_new_once() -> None:
    made, first = exchange("direct"), binding("q", "k")
    assert made.bind(first)
    assert not made.bind(binding("q", "k"))
    assert list(made.bindings.values()) == [first]
    assert made.bindings[first.identity] is first
    assert made.has_bindings
    assert made.unbind(binding("q", "k"))
    assert not made.unbind(first)
    assert not made.has_bindings


def test_a_binding_that_the_type_refuses_changes_nothing() -> None:
    made = exchange("headers")
    bad = binding("q", "", {"x-match": ("S", b"none")})
    for use in (made.check_binding, made.bind):
        with pytest.raises(PreconditionFailed, match="Invalid x-match field value 'none'"):
            use(bad)
    assert not made.has_bindings
    assert made.route("", dict) == ()


@pytest.mark.parametrize("type", ["direct", "fanout", "topic"])
def test_other_types_take_any_binding(type: str) -> None:
    made = exchange(type)
    odd = binding("q", "k", {"x-match": ("S", b"none")})
    made.check_binding(odd)
    assert made.bind(odd)
    assert made.route("k", unread) == ("q",)


# -- types ---------------------------------------------------------------------------------------

ROUTES = [
    # type      binding       routing key  headers     routes  because
    ("direct", binding("q", "k"), "k", {}, True, "equal keys"),
    ("direct", binding("q", "k"), "K", {}, False, "keys of another case"),
    ("direct", binding("q", "#"), "k", {}, False, "no wildcards"),
    ("direct", binding("q", ""), "", {}, True, "empty keys"),
    ("fanout", binding("q", "k"), "other", {}, True, "whatever the key"),
    ("topic", binding("q", "a.*"), "a.b", {}, True, "keys that match"),
    ("topic", binding("q", "a.*"), "a", {}, False, "keys that don't match"),
    ("headers", binding("q", "k"), "other", {}, True, "no arguments"),
    ("headers", binding("q", "", ANY_A), "", {"a": ("b", 1)}, True, "headers that match"),
    ("headers", binding("q", "", ANY_A), "", {"a": ("b", 2)}, False, "headers that don't"),
    ("headers", binding("q", "", ANY_A), "", None, False, "no headers"),
]


@pytest.mark.parametrize(
    ("type", "bound", "key", "headers", "expected"),
    [pytest.param(*row[:5], id=f"{row[0]}: {row[5]}") for row in ROUTES],
)
def test_a_type_routes(
    type: str, bound: Binding, key: str, headers: Table | None, expected: bool
) -> None:
    made = exchange(type, bound)
    decode = None if headers is None else lambda: headers
    for _ in range(2):
        assert made.route(key, decode) == (("q",) if expected else ())
    made.unbind(bound)
    assert made.route(key, decode) == ()


@pytest.mark.parametrize("type", EXCHANGE_TYPES)
def test_destinations_come_once_in_the_order_of_binding(type: str) -> None:
    bound = [
        binding(q, "k", a) for q, a in [("b", {}), ("a", {}), ("b", {"n": ("I", 1)}), ("c", {})]
    ]
    if type == "headers":
        bound = [binding(q, key) for q, key in [("b", ""), ("a", ""), ("b", "1"), ("c", "")]]
    made = exchange(type, *bound)
    assert made.route("k", None) == ("b", "a", "c")
    made.unbind(bound[0])
    assert made.route("k", None) == ("a", "b", "c")


@pytest.mark.parametrize("type", EXCHANGE_TYPES)
def test_only_a_headers_exchange_looks_at_headers(type: str) -> None:
    made = exchange(type, binding("q", "k"))
    assert made.uses_headers is (type == "headers")
    if not made.uses_headers:
        assert made.route("k", unread) == ("q",)


def test_a_headers_exchange_without_bindings_does_not_look() -> None:
    assert exchange("headers").route("", unread) == ()


@given(st.sampled_from(list(EXCHANGE_TYPES)), st.data())
def test_an_exchange_of_many_changes_is_as_one_made_anew(type: str, data: st.DataObject) -> None:
    keys = st.sampled_from(["", "a", "a.b", "#", "*.b", "#.b.#"])
    arguments = st.sampled_from([{}, ANY_A, {"a": ("I", 2)}, {"a": ("V", None)}])
    bindings = st.builds(binding, st.sampled_from("qrs"), keys, arguments)
    made, present = exchange(type), dict[Binding, None]()
    for _ in range(data.draw(st.integers(0, 15))):
        one = data.draw(bindings)
        if data.draw(st.booleans()):
            assert made.bind(one) is (one not in present)
            present.setdefault(one)
        else:
            assert made.unbind(one) is (one in present)
            present.pop(one, None)
        made.route("a.b", None)  # what is kept must not outlive a change
    anew = exchange(type, *present)
    assert list(made.bindings.values()) == list(present)
    for key in ("", "a", "a.b", "c"):
        for headers in ({}, {"a": ("b", 1)}, {"a": ("b", 2)}):
            assert made.route(key, lambda h=headers: h) == anew.route(key, lambda h=headers: h)


# -- declaring -----------------------------------------------------------------------------------


def test_an_exchange_is_as_declared() -> None:
    arguments: Table = {"alternate-exchange": ("S", b"other"), "n": ("I", 1)}
    made = Exchange(
        "x", "v", "topic", durable=True, auto_delete=True, internal=True,
        arguments=arguments, octets=b"octets",
    )  # fmt: skip
    assert (made.name, made.vhost, made.type) == ("x", "v", "topic")
    assert (made.durable, made.auto_delete, made.internal) == (True, True, True)
    assert (made.arguments, made.octets, made.alternate) == (arguments, b"octets", "other")
    assert repr(made) == "<topic exchange 'x' in vhost 'v'>"


def test_an_exchange_is_nothing_special_unless_declared_so() -> None:
    made = Exchange("x", "/", "direct")
    assert (made.durable, made.auto_delete, made.internal) == (False, False, False)
    assert (made.arguments, made.octets, made.alternate) == ({}, b"", None)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(PreconditionFailed, match=r"^unknown exchange type 'x-odd'$"):
        Exchange("x", "/", "x-odd")


def test_an_alternate_exchange_has_a_name() -> None:
    with pytest.raises(PreconditionFailed) as caught:
        Exchange("x", "/", "direct", arguments={"alternate-exchange": ("I", 1)})
    assert str(caught.value) == (
        "invalid type 'signedint' for arg 'alternate-exchange' in exchange 'x' in vhost '/'"
    )


def test_every_vhost_starts_with_the_standard_exchanges() -> None:
    assert {name: (type, internal) for name, type, internal in PREDECLARED} == {
        "": ("direct", False),
        "amq.direct": ("direct", False),
        "amq.fanout": ("fanout", False),
        "amq.headers": ("headers", False),
        "amq.match": ("headers", False),
        "amq.rabbitmq.trace": ("topic", True),
        "amq.topic": ("topic", False),
    }


# -- from exchange to exchange -------------------------------------------------------------------


def chain(*names: str, type: str = "fanout") -> dict[str, Exchange]:
    """Make exchanges, each bound to the one before it."""
    made = {name: exchange(type, name=name) for name in names}
    for source, destination in pairwise(names):
        made[source].bind(binding(made[destination], "k", source=source))
    return made


def queues(
    start: Exchange,
    keys: Iterable[str] = ("k",),
    headers: Callable[[], Table] | None = None,
    others: dict[str, Exchange] | None = None,
) -> list[str]:
    return resolve(start, list(keys), headers, (others or {}).get)[0]


def test_a_message_goes_on_to_the_exchanges_bound() -> None:
    a, b, c = chain("a", "b", "c").values()
    c.bind(binding("far"))
    a.bind(binding("near"))
    assert queues(a) == ["near", "far"]
    assert queues(b) == ["far"]


def test_a_circle_of_exchanges_ends() -> None:
    a, b, c = chain("a", "b", "c").values()
    c.bind(binding(a))
    a.bind(binding(a))
    for number, one in enumerate((a, b, c)):
        one.bind(binding(number))
    assert queues(a) == [0, 1, 2]
    assert queues(c) == [2, 0, 1]


def test_a_queue_gets_one_copy_by_however_many_ways() -> None:
    a, b = chain("a", "b").values()
    a.bind(binding("q"))
    a.bind(binding("q", "k"))
    b.bind(binding("q"))
    assert queues(a, ["k", "", "k"]) == ["q"]


def test_more_keys_are_routed_by_the_same_exchange() -> None:
    direct = exchange("direct", *(binding(f"q{key}", key) for key in "abc"))
    assert queues(direct, ["c", "a", "x"]) == ["qc", "qa"]
    assert queues(direct, []) == []


def test_a_key_goes_along_to_the_exchanges_bound() -> None:
    a, b = chain("a", "b", type="direct").values()
    b.bind(binding("q", "k"))
    b.bind(binding("r", "l"))
    assert queues(a, ["k"]) == ["q"]
    assert queues(a, ["k", "l"]) == ["q", "r"]


def test_the_alternate_exchange_takes_what_finds_no_destination() -> None:
    main = exchange("direct", binding("q", "known"), alternate="other")
    others = {"other": exchange("fanout", binding("r"), name="other")}
    assert queues(main, ["known"], others=others) == ["q"]
    assert queues(main, ["unknown"], others=others) == ["r"]
    assert queues(main, ["unknown", "known"], others=others) == ["q"]


def test_a_destination_without_queues_is_one_all_the_same() -> None:
    main = exchange("fanout", alternate="other")
    main.bind(binding(exchange("fanout", name="dead end")))
    assert queues(main, others={"other": exchange("fanout", binding("r"))}) == []


def test_alternates_are_followed_in_a_chain_and_from_exchanges_bound() -> None:
    others = {
        "b": exchange("direct", name="b", alternate="c"),
        "c": exchange("fanout", binding("q"), name="c", alternate="never"),
    }
    inner = exchange("direct", name="inner", alternate="b")
    assert queues(exchange("direct", alternate="b"), others=others) == ["q"]
    assert queues(exchange("fanout", binding(inner)), others=others) == ["q"]


def test_a_circle_of_alternates_ends() -> None:
    others = {
        "a": exchange("direct", name="a", alternate="b"),
        "b": exchange("direct", name="b", alternate="a"),
    }
    assert queues(others["a"], others=others) == []


def test_a_missing_alternate_is_none() -> None:
    assert queues(exchange("direct", alternate="missing")) == []


def test_resolving_tells_whether_headers_mattered() -> None:
    by_headers = exchange("headers", binding("h", "", ANY_A), name="headers")
    plain = exchange("fanout", binding("q"))
    before = exchange("direct", binding("q", "k"), binding(by_headers, "h"), alternate="headers")
    others = {"headers": by_headers}.get
    assert resolve(plain, ["k"], unread, others) == (["q"], False)
    assert resolve(before, ["k"], unread, others) == (["q"], False)
    assert resolve(before, ["h"], None, others) == ([], True)
    assert resolve(before, ["unknown"], None, others) == ([], True)
    assert resolve(before, ["h"], lambda: {"a": ("l", 1)}, others) == (["h"], True)


@given(st.data())
def test_resolving_agrees_with_a_walk_by_the_definition(data: st.DataObject) -> None:
    names = "abcd"
    some = st.sampled_from(names)
    all_: dict[str, Exchange] = {}
    for name in names:
        alternate = data.draw(st.sampled_from(["", *names, "missing"]))
        all_[name] = exchange("direct", name=name, alternate=alternate)
    for source in names:
        for key, to in data.draw(st.sets(st.tuples(st.sampled_from("kl"), some), max_size=3)):
            all_[source].bind(binding(all_[to], key, source=source))
        for key, queue in data.draw(st.sets(st.tuples(st.sampled_from("kl"), st.integers(0, 2)))):
            all_[source].bind(binding(queue, key, source=source))
    keys = data.draw(st.lists(st.sampled_from("kl"), max_size=2))

    reached: set[str] = set()
    found: set[object] = set()

    def walk(one: Exchange) -> None:
        if one.name in reached:
            return
        reached.add(one.name)
        bound = [b.destination for b in one.bindings.values() if b.routing_key in keys]
        if not bound and one.alternate in all_:
            walk(all_[one.alternate])
        for destination in bound:
            if isinstance(destination, Exchange):
                walk(destination)
            else:
                found.add(destination)

    walk(all_["a"])
    resolved, depends = resolve(all_["a"], keys, unread, all_.get)
    assert set(resolved) == found
    assert len(resolved) == len(found)
    assert not depends

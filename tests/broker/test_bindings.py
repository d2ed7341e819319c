from amqplite.broker.bindings import Bindings
from amqplite.broker.exchanges import Binding, Exchange
from amqplite.broker.journal import Journal
from amqplite.broker.records import BindingRow, Delete, Put


class Bench:
    """Bindings between some exchanges, with their journal."""

    def __init__(self, *exchanges: Exchange) -> None:
        self.journal = Journal()
        self.unused: list[str] = []
        self.exchanges = {exchange.name: exchange for exchange in exchanges}
        self.bindings = Bindings("/", self.exchanges, self.journal, self._note)

    def _note(self, exchange: Exchange) -> None:
        self.unused.append(exchange.name)

    def binding(self, source: str, destination: str, key: str = "k") -> Binding:
        return Binding(source, self.exchanges[destination], True, key, {}, b"")

    def stored(self) -> list[object]:
        batch, _ = self.journal.take()
        return [] if batch is None else batch.definitions


def exchange(name: str, *, durable: bool = True, auto_delete: bool = False) -> Exchange:
    return Exchange(name, "/", "topic", durable=durable, auto_delete=auto_delete)


def row(source: str, destination: str) -> BindingRow:
    return BindingRow("/", source, destination, True, "k", b"")


def test_a_binding_is_stored_once_and_deleted_once() -> None:
    bench = Bench(exchange("a"), exchange("b"))
    assert bench.bindings.add(bench.binding("a", "b")) is True
    assert bench.bindings.add(bench.binding("a", "b")) is False
    assert bench.stored() == [Put(row("a", "b"))]
    assert bench.bindings.remove(bench.binding("a", "b")) is True
    assert bench.bindings.remove(bench.binding("a", "b")) is False
    assert bench.stored() == [Delete(row("a", "b"))]


def test_a_binding_is_stored_only_between_durable_ends() -> None:
    bench = Bench(exchange("a"), exchange("b", durable=False))
    bench.bindings.add(bench.binding("a", "b"))
    bench.bindings.add(bench.binding("b", "a"))
    bench.bindings.remove(bench.binding("a", "b"))
    bench.bindings.drop_to(bench.exchanges["a"])
    assert bench.stored() == []


def test_what_is_restored_is_not_stored_again_and_can_be_undone() -> None:
    bench = Bench(exchange("a"), exchange("b"))
    bench.bindings.restore(bench.binding("a", "b"))
    assert bench.stored() == []
    assert bench.exchanges["a"].has_bindings
    bench.bindings.drop_to(bench.exchanges["b"])
    assert (bench.exchanges["a"].has_bindings, bench.stored()) == (False, [Delete(row("a", "b"))])


def test_an_auto_delete_exchange_is_named_when_its_last_binding_has_gone() -> None:
    bench = Bench(exchange("a", auto_delete=True), exchange("b"), exchange("c"))
    bench.bindings.add(bench.binding("a", "b"))
    bench.bindings.add(bench.binding("a", "c"))
    bench.bindings.drop_to(bench.exchanges["b"])
    assert bench.unused == []
    bench.bindings.remove(bench.binding("a", "c"))
    assert bench.unused == ["a"]


def test_dropping_what_nothing_is_bound_to_is_nothing() -> None:
    bench = Bench(exchange("a"))
    bench.bindings.drop_to(bench.exchanges["a"])
    bench.bindings.drop_from(bench.exchanges["a"])
    assert bench.stored() == []


def test_a_source_that_has_gone_already_is_passed_over() -> None:
    bench = Bench(exchange("a"), exchange("b"))
    bench.bindings.add(bench.binding("a", "b"))
    bench.stored()
    gone = bench.exchanges.pop("a")
    bench.bindings.drop_to(bench.exchanges["b"])
    assert (gone.has_bindings, bench.stored()) == (True, [])

import pytest

from amqplite.connection.outbox import Outbox


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def outbox(calls: list[str]) -> Outbox:
    return Outbox(10, lambda: calls.append("output"), lambda: calls.append("full"))


def test_octets_come_out_in_the_order_they_went_in(outbox: Outbox) -> None:
    for octets in (b"a", b"bc", b"d"):
        outbox.send(octets)
    assert outbox.size == 4
    assert outbox.take() == [b"a", b"bc", b"d"]
    assert (outbox.take(), outbox.size) == ([], 0)


def test_the_writer_is_woken_by_the_first_of_them(outbox: Outbox, calls: list[str]) -> None:
    outbox.send(b"a")
    outbox.send(b"b")
    assert calls == ["output"]
    outbox.take()
    outbox.send(b"c")
    assert calls == ["output", "output"]


def test_twice_the_high_mark_is_full(outbox: Outbox, calls: list[str]) -> None:
    outbox.send(b"x" * 20)
    assert calls == ["output"]
    outbox.send(b"x")
    assert calls == ["output", "full"]


def test_what_could_not_be_written_comes_first(outbox: Outbox) -> None:
    outbox.send(b"abc")
    outbox.take()
    outbox.send(b"d")
    outbox.put_back([b"b", b"c"])
    assert (outbox.size, outbox.take()) == (3, [b"b", b"c", b"d"])

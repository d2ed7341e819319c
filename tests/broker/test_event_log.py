"""The ring of records."""

import pytest

from amqplite.broker.event_log import CAUSES, NOBODY, TYPES, EventLog, Table
from amqplite.broker.trace import Event

WHO = ("c1", "", "worker", 2)


def test_what_is_written_is_read() -> None:
    log = EventLog()
    log.label(7, "order-7")
    n = log.write(
        *(1_500_000, "requeued", ("shop", "q"), WHO, 7, 3, 12, 2),
        cause=("connection_lost", "eof"),
        depth=4,
        key="eu",
        exchange="orders",
        size=100,
        held=5,
    )
    log.add(n, idle=250, text="")
    assert log.read(0, 10) == [
        Event(
            n=1,
            t=1_500_000,
            type="requeued",
            v="shop",
            q="q",
            m="order-7",
            id=7,
            s=3,
            c="c1",
            conn="worker",
            ch=2,
            tag=12,
            attempt=2,
            cause="connection_lost",
            sub="eof",
            depth=4,
            key="eu",
            exchange="orders",
            size=100,
            held=5,
            idle=250,
        )
    ]


def test_times_may_be_counted_from_later_on() -> None:
    log = EventLog(capacity=2)
    for t in (1000, 2000, 3000):
        log.write(t, "acked")
    assert [event.t for event in log.read(1, 10, origin=2500)] == [0, 500]
    assert [event.t for event in log.read(0, 10, origin=500)] == [1500, 1500, 2500]


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_can_be_written(type_: str) -> None:
    log = EventLog()
    log.write(0, type_)
    assert [event.type for event in log.read(0, 1)] == [type_]


@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_can_be_written(cause: tuple[str, str]) -> None:
    log = EventLog()
    log.write(0, "requeued", cause=cause)
    (event,) = log.read(0, 1)
    assert (event.cause, event.sub) == cause


def test_a_message_without_a_label_is_called_by_its_number() -> None:
    log = EventLog()
    log.write(0, "published", ("/", ""), NOBODY, 4)
    assert log.read(0, 1)[0].m == "m4"


def test_attributes_that_a_record_has_no_room_for_replace_its_own() -> None:
    log = EventLog()
    log.add(log.write(0, "applied"), m="m3", c="c2", by="worker-7")
    (event,) = log.read(0, 1)
    assert (event.m, event.c, event.by) == ("m3", "c2", "worker-7")


def test_numbers_beyond_their_field_are_told_as_its_largest() -> None:
    log = EventLog()
    log.write(
        *(0, "delivered", ("/", "q"), NOBODY, 1, 1, 1, 70_000),
        depth=1 << 40,
        size=1 << 40,
        held=70_000,
    )
    (event,) = log.read(0, 1)
    assert (event.attempt, event.depth) == (65_535, 0x7FFF_FFFF)
    assert (event.size, event.held) == (0xFFFF_FFFF, 65_535)


def test_reading_goes_on_where_it_ended() -> None:
    log = EventLog()
    for t in range(5):
        log.write(t, "acked")
    assert [event.n for event in log.read(0, 2)] == [1, 2]
    assert [event.n for event in log.read(2, 10)] == [3, 4, 5]
    assert log.read(5, 10) == []


def test_a_reader_who_is_too_slow_hears_of_the_gap() -> None:
    log = EventLog(capacity=4)
    for t in range(10):
        log.write(t, "acked")
    gap, *rest = log.read(2, 10)
    assert gap == Event(n=6, t=6, type="gap", lost_from=3, lost_to=6)
    assert [event.t for event in rest] == [6, 7, 8, 9]
    assert log.first == 7


def test_what_stands_beside_the_ring_is_bounded_too() -> None:
    log = EventLog(capacity=8)
    for n in range(1, 100):
        log.label(n, f"order-{n}")
        log.add(log.write(n, "applied", ("/", ""), NOBODY, n), by=f"worker-{n}")
    *_, last = log.read(91, 10)
    assert (last.m, last.by) == ("order-99", "worker-99")
    assert len(log._labels) == 8
    assert len(log._more) == 2


def test_a_table_forgets_what_came_first_and_numbers_it_anew() -> None:
    table: Table[str] = Table("", limit=8)
    numbers = [table.number(name) for name in "abcdefg"]
    assert numbers == [1, 2, 3, 4, 5, 6, 7]
    assert table.number("h") == 8
    assert (table[1], table[0], table[99]) == ("", "", "")
    assert table.number("a") == 9
    assert table[7] == "g"

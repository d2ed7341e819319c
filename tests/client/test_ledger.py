"""Publishes that wait for their confirm."""

import pytest

from amqplite.client.events import Returned
from amqplite.client.ledger import Ledger
from amqplite.errors import CommandInvalid
from amqplite.protocol.properties import Properties, encode_header, encode_properties

OCTETS = encode_properties(Properties())


def returned(body: bytes, routing_key: str = "k") -> Returned:
    """A message that came back."""
    header = encode_header(len(body), OCTETS)
    return Returned(
        body=body,
        header=header,
        exchange="x",
        routing_key=routing_key,
        reply_code=312,
        reply_text="NO_ROUTE",
    )


def numbers(ledger: Ledger, number: int, *, multiple: bool = True) -> list[int]:
    return [one for one, _ in ledger.settle(number, multiple=multiple)]


def test_publishes_are_numbered_from_one_and_struck_out_one_by_one() -> None:
    ledger = Ledger()
    assert [ledger.add(None) for _ in range(3)] == [1, 2, 3]
    assert numbers(ledger, 2, multiple=False) == [2]
    assert ledger.unconfirmed == 2
    assert numbers(ledger, 1, multiple=False) == [1]


@pytest.mark.parametrize(
    ("number", "struck_out"),
    [(1, [1]), (3, [1, 3]), (4, [1, 3, 4]), (0, [1, 3, 4]), (9, [1, 3, 4])],
)
def test_many_are_struck_out_up_to_a_number(number: int, struck_out: list[int]) -> None:
    ledger = Ledger()
    for _ in range(4):
        ledger.add(None)
    ledger.settle(2, multiple=False)
    assert numbers(ledger, number) == struck_out


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_confirm_of_no_publish_is_refused(number: int) -> None:
    ledger = Ledger()
    ledger.add(None)
    ledger.add(None)
    ledger.settle(1, multiple=False)
    with pytest.raises(CommandInvalid, match=f"confirm {number} belongs to no publish"):
        ledger.settle(number, multiple=False)


def test_a_return_belongs_to_the_oldest_of_its_likes() -> None:
    ledger = Ledger()
    ledger.add(None)
    for body, key in [(b"1", "k"), (b"1", "k"), (b"1", "other"), (b"2", "k")]:
        ledger.add(("x", key, OCTETS, body))
    for one in (returned(b"1"), returned(b"2"), returned(b"3")):
        ledger.came_back(one)
    settled = ledger.settle(0, multiple=True)
    assert [entry.returned for _, entry in settled] == [
        None,
        returned(b"1"),
        None,
        None,
        returned(b"2"),
    ]

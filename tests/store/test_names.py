"""Names in SQLite: readable where they can be, and none of them lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.store.names import read_name, stored_name


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("", ""),
        ("orders", "orders"),
        ("été ☂", "été ☂"),
        ("\udcff", b"\xff"),
        ("a\udce9", b"a\xe9"),
    ],
)
def test_names_are_text_where_they_are_utf_8(name: str, stored: str | bytes) -> None:
    assert stored_name(name) == stored
    assert read_name(stored) == name


@given(st.binary(max_size=20))
def test_any_octets_come_back(octets: bytes) -> None:
    name = octets.decode(errors="surrogateescape")
    assert read_name(stored_name(name)) == name

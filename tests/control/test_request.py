"""Who is at the other end of a socket."""

from types import SimpleNamespace
from typing import Any

import pytest

from amqplite.control.request import Peer, peer_of

PEERS = [
    ("127.0.0.1", Peer("127.0.0.1", True)),
    ("127.8.9.1", Peer("127.8.9.1", True)),
    ("::1", Peer("::1", True)),
    ("::ffff:127.0.0.1", Peer("127.0.0.1", True)),
    ("::ffff:192.0.2.1", Peer("192.0.2.1", False)),
    ("192.0.2.127", Peer("192.0.2.127", False)),
    ("2001:db8::1", Peer("2001:db8::1", False)),
]


def stream(answer: object) -> Any:
    def getpeername() -> object:
        if isinstance(answer, OSError):
            raise answer
        return answer

    return SimpleNamespace(socket=SimpleNamespace(getpeername=getpeername))


@pytest.mark.parametrize(("address", "peer"), PEERS, ids=[address for address, _ in PEERS])
def test_this_machine_is_told_from_others(address: str, peer: Peer) -> None:
    assert peer_of(stream((address, 40000))) == peer


def test_one_who_is_gone_is_not_this_machine() -> None:
    assert peer_of(stream(OSError())) == Peer("gone", False)

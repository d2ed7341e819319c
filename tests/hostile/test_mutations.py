"""Ten thousand conversations that went wrong in one place or another."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from random import Random

from tests.broker_process import BrokerProcess
from tests.hostile.conftest import Start, probe, resident, unhurt
from tests.hostile.conversation import conversation, spoil
from tests.seeds import seeded
from tests.wire.peer import HEADER

MIB = 1024 * 1024
MUTATIONS = 10_000
AT_A_TIME = 25


def test_a_conversation_that_is_valid_is_served_to_its_end(start: Start) -> None:
    """Else the others would prove nothing."""
    broker = start()
    with seeded("valid") as random:
        for _ in range(50):
            answers = talk(broker, [b"".join(conversation(random))])[0]
            assert answers.endswith(b"\x01\0\0\0\0\0\x04\0\x0a\x003\xce"), answers[
                -300:
            ]  # close-ok


def test_spoilt_conversations_hurt_nobody_else(start: Start) -> None:
    broker = start()
    with seeded("mutations") as random:
        before = resident(broker)
        for done in range(0, MUTATIONS, AT_A_TIME):
            talk(broker, [spoilt(random) for _ in range(AT_A_TIME)])
            if not done % 1000:
                probe(broker)
        grown = resident(broker) - before
        assert grown < 40 * MIB, f"{grown / MIB:.1f} MiB"
        unhurt(broker)
        assert broker.stop() == 0, broker.output
        broker.start()  # on whatever they have left behind


def spoilt(random: Random) -> bytes:
    frames = conversation(random)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        if frames:
            spoil(frames, random)
    octets = b"".join(frames)
    return octets[: random.randrange(len(octets) + 1)] if random.random() < 0.05 else octets


def talk(broker: BrokerProcess, conversations: list[bytes]) -> list[bytes]:
    """Have conversations at the same time, each in one write; return the answers."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(closing(dial(broker))) for _ in conversations]
        for one, octets in zip(sockets, conversations, strict=True):
            with suppress(ConnectionError):
                one.sendall(HEADER + octets)
                one.shutdown(socket.SHUT_WR)
        return [b"".join(answers(one)) for one in sockets]


def dial(broker: BrokerProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", broker.amqp_port), 10)


def answers(one: socket.socket) -> Iterator[bytes]:
    with suppress(ConnectionError):
        while octets := one.recv(1 << 16):
            yield octets

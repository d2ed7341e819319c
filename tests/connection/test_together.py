"""What takes effect with other changes counts when these are on disk.

Wherever the broker crashes, nothing that a client was told may turn out not to be so.
"""

import pytest

from amqplite.broker.redelivery import Cause
from amqplite.protocol.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    BasicReject,
    ConfirmSelect,
    TxCommit,
    TxSelect,
)
from tests.connection.client import Client, publish
from tests.rig import Rig

CONSUME = BasicConsume(0, "q", "c", False, False, False, False, b"")


@pytest.fixture
def publisher(client: Client, rig: Rig) -> Client:
    """A client in confirm mode, with `q`, whose dead letters go to `dead`."""
    rig.queue("dead")
    rig.queue("q", dead_letter_exchange="", dead_letter_routing_key="dead", max_length=1)
    client.do(ConfirmSelect())
    return client


def ready(rig: Rig) -> tuple[int, int]:
    """Return how many messages the two queues hold."""
    return rig.queue("q").ready, rig.queue("dead").ready


@pytest.mark.parametrize("writing", [False, True], ids=["gathered", "being written"])
def test_a_rejected_message_is_confirmed_when_it_or_its_dead_letter_is_stored(
    rig: Rig, publisher: Client, other: Client, writing: bool
) -> None:
    other.do(CONSUME)
    publisher.say(publish(b"m"))
    if writing:
        rig.take()
    other.say(BasicReject(1, False))
    assert publisher.hear() == []
    if writing:
        rig.write()
        assert publisher.hear() == [BasicAck(1, False)]
        rig.crash()
        assert ready(rig) == (1, 0)
    else:
        rig.commit()
        assert publisher.hear() == [BasicAck(1, False)]
        rig.crash()
        assert ready(rig) == (0, 1)


def test_a_dropped_message_is_confirmed_when_its_dead_letter_is_stored(
    rig: Rig, publisher: Client, other: Client
) -> None:
    publisher.say(publish(b"1"))
    other.say(publish(b"2"))
    assert publisher.hear() == []
    rig.commit()
    assert publisher.hear() == [BasicAck(1, False)]
    rig.crash()
    assert ready(rig) == (1, 1)


def test_an_ack_in_a_transaction_confirms_nothing_before_the_commit_is_stored(
    rig: Rig, publisher: Client, other: Client
) -> None:
    other.do(TxSelect(), CONSUME)
    publisher.say(publish(b"m"))
    other.say(publish(b"result", "dead"), BasicAck(1, False), TxCommit())
    assert publisher.hear() == []
    rig.commit()
    assert publisher.hear() == [BasicAck(1, False)]
    rig.crash()
    assert ready(rig) == (0, 1)


def test_what_was_got_is_delivered_again_only_when_the_store_knows(
    rig: Rig, client: Client, other: Client
) -> None:
    rig.queue("q")
    client.do(publish(b"m"))
    client.say(BasicGet(0, "q", False))
    client.connection.lost(Cause.CONNECTION_LOST)
    other.say(CONSUME)
    assert other.deliveries() == []
    rig.commit()
    assert other.deliveries() == [(1, b"m", True)]

"""Transactions: all of it at commit, in one batch, or none of it."""

import pytest

from amqplite.protocol.codec import Method
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicQos,
    BasicQosOk,
    BasicReject,
    BasicReturn,
    ChannelClose,
    ConfirmSelect,
    QueueDelete,
    TxCommit,
    TxCommitOk,
    TxRollback,
    TxRollbackOk,
    TxSelect,
    TxSelectOk,
)
from tests.connection.client import Client, Content, deliveries, publish
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.queue("q")
    rig.queue("other")
    rig.commit()
    return rig


@pytest.fixture
def client(client: Client) -> Client:
    """A client with a transaction."""
    assert client.do(TxSelect()) == [TxSelectOk()]
    return client


def state(rig: Rig, name: str = "q") -> tuple[int, int]:
    return rig.queue(name).ready, rig.queue(name).unacked


def test_publishes_wait_for_the_commit(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), publish(b"2"))
    assert state(rig) == (0, 0)
    assert client.do(TxCommit()) == [TxCommitOk()]
    assert state(rig) == (2, 0)


def test_acks_wait_for_the_commit(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), TxCommit(), BasicGet(0, "q"))
    client.do(BasicAck(1))
    assert (state(rig), len(rig.store.messages)) == ((0, 1), 1)
    client.do(TxCommit())
    assert (state(rig), rig.store.messages) == ((0, 0), {})


def test_a_commit_is_one_batch_over_several_queues(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), TxCommit(), BasicGet(0, "q"))
    before = len(rig.store.batches)
    client.do(publish(b"2"), publish(b"3", "other"), BasicAck(1), TxCommit())
    (batch,) = rig.store.batches[before:]
    assert (len(batch.inserts), len(batch.deletes)) == (2, 1)


def test_a_rollback_drops_the_publishes_and_leaves_unacked_what_was_acked(
    rig: Rig, client: Client
) -> None:
    client.do(publish(b"1"), publish(b"2"), TxCommit(), BasicGet(0, "q"), BasicGet(0, "q"))
    client.do(publish(b"3"), BasicAck(2), BasicNack(1, False, False))
    assert client.do(TxRollback()) == [TxRollbackOk()]
    assert state(rig) == (0, 2)
    client.do(BasicAck(2, True), TxCommit())
    assert state(rig) == (0, 0)


def test_a_rollback_keeps_the_order_of_the_tags(rig: Rig, client: Client) -> None:
    client.do(*(publish(b"%d" % n) for n in range(4)), TxCommit(), BasicConsume(0, "q", "c"))
    client.do(BasicAck(2), BasicAck(1), TxRollback())
    client.do(BasicAck(2, True), TxCommit())
    assert state(rig) == (0, 2)


def test_what_is_acked_may_not_be_acked_twice_within_a_transaction(client: Client) -> None:
    client.do(publish(b"1"), TxCommit(), BasicGet(0, "q"), BasicAck(1))
    (close,) = client.do(BasicAck(1))
    assert isinstance(close, ChannelClose)
    assert close.reply_text == "PRECONDITION_FAILED - unknown delivery tag 1"


@pytest.mark.parametrize("settle", [BasicReject(1, True), BasicNack(1, False, True)])
def test_a_requeue_waits_for_the_commit(rig: Rig, client: Client, settle: Method) -> None:
    client.do(publish(b"1"), TxCommit(), BasicGet(0, "q"), settle)
    assert state(rig) == (0, 1)
    client.do(TxCommit())
    assert state(rig) == (1, 0)


def test_an_ack_gives_no_credit_before_the_commit(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), publish(b"2"), TxCommit())
    client.do(BasicQos(0, 1, False), BasicConsume(0, "q", "c"))
    assert client.do(BasicAck(1)) == []
    assert deliveries(client.do(TxCommit())) == [(2, b"2", False)]


@pytest.mark.parametrize("shared", [False, True], ids=["of each consumer", "of the channel"])
def test_an_ack_that_is_not_committed_holds_the_prefetch_whatever_else_happens(
    rig: Rig, client: Client, shared: bool
) -> None:
    client.do(publish(b"1"), publish(b"2"), TxCommit())
    client.do(BasicQos(0, 1, shared), BasicConsume(0, "q", "c"))
    client.do(BasicAck(1))
    assert client.do(BasicQos(0, 1, shared)) == [BasicQosOk()]
    assert deliveries(client.do(BasicQos(0, 2, shared))) == [(2, b"2", False)]


def test_after_a_rollback_the_prefetch_is_as_used_up_as_before(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), publish(b"2"), TxCommit())
    client.do(BasicQos(0, 1, False), BasicConsume(0, "q", "c"))
    assert client.do(BasicAck(1), TxRollback()) == [TxRollbackOk()]
    assert state(rig) == (1, 1)
    assert deliveries(client.do(BasicAck(1), TxCommit())) == [(2, b"2", False)]


def test_returns_come_at_commit_before_commit_ok(client: Client) -> None:
    assert client.do(publish(b"1", "nowhere", mandatory=True)) == []
    returned, commit_ok = client.do(TxCommit())
    assert isinstance(returned, Content)
    assert isinstance(returned.method, BasicReturn)
    assert commit_ok == TxCommitOk()


def test_a_publish_that_a_queue_refuses_fails_the_commit(rig: Rig, client: Client) -> None:
    rig.queue("full", max_length=0, overflow="reject-publish")
    client.do(publish(b"1"), publish(b"2", "full"))
    text = "PRECONDITION_FAILED - partial tx completion"
    assert client.do(TxCommit()) == [ChannelClose(406, text, 90, 20)]
    assert state(rig) == (1, 0)


def test_a_queue_that_was_deleted_meanwhile_gets_nothing(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), publish(b"2", "other"), QueueDelete(0, "q"))
    assert client.do(TxCommit()) == [TxCommitOk()]
    assert state(rig, "other") == (1, 0)


def test_committing_nothing_is_fine_and_so_is_selecting_again(client: Client) -> None:
    client.do(publish(b"1"))
    assert client.do(TxSelect(), TxCommit(), TxCommit(), TxRollback()) == [
        TxSelectOk(),
        TxCommitOk(),
        TxCommitOk(),
        TxRollbackOk(),
    ]


def test_a_channel_that_is_closed_rolls_back(rig: Rig, client: Client) -> None:
    client.do(publish(b"1"), TxCommit(), BasicConsume(0, "q", "c"))
    client.do(publish(b"2"), BasicAck(1), BasicCancel("c"), ChannelClose(200, "", 0, 0))
    assert state(rig) == (1, 0)


@pytest.mark.parametrize(("method", "id_"), [(TxCommit(), 20), (TxRollback(), 30)])
def test_without_a_transaction_there_is_nothing_to_end(
    other: Client, method: Method, id_: int
) -> None:
    text = "PRECONDITION_FAILED - channel is not transactional"
    assert other.do(method) == [ChannelClose(406, text, 90, id_)]


def test_confirms_and_transactions_do_not_go_together(client: Client, other: Client) -> None:
    assert client.do(ConfirmSelect()) == [
        ChannelClose(406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode", 85, 10)
    ]
    other.do(ConfirmSelect())
    assert other.do(TxSelect()) == [
        ChannelClose(406, "PRECONDITION_FAILED - cannot switch from confirm to tx mode", 90, 10)
    ]

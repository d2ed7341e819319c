import pytest

from amqplite.broker.broker import Limits
from amqplite.connection.connection import ConnectionLimits
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicConsume,
    BasicConsumeOk,
    BasicGet,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    TxRollback,
    TxSelect,
)
from tests.connection.client import Client, deliveries, publish
from tests.rig import NOW, Rig

TIMED_OUT = (
    "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: "
    "1000 ms. This timeout value can be configured, see consumers doc guide to learn more"
)


@pytest.fixture
def rig() -> Rig:
    """A rig where an ack is late after a second, and queues that don't live long."""
    rig = Rig(Limits(consumer_timeout_ms=1000))
    rig.queue("q", durable=False)
    return rig


def client_with(rig: Rig, action: str, **can: bool) -> Client:
    return Client(rig, ConnectionLimits(consumer_timeout_action=action)).open(**can)


def consume(
    tag: str = "c", queue: str = "q", *, timeout: int | None = None, no_ack: bool = False
) -> BasicConsume:
    arguments = {} if timeout is None else {"x-consumer-timeout": timeout}
    octets = encode_table(from_python(arguments))
    return BasicConsume(0, queue, tag, no_ack=no_ack, arguments=octets)


def after(rig: Rig, ms: int) -> int | None:
    """Let so much time pass since the start of the test."""
    return rig.broker.advance(NOW + ms)


# -- requeue -------------------------------------------------------------------------------------


def test_a_late_delivery_returns_to_the_queue_and_goes_to_somebody_else(rig: Rig) -> None:
    slow, other = client_with(rig, "requeue"), client_with(rig, "requeue")
    slow.do(consume())
    slow.say(publish(b"1"))
    after(rig, 999)
    other.do(consume())
    assert other.hear() == []
    after(rig, 1000)
    assert other.deliveries() == [(1, b"1", True)]
    assert slow.deliveries() == [(1, b"1", False)]


def test_a_consumer_that_was_late_gets_nothing_more_until_it_settles(rig: Rig) -> None:
    slow = client_with(rig, "requeue")
    slow.do(consume())
    slow.say(publish(b"1"))
    after(rig, 1000)
    slow.say(publish(b"2"))
    assert slow.deliveries() == [(1, b"1", False)]
    assert deliveries(slow.do(BasicAck(1))) == [(2, b"1", True), (3, b"2", False)]


def test_a_late_ack_frees_the_consumer_and_nothing_else(rig: Rig) -> None:
    slow = client_with(rig, "requeue")
    slow.do(consume())
    slow.do(publish(b"1"))
    after(rig, 1000)
    assert deliveries(slow.do(BasicAck(1))) == [(2, b"1", True)]
    assert rig.queue().unacked == 1


def test_a_late_ack_of_all_frees_the_consumer_too(rig: Rig) -> None:
    slow = client_with(rig, "requeue")
    slow.do(consume())
    slow.do(publish(b"1"), publish(b"2"))
    after(rig, 1000)
    assert rig.queue().ready == 2
    heard = slow.do(BasicAck(2, True))
    assert deliveries(heard) == [(3, b"1", True), (4, b"2", True)]


def test_a_late_ack_twice_is_an_unknown_tag(rig: Rig) -> None:
    slow = client_with(rig, "requeue")
    slow.do(consume())
    slow.do(publish(b"1"))
    after(rig, 1000)
    slow.do(BasicAck(1))
    assert slow.do(BasicAck(1)) == [
        ChannelClose(406, "PRECONDITION_FAILED - unknown delivery tag 1", 60, 80)
    ]


def test_each_delivery_has_its_own_deadline(rig: Rig) -> None:
    slow, other = client_with(rig, "requeue"), client_with(rig, "requeue")
    slow.do(consume())
    slow.do(publish(b"1"))
    after(rig, 600)
    slow.do(publish(b"2"))
    other.do(consume())
    after(rig, 1000)
    assert other.deliveries() == [(1, b"1", True)]
    after(rig, 1599)
    assert other.hear() == []
    after(rig, 1600)
    assert other.deliveries() == [(2, b"2", True)]


def test_an_ack_in_time_keeps_what_it_acks(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume())
    client.do(publish(b"1"))
    client.do(BasicAck(1))
    after(rig, 5000)
    assert (client.hear(), rig.queue().ready) == ([], 0)


def test_when_all_are_acked_nobody_looks_again(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume())
    client.do(publish(b"1"))
    client.do(BasicAck(1))
    assert after(rig, 1000) is None


def test_what_was_got_is_taken_back_too_and_its_late_ack_is_fine(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(publish(b"1"), BasicGet(0, "q"))
    after(rig, 1000)
    assert (rig.queue().ready, rig.queue().unacked) == (1, 0)
    assert client.do(BasicAck(1)) == []


def test_a_consumer_may_ask_for_its_own_timeout(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume(timeout=200))
    client.do(publish(b"1"))
    after(rig, 199)
    assert rig.queue().unacked == 1
    after(rig, 200)
    assert rig.queue().ready == 1


def test_a_queue_may_ask_for_a_timeout_of_its_own(rig: Rig) -> None:
    rig.queue("own", durable=False, consumer_timeout=300)
    client = client_with(rig, "requeue")
    client.do(consume("consumer", "own"))
    client.do(publish(b"1", "own"), publish(b"2", "q"), BasicGet(0, "q"))
    after(rig, 300)
    assert (rig.queue("own").unacked, rig.queue("q").unacked) == (0, 1)
    after(rig, 1000)
    assert rig.queue("q").unacked == 0


def test_zero_is_for_ever(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume(timeout=0))
    client.do(publish(b"1"))
    assert after(rig, 10_000_000) is None
    assert rig.queue().unacked == 1


def test_zero_is_for_ever_for_what_was_got_too(rig: Rig) -> None:
    rig.queue("patient", durable=False, consumer_timeout=0)
    client = client_with(rig, "requeue")
    client.do(publish(b"1", "patient"), BasicGet(0, "patient"))
    assert after(rig, 10_000_000) is None
    assert rig.queue("patient").unacked == 1


def test_a_timeout_below_zero_is_refused(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    text = "PRECONDITION_FAILED - invalid arg 'x-consumer-timeout': it is negative"
    assert client.do(consume(timeout=-1)) == [ChannelClose(406, text, 60, 20)]


def test_a_shorter_timeout_holds_beside_a_longer_one(rig: Rig) -> None:
    """Whoever was handed something first, on one channel."""
    rig.queue("fast", durable=False)
    client = client_with(rig, "requeue")
    client.do(consume("patient", "q", timeout=60_000), consume("hasty", "fast", timeout=200))
    client.do(publish(b"1", "q"))
    client.do(publish(b"2", "fast"))
    after(rig, 200)
    assert (rig.queue("q").unacked, rig.queue("fast").unacked) == (1, 0)


def test_a_timeout_holds_beside_a_consumer_that_has_none(rig: Rig) -> None:
    rig.queue("fast", durable=False)
    client = client_with(rig, "requeue")
    client.do(consume("patient", "q", timeout=0), consume("hasty", "fast", timeout=200))
    client.do(publish(b"1", "q"))
    client.do(publish(b"2", "fast"))
    after(rig, 200)
    assert (rig.queue("q").unacked, rig.queue("fast").unacked) == (1, 0)


def test_what_comes_back_for_one_consumer_is_watched_with_another(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume("first", timeout=200))
    client.do(publish(b"1"))
    client.do(consume("second", timeout=300))
    after(rig, 200)
    assert client.deliveries() == [(2, b"1", True)]
    after(rig, 499)
    assert rig.queue().unacked == 1
    after(rig, 500)
    assert rig.queue().ready == 1


def test_a_rollback_gives_the_deadline_back(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume())
    client.do(publish(b"1"))
    client.do(TxSelect())
    client.do(BasicAck(1))
    after(rig, 1500)  # nothing is unacked now
    client.do(TxRollback())
    assert rig.queue().unacked == 1
    after(rig, 2500)
    assert rig.queue().unacked == 0


def test_a_channel_that_is_closed_has_no_deadlines(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume())
    client.do(publish(b"1"))
    client.do(ChannelClose(200, "", 0, 0))
    assert after(rig, 1000) is None
    assert rig.queue().ready == 1


def test_the_order_of_the_queue_is_kept_when_several_are_late(rig: Rig) -> None:
    slow, other = client_with(rig, "requeue"), client_with(rig, "requeue")
    slow.do(consume())
    slow.do(*(publish(b"%d" % n) for n in range(4)))
    other.do(consume())
    slow.do(publish(b"4"))
    assert other.hear() == []
    after(rig, 1000)
    assert [body for _, body, _ in other.deliveries()] == [b"0", b"1", b"2", b"3", b"4"]


def test_no_ack_is_never_late(rig: Rig) -> None:
    client = client_with(rig, "requeue")
    client.do(consume(no_ack=True))
    client.do(publish(b"1"))
    assert after(rig, 1000) is None


# -- cancel --------------------------------------------------------------------------------------


def test_cancel_ends_the_consumer_and_says_so(rig: Rig) -> None:
    slow, other = client_with(rig, "cancel"), client_with(rig, "cancel")
    slow.do(consume("slow"))
    slow.do(publish(b"1"), publish(b"2"))
    other.do(consume())
    after(rig, 1000)
    assert slow.hear() == [BasicCancel("slow", True)]
    assert [body for _, body, _ in other.deliveries()] == [b"1", b"2"]
    assert slow.do(BasicAck(2, True)) == []
    assert slow.do(consume("slow")) == [BasicConsumeOk("slow")]


def test_cancel_passes_over_a_consumer_that_has_gone(rig: Rig) -> None:
    slow = client_with(rig, "cancel")
    slow.do(consume("slow"))
    slow.do(publish(b"1"))
    slow.do(BasicCancel("slow"))
    after(rig, 1000)
    assert (slow.hear(), rig.queue().ready) == ([], 1)


@pytest.mark.parametrize("action", ["cancel", "close"])
def test_a_client_that_can_not_be_told_of_a_cancel_loses_its_channel(rig: Rig, action: str) -> None:
    slow = client_with(rig, action, consumer_cancel_notify=action == "close")
    slow.do(consume("slow"))
    slow.do(publish(b"1"))
    after(rig, 1000)
    assert slow.hear() == [ChannelClose(406, TIMED_OUT, 0, 0)]
    assert rig.queue().ready == 1
    assert slow.do(ChannelCloseOk(), ChannelOpen()) == [ChannelOpenOk()]


def test_what_was_got_has_no_consumer_to_cancel_and_so_loses_its_channel(rig: Rig) -> None:
    client = client_with(rig, "cancel")
    client.do(publish(b"1"), BasicGet(0, "q"))
    after(rig, 1000)
    assert client.hear() == [ChannelClose(406, TIMED_OUT, 0, 0)]


# -- close ---------------------------------------------------------------------------------------


def test_close_tells_the_timeout_of_the_oldest(rig: Rig) -> None:
    client = client_with(rig, "close")
    client.do(consume(timeout=250))
    client.do(publish(b"1"))
    after(rig, 250)
    assert client.hear() == [ChannelClose(406, TIMED_OUT.replace("1000", "250"), 0, 0)]


def test_close_returns_all_that_the_channel_held(rig: Rig) -> None:
    client, other = client_with(rig, "close"), client_with(rig, "close")
    client.do(consume())
    client.do(publish(b"1"))
    after(rig, 900)
    client.do(publish(b"2"))
    client.do(ChannelOpen(), channel=2)
    client.do(BasicConsume(0, "q", "c"), channel=2)
    other.do(consume())
    after(rig, 1000)
    assert [body for _, body, _ in [*client.deliveries(), *other.deliveries()]] == [b"1", b"2"]

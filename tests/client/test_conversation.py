"""Who waits for what on a channel."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.client.consumer import Consumer
from amqplite.client.conversation import Conversation
from amqplite.client.errors import Closed, ConnectionLost, ConsumerCancelled, Nacked
from amqplite.client.events import Answered, Blocked, Returned
from amqplite.protocol.codec import Method
from amqplite.protocol.methods import (
    BasicAck,
    BasicCancel,
    BasicDeliver,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicQosOk,
    ChannelClose,
    ChannelCloseOk,
    QueuePurge,
    QueuePurgeOk,
)
from tests.client.test_channel_core import OCTETS, RETURN, RETURNED, Talk, delivery


class Spoken(Talk):
    """A channel that somebody waits on."""

    def __init__(self) -> None:
        super().__init__()
        self.wakes = 0
        self.conversation = Conversation(self.channel, self._wake)

    def _wake(self) -> None:
        self.wakes += 1

    def pass_on(self) -> None:
        """Tell what the channel told."""
        told = self.told[:]
        self.told.clear()
        for event in told:
            self.conversation.tell(event)

    def hear_and_tell(self, *methods: Method) -> None:
        self.hear(*methods)
        self.pass_on()

    def publish(self) -> int:
        return self.channel.publish(BasicPublish(0, "x", "k"), OCTETS, b"hi")


async def _no_cancel(_: Consumer) -> None:
    return None


async def test_each_gets_the_answer_to_its_own_question() -> None:
    spoken, answers = Spoken(), dict[str, Answered]()

    async def ask(name: str, method: Method) -> None:
        answers[name] = await spoken.conversation.ask(method)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask, "qos", BasicQos())
        await wait_all_tasks_blocked()
        nursery.start_soon(ask, "purge", QueuePurge(0, "q"))
        await wait_all_tasks_blocked()
        assert spoken.wakes == 2
        spoken.hear_and_tell(BasicQosOk())
        await wait_all_tasks_blocked()
        assert list(answers) == ["qos"]
        spoken.hear_and_tell(QueuePurgeOk(3))
    assert answers["purge"].method == QueuePurgeOk(3)


async def test_an_answer_is_acted_on_before_what_comes_behind_it() -> None:
    spoken = Spoken()
    consumer = Consumer("c1", _no_cancel)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            spoken.conversation.ask, BasicQos(), lambda _: spoken.conversation.add(consumer)
        )
        await wait_all_tasks_blocked()
        spoken.hear(BasicQosOk())
        spoken.hear_content(BasicDeliver("c1", 7, False, "x", "k"))
        spoken.pass_on()
    assert await consumer.receive() == delivery(consumer_tag="c1")


async def test_what_comes_for_a_consumer_that_is_gone_is_dropped() -> None:
    spoken = Spoken()
    consumer = Consumer("c1", _no_cancel)
    spoken.conversation.add(consumer)
    spoken.hear_and_tell(BasicCancel("c1"), BasicCancel("c2"))
    spoken.hear_content(BasicDeliver("c1", 7, False, "x", "k"))
    spoken.pass_on()
    with pytest.raises(ConsumerCancelled, match="cancelled consumer 'c1'"):
        await consumer.receive()
    spoken.conversation.remove(consumer)
    with pytest.raises(ConsumerCancelled):
        await consumer.receive()


async def test_a_confirm_goes_to_its_publish() -> None:
    spoken = Spoken()
    spoken.confirming()
    confirms = [spoken.conversation.confirm(spoken.publish()) for _ in range(3)]
    spoken.hear_and_tell(BasicNack(2, False), BasicAck(1, False))
    assert [confirm.done for confirm in confirms] == [True, True, False]
    assert spoken.conversation.unconfirmed == 1
    with pytest.raises(Nacked):
        await confirms[1].wait()


async def test_waiting_for_all_confirms_tells_of_a_nack_that_came_before() -> None:
    spoken = Spoken()
    spoken.confirming()
    for _ in range(4):
        spoken.conversation.confirm(spoken.publish())
    spoken.hear_and_tell(BasicNack(1, False), BasicAck(2, False))
    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(Nacked, match="publish 1"):
                await spoken.conversation.settled()

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        spoken.hear_and_tell(BasicNack(3, False))
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 1
        spoken.hear_and_tell(BasicAck(4, False))
    await spoken.conversation.settled()
    spoken.channel.end(ConnectionLost("it broke"))
    spoken.conversation.end(ConnectionLost("it broke"))
    with pytest.raises(ConnectionLost):
        await spoken.conversation.settled()


async def test_a_channel_hears_of_nothing_but_its_own() -> None:
    spoken = Spoken()
    spoken.conversation.tell(Blocked("low on disk"))
    assert spoken.said() == []


async def test_what_comes_back_is_told() -> None:
    spoken, returned = Spoken(), list[Returned]()
    spoken.hear_content(RETURN)
    spoken.pass_on()
    spoken.conversation.on_return = returned.append
    spoken.hear_content(RETURN)
    spoken.pass_on()
    assert returned == [RETURNED]


async def test_nobody_waits_beyond_our_goodbye() -> None:
    spoken = Spoken()
    spoken.confirming()
    confirm = spoken.conversation.confirm(spoken.publish())
    consumer = Consumer("c1", _no_cancel)
    spoken.conversation.add(consumer)
    failed = []

    async def ask() -> None:
        with pytest.raises(Closed) as caught:
            await spoken.conversation.ask(BasicQos())
        failed.append(caught.value)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        nursery.start_soon(spoken.conversation.close, 200, "goodbye")
        await wait_all_tasks_blocked()
        assert len(failed) == 1
        spoken.hear_and_tell(BasicQosOk(), ChannelCloseOk())
    for wait in (confirm.wait, consumer.receive):
        with pytest.raises(Closed, match="we closed the channel"):
            await wait()
    await spoken.conversation.close(200, "goodbye")
    assert spoken.said()[-1:] == [ChannelClose(200, "goodbye")]


async def test_a_goodbye_that_is_cut_off_is_an_error() -> None:
    spoken = Spoken()

    async def close() -> None:
        with pytest.raises(ConnectionLost):
            await spoken.conversation.close(200, "goodbye")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(close)
        await wait_all_tasks_blocked()
        spoken.conversation.end(ConnectionLost("it broke"))

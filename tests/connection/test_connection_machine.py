"""Two clients on two channels each, who do whatever clients do, in any order.

None of it is wrong, so nobody may hear of an error; each call is answered once and in its turn,
each publish confirmed once; and when all have gone, every message is where it should be: acked, or
in its queue, in its order. Commits, alarms and the hands of the clock come at any moment.
"""

import sys
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from amqplite.broker.backlog import Window
from amqplite.broker.broker import Limits
from amqplite.broker.redelivery import Cause
from amqplite.connection.connection import ConnectionLimits
from amqplite.protocol import methods as m
from amqplite.protocol.codec import Method
from tests.connection.client import Client, Content, publish
from tests.rig import NOW, Rig

QUEUES = ("d", "t")
CHANNELS = (1, 2)

who = st.sampled_from([0, 1])
where = st.sampled_from(CHANNELS)
queues = st.sampled_from(QUEUES)


@dataclass(eq=False)
class Channel:
    """What a client knows of one of its channels.

    Attributes:
        expected: the types of the answers to come, in order.
        held: numbers of messages by delivery tag, unsettled.
        no_ack: tags of consumers that need not settle; an answer to a get that need not.
        sent: publishes that took effect or will; in a transaction, those that wait.
        dropped: settlements that delete, in a transaction: those that wait.
    """

    mode: str = "plain"
    expected: deque[Any] = field(default_factory=deque)
    held: dict[int, int] = field(default_factory=dict)
    consumers: dict[str, bool] = field(default_factory=dict)
    gets: deque[bool] = field(default_factory=deque)
    seen: set[int] = field(default_factory=set)
    sent: list[tuple[str, int]] = field(default_factory=list)
    dropped: list[tuple[dict[int, int], bool]] = field(default_factory=list)
    published: int = 0
    confirmed: set[int] = field(default_factory=set)
    holds_back: bool = False


class ConnectionMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig(Limits(consumer_timeout_ms=1000, window=Window(4, 2000)))
        self.rig.queue("d")
        self.rig.queue("t", durable=False)
        self.rig.commit()
        self.limits = ConnectionLimits(outbox_high_bytes=1500)
        self.published = self.tags = self.now = 0
        self.alarmed = False
        self.there: dict[str, set[int]] = {name: set() for name in QUEUES}
        self.origin: dict[int, tuple[int, int]] = {}
        self.gone: set[int] = set()
        self.clients: list[Client] = [self._connect(), self._connect()]
        self.channels: list[dict[int, Channel]] = [self._fresh(), self._fresh()]
        self.connections = 2

    def _connect(self) -> Client:
        client = Client(self.rig, self.limits).open()
        client.do(m.ChannelOpen(), channel=2)
        return client

    def _fresh(self) -> dict[int, Channel]:
        return {number: Channel() for number in CHANNELS}

    # -- saying and hearing ----------------------------------------------------------------------

    def free(self, client: int, number: int) -> Channel | None:
        """Return the channel, if its client may say something there now."""
        channel = self.channels[client][number]
        if self.clients[client].connection.paused or channel.holds_back:
            return None
        return channel

    def say(self, client: int, number: int, method: Method, *answers: type) -> None:
        if answers:
            self.channels[client][number].expected.append(answers)
        self.clients[client].say(method, channel=number)

    @rule(client=who)
    def hear(self, client: int) -> None:
        for number, heard in self.clients[client].hear_channels():
            if number:
                self._take_in(self.channels[client][number], heard)
            else:
                assert isinstance(heard, m.ConnectionBlocked | m.ConnectionUnblocked)

    def _take_in(self, channel: Channel, heard: object) -> None:
        method = heard.method if isinstance(heard, Content) else heard
        if isinstance(method, m.BasicDeliver):
            self._take(channel, heard, channel.consumers[method.consumer_tag])
        elif isinstance(method, m.BasicAck | m.BasicNack):
            first = len(channel.confirmed) + 1 if method.multiple else method.delivery_tag
            fresh = set(range(first, method.delivery_tag + 1))
            assert not fresh & channel.confirmed, "confirmed twice"
            channel.confirmed |= fresh
        else:
            assert type(method) in channel.expected.popleft()
            if isinstance(method, m.BasicGetOk | m.BasicGetEmpty):
                no_ack = channel.gets.popleft()
                if isinstance(method, m.BasicGetOk):
                    self._take(channel, heard, no_ack)

    def _take(self, channel: Channel, heard: object, no_ack: bool) -> None:
        assert isinstance(heard, Content)
        method: Any = heard.method
        number = int(heard.body.split(b".")[0])
        assert method.delivery_tag not in channel.seen
        channel.seen.add(method.delivery_tag)
        assert number not in self.gone, "delivered after it was settled"
        if no_ack:
            self.gone.add(number)
        else:
            channel.held[method.delivery_tag] = number

    # -- publishing ------------------------------------------------------------------------------

    @rule(
        client=who,
        number=where,
        queue=queues,
        persistent=st.booleans(),
        size=st.sampled_from([0, 0, 400]),
        piece=st.sampled_from([100_000, 150]),
        count=st.integers(1, 4),
    )
    def publish(
        self,
        client: int,
        number: int,
        queue: str,
        persistent: bool,
        size: int,
        piece: int,
        count: int,
    ) -> None:
        channel, connection = self.channels[client][number], self.clients[client].connection
        if connection.paused:
            return
        properties = b"\x10\x00\x02" if persistent else b"\x10\x00\x01"
        octets = b""
        for _ in range(count):
            self.published += 1
            self.origin[self.published] = self.connections * 2 + client, number
            body = b"%d." % self.published + b"x" * size
            octets += publish(body, queue, properties, channel=number, piece=piece)
            channel.published += channel.mode == "confirm"
            channel.sent.append((queue, self.published))
        channel.holds_back = channel.holds_back or self.alarmed
        self.clients[client].feed(octets)
        if channel.mode != "tx":
            self._published(channel)

    def _published(self, channel: Channel) -> None:
        for queue, number in channel.sent:
            self.there[queue].add(number)
        channel.sent.clear()

    # -- consuming -------------------------------------------------------------------------------

    @rule(client=who, number=where, queue=queues, no_ack=st.booleans(), prefetch=st.integers(0, 3))
    def consume(self, client: int, number: int, queue: str, no_ack: bool, prefetch: int) -> None:
        channel = self.free(client, number)
        if channel is None or len(channel.consumers) == 2:
            return
        self.tags += 1
        tag = f"c{self.tags}"
        channel.consumers[tag] = no_ack
        self.say(client, number, m.BasicQos(0, prefetch, False), m.BasicQosOk)
        self.say(client, number, m.BasicConsume(0, queue, tag, no_ack=no_ack), m.BasicConsumeOk)

    @rule(client=who, number=where, prefetch=st.integers(0, 4))
    def share_a_prefetch(self, client: int, number: int, prefetch: int) -> None:
        if self.free(client, number):
            self.say(client, number, m.BasicQos(0, prefetch, True), m.BasicQosOk)

    @rule(client=who, number=where, queue=queues, no_ack=st.booleans())
    def get(self, client: int, number: int, queue: str, no_ack: bool) -> None:
        channel = self.free(client, number)
        if channel is not None:
            channel.gets.append(no_ack)
            self.say(client, number, m.BasicGet(0, queue, no_ack), m.BasicGetOk, m.BasicGetEmpty)

    @rule(client=who, number=where, data=st.data(), how=st.sampled_from(["ack", "drop", "back"]))
    def settle(self, client: int, number: int, data: st.DataObject, how: str) -> None:
        self.hear(client)
        channel = self.channels[client][number]
        if not channel.held or self.clients[client].connection.paused:
            return
        tag = data.draw(st.sampled_from(sorted(channel.held)))
        multiple = data.draw(st.booleans())
        tags = [t for t in channel.held if t == tag or (multiple and t < tag)]
        there = self.clients[client].connection.channels[number].unacked
        settled = {t: channel.held.pop(t) for t in tags}
        if how != "back" and channel.mode != "tx":
            self.gone |= {n for t, n in settled.items() if t in there}
        channel.dropped.append(({t: n for t, n in settled.items() if t in there}, how != "back"))
        if how == "ack":
            method: Method = m.BasicAck(tag, multiple)
        elif multiple or how == "back":
            method = m.BasicNack(tag, multiple, how == "back")
        else:
            method = m.BasicReject(tag, False)
        self.say(client, number, method)

    @rule(client=who, number=where)
    def recover(self, client: int, number: int) -> None:
        channel = self.free(client, number)
        if channel is None or channel.mode == "tx":
            return
        self.hear(client)
        channel.held.clear()
        self.say(client, number, m.BasicRecover(True), m.BasicRecoverOk)

    # -- confirms and transactions ---------------------------------------------------------------

    @rule(client=who, number=where, mode=st.sampled_from(["confirm", "tx"]))
    def select(self, client: int, number: int, mode: str) -> None:
        channel = self.free(client, number)
        if channel is None or channel.mode not in ("plain", mode):
            return
        channel.mode = mode
        channel.dropped.clear()
        if mode == "tx":
            self.say(client, number, m.TxSelect(), m.TxSelectOk)
        else:
            self.say(client, number, m.ConfirmSelect(), m.ConfirmSelectOk)

    @rule(client=who, number=where, commits=st.booleans())
    def end_transaction(self, client: int, number: int, commits: bool) -> None:
        channel = self.free(client, number)
        if channel is None or channel.mode != "tx":
            return
        if commits:
            self._published(channel)
            for settled, away in channel.dropped:
                self.gone |= set(settled.values()) if away else set()
            self.say(client, number, m.TxCommit(), m.TxCommitOk)
        else:
            channel.sent.clear()
            for settled, _ in channel.dropped:
                channel.held |= settled
            self.say(client, number, m.TxRollback(), m.TxRollbackOk)
        channel.dropped.clear()

    # -- ending ----------------------------------------------------------------------------------

    @rule(client=who, number=where)
    def close_channel(self, client: int, number: int) -> None:
        if self.free(client, number) is None:
            return
        self.hear(client)
        self.say(client, number, m.ChannelClose(200, "", 0, 0), m.ChannelCloseOk)
        self.rig.commit()
        self.hear(client)
        assert list(self.channels[client][number].expected) == []  # whoever closes wants no confirm
        self.channels[client][number] = Channel()
        self.connections += 1
        if not self.clients[client].connection.paused:
            self.say(client, number, m.ChannelOpen(), m.ChannelOpenOk)
            self.hear(client)

    @rule(client=who, cause=st.sampled_from([Cause.CONNECTION_LOST, Cause.HEARTBEATS_MISSED]))
    def lose_connection(self, client: int, cause: Cause) -> None:
        if any(channel.holds_back for channel in self.channels[client].values()):
            return
        if self.clients[client].connection.paused:
            return
        self.hear(client)
        self.clients[client].connection.lost(cause)
        self.connections += 1
        self.clients[client] = self._connect()
        self.channels[client] = self._fresh()

    # -- the world -------------------------------------------------------------------------------

    @precondition(lambda self: not self.rig.committing)
    @rule()
    def take(self) -> None:
        self.rig.take()

    @rule()
    def commit(self) -> None:
        self.rig.commit()

    @rule(low=st.booleans())
    def alarm(self, low: bool) -> None:
        self.alarmed = low
        self.rig.broker.alarms.set("disk", low)
        if not low:
            for channel in (c for channels in self.channels for c in channels.values()):
                channel.holds_back = False

    @rule(ms=st.sampled_from([100, 600, 1100]))
    def wait(self, ms: int) -> None:
        """Let time pass; acks that are late then settle nothing."""
        for client in (0, 1):
            self.hear(client)
        self.now += ms
        self.rig.broker.advance(NOW + self.now)

    @invariant()
    def nothing_is_our_fault(self) -> None:
        for client in self.clients:
            assert client.faults == []

    def _no_answer_is_missing(self, channel: Channel) -> None:
        assert list(channel.expected) == []
        assert channel.confirmed == set(range(1, channel.published + 1))

    def teardown(self) -> None:
        if sys.exception() is not None:
            return
        self.alarm(False)
        for _ in range(2):
            self.rig.commit()
            for client in (0, 1):
                self.hear(client)
        for client in (0, 1):
            self.hear(client)
            for channel in self.channels[client].values():
                self._no_answer_is_missing(channel)
            self.clients[client].connection.lost(Cause.CONNECTION_LOST)
        self.nothing_is_our_fault()
        for name in QUEUES:
            self._every_message_is_where_it_should_be(name)

    def _every_message_is_where_it_should_be(self, name: str) -> None:
        queue, found = self.rig.queue(name), []
        assert queue.unacked == 0
        while got := queue.get():
            found.append(int(got[0].message.body.split(b".")[0]))
        assert sorted(found) == sorted(self.there[name] - self.gone)
        by_origin = defaultdict(list)
        for number in found:
            by_origin[self.origin[number]].append(number)
        for numbers in by_origin.values():
            assert numbers == sorted(numbers), "out of order"


TestConnectionMachine = ConnectionMachine.TestCase
TestConnectionMachine.settings = settings(
    max_examples=100,
    stateful_step_count=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

"""A number that was a queue's is not another's before the store can have done with it."""

import pytest

from amqplite.broker.broker import Broker
from amqplite.broker.journal import Journal
from amqplite.broker.queue_ids import QueueIds
from amqplite.broker.records import QUEUE_IDS, Loaded, LoadedQueue, QueueRow, VhostRow, message_key
from amqplite.broker.users import Users
from amqplite.errors import ResourceError


def test_each_number_is_handed_out_once() -> None:
    ids = QueueIds()
    taken = []
    for position in range(100):
        taken.append(ids.take(durable=position))
        ids.give_back(taken[-1], position)
    assert taken == list(range(1, 101))


def test_when_all_were_out_the_oldest_that_came_back_is_next() -> None:
    ids = QueueIds(end=4)
    assert [ids.take(durable=0) for _ in range(2)] == [1, 2]
    ids.give_back(2, position=1)
    ids.give_back(1, position=2)
    assert [ids.take(durable=2) for _ in range(3)] == [3, 2, 1]


def test_a_number_comes_back_when_its_queues_deletion_is_on_disk() -> None:
    ids = QueueIds(end=2)
    ids.give_back(ids.take(durable=0), position=5)
    with pytest.raises(ResourceError, match="as many queues as there can be: 1"):
        ids.take(durable=4)
    assert ids.take(durable=5) == 1


def test_numbers_that_the_store_knows_are_left_out() -> None:
    ids = QueueIds(end=6)
    ids.start_without({1, 3})
    assert [ids.take(durable=0) for _ in range(3)] == [2, 4, 5]
    ids.give_back(3, position=1)
    assert ids.take(durable=1) == 3


def test_the_highest_number_makes_keys_that_sqlite_can_hold() -> None:
    assert message_key(QUEUE_IDS, 0) - 1 == (1 << 63) - 1


def test_a_broker_starts_without_what_is_used_or_still_being_purged() -> None:
    journal = Journal()
    broker = Broker(0, Users(journal.define, bytes), journal, str)
    used = LoadedQueue(QueueRow(2, "/", "used", False, b""), 0, 0, 0)
    loaded = Loaded([VhostRow("/")], [], [], [], [used], [], 1, purging=frozenset({1, 4}))
    broker.load(loaded, lambda _: {})
    declare = broker.vhosts["/"].declare_queue
    queues = [declare(None, name, None, durable=True) for name in ("a", "b")]
    assert [queue.queue_id for queue in queues] == [3, 5]

import pytest

from amqplite.broker.broker import Broker
from amqplite.broker.journal import Journal
from amqplite.broker.users import Users
from amqplite.errors import NotAllowed
from tests.broker.takers import Taker, message_of
from tests.rig import NOW, Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()


# -- time ----------------------------------------------------------------------------------------


def test_advance_calls_what_is_due_in_order_and_tells_when_to_come_back(rig: Rig) -> None:
    broker, called = rig.broker, list[tuple[str, int]]()
    for name, when in (("late", 900), ("soon", 100), ("soon too", 100)):
        broker.call_at(NOW + when, lambda now, name=name: called.append((name, now)))
    assert broker.advance(NOW + 99) == NOW + 100
    assert called == []
    assert broker.advance(NOW + 150) == NOW + 900
    assert called == [("soon", NOW + 150), ("soon too", NOW + 150)]
    assert broker.advance(NOW + 2000) is None
    assert (called[2:], broker.now) == ([("late", NOW + 2000)], NOW + 2000)


def test_what_was_cancelled_is_not_called_and_not_waited_for(rig: Rig) -> None:
    broker, called = rig.broker, list[int]()
    first = broker.call_at(NOW + 100, called.append)
    second = broker.call_at(NOW + 200, called.append)
    broker.call_at(NOW + 300, called.append)
    broker.cancel(first)
    broker.cancel(second)
    assert broker.advance(NOW + 50) == NOW + 300
    broker.advance(NOW + 1000)
    assert called == [NOW + 1000]


def test_a_deadline_before_all_others_is_announced(rig: Rig) -> None:
    broker, announced = rig.broker, list[str]()
    broker.on_deadline = lambda: announced.append("sooner")
    broker.call_at(NOW + 500, print)
    broker.call_at(NOW + 900, print)
    broker.call_at(NOW + 500, print)
    assert announced == ["sooner"]
    broker.call_at(NOW + 100, print)
    assert announced == ["sooner"] * 2


def test_what_is_called_may_make_an_appointment(rig: Rig) -> None:
    broker, called = rig.broker, list[int]()

    def again(now: int) -> None:
        called.append(now)
        if len(called) < 3:
            broker.call_at(now + 100, again)

    broker.call_at(NOW + 100, again)
    assert broker.advance(NOW + 100) == NOW + 200
    assert broker.advance(NOW + 200) == NOW + 300
    assert broker.advance(NOW + 300) is None
    assert called == [NOW + 100, NOW + 200, NOW + 300]


# -- vhosts --------------------------------------------------------------------------------------


def test_a_vhost_is_made_once(rig: Rig) -> None:
    made = rig.broker.add_vhost("other")
    assert rig.broker.add_vhost("other") is made
    assert set(made.exchanges) == {
        "",
        "amq.direct",
        "amq.fanout",
        "amq.headers",
        "amq.match",
        "amq.rabbitmq.trace",
        "amq.topic",
    }


def test_a_user_enters_a_vhost_with_any_permission_in_it(rig: Rig) -> None:
    broker = rig.broker
    guest = broker.users.get("guest")
    assert guest is not None
    assert broker.vhost(guest, "/") is rig.vhost
    with pytest.raises(NotAllowed) as caught:
        broker.vhost(guest, "none")
    assert str(caught.value) == "vhost none not found"
    broker.add_vhost("other")
    with pytest.raises(NotAllowed) as caught:
        broker.vhost(guest, "other")
    assert str(caught.value) == "access to vhost 'other' refused for user 'guest'"


def test_a_vhost_takes_all_that_is_in_it_with_it(rig: Rig) -> None:
    queue = rig.queue()
    queue.push(message_of(b"1"))
    taker = Taker()
    queue.add_consumer(taker)
    rig.vhost.declare_exchange(None, "x", "topic", durable=True)
    rig.vhost.bind_queue(None, rig, "x", "q", "#")
    rig.commit()
    rig.broker.delete_vhost("/")
    rig.broker.delete_vhost("/")
    rig.commit()
    assert (taker.gone, rig.broker.vhosts, rig.broker.users.permissions()) == (True, {}, [])
    assert (rig.store.messages, len(rig.store.rows)) == ({}, 1)
    rig.crash()
    assert rig.broker.vhosts == {}


def test_a_vhost_that_was_deleted_may_be_made_again(rig: Rig) -> None:
    rig.queue().push(message_of(b"1"))
    rig.broker.delete_vhost("/")
    rig.broker.add_vhost("/")
    rig.commit()
    rig.crash()
    assert (list(rig.broker.vhosts), rig.vhost.queues) == (["/"], {})


# -- start and stop ------------------------------------------------------------------------------


def test_a_broker_without_a_store_has_nothing_to_read() -> None:
    journal = Journal()
    broker = Broker(NOW, Users(journal.define, bytes), journal, lambda prefix: prefix)
    queue = broker.add_vhost("/").declare_queue(None, "q", None)
    queue.found(5, 5, 0)
    assert queue.get() is None
    assert queue.ready == 0


def test_what_is_durable_is_back_after_a_start(rig: Rig) -> None:
    rig.broker.add_vhost("other")
    for vhost in rig.broker.vhosts.values():
        vhost.declare_exchange(None, "x", "topic", durable=True, octets=b"")
        vhost.declare_exchange(None, "gone", "topic")
        vhost.declare_queue(None, "q", rig, durable=True)
        vhost.declare_queue(None, "gone", rig)
        vhost.bind_queue(None, rig, "x", "q", "#")
        vhost.bind_exchange(None, "amq.fanout", "x", "")
        vhost.bind_queue(None, rig, "gone", "q", "#")
        vhost.bind_queue(None, rig, "x", "gone", "#")
    rig.commit()
    rig.crash()
    assert list(rig.broker.vhosts) == ["/", "other"]
    for vhost in rig.broker.vhosts.values():
        assert "gone" not in {**vhost.exchanges, **vhost.queues}
        assert [b.destination for b in vhost.exchange("x").bindings.values()] == [vhost.queues["q"]]
        assert [b.destination for b in vhost.exchange("amq.fanout").bindings.values()] == [
            vhost.exchanges["x"]
        ]
    assert rig.broker.users.get("guest") is not None


def test_a_durable_binding_of_the_default_exchange_is_not_stored(rig: Rig) -> None:
    rig.queue("q")
    rig.commit()
    assert not [row for row in rig.store.rows.values() if type(row).__name__ == "BindingRow"]


def test_only_durable_queues_record_what_was_handed_out(rig: Rig) -> None:
    queue = rig.queue("q", durable=False)
    queue.push(message_of(b"1"))
    rig.commit()
    position = rig.journal.position
    rig.broker.record_handed_out()
    assert rig.journal.position == position

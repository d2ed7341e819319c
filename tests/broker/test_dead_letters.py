"""Dead letters: where they go, what their headers say, and that none is lost or goes round."""

from typing import Any

import pytest

from amqplite.broker.dead_letters import DeadLetters
from amqplite.broker.message import Message, restored
from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.protocol.fields import from_python, to_python
from amqplite.protocol.properties import Properties, decode_properties, encode_properties
from tests.broker.takers import message_of
from tests.rig import NOW, Rig, tiny

NOW_S = NOW // 1000


@pytest.fixture
def rig() -> Rig:
    """A rig with a queue `dead`, where letters are to come."""
    rig = Rig()
    rig.queue("dead")
    return rig


def letter_box(rig: Rig, name: str = "q", **settings: object) -> Queue:
    """Return a queue that is full when it is empty, and gives up to `dead`."""
    given = {"max_length": 0, "dead_letter_exchange": "", "dead_letter_routing_key": "dead"}
    return rig.queue(name, **(given | settings))


def with_properties(routing_key: str = "q", exchange: str = "", **properties: Any) -> Message:
    headers = properties.pop("headers", None)
    table = None if headers is None else from_python(headers)
    octets = encode_properties(Properties(headers=table, **properties))
    return restored(exchange, routing_key, octets, b"body", properties.get("delivery_mode") == 2)


def taken(rig: Rig, name: str = "dead") -> Message:
    got = rig.queue(name).get()
    assert got is not None
    return got[0].message


def headers_of(message: Message) -> dict[str, Any]:
    headers = decode_properties(message.header).headers
    assert headers is not None
    return to_python(headers)


# -- what it is ----------------------------------------------------------------------------------


def test_a_dead_letter_says_where_it_died_and_why(rig: Rig) -> None:
    letter_box(rig).push(with_properties("key", "amq.topic"))
    letter = taken(rig)
    assert (letter.exchange, letter.routing_key, letter.body) == ("", "dead", b"body")
    assert headers_of(letter) == {
        "x-death": [
            {
                "count": 1,
                "reason": "maxlen",
                "queue": "q",
                "time": NOW_S,
                "exchange": "amq.topic",
                "routing-keys": ["key"],
            }
        ],
        "x-first-death-queue": "q",
        "x-first-death-reason": "maxlen",
        "x-first-death-exchange": "amq.topic",
        "x-last-death-queue": "q",
        "x-last-death-reason": "maxlen",
        "x-last-death-exchange": "amq.topic",
    }


def test_all_other_properties_stay(rig: Rig) -> None:
    given = {
        "content_type": "text/plain",
        "delivery_mode": 1,
        "priority": 3,
        "message_id": "m",
        "timestamp": 1,
        "user_id": "guest",
        "headers": {"mine": 1},
    }
    letter_box(rig).push(with_properties(**given))
    letter = taken(rig)
    properties = decode_properties(letter.header)
    assert {name: getattr(properties, name) for name in given if name != "headers"} == {
        name: value for name, value in given.items() if name != "headers"
    }
    assert headers_of(letter)["mine"] == 1


def test_an_expiration_is_taken_off_and_remembered(rig: Rig) -> None:
    letter_box(rig).push(with_properties(expiration="5000"))
    letter = taken(rig)
    assert decode_properties(letter.header).expiration is None
    assert headers_of(letter)["x-death"][0]["original-expiration"] == "5000"


def test_without_a_routing_key_it_keeps_its_own(rig: Rig) -> None:
    queue = rig.queue("q", max_length=0, dead_letter_exchange="amq.fanout")
    rig.vhost.bind_queue(None, rig, "amq.fanout", "dead", "")
    queue.push(with_properties("key", headers={"CC": ["copy"]}))
    letter = taken(rig)
    assert (letter.exchange, letter.routing_key) == ("amq.fanout", "key")
    assert headers_of(letter)["CC"] == ["copy"]
    assert headers_of(letter)["x-death"][0]["routing-keys"] == ["key", "copy"]


def test_cc_routes_it_too_unless_it_has_a_new_routing_key(rig: Rig) -> None:
    rig.queue("copy")
    rig.queue("own", max_length=0, dead_letter_exchange="").push(
        with_properties("dead", headers={"CC": ["copy"]})
    )
    assert (rig.queue("dead").ready, rig.queue("copy").ready) == (1, 1)
    letter_box(rig).push(with_properties(headers={"CC": ["copy"]}))
    assert (rig.queue("dead").ready, rig.queue("copy").ready) == (2, 1)
    taken(rig)
    assert "CC" not in headers_of(taken(rig))


@pytest.mark.parametrize("reason", ["rejected", "maxlen", "delivery_limit"])
def test_every_way_to_be_given_up_has_its_reason(rig: Rig, reason: str) -> None:
    queue = letter_box(rig, max_length=1, delivery_limit=0)
    queue.push(message_of(b"1"))
    if reason == "maxlen":
        queue.push(message_of(b"2"))
    else:
        got = queue.get()
        assert got is not None
        if reason == "rejected":
            queue.reject(got[0])
        else:
            queue.requeue([got[0]], Cause.NACK)
    letter = taken(rig)
    assert (letter.body, headers_of(letter)["x-last-death-reason"]) == (b"1", reason)


# -- dying more than once ------------------------------------------------------------------------


def test_dying_again_in_the_same_way_counts_up_and_keeps_the_first_time(rig: Rig) -> None:
    queue = letter_box(rig, max_length=1)
    queue.push(message_of(b"1"))
    for later in range(3):
        rig.broker.now = NOW + later * 60_000
        got = queue.get()
        assert got is not None
        queue.reject(got[0])
        queue.push(taken(rig))
    (death,) = headers_of(taken(rig, "q"))["x-death"]
    assert (death["count"], death["time"], death["reason"]) == (3, NOW_S, "rejected")


def test_deaths_are_listed_newest_first(rig: Rig) -> None:
    first, second = letter_box(rig, "first"), letter_box(rig, "second")
    first.push(message_of(b"1"))
    second.push(taken(rig))
    headers = headers_of(taken(rig))
    assert [death["queue"] for death in headers["x-death"]] == ["second", "first"]
    assert (headers["x-first-death-queue"], headers["x-last-death-queue"]) == ("first", "second")


ODD_DEATHS = [
    "text",
    1,
    [],
    [1, "text"],
    [{}],
    [{"queue": "q", "reason": "maxlen"}],
    [{"queue": "q", "reason": "maxlen", "count": "many"}],
    [{"queue": 1, "reason": "maxlen", "count": 1}],
]


@pytest.mark.parametrize("deaths", ODD_DEATHS)
def test_what_clients_send_for_deaths_is_passed_over_if_it_is_none(rig: Rig, deaths: Any) -> None:
    letter_box(rig).push(with_properties(headers={"x-death": deaths}))
    (death,) = headers_of(taken(rig))["x-death"]
    assert (death["queue"], death["count"]) == ("q", 1)


def test_deaths_that_a_client_has_sent_back_count_on(rig: Rig) -> None:
    """Whatever the width it has encoded the count in."""
    deaths = [{"queue": "q", "reason": "maxlen", "count": 4}]
    letter_box(rig).push(with_properties(headers={"x-death": deaths}))
    (death,) = headers_of(taken(rig))["x-death"]
    assert death["count"] == 5


def test_a_count_that_can_not_rise_stays(rig: Rig) -> None:
    highest = (1 << 63) - 1
    deaths = [{"queue": "q", "reason": "maxlen", "count": highest}]
    letter_box(rig).push(with_properties(headers={"x-death": deaths}))
    (death,) = headers_of(taken(rig))["x-death"]
    assert death["count"] == highest


@pytest.mark.parametrize("headers", [{"CC": "text"}, {"CC": [1]}])
def test_cc_that_is_none_is_passed_over(rig: Rig, headers: dict[str, Any]) -> None:
    letter_box(rig).push(with_properties(headers=headers))
    assert headers_of(taken(rig))["x-death"][0]["routing-keys"] == ["q"]


def test_headers_that_are_no_table_are_replaced(rig: Rig) -> None:
    """Nobody had to understand them so far, and so nobody refused them."""
    broken = restored("", "q", b"\x30\x00\x00\x00\x00\x03\x01a?\x02", b"body", True)
    letter_box(rig).push(broken)
    letter = taken(rig)
    assert headers_of(letter)["x-last-death-queue"] == "q"
    assert (letter.body, decode_properties(letter.header).delivery_mode) == (b"body", 2)


# -- cycles --------------------------------------------------------------------------------------


def test_a_message_that_goes_round_without_a_client_is_dropped(rig: Rig) -> None:
    letter_box(rig, "one", dead_letter_routing_key="two")
    letter_box(rig, "two", dead_letter_routing_key="one").push(message_of(b"1"))
    assert (rig.queue("one").ready, rig.queue("two").ready) == (0, 0)


def test_a_queue_does_not_give_up_to_itself(rig: Rig) -> None:
    queue = letter_box(rig, max_length=1, dead_letter_routing_key="q")
    queue.push(message_of(b"1"))
    queue.push(message_of(b"2"))
    assert (queue.ready, taken(rig, "q").body) == (1, b"2")


def test_a_message_that_a_client_rejects_may_go_round(rig: Rig) -> None:
    queue = letter_box(rig, max_length=5, dead_letter_routing_key="q")
    queue.push(message_of(b"1"))
    for _ in range(3):
        got = queue.get()
        assert got is not None
        queue.reject(got[0])
    assert headers_of(taken(rig, "q"))["x-death"][0]["count"] == 3


def test_a_message_that_was_rejected_on_its_way_round_may_go_on(rig: Rig) -> None:
    one = letter_box(rig, "one", max_length=1, dead_letter_routing_key="two")
    two = letter_box(rig, "two", max_length=1, dead_letter_routing_key="one")
    one.push(message_of(b"1"))
    one.push(message_of(b"2"))
    got = two.get()
    assert got is not None
    two.reject(got[0])  # goes to `one`, which drops its 2, which goes to `two`
    assert (taken(rig, "one").body, taken(rig, "two").body) == (b"1", b"2")


@pytest.mark.parametrize(
    ("before", "goes"), [(["maxlen"], False), (["rejected", "maxlen"], True), (["rejected"], True)]
)
def test_a_message_goes_back_only_if_a_client_rejected_it_since(
    rig: Rig, before: list[str], goes: bool
) -> None:
    """`before`: its deaths in the queue that it would go to, newest first."""
    deaths = [{"queue": "dead", "reason": reason, "count": 1} for reason in before]
    letter_box(rig).push(with_properties(headers={"x-death": deaths}))
    assert rig.queue("dead").ready == goes


@pytest.mark.parametrize("size", [1, 5, 600])
def test_two_full_queues_may_give_up_all_they_have_to_each_other(rig: Rig, size: int) -> None:
    one = letter_box(rig, "one", max_length=size, dead_letter_routing_key="two")
    two = letter_box(rig, "two", max_length=size, dead_letter_routing_key="one")
    for queue in (one, two):
        for _ in range(size):
            queue.push(message_of(b"old"))
    one.push(message_of(b"new"))
    assert (one.ready, two.ready) == (size, size)


# -- where they go -------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"dead_letter_exchange": "none"}, {}])
def test_without_an_exchange_a_message_is_dropped(rig: Rig, settings: dict[str, object]) -> None:
    queue = rig.queue("q", max_length=0, **settings)
    queue.push(message_of(b"1"))
    rig.commit()
    assert (queue.ready, rig.queue("dead").ready, rig.store.messages) == (0, 0, {})


def test_without_a_queue_to_go_to_a_message_is_dropped(rig: Rig) -> None:
    letter_box(rig, dead_letter_routing_key="nowhere").push(message_of(b"1"))
    rig.commit()
    assert rig.store.messages == {}


def test_a_headers_exchange_routes_dead_letters_by_their_headers(rig: Rig) -> None:
    rig.vhost.bind_queue(
        None, rig, "amq.headers", "dead", "", from_python({"x-last-death-reason": "maxlen"})
    )
    rig.queue("q", max_length=0, dead_letter_exchange="amq.headers").push(message_of(b"1"))
    assert taken(rig).body == b"1"


def test_a_message_is_never_in_both_queues_on_disk_nor_in_none(rig: Rig) -> None:
    queue = letter_box(rig, max_length=1)
    queue.push(message_of(b"1"))
    rig.commit()
    queue.push(message_of(b"2"))
    before = len(rig.store.batches)
    rig.commit()
    (batch,) = rig.store.batches[before:]
    assert (len(batch.inserts), len(batch.deletes)) == (2, 1)


def test_a_persistent_message_stays_one_though_it_had_been_spilled() -> None:
    """From a queue that is not durable, where nothing has to survive."""
    rig = Rig(tiny())
    rig.queue("dead")
    queue = letter_box(rig, max_length=9)
    transient = rig.queue(
        "t", durable=False, max_length=9, dead_letter_exchange="", dead_letter_routing_key="dead"
    )
    for number in range(8):
        transient.push(message_of(b"%d" % number))
    rig.commit()
    while got := transient.get():
        transient.reject(got[0])
    rig.commit()
    rig.crash()
    assert (queue.ready, rig.queue("dead").ready) == (0, 8)


def test_the_exchange_may_have_gone_meanwhile() -> None:
    letters = DeadLetters(lambda _: None, Rig().journal, None, lambda: NOW)  # type: ignore[arg-type]
    rig = Rig()
    queue = rig.queue("q", dead_letter_exchange="gone", max_length=0)
    queue.dead_letter = letters.publish
    queue.push(message_of(b"1"))
    assert queue.ready == 0


def test_a_fault_on_the_way_does_not_hold_up_those_that_come_later(rig: Rig) -> None:
    queue = letter_box(rig)
    exchange = rig.vhost.exchange("")

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    route, exchange.route = exchange.route, fail  # type: ignore[assignment]
    with pytest.raises(ZeroDivisionError):
        queue.push(message_of(b"1"))
    exchange.route = route
    queue.push(message_of(b"2"))
    assert taken(rig).body == b"2"

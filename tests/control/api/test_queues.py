"""Queues: what is shown of them, and to whom."""

import pytest

from amqplite.broker.message import restored
from amqplite.broker.redelivery import Cause
from amqplite.control.api import queues
from amqplite.control.errors import HttpError
from amqplite.control.site import Site
from tests.control.sites import ask, connect, declare, listed, make_site

MESSAGE = restored("", "q", b"\x00\x00", b"m", persistent=False)


@pytest.fixture
def site() -> Site:
    return make_site()


def test_a_queue_is_shown_with_all_that_is_known(site: Site) -> None:
    queue = declare(
        site, "/", "q", durable=True, arguments={"x-max-length": ("I", 5), "x-who": ("S", b"me")}
    )
    for _ in range(3):
        queue.push(MESSAGE)
    queue.get()
    assert listed(queues.queue, site, vhost="/", name="q") == {
        "name": "q",
        "vhost": "/",
        "type": "classic",
        "durable": True,
        "auto_delete": False,
        "exclusive": False,
        "arguments": {"x-max-length": 5, "x-who": "me"},
        "node": "amqplite@localhost",
        "state": "running",
        "messages": 3,
        "messages_ready": 2,
        "messages_unacknowledged": 1,
        "consumers": 0,
        "returned": {},
        "order": {
            "completed": 0,
            "reordered": 0,
            "inversions": 0,
            "moved": 0,
            "late": 0,
            "buffer": 0,
            "approximate": False,
            "redelivered": 0,
            "requeued": {},
            "by_cause": {},
            "unexplained": 0,
            "violations": 0,
        },
    }


def test_a_queue_tells_why_hand_outs_ended_without_an_ack(site: Site) -> None:
    queue = declare(site, "/", "q")
    queue.push(MESSAGE)
    for cause in (Cause.CONNECTION_LOST, Cause.NACK, Cause.CONNECTION_LOST):
        got = queue.get()
        assert got is not None
        queue.requeue([got[0]], cause)
    assert listed(queues.queue, site, vhost="/", name="q")["returned"] == {
        "the connection was lost": 2,
        "the consumer sent basic.nack with requeue": 1,
    }


def test_an_exclusive_queue_tells_its_owner(site: Site) -> None:
    connection = connect(site, "owner", "log", name="there -> here")
    declare(site, "log", "mine", exclusive=True, auto_delete=True, owner=connection)
    (queue,) = listed(queues.queues, site, vhost="log")
    assert (queue["exclusive"], queue["auto_delete"], queue["durable"]) == (True, True, False)
    assert queue["owner_pid_details"] == {"name": "there -> here"}


def test_queues_are_those_of_the_vhosts_the_user_may_see(site: Site) -> None:
    for vhost in ("/", "log"):
        declare(site, vhost, "q")
    assert [queue["vhost"] for queue in listed(queues.queues, site)] == ["/", "log"]
    assert [queue["vhost"] for queue in listed(queues.queues, site, "owner")] == ["log"]
    assert [queue["vhost"] for queue in listed(queues.queues, site, vhost="log")] == ["log"]
    assert [queue["vhost"] for queue in listed(queues.queues_of_slash, site)] == ["/"]


def test_one_that_is_not_there_is_not_found(site: Site) -> None:
    declare(site, "log", "q")
    with pytest.raises(HttpError, match="Not Found"):
        ask(queues.queue, site, vhost="/", name="q")


def test_a_queue_tells_what_became_of_its_order(site: Site) -> None:
    queue = declare(site, "/", "q")
    for _ in range(3):
        queue.push(MESSAGE)
    first, second, _ = (got[0] for got in (queue.get(), queue.get(), queue.get()) if got)
    queue.settle(second)
    queue.requeue([first], Cause.CONNECTION_RESET)
    got = queue.get()
    assert got is not None
    queue.settle(got[0])
    order = listed(queues.queue, site, vhost="/", name="q")["order"]
    assert (order["completed"], order["reordered"], order["inversions"]) == (2, 1, 1)
    assert (order["moved"], order["buffer"], order["redelivered"]) == (1, 1, 1)
    assert order["requeued"] == {"connection_lost": 1}
    assert order["by_cause"] == {"connection_lost": {"reordered": 1, "inversions": 1, "late": 0}}
    assert (order["unexplained"], order["violations"]) == (0, 0)

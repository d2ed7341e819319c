"""What is listed, with RabbitMQ's names."""

from typing import Any

import pytest

from amqplite import __version__
from amqplite.broker.message import Message
from amqplite.control.api import bindings, connections, exchanges, overview, queues, vhosts
from amqplite.control.errors import HttpError
from amqplite.control.router import Handler
from amqplite.control.site import Site
from tests.control.sites import ask, connect, make_site

MESSAGE = Message(b"\x00\x01q", bytes(22), 1, 14, persistent=False)


@pytest.fixture
def site() -> Site:
    return make_site()


def listed(handler: Handler, site: Site, user: str = "admin", **parameters: str) -> Any:
    status, said = ask(handler, site, user, **parameters)
    assert status == 200
    return said


def declare(site: Site, vhost: str, name: str, **facts: Any) -> Any:
    return site.broker.vhosts[vhost].declare_queue(None, name, facts.pop("owner", None), **facts)


# -- queues ----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("handler", [queues.queue, exchanges.exchange])
def test_what_is_not_there_is_not_found(site: Site, handler: Handler) -> None:
    declare(site, "log", "q")
    with pytest.raises(HttpError, match="Not Found"):
        ask(handler, site, vhost="/", name="q")


# -- exchanges and bindings ------------------------------------------------------------------------


def test_an_exchange_is_shown_with_all_that_is_known(site: Site) -> None:
    site.broker.vhosts["/"].declare_exchange(
        None,
        "x",
        "topic",
        durable=True,
        internal=True,
        arguments={"alternate-exchange": ("S", b"y")},
    )
    assert listed(exchanges.exchange, site, vhost="/", name="x") == {
        "name": "x",
        "vhost": "/",
        "type": "topic",
        "durable": True,
        "auto_delete": False,
        "internal": True,
        "arguments": {"alternate-exchange": "y"},
    }


def test_the_default_exchange_is_found_by_its_other_name(site: Site) -> None:
    assert listed(exchanges.exchange, site, vhost="/", name="amq.default")["name"] == ""


def test_exchanges_are_listed_with_those_that_every_vhost_has(site: Site) -> None:
    names = [exchange["name"] for exchange in listed(exchanges.exchanges, site, vhost="log")]
    assert names[:2] == ["", "amq.direct"]
    assert len(listed(exchanges.exchanges, site)) == 4 * len(names)


def test_bindings_are_listed_with_those_of_the_default_exchange(site: Site) -> None:
    vhost = site.broker.vhosts["/"]
    declare(site, "/", "q")
    vhost.bind_queue(None, None, "amq.topic", "q", "a.#")
    vhost.bind_exchange(None, "amq.direct", "amq.fanout", "")
    vhost.bind_queue(
        None, None, "amq.headers", "q", "k", {"a": ("I", 1)}, b"\x01aI\x00\x00\x00\x01"
    )
    shown = listed(bindings.bindings, site, vhost="/")
    assert [
        (b["source"], b["destination_type"], b["destination"], b["routing_key"]) for b in shown
    ] == [
        ("", "queue", "q", "q"),
        ("amq.direct", "exchange", "amq.fanout", ""),
        ("amq.headers", "queue", "q", "k"),
        ("amq.topic", "queue", "q", "a.#"),
    ]
    keys = [binding["properties_key"] for binding in shown]
    assert [keys[0], keys[1], keys[3]] == ["q", "~", "a.#"]
    assert keys[2].startswith("k~")
    assert shown[2]["arguments"] == {"a": 1}
    assert listed(bindings.bindings, site, "owner") == []


# -- connections -----------------------------------------------------------------------------------


def test_a_connection_is_shown_with_all_that_is_known(site: Site) -> None:
    properties = {"product": "pika", "capabilities": {"basic.nack": True}}
    connect(site, "owner", "log", channels=(1, 2), client_properties=properties)
    assert listed(connections.connections, site) == [
        {
            "name": "127.0.0.1:40000 -> 127.0.0.1:5672",
            "node": "amqplite@localhost",
            "user": "owner",
            "vhost": "log",
            "protocol": "AMQP 0-9-1",
            "type": "network",
            "state": "running",
            "channels": 2,
            "channel_max": 2047,
            "frame_max": 131_072,
            "timeout": 60,
            "client_properties": properties,
        }
    ]


def test_users_see_their_own_connections_and_monitoring_sees_all(site: Site) -> None:
    for user in ("owner", "client"):
        connect(site, user, "log")
    seen = {
        asker: [connection["user"] for connection in listed(connections.connections, site, asker)]
        for asker in ("admin", "watcher", "owner")
    }
    assert seen == {
        "admin": ["owner", "client"],
        "watcher": ["owner", "client"],
        "owner": ["owner"],
    }


# -- vhosts and the whole --------------------------------------------------------------------------


def test_vhosts_are_listed_with_their_messages(site: Site) -> None:
    queue = declare(site, "log", "q")
    queue.push(MESSAGE)
    queue.get()
    queue.push(MESSAGE)
    assert [vhost["name"] for vhost in listed(vhosts.vhosts, site)] == ["/", "/log", "log", "a b"]
    (own,) = listed(vhosts.vhosts, site, "owner")
    assert own == listed(vhosts.vhost, site, vhost="log")
    assert (own["messages"], own["messages_ready"], own["messages_unacknowledged"]) == (2, 1, 1)


def test_the_overview_counts_what_the_user_may_see(site: Site) -> None:
    connect(site, "owner", "log", channels=(1,))
    for vhost in ("/", "log"):
        declare(site, vhost, "q").push(MESSAGE)
    whole, part = listed(overview.overview, site), listed(overview.overview, site, "owner")
    assert whole["product_name"] == "amqplite"
    assert whole["rabbitmq_version"] == whole["product_version"] == __version__
    assert whole["queue_totals"]["messages"] == whole["object_totals"]["queues"] == 2
    assert part["queue_totals"] == {
        "messages": 1,
        "messages_ready": 1,
        "messages_unacknowledged": 0,
    }
    assert part["object_totals"] == {
        "queues": 1,
        "exchanges": 7,
        "connections": 1,
        "channels": 1,
        "consumers": 0,
    }


def test_where_the_broker_listens_is_for_monitoring(site: Site) -> None:
    shown = listed(overview.overview, site, "watcher")["listeners"]
    assert [(one["protocol"], one["ip_address"], one["port"]) for one in shown] == [
        ("amqp", "127.0.0.1", 5672),
        ("http", "127.0.0.1", 15672),
    ]
    assert "listeners" not in listed(overview.overview, site, "owner")


def test_a_user_is_told_who_that_is(site: Site) -> None:
    assert listed(overview.whoami, site, "owner") == {"name": "owner", "tags": ["management"]}

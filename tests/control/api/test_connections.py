"""Connections: what is shown of them, and to whom."""

import pytest

from amqplite.control.api import connections
from amqplite.control.site import Site
from tests.control.sites import connect, listed, make_site


@pytest.fixture
def site() -> Site:
    return make_site()


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

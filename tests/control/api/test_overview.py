"""The whole: sums, places, and who asks."""

import pytest

from amqplite import __version__
from amqplite.broker.message import restored
from amqplite.control.api import overview
from amqplite.control.site import Site
from tests.control.sites import connect, declare, listed, make_site

MESSAGE = restored("", "q", b"\x00\x00", b"m", persistent=False)


@pytest.fixture
def site() -> Site:
    return make_site()


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
